/**
 * Something that is read from files (keys, certificates, where servers are), and again when one of them changes. What cannot be used then leaves the old in use
 * and is told in the log. Never says what is in a file.
 */
import type { Clock } from './clock';
import { watchFiles } from './file-watch';
import type { Logger } from './logger';

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

export class FollowedFiles<T> implements Followed<T> {
  private reading: Reading<T>;
  private readonly listeners = new Set<() => void>();
  private endWatch: () => void = () => undefined;

  /** `what` it is, in the log. Throws what `read` throws. */
  constructor(
    private readonly what: string,
    private readonly read: (before: T | undefined) => Reading<T>,
  ) {
    this.reading = read(undefined);
  }

  readonly current = (): T => this.reading.value;

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Returns what ends the watch. */
  watch(clock: Clock, logger: FollowLogger): () => void {
    const begin = (): void => {
      this.endWatch();
      const { files } = this.reading;
      this.endWatch = watchFiles({ paths: files, clock, changed: () => Promise.resolve(this.look(logger, begin)) });
    };
    begin();
    return () => this.endWatch();
  }

  private look(logger: FollowLogger, watchAnew: () => void): void {
    const before = this.reading;
    try {
      this.reading = this.read(before.value);
      if (this.reading.files.join('\n') !== before.files.join('\n')) {
        // Watched before they are read, so that no change is missed.
        watchAnew();
        this.reading = this.read(this.reading.value);
      }
    } catch (error) {
      logger.error(`the changed ${this.what} cannot be used`, { files: before.files, error });
      return;
    }
    if (this.reading.value === before.value) return;
    logger.info(`renewed: ${this.what}`, { files: this.reading.files });
    for (const listener of this.listeners) listener();
  }
}
