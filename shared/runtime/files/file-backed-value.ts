/**
 * Something that is read from files (keys, certificates, where servers are), and again when one of them changes. What cannot be used then leaves the old in use
 * and is told in the log. Never says what is in a file.
 */
import type { Clock } from '../clock';
import { stampOf, watchFiles } from './file-watch';
import type { Logger } from '../logger';

/** What may be another one the next time it is asked for. */
export interface Followed<T> {
  readonly current: () => T;
  /** Returns what ends it. */
  onChange(listener: () => void): () => void;
}

/** What never changes. */
export const fixed = <T>(value: T): Followed<T> => ({ current: () => value, onChange: () => () => undefined });

type FollowLogger = Pick<Logger, 'info' | 'error'>;

export interface Reading<T> {
  /** The same as before where nothing has changed but a file's date. */
  readonly value: T;
  /** All that were read. */
  readonly files: readonly string[];
}

interface Taken<T> extends Reading<T> {
  /** How the files stood before they were read. */
  readonly stamp: string;
}

/** A file that names others may name new ones while they are read, but hardly again and again. */
const MOST_READINGS = 4;

export class FollowedFiles<T> implements Followed<T> {
  private taken: Taken<T>;
  private readonly listeners = new Set<() => void>();

  /** `what` it is, in the log. Throws what `read` throws. */
  constructor(
    private readonly what: string,
    private readonly read: (before: T | undefined) => Reading<T>,
  ) {
    this.taken = this.take(undefined);
  }

  readonly current = (): T => this.taken.value;

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** What has changed since the files were read counts as well. Returns what ends the watch. */
  watch(clock: Clock, logger: FollowLogger): () => void {
    let end = (): void => undefined;
    const begin = (): void => {
      const { files, stamp } = this.taken;
      end = watchFiles({ paths: files, clock, seen: stamp, changed: () => Promise.resolve(look()) });
    };
    const look = (): void => {
      const before = this.taken;
      this.look(logger);
      if (this.taken.files.join('\n') === before.files.join('\n')) return;
      end();
      begin();
    };
    begin();
    return () => end();
  }

  private look(logger: FollowLogger): void {
    const { value, files } = this.taken;
    try {
      this.taken = this.take(value);
    } catch (error) {
      logger.error(`the changed ${this.what} cannot be used`, { files, error });
      return;
    }
    if (this.taken.value === value) return;
    logger.info(`renewed: ${this.what}`, { files: this.taken.files });
    for (const listener of this.listeners) listener();
  }

  /** Which files there are is known only when they have been read; a change between that and the stamp would be missed. */
  private take(before: T | undefined): Taken<T> {
    let last = this.read(before);
    for (let readings = 1; ; readings += 1) {
      const stamp = stampOf(last.files);
      const next = this.read(before);
      if (readings === MOST_READINGS || next.files.join('\n') === last.files.join('\n')) return { ...next, stamp };
      last = next;
    }
  }
}
