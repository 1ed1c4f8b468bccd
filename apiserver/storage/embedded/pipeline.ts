/**
 * The write side of the embedded store: gives every change its revision at once, collects what arrives while the disk
 * is busy, and writes that together, so that concurrent transactions share one synchronisation. A later transaction is
 * judged against the earlier ones that are still on their way; nobody is answered before its revision is durable.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import { errorMessage } from '../../../shared/runtime/error-message';
import { StoreError, type KeyValue, type Revision } from '../store';
import type { WriteBatch, Environment } from './environment';
import { areLong, packed } from './packing';
import { keyValue } from './reader';
import type { KeyChange, Latest } from './record';

/** One durable revision, in the order in which they were made. */
export interface Committed {
  readonly revision: Revision;
  readonly changes: readonly KeyChange[];
}

export interface PipelineStep {
  /** With changes the step takes the next revision; without, it takes none. */
  readonly changes: readonly KeyChange[];
  /** Further writes of the same durable step. */
  readonly also?: (batch: WriteBatch) => void;
  /** When to stop waiting, in milliseconds of the monotonic clock. */
  readonly deadline: number;
}

interface Waiting extends PipelineStep {
  readonly revision: Revision;
  readonly bytes: number;
  readonly resolve: (revision: Revision) => void;
  readonly reject: (error: StoreError) => void;
}

interface PendingKey {
  readonly modRevision: Revision;
  readonly change: KeyChange;
}

export interface PipelineEvents {
  /** Called once a batch is durable, before its writers are answered. */
  durable(committed: readonly Committed[]): void;
  /** Nothing that was pending has been done, for this reason: whoever followed pending state reads it again. */
  rolledBack(reason: unknown): void;
}

/** How the last durable step ended, and when on the monotonic clock. */
export interface FlushOutcome {
  readonly at: number;
  readonly failure: StoreError | undefined;
}

const MAX_PENDING_BYTES = 64 << 20;
const MAX_BATCH_BYTES = 16 << 20;
const MAX_BATCH_STEPS = 1_024;
const STEP_OVERHEAD = 256;
const SWEEP_MS = 1_000;

export class Pipeline {
  private readonly pending = new Map<string, PendingKey>();
  private queue: Waiting[] = [];
  private flight: readonly Waiting[] | undefined;
  private started = false;
  private sweep: Timer | undefined;
  private pendingBytes = 0;
  /** The revision given out last. */
  private assigned: Revision;
  private durableRevision: Revision;
  private outcome: FlushOutcome | undefined;
  private readonly idle: (() => void)[] = [];

  constructor(
    private readonly environment: Environment,
    private readonly clock: Clock,
    private readonly events: PipelineEvents,
    revision: Revision,
  ) {
    this.assigned = revision;
    this.durableRevision = revision;
  }

  /** The newest durable revision. */
  get revision(): Revision {
    return this.durableRevision;
  }

  /** Undefined before the first step. */
  get lastOutcome(): FlushOutcome | undefined {
    return this.outcome;
  }

  /** The revision that the next change will take. */
  get nextRevision(): Revision {
    return this.assigned + 1;
  }

  /** Where `key` stands after all pending steps. */
  state(key: string): Latest | undefined {
    const pending = this.pending.get(key);
    if (pending === undefined) {
      const snapshot = this.environment.snapshot();
      try {
        return snapshot.latest(key);
      } finally {
        snapshot.done();
      }
    }
    const { deleted, createRevision, version, lease } = pending.change;
    return deleted ? undefined : { modRevision: pending.modRevision, createRevision, version, lease };
  }

  /** Like {@link state}, with the value. */
  current(key: string): KeyValue | undefined {
    const pending = this.pending.get(key);
    if (pending === undefined) {
      const snapshot = this.environment.snapshot();
      try {
        return keyValue(snapshot, key);
      } finally {
        snapshot.done();
      }
    }
    const { deleted, createRevision, version, value } = pending.change;
    return deleted ? undefined : { key, value, createRevision, modRevision: pending.modRevision, version };
  }

  /** Resolves with the revision as of this step once it and all before it are durable. */
  push(step: PipelineStep): Promise<Revision> {
    const bytes = step.changes.reduce((sum, change) => sum + change.key.length + change.value.length, STEP_OVERHEAD);
    if (this.pendingBytes + bytes > MAX_PENDING_BYTES) {
      return Promise.reject(new StoreError('unavailable', 'too many writes are waiting for the disk'));
    }
    if (step.changes.length > 0) this.assigned++;
    const revision = this.assigned;
    if (step.changes.length === 0 && step.also === undefined && this.queue.length === 0 && this.flight === undefined) {
      return Promise.resolve(revision);
    }
    this.pendingBytes += bytes;
    for (const change of step.changes) this.pending.set(change.key, { modRevision: revision, change });
    return new Promise((resolve, reject) => {
      this.queue.push({ ...step, revision, bytes, resolve, reject });
      this.start();
    });
  }

  /** Resolves when nothing is pending any more. */
  drained(): Promise<void> {
    if (!this.started) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  private start(): void {
    if (this.started) return;
    this.started = true;
    // The rest of this turn may bring more to share the synchronisation.
    setImmediate(() => void this.run());
  }

  private async run(): Promise<void> {
    while (this.queue.length > 0) {
      const batch = this.take();
      this.flight = batch;
      this.sweepOverdue();
      const failure = await this.write(batch).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      this.sweep?.cancel();
      this.flight = undefined;
      if (failure === undefined) this.finish(batch);
      else this.fail(batch, failure.error);
    }
    this.started = false;
    for (const resolve of this.idle.splice(0)) resolve();
  }

  private take(): readonly Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const step of this.queue) {
      bytes += step.bytes;
      if (count > 0 && (bytes > MAX_BATCH_BYTES || count >= MAX_BATCH_STEPS)) break;
      count++;
    }
    return this.queue.splice(0, count);
  }

  private async write(batch: readonly Waiting[]): Promise<void> {
    if (batch.every((step) => step.changes.length === 0 && step.also === undefined)) return;
    const changes = batch.map((step) => step.changes);
    const stored = changes.some(areLong) ? await Promise.all(changes.map(packed)) : changes;
    await this.environment.write((writes) => {
      batch.forEach((step, index) => {
        const made = stored[index] ?? step.changes;
        if (made.length > 0) writes.append(step.revision, made);
        step.also?.(writes);
      });
    });
    this.outcome = { at: this.clock.monotonic(), failure: undefined };
  }

  private finish(batch: readonly Waiting[]): void {
    this.durableRevision = lastRevision(batch, this.durableRevision);
    const committed: Committed[] = [];
    for (const { revision, changes, bytes } of batch) {
      this.pendingBytes -= bytes;
      if (changes.length > 0) committed.push({ revision, changes });
      for (const { key } of changes) {
        if (this.pending.get(key)?.modRevision === revision) this.pending.delete(key);
      }
    }
    if (committed.length > 0) this.events.durable(committed);
    for (const step of batch) step.resolve(step.revision);
  }

  /** Nothing of `batch` was done, and what queued behind it was judged on the assumption that it would be. */
  private fail(batch: readonly Waiting[], error: unknown): void {
    const message = errorMessage(error);
    const full = /no space|ENOSPC|MAP_FULL|quota/i.test(message);
    const failure = new StoreError(full ? 'no-space' : 'unavailable', `the write was not done: ${message}`);
    this.outcome = { at: this.clock.monotonic(), failure };
    const queued = this.queue;
    this.queue = [];
    this.pending.clear();
    this.pendingBytes = 0;
    this.assigned = this.durableRevision;
    this.events.rolledBack(error);
    for (const step of batch) step.reject(failure);
    for (const step of queued) step.reject(new StoreError('unavailable', `an earlier write was not done: ${message}`));
  }

  /** While the disk does not answer, those whose time is up stop waiting; their writes may still be done. */
  private sweepOverdue(): void {
    this.sweep = this.clock.after(SWEEP_MS, () => {
      const now = this.clock.monotonic();
      for (const step of [...(this.flight ?? []), ...this.queue]) {
        if (step.deadline <= now) step.reject(new StoreError('ambiguous', 'the disk did not answer in time'));
      }
      this.sweepOverdue();
    });
  }
}

function lastRevision(batch: readonly Waiting[], otherwise: Revision): Revision {
  return batch[batch.length - 1]?.revision ?? otherwise;
}
