/**
 * Computes the managedFields entries after a write other than an apply: its manager becomes the only owner of the fields
 * that it changes. Does not modify the object. Server-side apply is in apply.ts.
 */
import { compareBytes, type JsonObject } from '../../values/json';
import { awaitInStep, runStepsSync, type Steps } from '../../scheduling/steps';
import { compareInSteps } from './compare';
import { compareManagers, isSameManager, type FieldManager, type ManagedFieldsEntry, type ManagedObject } from './managed-fields';
import { canonicalFieldSet, difference, differenceBelow, EMPTY_SET, isEmptySet, union, unionOfAll, type FieldSet } from './field-set';
import type { MergeShape } from './merge-shape';

/** The objects of an endpoint in one version. Entries are written in the version of the request that created them. */
export interface VersionView {
  readonly shape: MergeShape;
  /**
   * Fields that the endpoint does not write (upstream's reset fields): a write to it never acquires ownership of them.
   */
  readonly resets: FieldSet;
  /** Converts from the endpoint's version to this one; returns a promise when a webhook converts. */
  toVersion(object: JsonObject): JsonObject | Promise<JsonObject>;
  /** Converts from this version to the endpoint's version. */
  fromVersion(object: JsonObject): JsonObject | Promise<JsonObject>;
}

/** The versions of an endpoint's objects; the same for all requests to the endpoint. */
export interface VersionViews {
  /** The endpoint's version, in which objects are passed. */
  readonly served: VersionView;
  /** `undefined` for an unknown version; its entries are dropped. */
  viewOf(apiVersion: string): VersionView | undefined;
}

/** The changes of one write, computed on first use for each version. */
export class VersionedChanges {
  private readonly known = new Map<string, FieldChange | undefined>();

  constructor(
    private readonly views: VersionViews,
    private readonly before: JsonObject,
    private readonly after: JsonObject,
  ) {}

  /** `undefined` for an unknown version. */
  *changeIn(apiVersion: string): Steps<FieldChange | undefined> {
    if (!this.known.has(apiVersion)) this.known.set(apiVersion, yield* this.compare(this.views.viewOf(apiVersion)));
    return this.known.get(apiVersion);
  }

  private *compare(view: VersionView | undefined): Steps<FieldChange | undefined> {
    if (view === undefined) return undefined;
    const before = yield* awaitInStep(view.toVersion(this.before));
    const { added, modified, removed } = yield* compareInSteps(view.shape, before, yield* awaitInStep(view.toVersion(this.after)));
    const changed = differenceBelow(union(modified, added), view.resets);
    const removedFields = differenceBelow(removed, view.resets);
    return { changed, removed: removedFields, touched: union(changed, removedFields) };
  }

  /** Removes the changed fields from the entries. Drops entries that own nothing then or have an unknown version. */
  *withoutChanged(entries: readonly ManagedFieldsEntry[]): Steps<readonly ManagedFieldsEntry[]> {
    const remaining: ManagedFieldsEntry[] = [];
    for (const entry of entries) {
      const change = yield* this.changeIn(entry.manager.apiVersion);
      if (change === undefined) continue;
      const fields = difference(entry.fields, change.touched);
      if (fields === entry.fields) remaining.push(entry);
      else if (!isEmptySet(fields)) remaining.push({ ...entry, fields });
    }
    return remaining;
  }
}

/** Excludes the reset fields of the endpoint. */
export interface FieldChange {
  /** Added or modified. */
  readonly changed: FieldSet;
  readonly removed: FieldSet;
  /** Union of `changed` and `removed`. */
  readonly touched: FieldSet;
}

/** Fields that the server owns; they are never in a managed field set. */
const SERVER_FIELDS: FieldSet = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    'f:name': {},
    'f:namespace': {},
    'f:creationTimestamp': {},
    'f:selfLink': {},
    'f:uid': {},
    'f:clusterName': {},
    'f:generation': {},
    'f:managedFields': {},
    'f:resourceVersion': {},
  },
};

/** The fields that a manager can own. */
export function withoutServerFields(fields: FieldSet): FieldSet {
  return difference(fields, SERVER_FIELDS);
}

/** The manager that updates, and when. */
export interface UpdateOptions {
  readonly views: VersionViews;
  readonly manager: FieldManager;
  /** RFC 3339. */
  readonly now: string;
}

/**
 * Computes the entries after the manager has changed `before` to `after`: it becomes the only owner of fields that it
 * added or changed, and fields that it removed have no owner. `after` has no managedFields. Returns the same list when
 * no ownable field changed, all entries have the version of the manager and none has to be merged. Throws MissingListKeyError.
 */
export function recordUpdate(before: ManagedObject, after: JsonObject, options: UpdateOptions): readonly ManagedFieldsEntry[] {
  return runStepsSync(recordUpdateInSteps(before, after, options));
}

/** {@link recordUpdate} in steps, so that the caller can yield between them. */
export function* recordUpdateInSteps(
  { object: before, entries }: ManagedObject,
  after: JsonObject,
  { views, manager, now }: UpdateOptions,
): Steps<readonly ManagedFieldsEntry[]> {
  const changes = new VersionedChanges(views, before, after);
  const change = yield* changes.changeIn(manager.apiVersion);
  yield;
  const changedFields = withoutServerFields(change?.changed ?? EMPTY_SET);
  const removedFields = withoutServerFields(change?.removed ?? EMPTY_SET);
  const isOneVersion = entries.every((entry) => entry.manager.apiVersion === manager.apiVersion);
  if (isOneVersion && isEmptySet(changedFields) && isEmptySet(removedFields)) return capUpdaters(entries);
  if (change === undefined || isEmptySet(changedFields)) return capUpdaters(yield* changes.withoutChanged(entries));
  const previous = entries.find((entry) => isSameManager(entry.manager, manager));
  const notOwned = union(change.removed, difference(change.changed, changedFields));
  const owned = difference(previous?.fields ?? EMPTY_SET, notOwned);
  yield;
  const fields = union(owned, changedFields);
  yield;
  const updated: ManagedFieldsEntry = { manager, time: now, fields: fields === owned ? owned : canonicalFieldSet(fields) };
  yield;
  return capUpdaters([...(yield* changes.withoutChanged(entries.filter((entry) => entry !== previous))), updated]);
}

const MAX_UPDATERS = 10;
const BUCKET_NAME = 'ancient-changes';

/**
 * Merges the oldest entries of updates of the same version until ten are left; more remain only when they have more
 * versions.
 */
function capUpdaters(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  const updaters = entries.filter(({ manager }) => manager.operation === 'Update');
  if (updaters.length <= MAX_UPDATERS) return entries;
  const retained = new Set(entries);
  /** The oldest entry of each version: merged only if there is another one to merge with. */
  const oldest = new Map<string, ManagedFieldsEntry>();
  const existingBuckets = new Map<string, ManagedFieldsEntry>();
  for (const entry of updaters) {
    const { manager } = entry;
    if (manager.name === BUCKET_NAME && manager.subresource === '') existingBuckets.set(manager.apiVersion, entry);
  }
  /** The entries to merge into the bucket of each version, in order. */
  const buckets = new Map<string, ManagedFieldsEntry[]>();
  let count = updaters.length;
  for (const entry of updaters.sort(compareAge)) {
    if (count <= MAX_UPDATERS) break;
    const { apiVersion } = entry.manager;
    const first = oldest.get(apiVersion);
    if (first === undefined) {
      oldest.set(apiVersion, entry);
      continue;
    }
    const bucket = buckets.get(apiVersion) ?? [existingBuckets.get(apiVersion) ?? first];
    bucket.push(entry);
    buckets.set(apiVersion, bucket);
    count -= 1;
  }
  for (const [apiVersion, merged] of buckets) {
    for (const entry of merged) retained.delete(entry);
    retained.add({
      manager: { name: BUCKET_NAME, operation: 'Update', apiVersion, subresource: '' },
      time: merged.at(-1)?.time,
      fields: canonicalFieldSet(unionOfAll(merged.map(({ fields }) => fields))),
    });
  }
  return [...retained];
}

function compareAge(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return compareBytes(a.time ?? '', b.time ?? '') || compareManagers(a.manager, b.manager);
}
