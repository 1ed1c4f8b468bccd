/**
 * Finds stored values that the current encryption rules read and the next ones do not, before the next ones come into
 * use. Reads only the resources for which a key, a provider or `identity` is taken away, page by page, and yields to the
 * event loop.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { TimeSlice } from '../../../shared/scheduling/yielding';
import { prefixRange, type KeyRange, type KeyValue, type Store } from '../store';
import type { EncryptionRules } from './encryption-rules';
import { MissingKeys } from './missing-keys';

export interface FindLostKeysOptions {
  /** The store with encrypted values. */
  readonly store: Pick<Store, 'range'>;
  /** The prefix of all keys, without a trailing slash. */
  readonly prefix: string;
  /** The resource of a key and the range of its keys; undefined when the key belongs to none. */
  readonly typeOf: (key: string) => StoredTypeRange | undefined;
  readonly current: EncryptionRules;
  readonly next: EncryptionRules;
  readonly clock: Clock;
}

export interface StoredTypeRange {
  readonly name: string;
  /** The key after all keys of the type. */
  readonly end: string;
}

/** Bounds the memory of a page: values have up to 1.5 MB. */
const PAGE_ENTRIES = 64;

export async function findLostKeys(options: FindLostKeysOptions): Promise<MissingKeys> {
  const { store, prefix, typeOf, current, next } = options;
  const missing = new MissingKeys();
  const whole = prefixRange(`${prefix}/`);
  for (let start: string | undefined = whole.start; start !== undefined;) {
    const { kvs }: { readonly kvs: readonly KeyValue[] } = await store.range({ start, end: whole.end, limit: 1, keysOnly: true });
    const [first] = kvs;
    if (first === undefined) break;
    const type = typeOf(first.key);
    if (type !== undefined && next.lacksKeysOf(current, type.name)) {
      await readType({ start: first.key, end: type.end }, type.name, missing, options);
    }
    start = type?.end ?? endOfSegment(first.key, whole.start);
  }
  return missing;
}

async function readType(range: KeyRange, resource: string, missing: MissingKeys, options: FindLostKeysOptions): Promise<void> {
  const { store, current, next, clock } = options;
  const slice = new TimeSlice(clock, { stepsPerCheck: 1 });
  for (let start: string | undefined = range.start; start !== undefined;) {
    const { kvs, more }: { readonly kvs: readonly KeyValue[]; readonly more: boolean } = await store.range({
      start,
      end: range.end,
      limit: PAGE_ENTRIES,
    });
    for (const { key, value } of kvs) {
      const lost = next.lostKeyOf(current, resource, value, key);
      if (lost !== undefined) missing.add(resource, lost);
      const pause = slice.yieldIfDue();
      if (pause !== undefined) await pause;
    }
    const last = kvs.at(-1);
    start = more && last !== undefined ? `${last.key}\0` : undefined;
  }
}

/** The key after all keys with the same first part, for keys that are no objects. */
function endOfSegment(key: string, root: string): string {
  const slash = key.indexOf('/', root.length);
  return slash < 0 ? `${key}\0` : prefixRange(key.slice(0, slash + 1)).end;
}
