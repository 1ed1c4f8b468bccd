/**
 * Delivers an informer's changes to its handlers through a queue, so that a slow handler delays later notifications but
 * not the watch. When the queue has more than a number of bytes, the changes of each object are coalesced into one, from
 * the state that the handlers know to the current state. The queue then has one entry for each object that has changed.
 */
import type { Clock } from '../../runtime/clock';
import { Deque } from '../../runtime/deque';
import type { Logger } from '../../runtime/logger';
import { TimeSlice } from '../../scheduling/yielding';
import type { JsonObject } from '../../values/json';
import type { ApiObject } from '../rest/api-object';

/**
 * Receives the changes of an informer. Calls for one object are in order of its changes, of which some may be coalesced.
 * Objects are shared and must not be modified. An error of one handler is logged, and the other handlers are called.
 */
export interface Handlers<Body extends JsonObject = JsonObject> {
  /** The object is new to these handlers. */
  added?(object: ApiObject<Body>): void;
  /** `previous` is the state that these handlers received last. */
  updated?(previous: ApiObject<Body>, object: ApiObject<Body>): void;
  /** `last` is the object's last known state. */
  deleted?(last: ApiObject<Body>): void;
}

/** A change of one object. */
interface Notification<Body extends JsonObject> {
  /** `undefined` for a new object. */
  readonly previous: ApiObject<Body> | undefined;
  /** `undefined` for a deleted object. */
  readonly current: ApiObject<Body> | undefined;
  /** The length of the object on the wire, for the bound of the queue. */
  readonly bytes: number;
}

/** The options of {@link Notifications}. */
export interface NotificationOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Bytes of changes that may be queued before changes are coalesced. */
  readonly waitingBytes: number;
}

/** The queue of one informer. */
export class Notifications<Body extends JsonObject> {
  private readonly handlers = new Set<Handlers<Body>>();
  private readonly queue = new Deque<{ readonly key: string; readonly change: Notification<Body> }>();
  /** The coalesced changes by key. Replaces `queue` from the time when the bound is exceeded until all are delivered. */
  private coalesced: Map<string, Notification<Body>> | undefined;
  /** The position in `coalesced`: a new iterator would pass the places of all removed entries again. */
  private nextCoalesced: IterableIterator<[string, Notification<Body>]> | undefined;
  private bytes = 0;
  /** Whether a delivery is due in a later iteration of the event loop. */
  private isScheduled = false;
  private drainWaiters: (() => void)[] = [];

  constructor(private readonly options: NotificationOptions) {}

  /**
   * Adds handlers and returns a function that removes them. The new handlers receive the `objects` as added. Queued
   * changes are delivered to the existing handlers first, because `objects` contains these changes already.
   */
  add(handlers: Handlers<Body>, objects: Iterable<ApiObject<Body>>): () => void {
    for (let change = this.dequeue(); change !== undefined; change = this.dequeue()) this.notify(change);
    for (const object of objects) this.callHandler(() => handlers.added?.(object));
    this.handlers.add(handlers);
    return () => void this.handlers.delete(handlers);
  }

  /** Queues a change of the object with this key. The other parameters are the members of {@link Notification}. */
  push(key: string, previous: ApiObject<Body> | undefined, current: ApiObject<Body> | undefined, bytes: number): void {
    const change = { previous, current, bytes };
    this.bytes += bytes;
    if (this.coalesced !== undefined) this.coalesce(this.coalesced, key, change);
    else if (this.bytes > this.options.waitingBytes) this.coalesceAll(key, change);
    else this.queue.push({ key, change });
    this.schedule();
  }

  /** Bytes in the queue. */
  get waitingBytes(): number {
    return this.bytes;
  }

  /** Resolves when the queue is empty, including changes that are added meanwhile. */
  waitUntilDrained(): Promise<void> {
    return this.isScheduled ? new Promise((resolve) => this.drainWaiters.push(resolve)) : Promise.resolve();
  }

  private coalesceAll(key: string, change: Notification<Body>): void {
    const coalesced = new Map<string, Notification<Body>>();
    this.bytes = 0;
    this.queue.push({ key, change });
    for (let waiting = this.queue.shift(); waiting !== undefined; waiting = this.queue.shift()) {
      this.bytes += waiting.change.bytes;
      this.coalesce(coalesced, waiting.key, waiting.change);
    }
    this.coalesced = coalesced;
    this.nextCoalesced = coalesced.entries();
  }

  /** Merges a change into the waiting one of the same object and deducts the bytes of that one. The caller has counted `bytes`. */
  private coalesce(coalesced: Map<string, Notification<Body>>, key: string, { previous, current, bytes }: Notification<Body>): void {
    const waiting = coalesced.get(key);
    if (waiting === undefined) {
      coalesced.set(key, { previous, current, bytes });
      return;
    }
    this.bytes -= waiting.bytes;
    if (waiting.previous !== undefined || current !== undefined) coalesced.set(key, { previous: waiting.previous, current, bytes });
    else {
      // Created and deleted before any delivery: handlers need not know.
      coalesced.delete(key);
      this.bytes -= bytes;
    }
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.deliver());
  }

  private deliver(): void {
    const slice = new TimeSlice(this.options.clock, { stepsPerCheck: 1 });
    for (let change = this.dequeue(); change !== undefined; change = this.dequeue()) {
      this.notify(change);
      if (slice.isDue() && this.isWaiting()) {
        setImmediate(() => this.deliver());
        return;
      }
    }
    this.isScheduled = false;
    const waiting = this.drainWaiters;
    this.drainWaiters = [];
    for (const resolve of waiting) resolve();
  }

  private isWaiting(): boolean {
    return this.queue.size > 0 || (this.coalesced !== undefined && this.coalesced.size > 0);
  }

  /** The next change; `undefined` when none is left, which also ends coalescing. */
  private dequeue(): Notification<Body> | undefined {
    const change = this.coalesced === undefined ? this.queue.shift()?.change : this.dequeueCoalesced(this.coalesced);
    if (change === undefined) {
      this.coalesced = undefined;
      this.nextCoalesced = undefined;
      this.bytes = 0;
    } else {
      this.bytes -= change.bytes;
    }
    return change;
  }

  private dequeueCoalesced(coalesced: Map<string, Notification<Body>>): Notification<Body> | undefined {
    const next = this.nextCoalesced?.next();
    if (next === undefined || next.done === true) return undefined;
    const [key, change] = next.value;
    coalesced.delete(key);
    return change;
  }

  private notify({ previous, current }: Notification<Body>): void {
    for (const handlers of this.handlers) {
      this.callHandler(() => {
        if (current === undefined) {
          if (previous !== undefined) handlers.deleted?.(previous);
        } else if (previous === undefined) handlers.added?.(current);
        else handlers.updated?.(previous, current);
      });
    }
  }

  private callHandler(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.options.logger.error('an event handler failed', { error });
    }
  }
}
