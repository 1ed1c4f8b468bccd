/**
 * Nodes that wait for their NoExecute taint, by zone, each zone with a token bucket of one token. Order and rate are
 * those of upstream's RateLimitedTimedQueue; adding the taint is left to the caller.
 */
import type { Clock } from '../../shared/runtime/clock';

/** The waiting nodes of one zone, and its token bucket. */
interface ZoneQueue {
  /** Names of nodes, the first to be evicted first. */
  readonly nodes: Set<string>;
  /** Nodes that may be evicted now, at most one. */
  tokens: number;
  /** Milliseconds of the monotonic clock. */
  refilledAt: number;
  nodesPerSecond: number;
}

/** A node waits in the queue of one zone at most. */
export class EvictionQueue {
  private readonly zones = new Map<string, ZoneQueue>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** At a rate of 0 the nodes of the zone stay in the queue. */
  setRate(zone: string, nodesPerSecond: number): void {
    const queue = this.queueOf(zone);
    this.refill(queue);
    queue.nodesPerSecond = nodesPerSecond;
  }

  /** Moves the node when it is in the queue of another zone. */
  add(zone: string, node: string): void {
    for (const [name, { nodes }] of this.zones) if (name !== zone) nodes.delete(node);
    this.queueOf(zone).nodes.add(node);
  }

  /** Does nothing when the node does not wait. */
  remove(node: string): void {
    for (const { nodes } of this.zones.values()) nodes.delete(node);
  }

  /** Drops the queues of other zones. */
  retainZones(zones: ReadonlySet<string>): void {
    for (const name of this.zones.keys()) if (!zones.has(name)) this.zones.delete(name);
  }

  hasNodes(): boolean {
    for (const { nodes } of this.zones.values()) if (nodes.size > 0) return true;
    return false;
  }

  /** Removes and returns the nodes that the rates allow now. */
  takeDue(): readonly string[] {
    const due: string[] = [];
    for (const queue of this.zones.values()) {
      this.refill(queue);
      for (const node of queue.nodes) {
        if (queue.tokens < 1 || queue.nodesPerSecond === 0) break;
        queue.tokens -= 1;
        queue.nodes.delete(node);
        due.push(node);
      }
    }
    return due;
  }

  private queueOf(zone: string): ZoneQueue {
    const queue = this.zones.get(zone) ?? { nodes: new Set(), tokens: 1, refilledAt: this.clock.monotonic(), nodesPerSecond: 0 };
    this.zones.set(zone, queue);
    return queue;
  }

  private refill(queue: ZoneQueue): void {
    const now = this.clock.monotonic();
    queue.tokens = Math.min(1, queue.tokens + ((now - queue.refilledAt) / 1000) * queue.nodesPerSecond);
    queue.refilledAt = now;
  }
}
