/** Keys below the prefix that are no API objects, for those who live by them (allocations, the compaction agreement). */
import type { Revision } from '../storage/store';

export interface KeyListener {
  /** What was known no longer counts; the present keys follow as changes. */
  reset(): void;
  /** `key` is relative to the cache's prefix; without `value` it was deleted. The value must not be kept: it may be part of a message. */
  changed(key: string, value: Buffer | undefined, revision: Revision): void;
}

export class KeyListeners {
  private readonly listeners: { readonly prefix: string; readonly listener: KeyListener }[] = [];

  /** `failed` is told what a listener threw; the others and the stream go on. */
  constructor(private readonly failed: (error: unknown) => void) {}

  add(prefix: string, listener: KeyListener): void {
    this.listeners.push({ prefix, listener });
  }

  get prefixes(): readonly string[] {
    return this.listeners.map(({ prefix }) => prefix);
  }

  reset(): void {
    for (const { listener } of this.listeners) this.guard(() => listener.reset());
  }

  changed(key: string, value: Buffer | undefined, revision: Revision): void {
    for (const { prefix, listener } of this.listeners) {
      if (key.startsWith(prefix)) this.guard(() => listener.changed(key, value, revision));
    }
  }

  private guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.failed(error);
    }
  }
}
