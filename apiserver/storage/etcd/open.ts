/**
 * The store on etcd (3.4 or later). Importing this file loads etcd3; a server on the embedded store does not import it.
 * Reads are tried again on a lost connection; writes never are (see commit.ts).
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
import { GrpcCalls } from '../grpc-calls';
import { checkKey, checkTransaction } from '../validate';
import { storeError } from './failure';
import type { RangeAnswer, RangeCall, WatchAnswer, WatchCall } from './messages';
import * as methods from './methods';
import { RpcTransport, type Channel, type EtcdConnection, type RpcMethod } from './transport';
import { EtcdWatch } from './watch';

export interface EtcdStoreOptions extends EtcdConnection {
  readonly clock: Clock;
  readonly random: Random;
  /** Where its calls are counted. */
  readonly calls?: GrpcCalls;
  /** How long opening may take; default 10 s. */
  readonly openTimeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const PAGE_ENTRIES = 500;
const FEWEST_PAGE_ENTRIES = 10;
/** A page that would hold more is asked for in smaller ones. */
const PAGE_BYTES = 8 << 20;
/** With growing pauses, about as long as a connection takes to be made again. */
const READ_ATTEMPTS = 6;
const RETRY_MS = 100;
/** `--max-txn-ops` as deploy/ sets it, and what etcd takes by default. */
const OPERATION_LIMITS = [2_048, 1_024, 512, 256, 128];

/** Connects, learns the server's limits. Rejects with a {@link StoreError} when it cannot be reached in time. */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const deadline = options.clock.monotonic() + (options.openTimeoutMs ?? DEFAULT_TIMEOUT_MS);
  const transport = new RpcTransport(options, options.clock, options.random, options.calls ?? new GrpcCalls());
  try {
    await untilAnswered(transport, options.clock, deadline);
    return new EtcdStore(options, transport, await probeOperations(transport, deadline));
  } catch (error) {
    transport.close();
    throw storeError(error, 'read');
  }
}

async function untilAnswered(transport: RpcTransport, clock: Clock, deadline: number): Promise<StoreStatus> {
  let refusal: StoreError | undefined;
  for (;;) {
    try {
      return await transport.call(methods.status, undefined, 'read', deadline);
    } catch (error) {
      // Why it was turned away says more than that the time was over in the end.
      if (!(error instanceof StoreError) || error.failure !== 'unavailable') throw refusal ?? error;
      if (clock.monotonic() + RETRY_MS >= deadline) throw error;
      refusal = error;
      await clock.sleep(RETRY_MS);
    }
  }
}

async function probeOperations(transport: RpcTransport, deadline: number): Promise<number> {
  for (const limit of OPERATION_LIMITS) {
    try {
      await transport.call(methods.probe, limit, 'read', deadline);
      return limit;
    } catch (error) {
      if (!(error instanceof StoreError) || error.failure !== 'too-large') throw error;
    }
  }
  throw new StoreError('internal', `etcd takes fewer than ${OPERATION_LIMITS[OPERATION_LIMITS.length - 1] ?? 0} operations a transaction`);
}

class EtcdStore implements Store {
  private readonly watches = new Set<EtcdWatch>();
  private readonly clock: Clock;
  private closed = false;

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
    const { revision, kvs } = await this.read(methods.range, call, this.deadline(options));
    return { revision, kv: kvs[0] };
  }

  async count(range: KeyRange, options?: StoreCallOptions): Promise<{ readonly revision: Revision; readonly count: number }> {
    if (compareBytes(range.start, range.end) >= 0) return { revision: await this.revision(options), count: 0 };
    const { revision, count } = await this.read(methods.range, { ...range, countOnly: true }, this.deadline(options));
    return { revision, count };
  }

  async revision(options?: StoreCallOptions): Promise<Revision> {
    return (await this.read(methods.range, { start: '\0', countOnly: true }, this.deadline(options))).revision;
  }

  async range(request: RangeRequest, options?: StoreCallOptions): Promise<RangeResult> {
    const deadline = this.deadline(options);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.readPages(request, deadline);
      } catch (error) {
        // The pages' revision was compacted while they were read: a range at the newest one can start afresh.
        const overtaken = error instanceof StoreError && error.failure === 'compacted' && request.revision === undefined;
        if (!overtaken || attempt === READ_ATTEMPTS) throw error;
      }
    }
  }

  transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    try {
      this.checkOpen();
      checkTransaction(transaction, this.maxOperations);
    } catch (error) {
      return Promise.reject(storeError(error, 'write'));
    }
    return this.transport.call(methods.transact, transaction, 'write', this.deadline(options));
  }

  watch(range: KeyRange, from: Revision, sink: WatchSink): EtcdWatch {
    this.checkOpen();
    if (!Number.isSafeInteger(from) || from < 1) throw new StoreError('internal', `a watch starts at revision 1 or later, not ${from}`);
    const { clock, random } = this.options;
    const connect = (): Promise<Channel> => this.transport.channel();
    const closed = (): void => void this.watches.delete(watch);
    const watch: EtcdWatch = new EtcdWatch({ connect, clock, random, range, from, sink, closed });
    this.watches.add(watch);
    return watch;
  }

  async compact(revision: Revision, options?: StoreCallOptions): Promise<void> {
    this.checkOpen();
    try {
      await this.transport.call(methods.compact, revision, 'write', this.deadline(options));
    } catch (error) {
      if (error instanceof StoreError && error.failure === 'compacted') return;
      throw error;
    }
  }

  async grantLease(ttlSeconds: number, options?: StoreCallOptions): Promise<LeaseId> {
    this.checkOpen();
    return (await this.transport.call(methods.grantLease, ttlSeconds, 'write', this.deadline(options))).lease;
  }

  async keepLeaseAlive(lease: LeaseId, options?: StoreCallOptions): Promise<void> {
    this.checkOpen();
    const { ttlSeconds } = await this.transport.call(methods.keepLeaseAlive, lease, 'read', this.deadline(options));
    if (ttlSeconds <= 0) throw new StoreError('lease-not-found', `there is no lease ${lease}`);
  }

  async revokeLease(lease: LeaseId, options?: StoreCallOptions): Promise<void> {
    this.checkOpen();
    await this.transport.call(methods.revokeLease, lease, 'write', this.deadline(options));
  }

  status(options?: StoreCallOptions): Promise<StoreStatus> {
    return this.read(methods.status, undefined, this.deadline(options));
  }

  async health(options?: StoreCallOptions): Promise<void> {
    await this.revision(options);
  }

  close(): Promise<void> {
    if (!this.closed) {
      this.closed = true;
      for (const watch of [...this.watches]) watch.close();
      this.transport.close();
    }
    return Promise.resolve();
  }

  /** All pages at the revision of the first; later pages shrink where the entries are large. */
  private async readPages(request: RangeRequest, deadline: number): Promise<RangeResult> {
    const { start, end, keysOnly = false } = request;
    const limit = request.limit !== undefined && request.limit > 0 ? request.limit : Infinity;
    if (compareBytes(start, end) >= 0) {
      const { revision } = await this.get('\u0001', { deadline, ...(request.revision !== undefined && { revision: request.revision }) });
      return { revision, kvs: [], more: false, count: 0 };
    }
    const page = (from: string, revision: Revision | undefined, size: number): Promise<RangeAnswer> => {
      const call: RangeCall = { start: from, end, limit: size, keysOnly, ...(revision !== undefined && { revision }) };
      return this.read(methods.range, call, deadline);
    };
    const first = await page(start, request.revision, Math.min(limit, PAGE_ENTRIES));
    const { kvs, revision, count } = first;
    for (let last = first; last.more && kvs.length < limit;) {
      const average = last.bytes / Math.max(1, last.kvs.length);
      const size = Math.max(FEWEST_PAGE_ENTRIES, Math.min(PAGE_ENTRIES, Math.floor(PAGE_BYTES / average)));
      const from = `${kvs[kvs.length - 1]?.key ?? start}\0`;
      last = await page(from, request.revision ?? revision, Math.min(limit - kvs.length, size));
      for (const kv of last.kvs) kvs.push(kv);
    }
    return { revision, kvs, more: count > kvs.length, count };
  }

  /** A call that changes nothing: tried again when the connection is lost, and told what has been compacted. */
  private async read<Request, Answer>(method: RpcMethod<Request, Answer>, request: Request, deadline: number): Promise<Answer> {
    this.checkOpen();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.transport.call(method, request, 'read', deadline);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        if (this.closed) throw new StoreError('closed', 'the store is closed');
        if (error.failure === 'compacted') throw new StoreError('compacted', error.message, await this.compactRevision(deadline));
        const delay = RETRY_MS * attempt;
        if (error.failure !== 'unavailable' || attempt === READ_ATTEMPTS || this.clock.monotonic() + delay >= deadline) throw error;
        await this.clock.sleep(delay);
      }
    }
  }

  /** etcd tells the compacted revision only to a watch that asks for too much. */
  private async compactRevision(deadline: number): Promise<Revision> {
    const call: WatchCall = { type: 'create', range: { start: '\u0001', end: '\u0001\0' }, from: 1 };
    const channel = await this.transport.channel();
    const late = new StoreError('deadline', 'the compacted revision was not told in time');
    let timer: Timer | undefined;
    try {
      return await new Promise((resolve, reject) => {
        timer = this.clock.after(Math.max(0, deadline - this.clock.monotonic()), () => reject(late));
        const stream = channel.stream(methods.watching, { leader: true });
        stream.on('data', ({ canceled, compactRevision }: WatchAnswer) => canceled && resolve(compactRevision));
        stream.on('error', (error) => reject(storeError(error, 'read')));
        stream.on('end', () => reject(new StoreError('unavailable', 'the compacted revision was not told')));
        stream.write(call);
      });
    } finally {
      timer?.cancel();
      channel.close();
    }
  }

  private checkOpen(): void {
    if (this.closed) throw new StoreError('closed', 'the store is closed');
  }

  private deadline(options?: StoreCallOptions): number {
    return options?.deadline ?? this.clock.monotonic() + DEFAULT_TIMEOUT_MS;
  }
}

function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
