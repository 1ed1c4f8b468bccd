/**
 * The compaction loop: in every interval one of the replicas compacts the store at the revision of its previous round.
 * Without compaction the store would grow without limit; watches and paginated lists younger than an interval can
 * continue.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { Logger } from '../../../shared/runtime/logger';
import type { Revision, Store } from '../../storage/store';

/** What one loop uses. */
export interface CompactionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The key that the replicas coordinate through. */
  readonly key: string;
  /** Interval in milliseconds; 0 to disable the loop. */
  readonly intervalMs: number;
  /** Called with the revision of each compaction that this replica has made. */
  onCompacted(revision: Revision): void;
}

/**
 * The loop of one replica. The replicas coordinate through one key with the compacted revision as its value: a replica
 * that finds the key unchanged since its own last round writes the revision that it remembered then, and compacts; the
 * others see the key change. The first round after a start only remembers the revision.
 */
export class CompactionLoop {
  private timer: Timer | undefined;
  private isClosed = false;
  /** The mod revision of the key when it was last read or written, and the store's revision at that time. */
  private lastRound: { readonly keyRevision: Revision; readonly storeRevision: Revision } | undefined;

  constructor(private readonly options: CompactionOptions) {}

  /** Schedules the rounds; must be called once. */
  start(): void {
    if (this.options.intervalMs > 0) this.scheduleNext();
  }

  /** Starts no further round. */
  close(): void {
    this.isClosed = true;
    this.timer?.cancel();
  }

  private scheduleNext(): void {
    this.timer = this.options.clock.after(this.options.intervalMs, () => void this.run());
  }

  private async run(): Promise<void> {
    try {
      await this.runRound();
    } catch (error) {
      this.options.logger.warn('compaction failed and is retried at the next interval', { error });
    }
    if (!this.isClosed) this.scheduleNext();
  }

  /** One round. Rejects with StoreError. */
  async runRound(): Promise<void> {
    const { store, key } = this.options;
    if (this.lastRound === undefined) {
      const { kv, revision } = await store.get(key);
      this.lastRound = { keyRevision: kv?.modRevision ?? 0, storeRevision: revision };
      return;
    }
    const { keyRevision, storeRevision } = this.lastRound;
    const result = await store.transact({
      compare: [{ key, modRevision: keyRevision }],
      operations: [{ type: 'put', key, value: Buffer.from(String(storeRevision)) }],
    });
    if (!result.committed) {
      this.lastRound = { keyRevision: result.current[0]?.modRevision ?? 0, storeRevision: result.revision };
      return;
    }
    this.lastRound = { keyRevision: result.revision, storeRevision: result.revision };
    await store.compact(storeRevision);
    this.options.onCompacted(storeRevision);
  }
}
