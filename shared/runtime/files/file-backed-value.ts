/**
 * A value that is read from files (keys, certificates, server addresses) and reloaded when one of them changes. When
 * the changed files are unusable, the previous value stays in use and the error is logged. File contents are never
 * logged.
 */
import type { Clock } from '../clock';
import { contentStamp, watchFiles } from './file-watch';
import type { Logger } from '../logger';

/** A value that may be replaced at any time; read {@link current} for each use. */
export interface DynamicValue<T> {
  readonly current: () => T;
  /** Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
}

/** A value that never changes, where a {@link DynamicValue} is expected. */
export const staticValue = <T>(value: T): DynamicValue<T> => ({ current: () => value, onChange: () => () => undefined });

type WatchLogger = Pick<Logger, 'info' | 'error'>;

/** What one read of the files has produced. */
export interface FileContent<T> {
  /** The same object as before when the contents have not changed. */
  readonly value: T;
  /** All files that were read. */
  readonly files: readonly string[];
}

interface StampedContent<T> extends FileContent<T> {
  /** {@link contentStamp} of the files before they were read. */
  readonly stamp: string;
}

/**
 * Bounds the attempts of {@link FileBackedValue.readStable}: a file that names other files may change while those are
 * read, but hardly several times.
 */
const MAX_READS = 4;

/** Reads in the constructor; reloads only while it is watched. */
export class FileBackedValue<T> implements DynamicValue<T> {
  private content: StampedContent<T>;
  private readonly listeners = new Set<() => void>();

  /**
   * Throws the error of `read`.
   *
   * @param description names the value in the log
   * @param read gets the value that is in use, to return it when the contents are the same; at first `undefined`
   */
  constructor(
    private readonly description: string,
    private readonly read: (previous: T | undefined) => FileContent<T>,
  ) {
    this.content = this.readStable(undefined);
  }

  readonly current = (): T => this.content.value;

  /** Calls the listener after each reload with another value. Returns a function that removes it. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /**
   * Watches the files, also for changes since they were last read. After a reload that has read other files it watches
   * those. Returns a function that ends the watch.
   */
  watch(clock: Clock, logger: WatchLogger): () => void {
    let endWatch = (): void => undefined;
    const startWatch = (): void => {
      const { files, stamp } = this.content;
      endWatch = watchFiles({ paths: files, clock, knownStamp: stamp, onChange: () => Promise.resolve(onFileChange()) });
    };
    const onFileChange = (): void => {
      const previous = this.content;
      this.reload(logger);
      if (this.content.files.join('\n') === previous.files.join('\n')) return;
      endWatch();
      startWatch();
    };
    startWatch();
    return () => endWatch();
  }

  private reload(logger: WatchLogger): void {
    const { value, files } = this.content;
    try {
      this.content = this.readStable(value);
    } catch (error) {
      logger.error(`the changed ${this.description} cannot be used`, { files, error });
      return;
    }
    if (this.content.value === value) return;
    logger.info(`reloaded ${this.description}`, { files: this.content.files });
    for (const listener of this.listeners) listener();
  }

  /**
   * Reads the files and computes their stamp so that the stamp is older than the content: a change after the stamp is
   * found by the watch. The stamp needs the names of the files, which are known only after a read. So the files are read,
   * stamped and read again, until two reads have the same names.
   */
  private readStable(previous: T | undefined): StampedContent<T> {
    let last = this.read(previous);
    for (let reads = 1; ; reads += 1) {
      const stamp = contentStamp(last.files);
      const next = this.read(previous);
      if (reads === MAX_READS || next.files.join('\n') === last.files.join('\n')) return { ...next, stamp };
      last = next;
    }
  }
}
