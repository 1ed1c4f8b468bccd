/**
 * The compaction loop: every interval one of all replicas makes the store forget what is older than the previous round: it would grow
 * without end, and a watch or a page that began less than an interval ago can still go on.
 *
 * They agree through one key whose value is the compacted revision. Whoever finds it unchanged since its own last round writes the
 * revision that it remembered then, and compacts; the others see the key change. The first round after a start only remembers.
 */
import type { Clock, Timer } from '../../../shared/runtime/clock';
import type { Logger } from '../../../shared/runtime/logger';
import type { Revision, Store } from '../../storage/store';

export interface CompactionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The agreed key. */
  readonly key: string;
  /** 0 = never. Milliseconds. */
  readonly intervalMs: number;
  compacted(revision: Revision): void;
}

export class Compaction {
  private timer: Timer | undefined;
  private closed = false;
  /** Modified revision of the key when it was last looked at, and the store's revision at that time. */
  private last: { readonly keyRevision: Revision; readonly storeRevision: Revision } | undefined;

  constructor(private readonly options: CompactionOptions) {}

  start(): void {
    if (this.options.intervalMs > 0) this.arm();
  }

  close(): void {
    this.closed = true;
    this.timer?.cancel();
  }

  private arm(): void {
    this.timer = this.options.clock.after(this.options.intervalMs, () => void this.run());
  }

  private async run(): Promise<void> {
    try {
      await this.round();
    } catch (error) {
      this.options.logger.warn('compaction did not succeed and is tried again at the next interval', { error });
    }
    if (!this.closed) this.arm();
  }

  /** One round. Rejects with StoreError. */
  async round(): Promise<void> {
    const { store, key } = this.options;
    if (this.last === undefined) {
      const { kv, revision } = await store.get(key);
      this.last = { keyRevision: kv?.modRevision ?? 0, storeRevision: revision };
      return;
    }
    const { keyRevision, storeRevision } = this.last;
    const result = await store.transact({
      compare: [{ key, modRevision: keyRevision }],
      operations: [{ type: 'put', key, value: Buffer.from(String(storeRevision)) }],
    });
    if (!result.committed) {
      this.last = { keyRevision: result.current[0]?.modRevision ?? 0, storeRevision: result.revision };
      return;
    }
    this.last = { keyRevision: result.revision, storeRevision: result.revision };
    await store.compact(storeRevision);
    this.options.compacted(storeRevision);
  }
}
