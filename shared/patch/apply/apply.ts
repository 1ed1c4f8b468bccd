/**
 * Server-side apply: merges a manager's configuration into an object, removes the fields that the manager no longer
 * applies and no other manager owns, and computes the new ownership. Creates a new object and does not modify its
 * arguments. All objects are without managedFields.
 */
import { compareBytes, equalJson, type JsonObject } from '../../values/json';
import { truncatePath } from '../../values/field-path';
import { quote } from '../../values/text/quote';
import { isSameManager, type ManagedFieldsEntry, type FieldManager } from './managed-fields';
import {
  canonicalFieldSet,
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

export interface FieldConflict {
  readonly manager: FieldManager;
  /** The fields that the manager owns and the configuration would change. */
  readonly fields: FieldSet;
}

/** Other managers own fields that the configuration would change. */
export class ApplyConflict extends Error {
  override readonly name = 'ApplyConflict';
  readonly causes: readonly { readonly message: string; readonly field: string }[];
  /** The conflicts without the introduction of the message: `conflict with "x": .spec.y`. */
  readonly listed: string;

  constructor(readonly conflicts: readonly FieldConflict[]) {
    let count = 0;
    let remaining = MAX_SHOWN_PATHS;
    const shownConflicts = [...conflicts]
      .sort((a, b) => compareBytes(sortKeyOf(a.manager), sortKeyOf(b.manager)))
      .map(({ manager, fields }) => {
        const members = listMemberPaths(canonicalFieldSet(fields));
        const paths = members.slice(0, remaining).map(formatPath);
        count += members.length;
        remaining -= paths.length;
        return { name: formatManager(manager), paths };
      })
      .filter(({ paths }) => paths.length > 0);
    const omitted = count > MAX_SHOWN_PATHS ? [`and ${count - MAX_SHOWN_PATHS} more`] : [];
    const listed = formatConflicts(count, shownConflicts, omitted);
    super(`Apply failed with ${count} conflict${count === 1 ? '' : 's'}: ${listed}`);
    this.listed = listed;
    this.causes = [
      ...shownConflicts.flatMap(({ name, paths }) => paths.map((field) => ({ message: `conflict with ${name}`, field }))),
      ...omitted.map((message) => ({ message, field: '' })),
    ];
  }
}

/** Maximum number of conflicting paths in a message; the rest is only counted. */
const MAX_SHOWN_PATHS = 100;

const formatPath = (path: readonly PathElement[]): string => truncatePath(formatElementPath(path));

/**
 * Sort key of managers in a message. A manager's writes to a subresource come before its other writes (upstream
 * behaviour).
 */
function sortKeyOf({ name, operation, apiVersion, subresource }: FieldManager): string {
  const version = operation === 'Apply' ? {} : { apiVersion };
  return JSON.stringify({ name, operation, ...version, ...(subresource === '' ? {} : { subresource }) });
}

function formatManager({ name, operation, apiVersion, subresource }: FieldManager): string {
  const shown = quote(name) + (subresource === '' ? '' : ` with subresource ${quote(subresource)}`);
  return operation === 'Apply' ? shown : `${shown} using ${apiVersion}`;
}

function formatConflicts(
  count: number,
  shownConflicts: readonly { readonly name: string; readonly paths: readonly string[] }[],
  omitted: readonly string[],
): string {
  const [first] = shownConflicts;
  if (count === 1 && first !== undefined) return `conflict with ${first.name}: ${first.paths.join('')}`;
  const parts = shownConflicts.map(({ name, paths }) => `conflicts with ${name}:\n- ${paths.join('\n- ')}`);
  return [...parts, ...omitted].join('\n');
}

export interface AppliedConfiguration {
  /** The merged object, neither decoded nor defaulted. */
  readonly object: JsonObject;
  readonly entries: readonly ManagedFieldsEntry[];
}

/**
 * Applies a configuration. `config` fits the shape; `now` is RFC 3339. Throws {@link ApplyConflict} unless `force` is
 * set.
 */
export function applyConfiguration(
  views: VersionViews,
  live: JsonObject,
  config: JsonObject,
  entries: readonly ManagedFieldsEntry[],
  manager: FieldManager,
  options: { readonly force: boolean; readonly now: string },
): AppliedConfiguration {
  return runStepsSync(applyConfigurationInSteps(views, live, config, entries, manager, options));
}

/** {@link applyConfiguration} in steps, so that the caller can yield between them. */
export function* applyConfigurationInSteps(
  views: VersionViews,
  live: JsonObject,
  config: JsonObject,
  entries: readonly ManagedFieldsEntry[],
  manager: FieldManager,
  options: { readonly force: boolean; readonly now: string },
): Steps<AppliedConfiguration> {
  const { shape, resets } = views.served;
  const previous = entries.find((entry) => isSameManager(entry.manager, manager));
  const others = entries.filter((entry) => entry !== previous);
  const wanted = differenceBelow(fieldSetOf(shape, config), resets);
  const applied = withoutServerFields(wanted);
  // A controller that applies the same fields repeatedly gives up none, and its set is canonical already.
  const isRepeated = previous?.manager.apiVersion === manager.apiVersion && equalJson(previous.fields, applied);
  const merged = mergeConfiguration(shape, live, config);
  const object =
    previous === undefined || isRepeated
      ? merged
      : restoreNulls(shape, yield* pruneInSteps(views, merged, previous, [configuredFields(views, config, manager), ...others]), config);

  const changes = new VersionedChanges(views, live, object);
  const conflicts: FieldConflict[] = [];
  for (const { manager: other, fields: owned } of others) {
    const change = yield* changes.changeIn(other.apiVersion);
    const fields = change === undefined ? EMPTY_SET : intersection(owned, change.changed);
    if (!isEmptySet(fields)) conflicts.push({ manager: other, fields });
  }
  if (conflicts.length > 0 && !options.force) throw new ApplyConflict(conflicts);
  const remaining = yield* changes.withoutChanged(others);
  const time = equalJson(live, object) ? previous?.time : options.now;
  const fields = isRepeated ? previous.fields : canonicalFieldSet(applied);
  return { object, entries: isEmptySet(applied) ? remaining : [...remaining, { manager, time, fields }] };
}

/**
 * An entry of the manager with all fields of its configuration. It includes empty lists, which no field set in
 * `managedFields` names, so that they stay.
 */
function configuredFields({ served: { shape, resets } }: VersionViews, config: JsonObject, manager: FieldManager): ManagedFieldsEntry {
  return { manager, time: undefined, fields: differenceBelow(fieldsAndEmptyLists(shape, config), resets) };
}

/**
 * Removes the fields that the manager applied before and that no manager owns now. Each field set is read in the
 * version in which it was written.
 */
function* pruneInSteps(
  views: VersionViews,
  merged: JsonObject,
  previous: ManagedFieldsEntry,
  owners: readonly ManagedFieldsEntry[],
): Steps<JsonObject> {
  const view = views.viewOf(previous.manager.apiVersion);
  if (view === undefined || isEmptySet(previous.fields)) return merged;
  // The manager still applies every field of its previous configuration, as controllers that apply repeatedly do, so
  // nothing is given up.
  const current = owners.find(
    ({ manager }) => manager.apiVersion === previous.manager.apiVersion && isSameManager(manager, previous.manager),
  );
  if (current !== undefined && isEmptySet(difference(previous.fields, current.fields))) return merged;
  const { shape } = view;
  const versioned = yield* awaitInStep(view.toVersion(merged));
  const applied = withStructMembers(shape, previous.fields);
  // First removes everything that was applied, with its descendants; then restores what a manager owns, and with it
  // fields that were never applied.
  const stripped = yield* awaitInStep(view.fromVersion(removeFields(shape, versioned, applied)));
  const restored = yield* awaitInStep(view.toVersion(yield* restoreOwnedInSteps(views, merged, stripped, owners)));
  const givenUp = intersection(difference(allFields(shape, versioned), allFields(shape, restored)), applied);
  return yield* awaitInStep(view.fromVersion(removeFields(shape, versioned, givenUp)));
}

/** `stripped` with every field that a manager owns in `merged`. */
function* restoreOwnedInSteps(
  views: VersionViews,
  merged: JsonObject,
  stripped: JsonObject,
  owners: readonly ManagedFieldsEntry[],
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

function allFields(shape: MergeShape, object: JsonObject): FieldSet {
  return withStructMembers(shape, fieldsAndEmptyLists(shape, object));
}
