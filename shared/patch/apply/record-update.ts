/**
 * Computes the managedFields entries after a write other than an apply: the manager that writes becomes the only owner
 * of the fields that it changes. Does not modify the object. Server-side apply is in apply.ts.
 */
import { compareBytes, type JsonObject } from '../../values/json';
import { awaitInStep, runStepsSync, type Steps } from '../../scheduling/steps';
import { compareInSteps } from './compare';
import { compareManagers, isSameManager, type FieldManager, type ManagedFieldsEntry, type ManagedObject } from './managed-fields';
import { canonicalFieldSet } from './canonical-field-set';
import { difference, differenceBelow, EMPTY_SET, isEmptySet, union, unionOfAll, type FieldSet } from './field-set';
import type { MergeShape } from './merge-shape';

/**
 * How to see the objects of an endpoint in one version. A managedFields entry keeps the version of the request that wrote
 * it, so its paths are compared with the object in that version.
 */
export interface VersionView {
  readonly shape: MergeShape;
  /**
   * Fields that the endpoint does not write (upstream's reset fields), such as `status` for the main resource of a Pod.
   * Changes of them do not count, so a manager that writes to the endpoint does not become their owner.
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
  /** `undefined` for an unknown version; entries in that version are dropped. */
  viewOf(apiVersion: string): VersionView | undefined;
}

/** The fields that one write changes, as seen in each version; computed for a version on first use. */
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

/** The fields that a write changes, in one version, without {@link VersionView.resets}. */
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

/** The fields of a set that a manager can own. */
export function withoutServerFields(fields: FieldSet): FieldSet {
  return difference(fields, SERVER_FIELDS);
}

/** The manager that updates, and when. */
export interface UpdateOptions {
  /** The versions of the object. `before` and `after` are in `views.served`. */
  readonly views: VersionViews;
  readonly manager: FieldManager;
  /** RFC 3339. The time of the manager's entry if it owns a changed field. */
  readonly now: string;
}

/**
 * Computes the entries after the manager has changed `before` to `after`, which has no managedFields. The manager becomes
 * the only owner of fields that it added or modified; fields that it removed have no owner.
 *
 * Returns the same list when no field changed that a manager can own, all entries have the manager's version, and no
 * more than {@link MAX_UPDATERS} entries are of updates. Throws MissingListKeyError when an item of a keyed list lacks a
 * key.
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

/** Upstream's limit of entries of updates. */
const MAX_UPDATERS = 10;
/** Upstream's name for the manager of merged entries. */
const BUCKET_NAME = 'ancient-changes';

/**
 * While there are more than {@link MAX_UPDATERS} entries of updates, merges the oldest of the same version into one entry,
 * the bucket of this version. More remain when so many versions have an entry each.
 */
function capUpdaters(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  const updaters = entries.filter(({ manager }) => manager.operation === 'Update');
  if (updaters.length <= MAX_UPDATERS) return entries;
  const retained = new Set(entries);
  /** The oldest entry of each version. It begins a bucket only when there is a second entry to merge with. */
  const oldest = new Map<string, ManagedFieldsEntry>();
  const existingBuckets = new Map<string, ManagedFieldsEntry>();
  for (const entry of updaters) {
    const { manager } = entry;
    if (manager.name === BUCKET_NAME && manager.subresource === '') existingBuckets.set(manager.apiVersion, entry);
  }
  /** The entries to merge into the bucket of each version; the last is the youngest, and its time becomes the bucket's. */
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
