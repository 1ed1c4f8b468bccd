/**
 * The embedded store: one process, one data folder, no other program. Revisions, history, compaction, watches and
 * leases behave as etcd's do. Importing this file loads lmdb; a server on etcd does not import it.
 *
 * Memory: keys and values stay on disk and in the page cache; the heap holds what waits for the disk and the leases.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../shared/runtime/clock';
import type { Logger } from '../../../shared/runtime/logger';
import type { Random } from '../../../shared/runtime/random';
import { errorMessage } from '../../../shared/runtime/error-message';
import {
  StoreError,
  type StoreCallOptions,
  type KeyRange,
  type LeaseId,
  type RangeRequest,
  type Revision,
  type Store,
  type Transaction,
  type TransactionResult,
  type WatchSink,
} from '../store';
import { checkKey, checkTransaction } from '../validate';
import { Environment, LONGEST_KEY, StoreTaken } from './environment';
import { DATA_FILE, explained } from './files';
import { FolderInUse, lockFolder, makeFolder, type FolderLock } from './folder-lock';
import { StoreGate } from './gate';
import { Leases } from './leases';
import { Pipeline } from './pipeline';
import { purgeStep } from './purge';
import { countKeys, readKey, readRange, revisionsWithin } from './reader';
import type { KeyChange } from './record';
import { checkStart, Watches } from './watches';

export interface EmbeddedStoreOptions {
  /** Created when it does not exist. */
  readonly directory: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Hears of what nobody is answered. */
  readonly logger?: Logger;
  /** The most bytes of keys and values that one transaction may write; default 3 MiB, what deploy/ gives etcd. */
  readonly maxTransactionBytes?: number;
}

const DEFAULT_TIMEOUT_MS = 10_000;
/** So long the end of the last write says whether the next one can be done: a good one, and a bad one. */
const GOOD_FOR_MS = 10_000;
const BAD_FOR_MS = 1_000;
const noBytes = Buffer.alloc(0);

/** Rejects with a {@link StoreError} (`unavailable`) when another process holds the folder; the message names both. */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<Store> {
  let gate: StoreGate | undefined;
  try {
    makeFolder(options.directory);
    gate = StoreGate.at(options.directory);
    return await openBehind(gate, options);
  } catch (error) {
    gate?.close();
    throw error instanceof FolderInUse ? new StoreError('unavailable', error.message) : asStoreError(error);
  }
}

/** The folder is locked behind the gate, too, where a reader may lock it for a moment. */
function openBehind(gate: StoreGate, options: EmbeddedStoreOptions): Promise<Store> {
  return gate.pass(async () => {
    const lock = lockFolder(options.directory);
    try {
      return await EmbeddedStore.start(options, gate, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  });
}

class EmbeddedStore implements Store {
  readonly maxOperations = Number.MAX_SAFE_INTEGER;
  private readonly pipeline: Pipeline;
  private readonly watches: Watches;
  private readonly leases: Leases;
  private readonly maxTransactionBytes: number;
  private compacted: Revision;
  private compactTarget: Revision;
  private lastLease: number;
  private purgeWanted = false;
  private purging: Promise<void> | undefined;
  private purgeFailures = 0;
  private probing: Promise<unknown> | undefined;
  private ending: Promise<void> | undefined;
  /** Set once nothing may be asked of the store any more. */
  private stopped: StoreError | undefined;

  static async start(options: EmbeddedStoreOptions, gate: StoreGate, lock: FolderLock): Promise<EmbeddedStore> {
    const environment = await Environment.open(options.directory, options.random.uuid(), gate);
    const snapshot = environment.snapshot();
    try {
      const revision = snapshot.counter('revision');
      return new EmbeddedStore(environment, options, gate, lock, revision, snapshot.counter('compacted'), snapshot.counter('lastLease'));
    } finally {
      snapshot.done();
    }
  }

  private constructor(
    private readonly environment: Environment,
    private readonly options: EmbeddedStoreOptions,
    private readonly gate: StoreGate,
    private readonly lock: FolderLock,
    revision: Revision,
    compacted: Revision,
    lastLease: number,
  ) {
    this.compacted = compacted;
    this.compactTarget = compacted;
    this.lastLease = lastLease;
    this.maxTransactionBytes = options.maxTransactionBytes ?? 3 << 20;
    this.watches = new Watches(environment, revision);
    // `Leases` requests an end that failed again.
    this.leases = new Leases(options.clock, (lease) => void this.end(lease, this.deadline()).catch(() => undefined));
    const events = {
      durable: this.watches.publish.bind(this.watches),
      rolledBack: (reason: unknown) => {
        if (!this.stopIfTaken(reason)) this.leases.load(environment);
      },
    };
    this.pipeline = new Pipeline(environment, options.clock, events, revision);
    this.leases.load(environment);
    this.purge();
  }

  async get(key: string, options: StoreCallOptions & { readonly revision?: Revision } = {}): ReturnType<Store['get']> {
    checkKey(key);
    this.checkCall('deadline', options);
    return translate(() => readKey(this.environment, key, options.revision));
  }

  async range(request: RangeRequest, options?: StoreCallOptions): ReturnType<Store['range']> {
    this.checkCall('deadline', options);
    return translate(() => readRange(this.environment, request));
  }

  async count(range: KeyRange, options?: StoreCallOptions): ReturnType<Store['count']> {
    this.checkCall('deadline', options);
    return translate(() => countKeys(this.environment, range));
  }

  async revision(options?: StoreCallOptions): Promise<Revision> {
    return this.revisionNow(options);
  }

  revisionNow(options?: StoreCallOptions): Revision {
    this.checkCall('deadline', options);
    return this.pipeline.revision;
  }

  async revisionsWithin(bytes: number, most: number): Promise<number> {
    this.checkCall('deadline');
    return translate(() => revisionsWithin(this.environment, bytes, most));
  }

  async transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    this.checkCall('unavailable', options);
    checkTransaction(transaction, this.maxOperations);
    this.checkSize(transaction);
    const deadline = this.deadline(options);
    if (!transaction.compare.every((condition) => this.holds(condition))) {
      const current = transaction.compare.map(({ key }) => this.pipeline.current(key));
      return { committed: false, current, revision: await this.pipeline.push({ changes: [], deadline }) };
    }
    const changes = this.plan(transaction);
    const before = changes.map(({ key }) => this.pipeline.state(key)?.lease ?? 0);
    const durable = this.pipeline.push({ changes, deadline });
    changes.forEach(({ key, lease }, index) => this.leases.attach(key, before[index] ?? 0, lease));
    return { committed: true, revision: await durable };
  }

  watch(range: KeyRange, from: Revision, sink: WatchSink): ReturnType<Store['watch']> {
    this.checkCall('unavailable');
    checkStart(from);
    return this.watches.add(range, from, sink);
  }

  async compact(revision: Revision, options?: StoreCallOptions): Promise<void> {
    this.checkCall('unavailable', options);
    const current = this.pipeline.revision;
    if (revision > current) throw new StoreError('future-revision', `revision ${revision} is not reached yet; the store is at ${current}`);
    if (revision <= this.compacted) return;
    this.compactTarget = Math.max(this.compactTarget, revision);
    await this.pipeline.push({
      changes: [],
      also: (batch) => batch.setCounter('compacted', this.compactTarget),
      deadline: this.deadline(options),
    });
    this.compacted = Math.max(this.compacted, revision);
    this.purge();
  }

  async grantLease(ttlSeconds: number, options?: StoreCallOptions): Promise<LeaseId> {
    this.checkCall('unavailable', options);
    if (!Number.isSafeInteger(ttlSeconds) || ttlSeconds < 1)
      throw new StoreError('internal', `a lease lives whole seconds, not ${ttlSeconds}`);
    const lease = ++this.lastLease;
    // Added before it is on disk, so that it expires even if the caller gave up waiting for it.
    this.leases.add(lease, ttlSeconds);
    await this.pipeline.push({
      changes: [],
      also: (batch) => {
        batch.putLease(lease, ttlSeconds);
        batch.setCounter('lastLease', lease);
      },
      deadline: this.deadline(options),
    });
    return String(lease);
  }

  async keepLeaseAlive(lease: LeaseId, options?: StoreCallOptions): Promise<void> {
    this.checkCall('unavailable', options);
    if (!this.leases.renew(Number(lease))) throw leaseNotFound(lease);
  }

  async revokeLease(lease: LeaseId, options?: StoreCallOptions): Promise<void> {
    this.checkCall('unavailable', options);
    if (!this.leases.has(Number(lease))) throw leaseNotFound(lease);
    await this.end(Number(lease), this.deadline(options));
  }

  async status(options?: StoreCallOptions): ReturnType<Store['status']> {
    this.checkCall('deadline', options);
    const { size } = await stat(join(this.options.directory, DATA_FILE)).catch((error: unknown) => Promise.reject(asStoreError(error)));
    return { version: 'embedded', revision: this.pipeline.revision, size, purgeFailures: this.purgeFailures };
  }

  /** Where nothing has been written for a while, writes something. */
  async health(options?: StoreCallOptions): Promise<void> {
    this.checkCall('deadline', options);
    const last = this.pipeline.lastOutcome;
    const age = this.options.clock.monotonic() - (last?.at ?? -Infinity);
    if (last?.failure === undefined ? age < GOOD_FOR_MS : age < BAD_FOR_MS) {
      if (last?.failure !== undefined) throw last.failure;
      return;
    }
    const deadline = this.deadline(options);
    this.probing ??= this.pipeline
      .push({ changes: [], also: (batch) => batch.probe(), deadline })
      .finally(() => (this.probing = undefined));
    await this.probing;
  }

  close(): Promise<void> {
    this.stopped ??= new StoreError('closed', 'the store is closed');
    this.ending ??= this.shutDown();
    return this.ending;
  }

  /** Whether `reason` is that another process has the data now; then this store says so to everyone from now on. */
  private stopIfTaken(reason: unknown): boolean {
    if (!(reason instanceof StoreTaken)) return false;
    if (this.stopped === undefined) {
      this.options.logger?.error(reason.message);
      this.stopped = new StoreError('closed', reason.message);
      this.leases.close();
      this.watches.breakOff();
    }
    return true;
  }

  private async shutDown(): Promise<void> {
    this.watches.close();
    this.leases.close();
    await this.purging;
    await this.pipeline.drained();
    await this.gate.passAndClose(() => this.environment.close());
    this.lock.release();
  }

  private holds(condition: Transaction['compare'][number]): boolean {
    const state = this.pipeline.state(condition.key);
    return 'exists' in condition ? state !== undefined : (state?.modRevision ?? 0) === condition.modRevision;
  }

  /** What the operations change; deleting what does not exist changes nothing. */
  private plan(transaction: Transaction): KeyChange[] {
    const changes: KeyChange[] = [];
    for (const operation of transaction.operations) {
      const { key } = operation;
      const before = this.pipeline.state(key);
      if (operation.type === 'put') {
        const lease = operation.lease === undefined ? 0 : Number(operation.lease);
        if (operation.lease !== undefined && !this.leases.has(lease)) throw leaseNotFound(operation.lease);
        const createRevision = before?.createRevision ?? this.pipeline.nextRevision;
        changes.push({ key, deleted: false, createRevision, version: (before?.version ?? 0) + 1, lease, value: operation.value });
      } else if (before !== undefined) {
        changes.push(deletion(key));
      }
    }
    return changes;
  }

  /** Deletes a lease and its keys in one revision. The lease has ended as soon as this is called, whether or not the write succeeds in time. */
  private async end(lease: number, deadline: number): Promise<void> {
    const keys = this.leases.end(lease).filter((key) => this.pipeline.state(key)?.lease === lease);
    await this.pipeline.push({ changes: keys.map(deletion), also: (batch) => batch.removeLease(lease), deadline });
    this.leases.remove(lease);
  }

  private purge(): void {
    this.purgeWanted = true;
    this.purging ??= this.purgeAll()
      .catch((error: unknown) => this.purgeFailed(error))
      .finally(() => (this.purging = undefined));
  }

  private purgeFailed(error: unknown): void {
    if (this.stopIfTaken(error)) return;
    this.purgeFailures++;
    this.options.logger?.warn('what was compacted could not be removed from the disk', { error });
  }

  /** A step that fails (a full disk) leaves everything readable; the next compaction goes on from there. */
  private async purgeAll(): Promise<void> {
    while (this.purgeWanted && this.stopped === undefined) {
      this.purgeWanted = false;
      const compacted = this.compacted;
      while (this.stopped === undefined && !(await purgeStep(this.environment, compacted)));
    }
  }

  private checkSize(transaction: Transaction): void {
    let bytes = 0;
    for (const operation of transaction.operations) {
      const keyBytes = Buffer.byteLength(operation.key);
      if (keyBytes > LONGEST_KEY) throw new StoreError('too-large', `a key of ${keyBytes} bytes; the store takes ${LONGEST_KEY}`);
      bytes += keyBytes + (operation.type === 'put' ? operation.value.length : 0);
    }
    if (bytes > this.maxTransactionBytes) {
      throw new StoreError('too-large', `a transaction of ${bytes} bytes; the store takes ${this.maxTransactionBytes}`);
    }
  }

  private checkCall(late: 'deadline' | 'unavailable', options?: StoreCallOptions): void {
    if (this.stopped !== undefined) throw this.stopped;
    if (options?.deadline !== undefined && options.deadline <= this.options.clock.monotonic()) {
      throw new StoreError(late, 'the deadline had passed before the call');
    }
  }

  private deadline(options?: StoreCallOptions): number {
    return options?.deadline ?? this.options.clock.monotonic() + DEFAULT_TIMEOUT_MS;
  }
}

function deletion(key: string): KeyChange {
  return { key, deleted: true, createRevision: 0, version: 0, lease: 0, value: noBytes };
}

function leaseNotFound(lease: LeaseId): StoreError {
  return new StoreError('lease-not-found', `there is no lease ${lease}`);
}

async function translate<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw asStoreError(error);
  }
}

function asStoreError(error: unknown): StoreError {
  return error instanceof StoreError ? error : new StoreError('internal', errorMessage(explained(error)));
}
