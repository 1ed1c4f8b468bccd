import { Deque } from '../runtime/deque';

/** Waiting items by flow (user). The flows take turns, however many items one of them has. Unbounded: callers limit its size. */
export class FairQueue<T> {
  /** The flow that is next in turn comes first. Flows without items are absent. */
  private readonly flows = new Map<string, Deque<T>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Appends the item to those of its flow. */
  add(flow: string, item: T): void {
    let waiting = this.flows.get(flow);
    if (waiting === undefined) this.flows.set(flow, (waiting = new Deque()));
    waiting.push(item);
    this.count += 1;
  }

  /** The item that {@link dequeue} would return. */
  peek(): T | undefined {
    for (const waiting of this.flows.values()) return waiting.at(0);
    return undefined;
  }

  /** Removes and returns the first item of the flow that is next in turn, which is the last in turn afterwards. */
  dequeue(): T | undefined {
    for (const [flow, waiting] of this.flows) {
      this.flows.delete(flow);
      const item = waiting.shift();
      if (waiting.size > 0) this.flows.set(flow, waiting);
      this.count -= 1;
      return item;
    }
    return undefined;
  }
}
