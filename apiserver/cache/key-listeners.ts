/**
 * Listeners for keys below the prefix that are not API objects (allocations, the compaction key). A failing listener
 * affects neither the others nor the stream.
 */
import type { Revision } from '../storage/store';

/** Called synchronously while the cache applies a revision. */
export interface KeyListener {
  /** Earlier notifications are invalid; the existing keys follow as changes. */
  onReset(): void;
  /**
   * `key` is relative to the cache's prefix; `value` is `undefined` for a deletion. The value must be copied if it is
   * kept: it may be a view of a larger message.
   */
  onKeyChange(key: string, value: Buffer | undefined, revision: Revision): void;
}

/** The listeners of one cache. */
export class KeyListeners {
  private readonly listeners: { readonly prefix: string; readonly listener: KeyListener }[] = [];

  /** `onError` is called with the error of a listener. */
  constructor(private readonly onError: (error: unknown) => void) {}

  /** `prefix` is relative to that of the cache. */
  add(prefix: string, listener: KeyListener): void {
    this.listeners.push({ prefix, listener });
  }

  /** The prefixes of all listeners, relative to that of the cache. */
  get prefixes(): readonly string[] {
    return this.listeners.map(({ prefix }) => prefix);
  }

  /** Calls `onReset` of all listeners, before the existing keys are read from the store. */
  notifyReset(): void {
    for (const { listener } of this.listeners) this.guard(() => listener.onReset());
  }

  /** Calls `onKeyChange` of the listeners for a prefix of the key; `value` is `undefined` for a deletion. */
  notifyChange(key: string, value: Buffer | undefined, revision: Revision): void {
    for (const { prefix, listener } of this.listeners) {
      if (key.startsWith(prefix)) this.guard(() => listener.onKeyChange(key, value, revision));
    }
  }

  private guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.onError(error);
    }
  }
}
