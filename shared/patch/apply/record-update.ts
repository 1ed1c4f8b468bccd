/**
 * Who owns which fields after a write that was no apply. The object itself is only looked at.
 */
import { compareBytes, type JsonObject } from '../../values/json';
import { awaitInStep, runStepsSync, type Steps } from '../../scheduling/steps';
import { comparing } from './compare';
import { compareManagers, isSameManager, type ManagedFieldsEntry, type Manager } from './managed-fields';
import { canonical, difference, differenceBelow, EMPTY_SET, isEmptySet, union, unionOf, type FieldSet } from './field-set';
import type { Shape } from './merge-shape';

/** How objects of an endpoint look in some version: entries are written in the version of the request that made them. */
export interface VersionView {
  readonly shape: Shape;
  /** Fields that the endpoint does not write: nobody comes to own them through it. */
  readonly resets: FieldSet;
  /** From the endpoint's own version to this one. A promise where a webhook converts. */
  convert(object: JsonObject): JsonObject | Promise<JsonObject>;
  back(object: JsonObject): JsonObject | Promise<JsonObject>;
}

/** What stays the same from request to request on one endpoint. */
export interface Ownership {
  /** The endpoint's own version, in which objects are given. */
  readonly own: VersionView;
  /** Undefined for what is no version of the kind: entries of such a version are dropped. */
  in(apiVersion: string): VersionView | undefined;
}

/** What a write changes, in every version that somebody asks for. */
export class Changes {
  private readonly known = new Map<string, FieldChange | undefined>();

  constructor(
    private readonly ownership: Ownership,
    private readonly before: JsonObject,
    private readonly after: JsonObject,
  ) {}

  /** Undefined for what is no version of the kind. */
  *in(apiVersion: string): Steps<FieldChange | undefined> {
    if (!this.known.has(apiVersion)) this.known.set(apiVersion, yield* this.compare(this.ownership.in(apiVersion)));
    return this.known.get(apiVersion);
  }

  private *compare(view: VersionView | undefined): Steps<FieldChange | undefined> {
    if (view === undefined) return undefined;
    const before = yield* awaitInStep(view.convert(this.before));
    const { added, modified, removed } = yield* comparing(view.shape, before, yield* awaitInStep(view.convert(this.after)));
    const changed = differenceBelow(union(modified, added), view.resets);
    const gone = differenceBelow(removed, view.resets);
    return { changed, removed: gone, touched: union(changed, gone) };
  }

  /** The entries without what has changed; who owns nothing then, or in a version that there is not, has no entry. */
  *leave(entries: readonly ManagedFieldsEntry[]): Steps<readonly ManagedFieldsEntry[]> {
    const left: ManagedFieldsEntry[] = [];
    for (const entry of entries) {
      const change = yield* this.in(entry.manager.apiVersion);
      if (change === undefined) continue;
      const fields = difference(entry.fields, change.touched);
      if (fields === entry.fields) left.push(entry);
      else if (!isEmptySet(fields)) left.push({ ...entry, fields });
    }
    return left;
  }
}

/** Without the fields that the endpoint does not write. */
export interface FieldChange {
  /** Added or modified. */
  readonly changed: FieldSet;
  readonly removed: FieldSet;
  /** Both. */
  readonly touched: FieldSet;
}

/** Fields that belong to the server; they are in no set. */
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

export function withoutServerFields(fields: FieldSet): FieldSet {
  return difference(fields, SERVER_FIELDS);
}

/**
 * The entries after `manager` has turned `before` into `after`: what it added or changed is its own and nobody else's, what it removed is
 * nobody's. Neither object has managedFields. The same list when nothing that can be owned has changed. `now` is RFC 3339. Throws MissingKey.
 */
export function recordUpdate(
  ownership: Ownership,
  before: JsonObject,
  after: JsonObject,
  entries: readonly ManagedFieldsEntry[],
  manager: Manager,
  now: string,
): readonly ManagedFieldsEntry[] {
  return runStepsSync(recordingUpdate(ownership, before, after, entries, manager, now));
}

/** The same in steps. */
export function* recordingUpdate(
  ownership: Ownership,
  before: JsonObject,
  after: JsonObject,
  entries: readonly ManagedFieldsEntry[],
  manager: Manager,
  now: string,
): Steps<readonly ManagedFieldsEntry[]> {
  const changes = new Changes(ownership, before, after);
  const change = yield* changes.in(manager.apiVersion);
  yield;
  const own = withoutServerFields(change?.changed ?? EMPTY_SET);
  const gone = withoutServerFields(change?.removed ?? EMPTY_SET);
  const isOneVersion = entries.every((entry) => entry.manager.apiVersion === manager.apiVersion);
  if (isOneVersion && isEmptySet(own) && isEmptySet(gone)) return capped(entries);
  if (change === undefined || isEmptySet(own)) return capped(yield* changes.leave(entries));
  const previous = entries.find((entry) => isSameManager(entry.manager, manager));
  const lost = union(change.removed, difference(change.changed, own));
  const owned = difference(previous?.fields ?? EMPTY_SET, lost);
  yield;
  const fields = union(owned, own);
  yield;
  const mine: ManagedFieldsEntry = { manager, time: now, fields: fields === owned ? owned : canonical(fields) };
  yield;
  return capped([...(yield* changes.leave(entries.filter((entry) => entry !== previous))), mine]);
}

const MOST_UPDATERS = 10;
const BUCKET = 'ancient-changes';

/** At most ten entries of updates: beyond that, the oldest of a version are merged into one. */
function capped(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  const updaters = entries.filter(({ manager }) => manager.operation === 'Update');
  if (updaters.length <= MOST_UPDATERS) return entries;
  const kept = new Set(entries);
  const firsts = new Map<string, ManagedFieldsEntry>();
  const old = new Map<string, ManagedFieldsEntry>();
  for (const entry of updaters) {
    const { manager } = entry;
    if (manager.name === BUCKET && manager.subresource === '') old.set(manager.apiVersion, entry);
  }
  /** What comes into the bucket of each version, in order. */
  const buckets = new Map<string, ManagedFieldsEntry[]>();
  let count = updaters.length;
  for (const entry of updaters.sort(compareAge)) {
    if (count <= MOST_UPDATERS) break;
    const { apiVersion } = entry.manager;
    const first = firsts.get(apiVersion);
    if (first === undefined) {
      firsts.set(apiVersion, entry);
      continue;
    }
    const bucket = buckets.get(apiVersion) ?? [old.get(apiVersion) ?? first];
    bucket.push(entry);
    buckets.set(apiVersion, bucket);
    count -= 1;
  }
  for (const [apiVersion, merged] of buckets) {
    for (const entry of merged) kept.delete(entry);
    kept.add({
      manager: { name: BUCKET, operation: 'Update', apiVersion, subresource: '' },
      time: merged.at(-1)?.time,
      fields: canonical(unionOf(merged.map(({ fields }) => fields))),
    });
  }
  return [...kept];
}

function compareAge(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return compareBytes(a.time ?? '', b.time ?? '') || compareManagers(a.manager, b.manager);
}
