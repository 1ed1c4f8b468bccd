/**
 * Server-side apply: merges a manager's configuration into an object, removes the fields that the manager no longer
 * applies and no other manager owns, and computes the new managedFields entries. Creates a new object and does not
 * modify its arguments. No object here contains managedFields; they are passed as entries.
 */
import { compareBytes, equalJson, type JsonObject } from '../../values/json';
import { truncatePath } from '../../values/field-path';
import { quote } from '../../values/text/quote';
import { isSameManager, type FieldManager, type ManagedFieldsEntry, type ManagedObject } from './managed-fields';
import { canonicalFieldSet } from './canonical-field-set';
import {
  difference,
  differenceBelow,
  intersection,
  isEmptySet,
  listMemberPaths,
  formatElementPath,
  union,
  EMPTY_SET,
  type FieldSet,
  type PathElement,
} from './field-set';
import { awaitInStep, runStepsSync, type Steps } from '../../scheduling/steps';
import { VersionedChanges, withoutServerFields, type VersionViews } from './record-update';
import { mergeConfiguration, removeFields, restoreNulls } from './merge';
import type { MergeShape } from './merge-shape';
import { fieldsAndEmptyLists, fieldSetOf, withStructMembers } from './typed';

/** A manager other than the applying one, with those of its fields that the configuration would change. */
export interface FieldConflict {
  readonly manager: FieldManager;
  readonly fields: FieldSet;
}

/** Maximum number of conflicting paths in a message; the rest is only counted. */
const MAX_SHOWN_PATHS = 100;

/** Other managers own fields that the configuration would change. */
export class ApplyConflict extends Error {
  override readonly name = 'ApplyConflict';
  /**
   * The causes of the response's Status, one for each path that the message shows, such as `{ message: 'conflict with
   * "x"', field: '.spec.y' }`. When paths are omitted, a last cause with an empty field states how many.
   */
  readonly causes: readonly { readonly message: string; readonly field: string }[];
  /** The message without `Apply failed with 1 conflict: `, so `conflict with "x": .spec.y`. */
  readonly listed: string;

  constructor(readonly conflicts: readonly FieldConflict[]) {
    const { count, shown } = selectShownConflicts(conflicts);
    const omitted = count > MAX_SHOWN_PATHS ? [`and ${count - MAX_SHOWN_PATHS} more`] : [];
    const listed = formatConflicts(count, shown, omitted);
    super(`Apply failed with ${count} conflict${count === 1 ? '' : 's'}: ${listed}`);
    this.listed = listed;
    this.causes = [
      ...shown.flatMap(({ name, paths }) => paths.map((field) => ({ message: `conflict with ${name}`, field }))),
      ...omitted.map((message) => ({ message, field: '' })),
    ];
  }
}

interface ShownConflict {
  /** The manager as in the message: `"kubectl" using apps/v1`. */
  readonly name: string;
  readonly paths: readonly string[];
}

/** `count` is the number of all conflicting paths; `shown` has the first {@link MAX_SHOWN_PATHS} of them by manager. */
function selectShownConflicts(conflicts: readonly FieldConflict[]): { readonly count: number; readonly shown: readonly ShownConflict[] } {
  let count = 0;
  let remaining = MAX_SHOWN_PATHS;
  const shown: ShownConflict[] = [];
  for (const { manager, fields } of [...conflicts].sort((a, b) => compareBytes(sortKeyOf(a.manager), sortKeyOf(b.manager)))) {
    const members = listMemberPaths(canonicalFieldSet(fields));
    const paths = members.slice(0, remaining).map(formatPath);
    count += members.length;
    remaining -= paths.length;
    if (paths.length > 0) shown.push({ name: formatManager(manager), paths });
  }
  return { count, shown };
}

const formatPath = (path: readonly PathElement[]): string => truncatePath(formatElementPath(path));

/**
 * Sort key of managers in a message. Like upstream's, it is JSON: `,"subresource"` sorts before the `}` that ends the
 * key of a write to the object itself, so a manager's writes to a subresource come first.
 */
function sortKeyOf({ name, operation, apiVersion, subresource }: FieldManager): string {
  const version = operation === 'Apply' ? {} : { apiVersion };
  return JSON.stringify({ name, operation, ...version, ...(subresource === '' ? {} : { subresource }) });
}

function formatManager({ name, operation, apiVersion, subresource }: FieldManager): string {
  const shown = quote(name) + (subresource === '' ? '' : ` with subresource ${quote(subresource)}`);
  return operation === 'Apply' ? shown : `${shown} using ${apiVersion}`;
}

/** `omitted` is the line for the paths that are not shown; empty when all are. */
function formatConflicts(count: number, shown: readonly ShownConflict[], omitted: readonly string[]): string {
  const [first] = shown;
  if (count === 1 && first !== undefined) return `conflict with ${first.name}: ${first.paths.join('')}`;
  const parts = shown.map(({ name, paths }) => `conflicts with ${name}:\n- ${paths.join('\n- ')}`);
  return [...parts, ...omitted].join('\n');
}

/** The merged object, which the caller has still to decode and default, and its entries after the apply. */
export type AppliedConfiguration = ManagedObject;

/** The manager that applies, and how conflicts are treated. */
export interface ApplyConfigurationOptions {
  /** The versions of the object. The live object and the configuration are in `views.served`. */
  readonly views: VersionViews;
  /** The applying manager. */
  readonly manager: FieldManager;
  /** Whether the applying manager takes conflicting fields from their owners; without it they are an error. */
  readonly force: boolean;
  /** RFC 3339. The time of the manager's entry if the apply changes the object. */
  readonly now: string;
}

/**
 * Applies a configuration in which `shapeErrors` (typed.ts) finds no error. Throws {@link ApplyConflict} when another
 * manager owns a field that would change and `force` is not set.
 */
export function applyConfiguration(live: ManagedObject, config: JsonObject, options: ApplyConfigurationOptions): AppliedConfiguration {
  return runStepsSync(applyConfigurationInSteps(live, config, options));
}

/** {@link applyConfiguration} in steps, so that the caller can yield between them. */
export function* applyConfigurationInSteps(
  { object: live, entries }: ManagedObject,
  config: JsonObject,
  { views, manager, force, now }: ApplyConfigurationOptions,
): Steps<AppliedConfiguration> {
  const { shape, resets } = views.served;
  const previous = entries.find((entry) => isSameManager(entry.manager, manager));
  const others = entries.filter((entry) => entry !== previous);
  const applied = withoutServerFields(differenceBelow(fieldSetOf(shape, config), resets));
  // A controller that applies the same fields repeatedly gives up none of them, and its stored set is canonical already.
  const isRepeated = previous?.manager.apiVersion === manager.apiVersion && equalJson(previous.fields, applied);
  let object = mergeConfiguration(shape, live, config);
  if (previous !== undefined && !isRepeated) {
    const owners = [configuredFields(views, config, manager), ...others];
    object = restoreNulls(shape, yield* pruneInSteps(views, object, previous, owners), config);
  }

  const changes = new VersionedChanges(views, live, object);
  const conflicts: FieldConflict[] = [];
  for (const { manager: other, fields: owned } of others) {
    const change = yield* changes.changeIn(other.apiVersion);
    const fields = change === undefined ? EMPTY_SET : intersection(owned, change.changed);
    if (!isEmptySet(fields)) conflicts.push({ manager: other, fields });
  }
  if (conflicts.length > 0 && !force) throw new ApplyConflict(conflicts);
  const remaining = yield* changes.withoutChanged(others);
  const time = equalJson(live, object) ? previous?.time : now;
  const fields = isRepeated ? previous.fields : canonicalFieldSet(applied);
  return { object, entries: isEmptySet(applied) ? remaining : [...remaining, { manager, time, fields }] };
}

/**
 * An entry of the applying manager with all fields of its configuration, empty lists included. The entry that is stored
 * in managedFields has no path for an empty list, so pruning by it would remove the list.
 */
function configuredFields({ served: { shape, resets } }: VersionViews, config: JsonObject, manager: FieldManager): ManagedFieldsEntry {
  return { manager, time: undefined, fields: differenceBelow(fieldsAndEmptyLists(shape, config), resets) };
}

/**
 * Removes the fields that the manager applied before and that none of `owners` owns now. Takes three steps, because
 * fields of `owners` may be recorded in another version than those of `previous`, and because removing a field also
 * removes those below it:
 *
 * 1. `stripped` is `merged` without all fields of `previous` and what is below them.
 * 2. `restored` is `stripped` with the fields of `owners`, in each version in which entries were written.
 * 3. The fields of `previous` that are in `merged` and not in `restored` are given up and removed from `merged`.
 */
function* pruneInSteps(
  views: VersionViews,
  merged: JsonObject,
  previous: ManagedFieldsEntry,
  owners: readonly ManagedFieldsEntry[],
): Steps<JsonObject> {
  const view = views.viewOf(previous.manager.apiVersion);
  if (view === undefined || isEmptySet(previous.fields)) return merged;
  // Nothing is given up when the manager still applies, in the same version, every field that it applied before.
  const current = owners.find(
    ({ manager }) => manager.apiVersion === previous.manager.apiVersion && isSameManager(manager, previous.manager),
  );
  if (current !== undefined && isEmptySet(difference(previous.fields, current.fields))) return merged;
  const { shape } = view;
  const versioned = yield* awaitInStep(view.toVersion(merged));
  const applied = withStructMembers(shape, previous.fields);
  const stripped = yield* awaitInStep(view.fromVersion(removeFields(shape, versioned, applied)));
  const restored = yield* awaitInStep(view.toVersion(yield* restoreOwnedInSteps(views, { merged, stripped, owners })));
  const givenUp = intersection(difference(allFields(shape, versioned), allFields(shape, restored)), applied);
  return yield* awaitInStep(view.fromVersion(removeFields(shape, versioned, givenUp)));
}

/** `stripped` with every field of `merged` that one of `owners` owns. */
function* restoreOwnedInSteps(
  views: VersionViews,
  { merged, stripped, owners }: { merged: JsonObject; stripped: JsonObject; owners: readonly ManagedFieldsEntry[] },
): Steps<JsonObject> {
  let restored = stripped;
  for (const apiVersion of new Set(owners.map(({ manager }) => manager.apiVersion))) {
    const view = views.viewOf(apiVersion);
    if (view === undefined) continue;
    const { shape } = view;
    const owned = owners.filter(({ manager }) => manager.apiVersion === apiVersion).map(({ fields }) => fields);
    const retained = union(
      allFields(shape, yield* awaitInStep(view.toVersion(restored))),
      withStructMembers(shape, owned.reduce(union, EMPTY_SET)),
    );
    const versioned = yield* awaitInStep(view.toVersion(merged));
    restored = yield* awaitInStep(view.fromVersion(removeFields(shape, versioned, difference(allFields(shape, versioned), retained))));
  }
  return restored;
}

/** Every field of an object, with the struct members and empty lists that a field set of managedFields leaves out. */
function allFields(shape: MergeShape, object: JsonObject): FieldSet {
  return withStructMembers(shape, fieldsAndEmptyLists(shape, object));
}
