/**
 * The mark that says whose data lies under the key prefix: which format, which version of it, which names. Checked before anything
 * else is read. Never changes a mark that is there.
 */
import type { Dialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import { commit } from '../storage/commit';
import {
  encodeFormatMarker,
  DATA_FORMAT,
  DATA_FORMAT_VERSION,
  formatMarkerKey,
  parseFormatMarker,
  RESTORED_FORMAT_VERSION,
} from '../storage/format-marker';
import { prefixRange, type KeyValue, type Store } from '../storage/store';

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
  const key = formatMarkerKey(prefix);
  const { kv } = await store.get(key, { deadline });
  if (kv !== undefined) {
    checkMark(kv, options);
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
  const value = encodeFormatMarker({ format: DATA_FORMAT, version: DATA_FORMAT_VERSION, naming });
  const result = await commit(
    store,
    { compare: [{ key, modRevision: 0 }], operations: [{ type: 'put', key, value }] },
    { clock, deadline },
  );
  const winner = result.committed ? undefined : result.current[0];
  if (winner !== undefined) checkMark(winner, options);
}

function checkMark(kv: KeyValue, { prefix, naming }: OwnershipOptions): void {
  const mark = parseFormatMarker(kv.value);
  if (mark === undefined || mark.format !== DATA_FORMAT) {
    throw new ForeignData(`${formatMarkerKey(prefix)} is not this server's mark; choose another --etcd-prefix`);
  }
  if (mark.version !== DATA_FORMAT_VERSION && mark.version !== RESTORED_FORMAT_VERSION) {
    throw new ForeignData(
      `the data under ${prefix}/ has format version ${mark.version}, this server knows version ${RESTORED_FORMAT_VERSION}; use a newer server`,
    );
  }
  if (mark.restoring !== undefined) {
    throw new ForeignData(
      `the data under ${prefix}/ are not whole: restoring ${mark.restoring} has not finished; let it finish, or do it again with --discard-unfinished`,
    );
  }
  if (mark.firstRevision !== undefined && kv.modRevision < mark.firstRevision) {
    throw new ForeignData(`the data under ${prefix}/ were restored while this server was starting; start it again`);
  }
  if (mark.naming !== naming) {
    throw new ForeignData(`the data under ${prefix}/ was written with --naming=${mark.naming}; start the server with it (now: ${naming})`);
  }
}
