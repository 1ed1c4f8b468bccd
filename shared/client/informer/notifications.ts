/**
 * Brings an informer's changes to its handlers, apart from the stream that they come from: a slow handler delays later notifications, never
 * the stream. What waits is bounded in bytes: beyond the bound, changes of one object are joined into one, from the state that the
 * handlers know to the present one, so that no more can wait than there are objects.
 */
import type { Clock } from '../../runtime/clock';
import type { Logger } from '../../runtime/logger';
import { TimeSlice } from '../../scheduling/yielding';
import type { JsonObject } from '../../values/json';
import type { ApiObject } from '../rest/api-object';

export interface Handlers<Body extends JsonObject = JsonObject> {
  added?(object: ApiObject<Body>): void;
  updated?(previous: ApiObject<Body>, object: ApiObject<Body>): void;
  /** `last` is the object's last known state. */
  deleted?(last: ApiObject<Body>): void;
}

/** From `previous` (undefined = was not there) to `current` (undefined = is gone). */
interface Notification<Body extends JsonObject> {
  readonly previous: ApiObject<Body> | undefined;
  readonly current: ApiObject<Body> | undefined;
  readonly bytes: number;
}

export interface NotificationOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Bytes of changes that may wait one by one. */
  readonly waitingBytes: number;
}

export class Notifications<Body extends JsonObject> {
  private readonly handlers = new Set<Handlers<Body>>();
  private ordered: { readonly key: string; readonly change: Notification<Body> }[] = [];
  private next = 0;
  /** In use instead of `ordered` while too much waits. */
  private joined: Map<string, Notification<Body>> | undefined;
  private bytes = 0;
  private scheduled = false;
  private idle: (() => void)[] = [];

  constructor(private readonly options: NotificationOptions) {}

  /**
   * Returns what takes the handlers away again. The new handlers hear of the `known` objects as added. What still waits goes to the others
   * first: it is already part of what is known.
   */
  add(handlers: Handlers<Body>, known: Iterable<ApiObject<Body>>): () => void {
    for (let change = this.take(); change !== undefined; change = this.take()) this.tell(change);
    for (const object of known) this.guard(() => handlers.added?.(object));
    this.handlers.add(handlers);
    return () => void this.handlers.delete(handlers);
  }

  push(key: string, previous: ApiObject<Body> | undefined, current: ApiObject<Body> | undefined, bytes: number): void {
    const change = { previous, current, bytes };
    this.bytes += bytes;
    if (this.joined !== undefined) this.join(this.joined, key, change);
    else if (this.bytes > this.options.waitingBytes) this.joinAll(key, change);
    else this.ordered.push({ key, change });
    this.schedule();
  }

  /** Bytes that wait. */
  get waitingBytes(): number {
    return this.bytes;
  }

  /** Resolves when everything that waits now, and what comes meanwhile, has been delivered. */
  drained(): Promise<void> {
    return this.scheduled ? new Promise((resolve) => this.idle.push(resolve)) : Promise.resolve();
  }

  private joinAll(key: string, change: Notification<Body>): void {
    const joined = new Map<string, Notification<Body>>();
    this.bytes = 0;
    for (const waiting of [...this.ordered.slice(this.next), { key, change }]) {
      this.bytes += waiting.change.bytes;
      this.join(joined, waiting.key, waiting.change);
    }
    this.ordered = [];
    this.next = 0;
    this.joined = joined;
  }

  private join(joined: Map<string, Notification<Body>>, key: string, { previous, current, bytes }: Notification<Body>): void {
    const waiting = joined.get(key);
    if (waiting === undefined) {
      joined.set(key, { previous, current, bytes });
      return;
    }
    this.bytes -= waiting.bytes;
    if (waiting.previous !== undefined || current !== undefined) joined.set(key, { previous: waiting.previous, current, bytes });
    else {
      // Came and went unseen.
      joined.delete(key);
      this.bytes -= bytes;
    }
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.deliver());
  }

  private deliver(): void {
    const slice = new TimeSlice(this.options.clock, { stepsPerCheck: 1 });
    for (let change = this.take(); change !== undefined; change = this.take()) {
      this.tell(change);
      if (slice.isDue() && this.isWaiting()) {
        setImmediate(() => this.deliver());
        return;
      }
    }
    this.scheduled = false;
    const waiting = this.idle;
    this.idle = [];
    for (const resolve of waiting) resolve();
  }

  private isWaiting(): boolean {
    return this.next < this.ordered.length || (this.joined !== undefined && this.joined.size > 0);
  }

  private take(): Notification<Body> | undefined {
    const change = this.joined === undefined ? this.ordered[this.next++]?.change : this.takeJoined(this.joined);
    if (change === undefined) {
      this.ordered = [];
      this.next = 0;
      this.joined = undefined;
      this.bytes = 0;
    } else {
      this.bytes -= change.bytes;
    }
    return change;
  }

  private takeJoined(joined: Map<string, Notification<Body>>): Notification<Body> | undefined {
    for (const [key, change] of joined) {
      joined.delete(key);
      return change;
    }
    return undefined;
  }

  private tell({ previous, current }: Notification<Body>): void {
    for (const handlers of this.handlers) {
      this.guard(() => {
        if (current === undefined) {
          if (previous !== undefined) handlers.deleted?.(previous);
        } else if (previous === undefined) handlers.added?.(current);
        else handlers.updated?.(previous, current);
      });
    }
  }

  private guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.options.logger.error('a handler of changes failed', { error });
    }
  }
}
