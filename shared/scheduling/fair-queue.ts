import { Deque } from '../runtime/deque';

/** Waiting items by flow (user). The flows take turns, however many items one of them has. Unbounded: callers limit its size. */
export class FairQueue<T> {
  /** The items of each flow that has any. */
  private readonly flows = new Map<string, Deque<T>>();
  /** The keys of `flows`; the one that is next in turn comes first. */
  private readonly turns = new Deque<string>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Appends the item to those of its flow. */
  add(flow: string, item: T): void {
    let items = this.flows.get(flow);
    if (items === undefined) {
      this.flows.set(flow, (items = new Deque()));
      this.turns.push(flow);
    }
    items.push(item);
    this.count += 1;
  }

  /** The item that {@link dequeue} would return. */
  peek(): T | undefined {
    return this.flows.get(this.turns.at(0) ?? '')?.at(0);
  }

  /** Removes and returns the first item of the flow that is next in turn, which is the last in turn afterwards. */
  dequeue(): T | undefined {
    const flow = this.turns.shift();
    const items = flow === undefined ? undefined : this.flows.get(flow);
    if (flow === undefined || items === undefined) return undefined;
    const item = items.shift();
    this.count -= 1;
    if (items.size > 0) this.turns.push(flow);
    else this.flows.delete(flow);
    return item;
  }
}
