/**
 * Detects changes of the content of files, after file system events and every minute. It compares digests: a file of the same size whose modification time was put back
 * counts as changed, a file that was only touched does not. Keeps no content.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Clock, Timer } from '../clock';
import { fileEvents, type FileEvents } from './file-events';

const COMPARE_MS = 60_000;
const DUE_MS = 10_000;
/** Delay after the last event, so that a file that is written in several steps is read once it is complete. */
const QUIET_MS = 100;
/** Larger files are compared by modification time, size and inode. */
const MOST_BYTES = 16 << 20;

export interface FileWatch {
  readonly paths: readonly string[];
  readonly clock: Clock;
  /** The result of {@link stampOf} before the files were read; absent when they are read after this call. */
  readonly seen?: string;
  /** Called one at a time; must not reject. */
  readonly changed: () => Promise<void>;
  /** Called every ten seconds; true to call `changed` although no file has changed. */
  readonly due?: () => boolean;
  readonly events?: FileEvents;
}

/** Returns a function that ends the watch without waiting for a running `changed`. */
export function watchFiles(options: FileWatch): () => void {
  const watcher = new FileWatcher(options);
  return () => watcher.end();
}

class FileWatcher {
  private seen: string;
  private comparedAt: number;
  private hasEnded = false;
  private isComparing = false;
  private mustCompareAgain = false;
  private endEvents = (): void => undefined;
  private ticker: Timer | undefined;
  private pending: Timer | undefined;

  constructor(private readonly options: FileWatch) {
    const { clock, paths, seen } = options;
    // Start the watch before the files are read, so that no change is missed.
    this.followEvents();
    this.seen = seen ?? stampOf(paths);
    this.comparedAt = clock.monotonic();
    if (seen !== undefined) this.scheduleComparison();
    this.tick();
  }

  end(): void {
    this.hasEnded = true;
    this.endEvents();
    this.ticker?.cancel();
    this.pending?.cancel();
  }

  private tick(): void {
    const { clock, due = () => false } = this.options;
    this.ticker = clock.after(DUE_MS, () => {
      this.tick();
      const isDue = due();
      if (isDue || clock.monotonic() - this.comparedAt >= COMPARE_MS) void this.compare(isDue);
    });
  }

  private scheduleComparison(): void {
    this.pending?.cancel();
    if (!this.hasEnded) this.pending = this.options.clock.after(QUIET_MS, () => void this.compare(false));
  }

  /** Called before each comparison, because folders come and go and links change their targets. */
  private followEvents(): void {
    const { paths, events = fileEvents } = this.options;
    this.endEvents();
    this.endEvents = events(paths, () => this.scheduleComparison());
  }

  private async compare(isDue: boolean): Promise<void> {
    const { clock, paths, changed } = this.options;
    this.mustCompareAgain = true;
    if (this.isComparing) return;
    this.isComparing = true;
    for (let mustCall = isDue; this.mustCompareAgain && !this.hasEnded; mustCall = false) {
      this.mustCompareAgain = false;
      this.followEvents();
      this.comparedAt = clock.monotonic();
      // Computed before `changed` reads the files: a later write is found by the next comparison.
      const stamp = stampOf(paths);
      if (stamp === this.seen && !mustCall) continue;
      this.seen = stamp;
      await changed();
    }
    this.isComparing = false;
  }
}

/** A text that changes with the content of the files. Links are followed, so a new link target counts as a change. */
export const stampOf = (paths: readonly string[]): string => paths.map(stampOfOne).join(' ');

function stampOfOne(path: string): string {
  try {
    const stats = statSync(path);
    // Reading a pipe would block until it is written, and consume data meant for another reader.
    if (!stats.isFile() || stats.size > MOST_BYTES) return `${stats.mtimeMs}/${stats.size}/${stats.ino}`;
    return createHash('sha256').update(readFileSync(path)).digest('base64');
  } catch {
    return 'missing';
  }
}
