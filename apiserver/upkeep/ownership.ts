/**
 * The mark that says whose data lies under the key prefix: which format, which version of it, which names. Checked before anything
 * else is read. Never changes a mark that is there.
 */
import type { Dialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import { commit } from '../storage/commit';
import { prefixRange, type Store } from '../storage/store';

export const FORMAT = 'cluster-control-plane';
/** Raised when an older server could not read what this one writes. */
export const FORMAT_VERSION = 1;

/** The data is not this server's to use; the message tells the operator what was found and what to do. */
export class ForeignData extends Error {
  override readonly name = 'ForeignData';
}

export interface OwnershipOptions {
  readonly store: Store;
  /** Without a slash at its end. */
  readonly prefix: string;
  readonly naming: Dialect;
  readonly clock: Clock;
  /** In ms of Clock.monotonic. */
  readonly deadline: number;
}

/** Claims an empty prefix; rejects with {@link ForeignData} when it holds other data, with StoreError when the store cannot be asked. */
export async function claimPrefix(options: OwnershipOptions): Promise<void> {
  const { store, prefix, naming, clock, deadline } = options;
  const key = `${prefix}/platform-format`;
  const { kv } = await store.get(key, { deadline });
  if (kv !== undefined) {
    checkMark(kv.value.toString(), options);
    return;
  }
  const range = prefixRange(`${prefix}/`);
  const found = await store.range({ ...range, limit: 1, keysOnly: true }, { deadline });
  const foreign = found.kvs[0];
  if (foreign !== undefined && foreign.key !== key) {
    throw new ForeignData(
      `the store holds keys under ${prefix}/ (such as ${foreign.key}) that this server did not write; choose another --etcd-prefix or an empty store`,
    );
  }
  const value = Buffer.from(JSON.stringify({ format: FORMAT, version: FORMAT_VERSION, naming }));
  const result = await commit(
    store,
    { compare: [{ key, modRevision: 0 }], operations: [{ type: 'put', key, value }] },
    { clock, deadline },
  );
  const winner = result.committed ? undefined : result.current[0];
  if (winner !== undefined) checkMark(winner.value.toString(), options);
}

function checkMark(text: string, { prefix, naming }: OwnershipOptions): void {
  const mark = parseMark(text);
  if (mark === undefined || mark.format !== FORMAT) {
    throw new ForeignData(`${prefix}/platform-format is not this server's mark; choose another --etcd-prefix`);
  }
  if (mark.version !== FORMAT_VERSION) {
    throw new ForeignData(
      `the data under ${prefix}/ has format version ${mark.version}, this server knows version ${FORMAT_VERSION}; use a newer server`,
    );
  }
  if (mark.naming !== naming) {
    throw new ForeignData(`the data under ${prefix}/ was written with --naming=${mark.naming}; start the server with it (now: ${naming})`);
  }
}

function parseMark(text: string): { readonly format: string; readonly version: number; readonly naming: string } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('format' in value) || !('version' in value) || !('naming' in value))
    return undefined;
  const { format, version, naming } = value;
  return typeof format === 'string' && typeof version === 'number' && typeof naming === 'string' ? { format, version, naming } : undefined;
}
