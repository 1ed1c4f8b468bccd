/**
 * The embedded store: one process, one data folder, LMDB. Revisions, history, compaction, watches and leases behave as
 * in etcd. Importing this file loads lmdb; a server on etcd does not import it.
 * Keys and values stay on disk and in the page cache; the heap holds writes that wait for the disk, and the leases.
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
import { Environment, MAX_KEY_BYTES, ConcurrentWriterError } from './environment';
import { DATA_FILE, explainDamage } from './database-files';
import { FolderInUseError, lockFolder, ensurePrivateFolder, type FolderLock } from '../../../shared/runtime/files/folder-lock';
import { StoreGate } from './store-gate';
import { Leases } from './leases';
import { WritePipeline } from './write-pipeline';
import { purgeStep } from './purge';
import { countKeys, readKey, readRange, countRevisionsWithin } from './reader';
import { deletionOf, type KeyChange } from './record';
import { checkStartRevision, Watches } from './watches';

/** Where the store is, and what it takes its time, IDs and log lines from. */
export interface EmbeddedStoreOptions {
  /** Created when it does not exist. */
  readonly directory: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Logs failures of background work, which no call reports. */
  readonly logger?: Logger;
  /** Maximum bytes of keys and values written by one transaction; default 3 MiB, the limit that deploy/ gives etcd. */
  readonly maxTransactionBytes?: number;
}

/** Time limit of calls without a deadline; see {@link StoreCallOptions}. */
const DEFAULT_TIMEOUT_MS = 10_000;
/** How long `health` answers with the outcome of the last write: after a success and after a failure. */
const SUCCESS_VALID_MS = 10_000;
const FAILURE_VALID_MS = 1_000;
const DEFAULT_MAX_TRANSACTION_BYTES = 3 << 20;

/**
 * Opens or creates the store in a folder. Rejects with a {@link StoreError}: `unavailable` when another process holds
 * the folder (the message names the folder and the holder), `damaged` for damaged files, `internal` for any other cause.
 */
export async function openEmbeddedStore(options: EmbeddedStoreOptions): Promise<Store> {
  let gate: StoreGate | undefined;
  try {
    ensurePrivateFolder(options.directory);
    gate = StoreGate.open(options.directory);
    return await openInGate(gate, options);
  } catch (error) {
    gate?.close();
    throw error instanceof FolderInUseError ? new StoreError('unavailable', error.message) : asStoreError(error, options.directory);
  }
}

/**
 * The folder is locked inside the gate: a reader in another process (store-view.ts) takes the folder lock for a moment
 * inside the gate, and outside of it this process could find the folder in use.
 */
function openInGate(gate: StoreGate, options: EmbeddedStoreOptions): Promise<Store> {
  return gate.runExclusive(async () => {
    const lock = lockFolder(options.directory);
    try {
      return await EmbeddedStore.start(options, gate, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  });
}

/** What keeps other processes from the files. */
interface FolderAccess {
  readonly gate: StoreGate;
  readonly lock: FolderLock;
}

class EmbeddedStore implements Store {
  readonly maxOperations = Number.MAX_SAFE_INTEGER;
  private readonly pipeline: WritePipeline;
  private readonly watches: Watches;
  private readonly leases: Leases;
  private readonly maxTransactionBytes: number;
  /** The oldest readable revision, as far as compactions are durable. */
  private compacted: Revision;
  /** The highest revision that a call of `compact` has requested. */
  private compactTarget: Revision;
  /** The lease ID assigned last. */
  private lastLease: number;
  private isPurgeRequested = false;
  /** Each resolves when the running purge, probe or shutdown ends; undefined while none runs. */
  private purging: Promise<void> | undefined;
  private probing: Promise<unknown> | undefined;
  private closing: Promise<void> | undefined;
  private purgeFailures = 0;
  /** The error of every further call; undefined while calls are accepted. */
  private stopError: StoreError | undefined;

  static async start(options: EmbeddedStoreOptions, gate: StoreGate, lock: FolderLock): Promise<EmbeddedStore> {
    const environment = await Environment.open(options.directory, options.random.uuid(), gate);
    const snapshot = environment.snapshot();
    try {
      const counters = {
        revision: snapshot.counter('revision'),
        compacted: snapshot.counter('compacted'),
        lastLease: snapshot.counter('lastLease'),
      };
      return new EmbeddedStore(environment, options, { gate, lock }, counters);
    } finally {
      snapshot.end();
    }
  }

  private constructor(
    private readonly environment: Environment,
    private readonly options: EmbeddedStoreOptions,
    private readonly access: FolderAccess,
    { revision, compacted, lastLease }: Readonly<Record<'revision' | 'compacted' | 'lastLease', number>>,
  ) {
    this.compacted = compacted;
    this.compactTarget = compacted;
    this.lastLease = lastLease;
    this.maxTransactionBytes = options.maxTransactionBytes ?? DEFAULT_MAX_TRANSACTION_BYTES;
    this.watches = new Watches(environment, revision);
    // A failure is ignored: `Leases` calls again until the end of the lease is on disk.
    this.leases = new Leases(options.clock, (lease) => void this.endLease(lease, this.deadlineFor()).catch(() => undefined));
    const events = {
      onDurable: this.watches.publish.bind(this.watches),
      onRollback: (reason: unknown) => {
        if (!this.stopIfOtherWriter(reason)) this.leases.load(environment);
      },
    };
    this.pipeline = new WritePipeline(environment, options.clock, events, revision);
    this.leases.load(environment);
    this.startPurge();
  }

  async get(key: string, options: StoreCallOptions & { readonly revision?: Revision } = {}): ReturnType<Store['get']> {
    checkKey(key);
    this.checkCall('deadline', options);
    return this.withStoreErrors(() => readKey(this.environment, key, options.revision));
  }

  async range(request: RangeRequest, options?: StoreCallOptions): ReturnType<Store['range']> {
    this.checkCall('deadline', options);
    return this.withStoreErrors(() => readRange(this.environment, request));
  }

  async count(range: KeyRange, options?: StoreCallOptions): ReturnType<Store['count']> {
    this.checkCall('deadline', options);
    return this.withStoreErrors(() => countKeys(this.environment, range));
  }

  async revision(options?: StoreCallOptions): Promise<Revision> {
    return this.revisionSync(options);
  }

  revisionSync(options?: StoreCallOptions): Revision {
    this.checkCall('deadline', options);
    return this.pipeline.revision;
  }

  async revisionsWithin(bytes: number, limit: number): Promise<number> {
    this.checkCall('deadline');
    return this.withStoreErrors(() => countRevisionsWithin(this.environment, bytes, limit));
  }

  async transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    this.checkCall('unavailable', options);
    checkTransaction(transaction, this.maxOperations);
    this.checkSize(transaction);
    const deadline = this.deadlineFor(options);
    if (!transaction.compare.every((condition) => this.isConditionMet(condition))) {
      const current = transaction.compare.map(({ key }) => this.pipeline.pendingKeyValue(key));
      // The refusal depends on pending writes; the empty step waits until they are durable.
      return { committed: false, current, revision: await this.pipeline.push({ changes: [], deadline }) };
    }
    const changes = this.planChanges(transaction);
    // Read before `push`, which replaces the pending state of these keys.
    const previousLeases = changes.map(({ key }) => this.pipeline.pendingState(key)?.lease ?? 0);
    const durable = this.pipeline.push({ changes, deadline });
    changes.forEach(({ key, lease }, index) => this.leases.attach(key, previousLeases[index] ?? 0, lease));
    return { committed: true, revision: await durable };
  }

  watch(range: KeyRange, from: Revision, sink: WatchSink): ReturnType<Store['watch']> {
    this.checkCall('unavailable');
    checkStartRevision(from);
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
      extraWrites: (batch) => batch.setCounter('compacted', this.compactTarget),
      deadline: this.deadlineFor(options),
    });
    this.compacted = Math.max(this.compacted, revision);
    this.startPurge();
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
      extraWrites: (batch) => {
        batch.putLease(lease, ttlSeconds);
        batch.setCounter('lastLease', lease);
      },
      deadline: this.deadlineFor(options),
    });
    return String(lease);
  }

  async keepLeaseAlive(lease: LeaseId, options?: StoreCallOptions): Promise<void> {
    this.checkCall('unavailable', options);
    if (!this.leases.renew(Number(lease))) throw leaseNotFound(lease);
  }

  async revokeLease(lease: LeaseId, options?: StoreCallOptions): Promise<void> {
    this.checkCall('unavailable', options);
    if (!this.leases.isActive(Number(lease))) throw leaseNotFound(lease);
    await this.endLease(Number(lease), this.deadlineFor(options));
  }

  async status(options?: StoreCallOptions): ReturnType<Store['status']> {
    this.checkCall('deadline', options);
    const { size } = await this.withStoreErrors(() => stat(join(this.options.directory, DATA_FILE)));
    return { version: 'embedded', revision: this.pipeline.revision, size, purgeFailures: this.purgeFailures };
  }

  /** Writes a probe when no recent write shows whether the disk accepts writes. */
  async health(options?: StoreCallOptions): Promise<void> {
    this.checkCall('deadline', options);
    const last = this.pipeline.lastOutcome;
    const age = this.options.clock.monotonic() - (last?.at ?? -Infinity);
    if (last?.failure !== undefined && age < FAILURE_VALID_MS) throw last.failure;
    if (last?.failure === undefined && age < SUCCESS_VALID_MS) return;
    const deadline = this.deadlineFor(options);
    this.probing ??= this.pipeline
      .push({ changes: [], extraWrites: (batch) => batch.writeProbe(), deadline })
      .finally(() => (this.probing = undefined));
    await this.probing;
  }

  close(): Promise<void> {
    this.stopError ??= new StoreError('closed', 'the store is closed');
    this.closing ??= this.shutDown();
    return this.closing;
  }

  /**
   * Stops the store when `reason` is that another process has written to the files: all further calls fail. Returns
   * whether that is the reason.
   */
  private stopIfOtherWriter(reason: unknown): boolean {
    if (!(reason instanceof ConcurrentWriterError)) return false;
    if (this.stopError === undefined) {
      this.options.logger?.error(reason.message);
      this.stopError = new StoreError('closed', reason.message);
      this.leases.close();
      this.watches.disconnect();
    }
    return true;
  }

  private async shutDown(): Promise<void> {
    this.watches.close();
    this.leases.close();
    await this.purging;
    await this.pipeline.waitUntilDrained();
    await this.access.gate.runExclusiveAndClose(() => this.environment.close());
    this.access.lock.release();
  }

  private isConditionMet(condition: Transaction['compare'][number]): boolean {
    const state = this.pipeline.pendingState(condition.key);
    return 'exists' in condition ? state !== undefined : (state?.modRevision ?? 0) === condition.modRevision;
  }

  /** The changes that the operations make; deleting a key that does not exist makes none. */
  private planChanges(transaction: Transaction): KeyChange[] {
    const changes: KeyChange[] = [];
    for (const operation of transaction.operations) {
      const { key } = operation;
      const existing = this.pipeline.pendingState(key);
      if (operation.type === 'put') {
        const lease = operation.lease === undefined ? 0 : Number(operation.lease);
        if (operation.lease !== undefined && !this.leases.isActive(lease)) throw leaseNotFound(operation.lease);
        const createRevision = existing?.createRevision ?? this.pipeline.nextRevision;
        changes.push({ key, deleted: false, createRevision, version: (existing?.version ?? 0) + 1, lease, value: operation.value });
      } else if (existing !== undefined) {
        changes.push(deletionOf(key));
      }
    }
    return changes;
  }

  /**
   * Deletes a lease and its keys in one revision. The lease has ended as soon as this is called, whether or not the
   * write succeeds in time.
   */
  private async endLease(lease: number, deadline: number): Promise<void> {
    const keys = this.leases.end(lease).filter((key) => this.pipeline.pendingState(key)?.lease === lease);
    await this.pipeline.push({ changes: keys.map(deletionOf), extraWrites: (batch) => batch.removeLease(lease), deadline });
    this.leases.remove(lease);
  }

  private startPurge(): void {
    this.isPurgeRequested = true;
    this.purging ??= this.runPurge()
      .catch((error: unknown) => this.onPurgeFailure(error))
      .finally(() => (this.purging = undefined));
  }

  private onPurgeFailure(error: unknown): void {
    if (this.stopIfOtherWriter(error)) return;
    this.purgeFailures++;
    this.options.logger?.warn('compacted revisions could not be removed from the disk', { error });
  }

  /**
   * Removes compacted revisions until nothing is left to remove. A failed step, for example on a full disk, leaves all
   * readable revisions intact; the purge continues after the next compaction.
   */
  private async runPurge(): Promise<void> {
    while (this.isPurgeRequested && this.stopError === undefined) {
      this.isPurgeRequested = false;
      const compacted = this.compacted;
      while (this.stopError === undefined && !(await purgeStep(this.environment, compacted)));
    }
  }

  private checkSize(transaction: Transaction): void {
    let bytes = 0;
    for (const operation of transaction.operations) {
      const keyBytes = Buffer.byteLength(operation.key);
      if (keyBytes > MAX_KEY_BYTES) throw new StoreError('too-large', `a key of ${keyBytes} bytes; the store takes ${MAX_KEY_BYTES}`);
      bytes += keyBytes + (operation.type === 'put' ? operation.value.length : 0);
    }
    if (bytes > this.maxTransactionBytes) {
      throw new StoreError('too-large', `a transaction of ${bytes} bytes; the store takes ${this.maxTransactionBytes}`);
    }
  }

  private async withStoreErrors<T>(read: () => T | Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw asStoreError(error, this.options.directory);
    }
  }

  /** Throws when the store has stopped, or with `failure` when the deadline has passed: reads `deadline`, others `unavailable`. */
  private checkCall(failure: 'deadline' | 'unavailable', options?: StoreCallOptions): void {
    if (this.stopError !== undefined) throw this.stopError;
    if (options?.deadline !== undefined && options.deadline <= this.options.clock.monotonic()) {
      throw new StoreError(failure, 'the deadline passed before the call');
    }
  }

  private deadlineFor(options?: StoreCallOptions): number {
    return options?.deadline ?? this.options.clock.monotonic() + DEFAULT_TIMEOUT_MS;
  }
}

function leaseNotFound(lease: LeaseId): StoreError {
  return new StoreError('lease-not-found', `there is no lease ${lease}`);
}

function asStoreError(error: unknown, directory: string): StoreError {
  if (error instanceof StoreError) return error;
  const damage = explainDamage(error, directory);
  return damage === undefined ? new StoreError('internal', errorMessage(error)) : new StoreError('damaged', damage);
}
