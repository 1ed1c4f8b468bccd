/**
 * Finds stored values that the current encryption rules read and the next ones do not, before the next ones come into
 * use. Reads only the resources for which a key, a provider or `identity` is taken away, page by page, and yields to the
 * event loop.
 *
 * The first pass reads all their values. Each later pass reads the values that were written since the previous one
 * began. The search ends when a pass finds no new value, or after five passes: a write during the last pass is not seen.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { TimeSlice } from '../../../shared/scheduling/yielding';
import {
  prefixRange,
  singleKey,
  type KeyRange,
  type KeyValue,
  type RangeRequest,
  type RangeResult,
  type Revision,
  type Store,
} from '../store';
import type { EncryptionRules } from './encryption-rules';
import { MissingKeys } from './missing-keys';

/** The stored values, and the rules between which the server is about to switch. */
export interface FindLostKeysOptions {
  /** The store with encrypted values. */
  readonly store: Pick<Store, 'range'>;
  /** The prefix of all keys, without a trailing slash. */
  readonly prefix: string;
  /** The resource of a key and the range of its keys; undefined when the key belongs to none. */
  readonly typeOf: (key: string) => StoredTypeRange | undefined;
  /** The rules in use, which read every value that counts as lost. */
  readonly current: EncryptionRules;
  /** The rules that are to replace them. */
  readonly next: EncryptionRules;
  readonly clock: Clock;
}

/** A resource and where its keys end. */
export interface StoredTypeRange {
  /** `secrets`, `deployments.apps`. */
  readonly name: string;
  /** The key after all keys of the type. */
  readonly end: string;
}

/** Entries of a page of values, which have up to 1.5 MB each. */
const PAGE_ENTRIES = 64;

/** Entries of a page of keys without values. */
const PAGE_KEYS = 1_000;
/** Ends the search in a busy cluster, where every pass finds values that were written during the previous one. */
const MAX_PASSES = 5;

/** Counts the values by the key that they lose. Rejects with the error of the store. */
export async function findLostKeys(options: FindLostKeysOptions): Promise<MissingKeys> {
  const missing = new MissingKeys();
  let writtenAfter: Revision = 0;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const { since, until, values } = await readTypes(writtenAfter, missing, options);
    const sawNoWrite = since === until || (pass > 0 && values === 0);
    if (missing.error !== undefined || sawNoWrite) break;
    writtenAfter = since;
  }
  return missing;
}

/** What one pass has read. */
interface Pass {
  /** Revision of the store at the first read of the pass. */
  since: Revision;
  /** Revision of the store at the last read of the first key of a resource. */
  until: Revision;
  /** Number of values read. */
  values: number;
}

/**
 * Makes one pass: reads the values that were written after the revision `writtenAfter` (0: all values) of the resources
 * that lose a key, and adds to `missing` what they lose. Goes from resource to resource by the first key of each.
 */
async function readTypes(writtenAfter: Revision, missing: MissingKeys, options: FindLostKeysOptions): Promise<Pass> {
  const { store, prefix, typeOf, current, next } = options;
  const whole = prefixRange(`${prefix}/`);
  const pass: Pass = { since: 0, until: 0, values: 0 };
  for (let start: string | undefined = whole.start; start !== undefined;) {
    const { kvs, revision }: RangeResult = await store.range({ start, end: whole.end, limit: 1, keysOnly: true });
    if (pass.since === 0) pass.since = revision;
    pass.until = revision;
    const [first] = kvs;
    if (first === undefined) break;
    const type = typeOf(first.key);
    if (type !== undefined && next.lacksKeysOf(current, type.name)) {
      const range = { start: first.key, end: type.end };
      const values = writtenAfter === 0 ? valuesIn(range, options) : newValuesIn(range, writtenAfter, options);
      for await (const { key, value } of values) {
        pass.values += 1;
        const lost = next.lostKeyOf(current, type.name, value, key);
        if (lost !== undefined) missing.add(type.name, lost);
      }
    }
    start = type?.end ?? endOfSegment(first.key, whole.start);
  }
  return pass;
}

async function* valuesIn(range: KeyRange, { store, clock }: FindLostKeysOptions): AsyncGenerator<KeyValue, void, undefined> {
  const slice = new TimeSlice(clock, { stepsPerCheck: 1 });
  for await (const kvs of pagesOf(store, { ...range, limit: PAGE_ENTRIES })) {
    for (const kv of kvs) {
      yield kv;
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
  }
}

/** Reads the keys of the range, and the values of those that were written after the revision. */
async function* newValuesIn(
  range: KeyRange,
  revision: Revision,
  { store }: FindLostKeysOptions,
): AsyncGenerator<KeyValue, void, undefined> {
  for await (const kvs of pagesOf(store, { ...range, limit: PAGE_KEYS, keysOnly: true })) {
    for (const { key, modRevision } of kvs) if (modRevision > revision) yield* (await store.range(singleKey(key))).kvs;
  }
}

async function* pagesOf(
  store: Pick<Store, 'range'>,
  { start: first, ...request }: RangeRequest,
): AsyncGenerator<readonly KeyValue[], void, undefined> {
  for (let start: string | undefined = first; start !== undefined;) {
    const { kvs, more }: RangeResult = await store.range({ start, ...request });
    yield kvs;
    const last = kvs.at(-1);
    start = more && last !== undefined ? `${last.key}\0` : undefined;
  }
}

/** The key after all keys with the same first part, for keys that are no objects. */
function endOfSegment(key: string, root: string): string {
  const slash = key.indexOf('/', root.length);
  return slash < 0 ? `${key}\0` : prefixRange(key.slice(0, slash + 1)).end;
}
