/**
 * Claims the key prefix in the store: writes the format marker when the prefix is empty, and otherwise checks that this
 * server may use the data. Runs before any other data is read, and never changes an existing marker.
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
import { PermanentError } from '../../shared/runtime/process/permanent-error';
import { prefixRange, type KeyValue, type Store } from '../storage/store';

/** The prefix holds data that this server must not use. The message states the reason and a remedy for the operator. */
export class ForeignDataError extends PermanentError {
  override readonly name = 'ForeignData';
}

/** A restore of the data has not finished, or has finished just now: a later start may succeed. */
export class RestoreInProgressError extends Error {
  override readonly name = 'RestoreInProgress';
}

/** The prefix, and what this server requires of its data. */
export interface ClaimPrefixOptions {
  readonly store: Store;
  /** Without a trailing slash. */
  readonly prefix: string;
  readonly naming: Dialect;
  readonly clock: Clock;
  /** In ms of Clock.monotonic. */
  readonly deadline: number;
}

/**
 * Claims an empty prefix. Rejects with {@link ForeignDataError} when the prefix holds other data, with
 * {@link RestoreInProgressError} during a restore, and with StoreError when the store does not respond.
 */
export async function claimPrefix(options: ClaimPrefixOptions): Promise<void> {
  const { store, prefix, naming, clock, deadline } = options;
  const key = formatMarkerKey(prefix);
  const { kv } = await store.get(key, { deadline });
  if (kv !== undefined) {
    checkMarker(kv, options);
    return;
  }
  const range = prefixRange(`${prefix}/`);
  const firstKey = await store.range({ ...range, limit: 1, keysOnly: true }, { deadline });
  const foreign = firstKey.kvs[0];
  // The first key is the marker when another replica has claimed the prefix since the read above.
  if (foreign !== undefined && foreign.key !== key) {
    throw new ForeignDataError(
      `the store holds keys under ${prefix}/ (such as ${foreign.key}) that this server did not write; choose another --etcd-prefix or an empty store`,
    );
  }
  const value = encodeFormatMarker({ format: DATA_FORMAT, version: DATA_FORMAT_VERSION, naming });
  const result = await commit(
    store,
    { compare: [{ key, modRevision: 0 }], operations: [{ type: 'put', key, value }] },
    { clock, deadline },
  );
  const existing = result.committed ? undefined : result.current[0];
  if (existing !== undefined) checkMarker(existing, options);
}

/** Throws unless this server may use the data behind the marker. */
function checkMarker(kv: KeyValue, { prefix, naming }: ClaimPrefixOptions): void {
  const marker = parseFormatMarker(kv.value);
  if (marker === undefined || marker.format !== DATA_FORMAT) {
    throw new ForeignDataError(`${formatMarkerKey(prefix)} was not written by this server; choose another --etcd-prefix`);
  }
  if (marker.version !== DATA_FORMAT_VERSION && marker.version !== RESTORED_FORMAT_VERSION) {
    throw new ForeignDataError(
      `the data under ${prefix}/ has format version ${marker.version}, and this server reads version ${RESTORED_FORMAT_VERSION}; use a newer server`,
    );
  }
  if (marker.restoring !== undefined) {
    throw new RestoreInProgressError(
      `the data under ${prefix}/ is incomplete: restoring ${marker.restoring} has not finished; wait for it, or repeat it with --discard-unfinished`,
    );
  }
  if (marker.firstRevision !== undefined && kv.modRevision < marker.firstRevision) {
    throw new RestoreInProgressError(`the data under ${prefix}/ was restored while this server was starting; start it again`);
  }
  if (marker.naming !== naming) {
    throw new ForeignDataError(
      `the data under ${prefix}/ was written with --naming=${marker.naming}; start the server with it (now: ${naming})`,
    );
  }
}
