/**
 * The write path of the embedded store. Each step with changes takes its revision immediately. Steps that arrive while
 * the disk is busy are queued and written in one batch, so that concurrent transactions share one sync (group commit).
 * Callers evaluate a transaction against the steps that are still pending (`pendingState`). `push` resolves only once
 * its revision is durable.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import { StoreError, type KeyValue, type Revision } from '../store';
import type { Environment } from './environment';
import type { ReadTransaction } from './read-transaction';
import type { WriteBatch } from './write-batch';
import { hasLongValue, compressLongValues } from './value-compression';
import { readKeyValue } from './reader';
import type { KeyChange, LatestRecord } from './record';
import { explainWriteFailure } from './write-failure';

/** One durable revision. Revisions are delivered in order. */
export interface CommittedRevision {
  readonly revision: Revision;
  /** In the order of the transaction's operations; never empty. */
  readonly changes: readonly KeyChange[];
}

/** One write of a caller, which becomes durable as a whole. */
export interface WriteStep {
  /** A step with changes takes the next revision; one without takes none. */
  readonly changes: readonly KeyChange[];
  /** Further writes of the same durable batch. */
  readonly extraWrites?: (batch: WriteBatch) => void;
  /** Deadline in milliseconds of the monotonic clock. */
  readonly deadline: number;
}

interface QueuedStep extends WriteStep {
  readonly revision: Revision;
  readonly bytes: number;
  readonly resolve: (revision: Revision) => void;
  readonly reject: (error: StoreError) => void;
}

interface PendingKey {
  readonly modRevision: Revision;
  readonly change: KeyChange;
}

/** The owner's reactions to the end of a batch; they must not throw. */
export interface WritePipelineEvents {
  /** Called once a batch is durable, before the calls of its writers resolve. */
  onDurable(committed: readonly CommittedRevision[]): void;
  /**
   * Called with the error of a failed batch, after all pending steps were dropped unwritten. State that the owner derived
   * from them must be read again from the environment.
   */
  onRollback(reason: unknown): void;
}

/** How the last durable write ended. */
export interface FlushOutcome {
  /** When it ended, in milliseconds of the monotonic clock. */
  readonly at: number;
  /** `undefined` when it succeeded. */
  readonly failure: StoreError | undefined;
}

/** Further writes are rejected while pending ones take this much memory. */
const MAX_PENDING_BYTES = 64 << 20;
/** Limits of one durable batch: bytes and steps. A single step may exceed them. */
const MAX_BATCH_BYTES = 16 << 20;
const MAX_BATCH_STEPS = 1_024;
/** Estimated memory in bytes that a pending step takes besides keys and values. */
const STEP_OVERHEAD_BYTES = 256;
/** Interval at which deadlines of pending steps are checked while the disk does not respond. */
const OVERDUE_CHECK_MS = 1_000;

/** The pending and the durable writes of one environment. */
export class WritePipeline {
  /** The last pending change of each key. */
  private readonly pending = new Map<string, PendingKey>();
  private queue: QueuedStep[] = [];
  private inFlight: readonly QueuedStep[] | undefined;
  private isRunning = false;
  private overdueTimer: Timer | undefined;
  private pendingBytes = 0;
  /** The revision assigned last. */
  private assignedRevision: Revision;
  private durableRevision: Revision;
  private outcome: FlushOutcome | undefined;
  private readonly drainCallbacks: (() => void)[] = [];

  constructor(
    private readonly environment: Environment,
    private readonly clock: Clock,
    private readonly events: WritePipelineEvents,
    revision: Revision,
  ) {
    this.assignedRevision = revision;
    this.durableRevision = revision;
  }

  /** The newest durable revision. */
  get revision(): Revision {
    return this.durableRevision;
  }

  /** Undefined before the first batch. */
  get lastOutcome(): FlushOutcome | undefined {
    return this.outcome;
  }

  /** The revision that the next change will take. */
  get nextRevision(): Revision {
    return this.assignedRevision + 1;
  }

  /** The state of `key` after all pending steps. */
  pendingState(key: string): LatestRecord | undefined {
    const pending = this.pending.get(key);
    if (pending === undefined) return this.readDurable((snapshot) => snapshot.latest(key));
    const { deleted, createRevision, version, lease } = pending.change;
    return deleted ? undefined : { modRevision: pending.modRevision, createRevision, version, lease };
  }

  /** Like {@link pendingState}, with the value. */
  pendingKeyValue(key: string): KeyValue | undefined {
    const pending = this.pending.get(key);
    if (pending === undefined) return this.readDurable((snapshot) => readKeyValue(snapshot, key));
    const { deleted, createRevision, version, value } = pending.change;
    return deleted ? undefined : { key, value, createRevision, modRevision: pending.modRevision, version };
  }

  private readDurable<T>(read: (snapshot: ReadTransaction) => T): T {
    const snapshot = this.environment.snapshot();
    try {
      return read(snapshot);
    } finally {
      snapshot.end();
    }
  }

  /**
   * Queues a step. Resolves, once it and all earlier steps are durable, with its revision: for a step without changes that
   * of the last step before it. Rejects with `unavailable` when too much is pending, with `ambiguous` when the deadline
   * passes first, and with the failure of the batch when it or an earlier one is not written.
   */
  push(step: WriteStep): Promise<Revision> {
    const bytes = step.changes.reduce((sum, change) => sum + change.key.length + change.value.length, STEP_OVERHEAD_BYTES);
    if (this.pendingBytes + bytes > MAX_PENDING_BYTES) {
      return Promise.reject(new StoreError('unavailable', 'too many writes are waiting for the disk'));
    }
    if (step.changes.length > 0) this.assignedRevision++;
    const revision = this.assignedRevision;
    const writesNothing = step.changes.length === 0 && step.extraWrites === undefined;
    const isIdle = this.queue.length === 0 && this.inFlight === undefined;
    if (writesNothing && isIdle) return Promise.resolve(revision);
    this.pendingBytes += bytes;
    for (const change of step.changes) this.pending.set(change.key, { modRevision: revision, change });
    return new Promise((resolve, reject) => {
      this.queue.push({ revision, bytes, resolve, reject, ...step });
      this.start();
    });
  }

  /** Resolves when no step is pending. */
  waitUntilDrained(): Promise<void> {
    if (!this.isRunning) return Promise.resolve();
    return new Promise((resolve) => this.drainCallbacks.push(resolve));
  }

  private start(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    // Later calls of this event-loop turn join the batch and share its sync.
    setImmediate(() => void this.run());
  }

  private async run(): Promise<void> {
    while (this.queue.length > 0) {
      const batch = this.takeBatch();
      this.inFlight = batch;
      this.startOverdueTimer();
      const failure = await this.write(batch).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      this.overdueTimer?.cancel();
      this.inFlight = undefined;
      if (failure === undefined) this.completeBatch(batch);
      else this.rollBack(batch, failure.error);
    }
    this.isRunning = false;
    for (const resolve of this.drainCallbacks.splice(0)) resolve();
  }

  private takeBatch(): readonly QueuedStep[] {
    let bytes = 0;
    let count = 0;
    for (const step of this.queue) {
      bytes += step.bytes;
      if (count > 0 && (bytes > MAX_BATCH_BYTES || count >= MAX_BATCH_STEPS)) break;
      count++;
    }
    return this.queue.splice(0, count);
  }

  private async write(batch: readonly QueuedStep[]): Promise<void> {
    if (batch.every((step) => step.changes.length === 0 && step.extraWrites === undefined)) return;
    const changes = batch.map((step) => step.changes);
    const compressedChanges = changes.some(hasLongValue) ? await Promise.all(changes.map(compressLongValues)) : changes;
    await this.environment.write((writeBatch) => {
      batch.forEach((step, index) => {
        const changesToStore = compressedChanges[index] ?? step.changes;
        if (changesToStore.length > 0) writeBatch.append(step.revision, changesToStore);
        step.extraWrites?.(writeBatch);
      });
    });
    this.outcome = { at: this.clock.monotonic(), failure: undefined };
  }

  private completeBatch(batch: readonly QueuedStep[]): void {
    this.durableRevision = lastRevision(batch, this.durableRevision);
    const committed: CommittedRevision[] = [];
    for (const { revision, changes, bytes } of batch) {
      this.pendingBytes -= bytes;
      if (changes.length > 0) committed.push({ revision, changes });
      for (const { key } of changes) {
        if (this.pending.get(key)?.modRevision === revision) this.pending.delete(key);
      }
    }
    if (committed.length > 0) this.events.onDurable(committed);
    for (const step of batch) step.resolve(step.revision);
  }

  /**
   * Rejects all pending steps. No step of `batch` was written; the steps queued behind it were evaluated on the assumption
   * that it would be. Their revisions are assigned again to later steps.
   */
  private rollBack(batch: readonly QueuedStep[], error: unknown): void {
    const failure = explainWriteFailure(error, this.environment.directory);
    this.outcome = { at: this.clock.monotonic(), failure };
    const queued = this.queue;
    this.queue = [];
    this.pending.clear();
    this.pendingBytes = 0;
    this.assignedRevision = this.durableRevision;
    this.events.onRollback(error);
    for (const step of batch) step.reject(failure);
    for (const step of queued) step.reject(new StoreError(failure.failure, `an earlier write failed: ${failure.message}`));
  }

  /**
   * While the disk does not respond, rejects steps past their deadline at an interval. The steps stay in their batch or
   * queue and may still be committed; the later settling of a rejected promise has no effect.
   */
  private startOverdueTimer(): void {
    this.overdueTimer = this.clock.after(OVERDUE_CHECK_MS, () => {
      const now = this.clock.monotonic();
      for (const step of [...(this.inFlight ?? []), ...this.queue]) {
        if (step.deadline <= now) step.reject(new StoreError('ambiguous', 'the disk did not respond in time'));
      }
      this.startOverdueTimer();
    });
  }
}

function lastRevision(batch: readonly QueuedStep[], otherwise: Revision): Revision {
  return batch[batch.length - 1]?.revision ?? otherwise;
}
