/**
 * Who owns which fields after a write (behaviour-reference §6.2, §6.3) that was no apply. The object itself is only looked at.
 */
import { compareBytes, type JsonObject } from '../../api/json';
import { compare } from './compare';
import { compareManagers, isSameManager, type Entry, type Manager } from './entries';
import { canonical, difference, differenceBelow, EMPTY_SET, isEmptySet, union, type FieldSet } from './field-set';
import type { Shape } from './shape';

/** What stays the same from request to request on one endpoint. */
export interface Ownership {
  readonly shape: Shape;
  /** Fields that the endpoint does not write: nobody comes to own them through it. */
  readonly resets: FieldSet;
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
  entries: readonly Entry[],
  manager: Manager,
  now: string,
): readonly Entry[] {
  const { added, modified, removed } = compare(ownership.shape, before, after);
  const own = withoutServerFields(differenceBelow(union(modified, added), ownership.resets));
  const gone = withoutServerFields(differenceBelow(removed, ownership.resets));
  if (isEmptySet(own) && isEmptySet(gone)) return entries;
  const left = withoutFields(entries, union(own, gone));
  if (isEmptySet(own)) return left;
  const previous = left.find((entry) => isSameManager(entry.manager, manager));
  const mine: Entry = { manager, time: now, fields: canonical(union(previous?.fields ?? EMPTY_SET, own)) };
  return capped([...left.filter((entry) => entry !== previous), mine]);
}

/** The entries without some fields; who owns nothing then has no entry. */
export function withoutFields(entries: readonly Entry[], fields: FieldSet): readonly Entry[] {
  if (isEmptySet(fields)) return entries;
  return entries.flatMap((entry) => {
    const left = difference(entry.fields, fields);
    if (left === entry.fields) return [entry];
    return isEmptySet(left) ? [] : [{ ...entry, fields: left }];
  });
}

const MOST_UPDATERS = 10;
const BUCKET = 'ancient-changes';

/** At most ten entries of updates: beyond that, the oldest of a version are merged into one. */
function capped(entries: readonly Entry[]): readonly Entry[] {
  const updaters = entries.filter(({ manager }) => manager.operation === 'Update');
  if (updaters.length <= MOST_UPDATERS) return entries;
  const kept = new Set(entries);
  const firsts = new Map<string, Entry>();
  const buckets = new Map<string, Entry>();
  for (const entry of updaters) {
    const { manager } = entry;
    if (manager.name === BUCKET && manager.subresource === '') buckets.set(manager.apiVersion, entry);
  }
  let count = updaters.length;
  for (const entry of updaters.sort(compareAge)) {
    if (count <= MOST_UPDATERS) break;
    const { apiVersion } = entry.manager;
    const first = firsts.get(apiVersion);
    if (first === undefined) {
      firsts.set(apiVersion, entry);
      continue;
    }
    const bucket = buckets.get(apiVersion) ?? first;
    for (const merged of [entry, bucket]) kept.delete(merged);
    const made: Entry = {
      manager: { name: BUCKET, operation: 'Update', apiVersion, subresource: '' },
      time: entry.time,
      fields: canonical(union(bucket.fields, entry.fields)),
    };
    buckets.set(apiVersion, made);
    kept.add(made);
    count -= 1;
  }
  return [...kept];
}

function compareAge(a: Entry, b: Entry): number {
  return compareBytes(a.time ?? '', b.time ?? '') || compareManagers(a.manager, b.manager);
}
