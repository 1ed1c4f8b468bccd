/**
 * The compaction loop: in every interval one of the replicas compacts the store at the revision of its previous round.
 * Without compaction the store would grow without limit. Because that revision is an interval old, watches and paginated
 * lists that started since can continue.
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
 * The loop of one replica. The replicas coordinate through one key, which has the compacted revision as value. In its first
 * round a replica only remembers the key's mod revision and the store's revision. In each later round:
 * - If the key is unchanged since the last round, it writes the remembered store revision to the key and compacts there.
 * - If another replica has written the key, it leaves the compaction of this interval to that one.
 * Either way it remembers the revisions for its next round.
 */
export class CompactionLoop {
  private timer: Timer | undefined;
  private isClosed = false;
  /** The mod revision of the key (0 when absent) and the revision of the store, both at the end of the last round. */
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
