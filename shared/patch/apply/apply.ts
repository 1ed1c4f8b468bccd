/**
 * Server-side apply: merges a manager's configuration into an object, takes out what the manager no longer wants and
 * nobody else does, and settles who owns what. Makes a new object; what it is given stays as it is. All objects are without managedFields.
 */
import { compareBytes, equalJson, type JsonObject } from '../../values/json';
import { truncatePath } from '../../values/field-path';
import { quote } from '../../values/quote';
import { isSameManager, type ManagedFieldsEntry, type Manager } from './managed-fields';
import {
  canonical,
  difference,
  differenceBelow,
  intersection,
  isEmptySet,
  membersOf,
  pathText,
  union,
  EMPTY_SET,
  type FieldSet,
  type PathElement,
} from './field-set';
import { awaitInStep, runStepsSync, type Steps } from '../../scheduling/steps';
import { Changes, withoutServerFields, type Ownership } from './record-update';
import { mergeApplied, removeFields, restoreNulls } from './merge';
import type { Shape } from './merge-shape';
import { fieldsAndEmptyLists, fieldSetOf, withStructMembers } from './typed';

export interface Conflict {
  readonly manager: Manager;
  /** Where others own what the configuration would change. */
  readonly fields: FieldSet;
}

/** Others own fields that the configuration would change. */
export class ApplyConflict extends Error {
  override readonly name = 'ApplyConflict';
  readonly causes: readonly { readonly message: string; readonly field: string }[];
  /** The conflicts without the introduction of the message: `conflict with "x": .spec.y`. */
  readonly listed: string;

  constructor(readonly conflicts: readonly Conflict[]) {
    let count = 0;
    let room = MOST_PATHS;
    const found = [...conflicts]
      .sort((a, b) => compareBytes(identity(a.manager), identity(b.manager)))
      .map(({ manager, fields }) => {
        const members = membersOf(canonical(fields));
        const paths = members.slice(0, room).map(shownPath);
        count += members.length;
        room -= paths.length;
        return { name: managerText(manager), paths };
      })
      .filter(({ paths }) => paths.length > 0);
    const left = count > MOST_PATHS ? [`and ${count - MOST_PATHS} more`] : [];
    const listed = conflictText(count, found, left);
    super(`Apply failed with ${count} conflict${count === 1 ? '' : 's'}: ${listed}`);
    this.listed = listed;
    this.causes = [
      ...found.flatMap(({ name, paths }) => paths.map((field) => ({ message: `conflict with ${name}`, field }))),
      ...left.map((message) => ({ message, field: '' })),
    ];
  }
}

/** Conflicts that are named one by one. */
const MOST_PATHS = 100;

const shownPath = (path: readonly PathElement[]): string => truncatePath(pathText(path));

/** What decides the order of managers in a message: a manager's writes to a subresource stand before its other ones (upstream behaviour). */
function identity({ name, operation, apiVersion, subresource }: Manager): string {
  const version = operation === 'Apply' ? {} : { apiVersion };
  return JSON.stringify({ name, operation, ...version, ...(subresource === '' ? {} : { subresource }) });
}

function managerText({ name, operation, apiVersion, subresource }: Manager): string {
  const shown = quote(name) + (subresource === '' ? '' : ` with subresource ${quote(subresource)}`);
  return operation === 'Apply' ? shown : `${shown} using ${apiVersion}`;
}

function conflictText(
  count: number,
  found: readonly { readonly name: string; readonly paths: readonly string[] }[],
  left: readonly string[],
): string {
  const [first] = found;
  if (count === 1 && first !== undefined) return `conflict with ${first.name}: ${first.paths.join('')}`;
  const parts = found.map(({ name, paths }) => `conflicts with ${name}:\n- ${paths.join('\n- ')}`);
  return [...parts, ...left].join('\n');
}

export interface Applied {
  /** Neither decoded nor defaulted. */
  readonly object: JsonObject;
  readonly entries: readonly ManagedFieldsEntry[];
}

/** Throws {@link ApplyConflict} unless `force`. `config` fits the shape. `now` is RFC 3339. */
export function applyConfiguration(
  ownership: Ownership,
  live: JsonObject,
  config: JsonObject,
  entries: readonly ManagedFieldsEntry[],
  manager: Manager,
  options: { readonly force: boolean; readonly now: string },
): Applied {
  return runStepsSync(applyingConfiguration(ownership, live, config, entries, manager, options));
}

/** The same in steps. */
export function* applyingConfiguration(
  ownership: Ownership,
  live: JsonObject,
  config: JsonObject,
  entries: readonly ManagedFieldsEntry[],
  manager: Manager,
  options: { readonly force: boolean; readonly now: string },
): Steps<Applied> {
  const { shape, resets } = ownership.own;
  const previous = entries.find((entry) => isSameManager(entry.manager, manager));
  const others = entries.filter((entry) => entry !== previous);
  const wanted = differenceBelow(fieldSetOf(shape, config), resets);
  const own = withoutServerFields(wanted);
  // A controller that says the same fields again and again gives nothing up, and its set is canonical already.
  const repeats = previous?.manager.apiVersion === manager.apiVersion && equalJson(previous.fields, own);
  const merged = mergeApplied(shape, live, config);
  const object =
    previous === undefined || repeats
      ? merged
      : restoreNulls(shape, yield* pruning(ownership, merged, previous, [configuredFields(ownership, config, manager), ...others]), config);

  const changes = new Changes(ownership, live, object);
  const conflicts: Conflict[] = [];
  for (const { manager: other, fields: owned } of others) {
    const change = yield* changes.in(other.apiVersion);
    const fields = change === undefined ? EMPTY_SET : intersection(owned, change.changed);
    if (!isEmptySet(fields)) conflicts.push({ manager: other, fields });
  }
  if (conflicts.length > 0 && !options.force) throw new ApplyConflict(conflicts);
  const left = yield* changes.leave(others);
  const time = equalJson(live, object) ? previous?.time : options.now;
  const fields = repeats ? previous.fields : canonical(own);
  return { object, entries: isEmptySet(own) ? left : [...left, { manager, time, fields }] };
}

/** An entry of the manager with all fields of its configuration. It includes empty lists, which no field set in `managedFields` names, so that they stay. */
function configuredFields({ own: { shape, resets } }: Ownership, config: JsonObject, manager: Manager): ManagedFieldsEntry {
  return { manager, time: undefined, fields: differenceBelow(fieldsAndEmptyLists(shape, config), resets) };
}

/** Removes the fields that the manager applied before and that no owner has now. Each field set is read in the version in which it was written. */
function* pruning(
  ownership: Ownership,
  merged: JsonObject,
  last: ManagedFieldsEntry,
  owners: readonly ManagedFieldsEntry[],
): Steps<JsonObject> {
  const view = ownership.in(last.manager.apiVersion);
  if (view === undefined || isEmptySet(last.fields)) return merged;
  // Nothing is given up while the manager wants all that it wanted: the way of a controller that says the same again and again.
  const now = owners.find(({ manager }) => manager.apiVersion === last.manager.apiVersion && isSameManager(manager, last.manager));
  if (now !== undefined && isEmptySet(difference(last.fields, now.fields))) return merged;
  const { shape } = view;
  const whole = yield* awaitInStep(view.convert(merged));
  const applied = withStructMembers(shape, last.fields);
  // All that was applied goes, with everything below it; then what someone wants comes back, and with it what nobody ever applied.
  const stripped = yield* awaitInStep(view.back(removeFields(shape, whole, applied)));
  const restored = yield* awaitInStep(view.convert(yield* restoringOwned(ownership, merged, stripped, owners)));
  const given = intersection(difference(allFields(shape, whole), allFields(shape, restored)), applied);
  return yield* awaitInStep(view.back(removeFields(shape, whole, given)));
}

/** `stripped` with everything that somebody owns in `merged`. */
function* restoringOwned(
  ownership: Ownership,
  merged: JsonObject,
  stripped: JsonObject,
  owners: readonly ManagedFieldsEntry[],
): Steps<JsonObject> {
  let restored = stripped;
  for (const apiVersion of new Set(owners.map(({ manager }) => manager.apiVersion))) {
    const view = ownership.in(apiVersion);
    if (view === undefined) continue;
    const { shape } = view;
    const owned = owners.filter(({ manager }) => manager.apiVersion === apiVersion).map(({ fields }) => fields);
    const kept = union(
      allFields(shape, yield* awaitInStep(view.convert(restored))),
      withStructMembers(shape, owned.reduce(union, EMPTY_SET)),
    );
    const whole = yield* awaitInStep(view.convert(merged));
    restored = yield* awaitInStep(view.back(removeFields(shape, whole, difference(allFields(shape, whole), kept))));
  }
  return restored;
}

function allFields(shape: Shape, object: JsonObject): FieldSet {
  return withStructMembers(shape, fieldsAndEmptyLists(shape, object));
}
