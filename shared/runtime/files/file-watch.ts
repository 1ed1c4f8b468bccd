/**
 * Detects changes of the content of files, after file system events and every minute. Compares digests of the contents.
 * So a write is a change even if it keeps the size and resets the modification time, and a new modification time alone
 * is none. Keeps no content in memory.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Clock, Timer } from '../clock';
import { fileEvents, type FileEvents } from './file-events';

/** Interval at which contents are compared even without an event, because events may be missed. */
const COMPARISON_INTERVAL_MS = 60_000;
/** How often the watcher checks whether a comparison or a reload is due. */
const TICK_MS = 10_000;
/** Delay after the last event, so that a file that is written in several steps is read once it is complete. */
const QUIET_MS = 100;
/** Differs from every result of {@link contentStamp}, so that the next comparison finds a change. */
const UNKNOWN_STAMP = 'unknown';
/** Larger files are compared by modification time, size and inode. */
const MAX_DIGESTED_BYTES = 16 << 20;

/** The files to watch, and what to do when one changes. */
export interface FileWatchOptions {
  readonly paths: readonly string[];
  readonly clock: Clock;
  /** The result of {@link contentStamp} before the files were read; absent when they are read after this call. */
  readonly knownStamp?: string;
  /** Reads the files. Not called again before its promise resolves; must not reject. */
  readonly onChange: () => Promise<void>;
  /** Called every ten seconds. Returns true to have `onChange` called although no file has changed. */
  readonly isReloadDue?: () => boolean;
  /** Default: {@link fileEvents}. */
  readonly events?: FileEvents;
}

/** Returns a function that ends the watch without waiting for a running `onChange`. */
export function watchFiles(options: FileWatchOptions): () => void {
  const watcher = new FileWatcher(options);
  return () => watcher.end();
}

class FileWatcher {
  private lastStamp: string;
  private comparedAt: number;
  private hasEnded = false;
  private isComparing = false;
  private isComparisonRequested = false;
  private endEvents = (): void => undefined;
  private ticker: Timer | undefined;
  /** Starts a comparison {@link QUIET_MS} after the last event. */
  private quietTimer: Timer | undefined;

  constructor(private readonly options: FileWatchOptions) {
    const { clock, paths, knownStamp } = options;
    // Start the watch before the files are read, so that no change is missed.
    this.followEvents();
    this.lastStamp = knownStamp ?? contentStamp(paths);
    this.comparedAt = clock.monotonic();
    if (knownStamp !== undefined) this.scheduleComparison();
    this.tick();
  }

  end(): void {
    this.hasEnded = true;
    this.endEvents();
    this.ticker?.cancel();
    this.quietTimer?.cancel();
  }

  private tick(): void {
    const { clock, isReloadDue = () => false } = this.options;
    this.ticker = clock.after(TICK_MS, () => {
      this.tick();
      if (isReloadDue()) void this.reload();
      else if (clock.monotonic() - this.comparedAt >= COMPARISON_INTERVAL_MS) void this.compare();
    });
  }

  private scheduleComparison(): void {
    this.quietTimer?.cancel();
    if (!this.hasEnded) this.quietTimer = this.options.clock.after(QUIET_MS, () => void this.compare());
  }

  /**
   * Replaces the watch of the file system. Called before each comparison, because folders come and go and links change
   * their targets.
   */
  private followEvents(): void {
    const { paths, events = fileEvents } = this.options;
    this.endEvents();
    this.endEvents = events(paths, () => this.scheduleComparison());
  }

  /** Calls `onChange` even if no file has changed. During a comparison it only requests another one. */
  private async reload(): Promise<void> {
    if (!this.isComparing) this.lastStamp = UNKNOWN_STAMP;
    await this.compare();
  }

  /** Calls `onChange` if a file has changed. A call during a comparison requests another one after it. */
  private async compare(): Promise<void> {
    const { clock, paths, onChange } = this.options;
    this.isComparisonRequested = true;
    if (this.isComparing) return;
    this.isComparing = true;
    while (this.isComparisonRequested && !this.hasEnded) {
      this.isComparisonRequested = false;
      this.followEvents();
      this.comparedAt = clock.monotonic();
      // Computed before `onChange` reads the files: a later write is found by the next comparison.
      const stamp = contentStamp(paths);
      if (stamp === this.lastStamp) continue;
      this.lastStamp = stamp;
      await onChange();
    }
    this.isComparing = false;
  }
}

/** A text that changes with the content of the files. Links are followed: the content is that of their targets. */
export const contentStamp = (paths: readonly string[]): string => paths.map(fileStamp).join(' ');

function fileStamp(path: string): string {
  try {
    const stats = statSync(path);
    // Reading a pipe would block until it is written, and consume data meant for another reader.
    if (!stats.isFile() || stats.size > MAX_DIGESTED_BYTES) return `${stats.mtimeMs}/${stats.size}/${stats.ino}`;
    return createHash('sha256').update(readFileSync(path)).digest('base64');
  } catch {
    return 'missing';
  }
}
