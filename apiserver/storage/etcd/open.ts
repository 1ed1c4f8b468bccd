/**
 * The store on etcd 3.4 or later. Reads and transactions are retried while members restart or elect a leader: reads on
 * any lost connection, transactions only when etcd certainly did not process them (commit.ts resolves the others).
 * Importing this file loads etcd3; a server on the embedded store does not import it.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { Random } from '../../../shared/runtime/random';
import {
  StoreError,
  type StoreCallOptions,
  type KeyRange,
  type KeyValue,
  type LeaseId,
  type RangeRequest,
  type RangeResult,
  type Revision,
  type Store,
  type StoreStatus,
  type Transaction,
  type TransactionResult,
  type WatchSink,
} from '../store';
import { GrpcCallCounters } from '../grpc-call-counters';
import { checkKey, checkTransaction } from '../validate';
import { toStoreError, type CallKind } from './to-store-error';
import type { EtcdRangeRequest, EtcdWatchRequest } from './requests';
import type { EtcdRangeResponse, EtcdWatchResponse } from './responses';
import * as methods from './methods';
import { RpcTransport, type Channel, type EtcdConnection, type RpcMethod } from './transport';
import { EtcdWatch } from './etcd-watch';

/** Where etcd is, and the limit of the time to find it. */
export interface EtcdStoreOptions extends EtcdConnection {
  readonly clock: Clock;
  /** Chooses the first member of streams, and spreads reconnections. */
  readonly random: Random;
  /** Counts the calls; absent: they are not counted. */
  readonly callCounters?: GrpcCallCounters;
  /** Maximum time to open the store; default 10 s. */
  readonly openTimeoutMs?: number;
}

/** Time limit of calls without a deadline; see {@link StoreCallOptions}. */
const DEFAULT_TIMEOUT_MS = 10_000;
/** Entries of the first page of a range. */
const PAGE_ENTRIES = 500;
/** Entries of a page of very large values. */
const MIN_PAGE_ENTRIES = 10;
/** The page size is reduced when pages exceed this many bytes. */
const PAGE_BYTES = 8 << 20;
/** How often a range is read again when its revision is compacted between two pages. */
const RANGE_ATTEMPTS = 6;
/** Delay of the first retry; the delays grow by as much, up to the maximum. */
const RETRY_MS = 100;
const MAX_RETRY_MS = 500;
/** How long calls are retried. etcd itself holds a request as long without a leader: 5 s and two election timeouts of 1 s. */
const MAX_UNAVAILABLE_MS = 7_000;
/** The limits to try: from the `--max-txn-ops` that deploy/ gives etcd down to etcd's default. */
const OPERATION_LIMITS = [2_048, 1_024, 512, 256, 128];

/**
 * Connects and determines the server's transaction limit. Rejects with a {@link StoreError} when no member responds in
 * time.
 */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const deadline = options.clock.monotonic() + (options.openTimeoutMs ?? DEFAULT_TIMEOUT_MS);
  const transport = new RpcTransport(options, options.clock, options.random, options.callCounters ?? new GrpcCallCounters());
  try {
    await waitForResponse(transport, options.clock, deadline);
    return new EtcdStore(options, transport, await probeMaxOperations(transport, deadline));
  } catch (error) {
    transport.close();
    throw toStoreError(error, 'read');
  }
}

/** Resolves with the first response of a member. */
async function waitForResponse(transport: RpcTransport, clock: Clock, deadline: number): Promise<StoreStatus> {
  let refusal: StoreError | undefined;
  for (;;) {
    try {
      return await transport.call(methods.status, undefined, 'read', deadline);
    } catch (error) {
      // The last refusal explains more than the deadline that ended the retries.
      if (!(error instanceof StoreError) || error.failure !== 'unavailable') throw refusal ?? error;
      if (clock.monotonic() + RETRY_MS >= deadline) throw error;
      refusal = error;
      await clock.sleep(RETRY_MS);
    }
  }
}

/** Finds the largest of the limits that the server accepts; etcd does not report its own. */
async function probeMaxOperations(transport: RpcTransport, deadline: number): Promise<number> {
  for (const limit of OPERATION_LIMITS) {
    try {
      await transport.call(methods.probeTransactionSize, limit, 'read', deadline);
      return limit;
    } catch (error) {
      if (!(error instanceof StoreError) || error.failure !== 'too-large') throw error;
    }
  }
  throw new StoreError(
    'internal',
    `etcd allows fewer than ${OPERATION_LIMITS[OPERATION_LIMITS.length - 1] ?? 0} operations per transaction`,
  );
}

class EtcdStore implements Store {
  private readonly watches = new Set<EtcdWatch>();
  private readonly clock: Clock;
  private isClosed = false;

  constructor(
    private readonly options: EtcdStoreOptions,
    private readonly transport: RpcTransport,
    readonly maxOperations: number,
  ) {
    this.clock = options.clock;
  }

  async get(
    key: string,
    options: StoreCallOptions & { readonly revision?: Revision } = {},
  ): Promise<{ readonly revision: Revision; readonly kv: KeyValue | undefined }> {
    checkKey(key);
    const call = { start: key, ...(options.revision !== undefined && { revision: options.revision }) };
    const { revision, kvs } = await this.read(methods.range, call, this.deadlineFor(options));
    return { revision, kv: kvs[0] };
  }

  async count(range: KeyRange, options?: StoreCallOptions): Promise<{ readonly revision: Revision; readonly count: number }> {
    if (compareBytes(range.start, range.end) >= 0) return { revision: await this.revision(options), count: 0 };
    const { revision, count } = await this.read(methods.range, { ...range, countOnly: true }, this.deadlineFor(options));
    return { revision, count };
  }

  async revision(options?: StoreCallOptions): Promise<Revision> {
    // The cheapest linearizable read: it counts one key, which does not exist.
    return (await this.read(methods.range, { start: '\0', countOnly: true }, this.deadlineFor(options))).revision;
  }

  async range(request: RangeRequest, options?: StoreCallOptions): Promise<RangeResult> {
    const deadline = this.deadlineFor(options);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.readPages(request, deadline);
      } catch (error) {
        // The revision of the first page was compacted before the last page was read. A range at the newest revision is
        // read again; a range at a requested revision cannot be.
        const isPinCompacted = error instanceof StoreError && error.failure === 'compacted' && request.revision === undefined;
        if (!isPinCompacted || attempt === RANGE_ATTEMPTS) throw error;
      }
    }
  }

  transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    try {
      this.checkOpen();
      checkTransaction(transaction, this.maxOperations);
    } catch (error) {
      return Promise.reject(toStoreError(error, 'write'));
    }
    return this.callWhenAvailable(methods.transact, transaction, 'write', this.deadlineFor(options));
  }

  watch(range: KeyRange, from: Revision, sink: WatchSink): EtcdWatch {
    this.checkOpen();
    if (!Number.isSafeInteger(from) || from < 1) throw new StoreError('internal', `a watch starts at revision 1 or later, not ${from}`);
    const { clock, random } = this.options;
    const connect = (): Promise<Channel> => this.transport.openChannel();
    const onClose = (): void => void this.watches.delete(watch);
    const watch: EtcdWatch = new EtcdWatch({ connect, clock, random, range, from, sink, onClose });
    this.watches.add(watch);
    return watch;
  }

  async compact(revision: Revision, options?: StoreCallOptions): Promise<void> {
    this.checkOpen();
    try {
      await this.transport.call(methods.compact, revision, 'write', this.deadlineFor(options));
    } catch (error) {
      // Compacting at an already compacted revision is no error (see the contract in store.ts).
      if (error instanceof StoreError && error.failure === 'compacted') return;
      throw error;
    }
  }

  async grantLease(ttlSeconds: number, options?: StoreCallOptions): Promise<LeaseId> {
    this.checkOpen();
    return (await this.transport.call(methods.grantLease, ttlSeconds, 'write', this.deadlineFor(options))).lease;
  }

  async keepLeaseAlive(lease: LeaseId, options?: StoreCallOptions): Promise<void> {
    this.checkOpen();
    // Called like a read: a renewal may be repeated when its response is lost, so it is never ambiguous.
    const { ttlSeconds } = await this.transport.call(methods.keepLeaseAlive, lease, 'read', this.deadlineFor(options));
    if (ttlSeconds <= 0) throw new StoreError('lease-not-found', `there is no lease ${lease}`);
  }

  async revokeLease(lease: LeaseId, options?: StoreCallOptions): Promise<void> {
    this.checkOpen();
    await this.transport.call(methods.revokeLease, lease, 'write', this.deadlineFor(options));
  }

  status(options?: StoreCallOptions): Promise<StoreStatus> {
    return this.read(methods.status, undefined, this.deadlineFor(options));
  }

  async health(options?: StoreCallOptions): Promise<void> {
    await this.revision(options);
  }

  close(): Promise<void> {
    if (!this.isClosed) {
      this.isClosed = true;
      for (const watch of [...this.watches]) watch.close();
      this.transport.close();
    }
    return Promise.resolve();
  }

  /** Reads all pages at the revision of the first one; later pages are smaller when the entries are large. */
  private async readPages(request: RangeRequest, deadline: number): Promise<RangeResult> {
    const { start, end, keysOnly = false } = request;
    const limit = request.limit !== undefined && request.limit > 0 ? request.limit : Infinity;
    if (compareBytes(start, end) >= 0) {
      // An empty range. The read of a key that does not exist determines the revision, and rejects an unreadable one.
      const { revision } = await this.get('\u0001', { deadline, ...(request.revision !== undefined && { revision: request.revision }) });
      return { revision, kvs: [], more: false, count: 0 };
    }
    const readPage = (from: string, revision: Revision | undefined, size: number): Promise<EtcdRangeResponse> => {
      const call: EtcdRangeRequest = { start: from, end, limit: size, keysOnly, ...(revision !== undefined && { revision }) };
      return this.read(methods.range, call, deadline);
    };
    const first = await readPage(start, request.revision, Math.min(limit, PAGE_ENTRIES));
    const { kvs, revision, count } = first;
    for (let last = first; last.more && kvs.length < limit;) {
      const averageBytes = last.bytes / Math.max(1, last.kvs.length);
      const size = Math.max(MIN_PAGE_ENTRIES, Math.min(PAGE_ENTRIES, Math.floor(PAGE_BYTES / averageBytes)));
      // Just after the last key.
      const from = `${kvs[kvs.length - 1]?.key ?? start}\0`;
      last = await readPage(from, request.revision ?? revision, Math.min(limit - kvs.length, size));
      for (const kv of last.kvs) kvs.push(kv);
    }
    return { revision, kvs, more: count > kvs.length, count };
  }

  /** Calls a method without side effects. Adds the compact revision to a `compacted` error. */
  private async read<Request, Response>(method: RpcMethod<Request, Response>, request: Request, deadline: number): Promise<Response> {
    this.checkOpen();
    try {
      return await this.callWhenAvailable(method, request, 'read', deadline);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (this.isClosed) throw new StoreError('closed', 'the store is closed');
      if (error.failure === 'compacted') throw new StoreError('compacted', error.message, await this.readCompactRevision(deadline));
      throw error;
    }
  }

  /** Retries a call that failed as `unavailable`, which means that it had no effect. */
  private async callWhenAvailable<Request, Response>(
    method: RpcMethod<Request, Response>,
    request: Request,
    kind: CallKind,
    deadline: number,
  ): Promise<Response> {
    const lastStart = Math.min(deadline, this.clock.monotonic() + MAX_UNAVAILABLE_MS);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.transport.call(method, request, kind, deadline);
      } catch (error) {
        const delay = Math.min(RETRY_MS * attempt, MAX_RETRY_MS);
        const isFinal = this.isClosed || this.clock.monotonic() + delay >= lastStart;
        if (!(error instanceof StoreError) || error.failure !== 'unavailable' || isFinal) throw error;
        await this.clock.sleep(delay);
      }
    }
  }

  /** Opens a watch at revision 1 on some key, because etcd reports its compact revision only to a watch that starts before it. */
  private async readCompactRevision(deadline: number): Promise<Revision> {
    const call: EtcdWatchRequest = { type: 'create', range: { start: '\u0001', end: '\u0001\0' }, from: 1 };
    const channel = await this.transport.openChannel();
    const timeoutError = new StoreError('deadline', 'the compacted revision was not received in time');
    let timer: Timer | undefined;
    try {
      return await new Promise((resolve, reject) => {
        timer = this.clock.after(Math.max(0, deadline - this.clock.monotonic()), () => reject(timeoutError));
        const stream = channel.stream(methods.watch, { leader: true });
        stream.on('data', ({ canceled, compactRevision }: EtcdWatchResponse) => canceled && resolve(compactRevision));
        stream.on('error', (error) => reject(toStoreError(error, 'read')));
        stream.on('end', () => reject(new StoreError('unavailable', 'the compacted revision was not received')));
        stream.write(call);
      });
    } finally {
      timer?.cancel();
      channel.close();
    }
  }

  private checkOpen(): void {
    if (this.isClosed) throw new StoreError('closed', 'the store is closed');
  }

  private deadlineFor(options?: StoreCallOptions): number {
    return options?.deadline ?? this.clock.monotonic() + DEFAULT_TIMEOUT_MS;
  }
}

function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
