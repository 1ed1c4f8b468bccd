/**
 * Something that is read from files (keys, certificates, where servers are), and again when one of them changes. What cannot be used then leaves the old in use
 * and is told in the log. Never says what is in a file.
 */
import type { Clock } from '../clock';
import { contentStamp, watchFiles } from './file-watch';
import type { Logger } from '../logger';

/** What may be another one the next time it is asked for. */
export interface DynamicValue<T> {
  readonly current: () => T;
  /** Returns what ends it. */
  onChange(listener: () => void): () => void;
}

/** What never changes. */
export const staticValue = <T>(value: T): DynamicValue<T> => ({ current: () => value, onChange: () => () => undefined });

type WatchLogger = Pick<Logger, 'info' | 'error'>;

export interface FileContent<T> {
  /** The same as before where nothing has changed but a file's date. */
  readonly value: T;
  /** All that were read. */
  readonly files: readonly string[];
}

interface StampedContent<T> extends FileContent<T> {
  /** How the files stood before they were read. */
  readonly stamp: string;
}

/** A file that names others may name new ones while they are read, but hardly again and again. */
const MAX_READS = 4;

export class FileBackedValue<T> implements DynamicValue<T> {
  private content: StampedContent<T>;
  private readonly listeners = new Set<() => void>();

  /** `what` it is, in the log. Throws what `read` throws. */
  constructor(
    private readonly description: string,
    private readonly read: (previous: T | undefined) => FileContent<T>,
  ) {
    this.content = this.readStable(undefined);
  }

  readonly current = (): T => this.content.value;

  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** What has changed since the files were read counts as well. Returns what ends the watch. */
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
    logger.info(`renewed: ${this.description}`, { files: this.content.files });
    for (const listener of this.listeners) listener();
  }

  /** Which files there are is known only when they have been read; a change between that and the stamp would be missed. */
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
