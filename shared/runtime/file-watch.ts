/**
 * Notices that the content of files has changed: on an event of the file system, and every minute where none was seen. It is the content that is compared, so
 * that a file of the same size whose time was put back counts as changed, and one that was only touched does not. Keeps and shows no content.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Clock, Timer } from './clock';
import { fileEvents, type FileEvents } from './file-events';

const COMPARE_MS = 60_000;
const DUE_MS = 10_000;
/** After the last event: a file that is being written in several steps is read once it is whole. */
const SETTLE_MS = 100;
/** What is larger is compared by its time, size and inode. */
const MOST_BYTES = 16 << 20;

export interface FileWatch {
  readonly paths: readonly string[];
  readonly clock: Clock;
  /** What {@link stampOf} returned before they were read; absent = they are read only after this. */
  readonly seen?: string;
  /** Called one at a time; must not reject. */
  readonly changed: () => Promise<void>;
  /** Asked every ten seconds: whether there is a reason besides the files to call `changed`. */
  readonly due?: () => boolean;
  readonly events?: FileEvents;
}

/** Returns what ends the watch. What is under way then is not waited for. */
export function watchFiles(options: FileWatch): () => void {
  const watching = new Watching(options);
  return () => watching.end();
}

class Watching {
  private seen: string;
  private comparedAt: number;
  private hasEnded = false;
  private isLooking = false;
  private isToLookAgain = false;
  private endEvents = (): void => undefined;
  private ticking: Timer | undefined;
  private settling: Timer | undefined;

  constructor(private readonly options: FileWatch) {
    const { clock, paths, seen } = options;
    // Watched before they are read, so that no change is missed.
    this.followEvents();
    this.seen = seen ?? stampOf(paths);
    this.comparedAt = clock.monotonic();
    if (seen !== undefined) this.settle();
    this.tick();
  }

  end(): void {
    this.hasEnded = true;
    this.endEvents();
    this.ticking?.cancel();
    this.settling?.cancel();
  }

  private tick(): void {
    const { clock, due = () => false } = this.options;
    this.ticking = clock.after(DUE_MS, () => {
      this.tick();
      const isDue = due();
      if (isDue || clock.monotonic() - this.comparedAt >= COMPARE_MS) void this.look(isDue);
    });
  }

  private settle(): void {
    this.settling?.cancel();
    if (!this.hasEnded) this.settling = this.options.clock.after(SETTLE_MS, () => void this.look(false));
  }

  /** Anew before each comparison: folders come and go, and links lead elsewhere. */
  private followEvents(): void {
    const { paths, events = fileEvents } = this.options;
    this.endEvents();
    this.endEvents = events(paths, () => this.settle());
  }

  private async look(isDue: boolean): Promise<void> {
    const { clock, paths, changed } = this.options;
    this.isToLookAgain = true;
    if (this.isLooking) return;
    this.isLooking = true;
    for (let mustCall = isDue; this.isToLookAgain && !this.hasEnded; mustCall = false) {
      this.isToLookAgain = false;
      this.followEvents();
      this.comparedAt = clock.monotonic();
      // Taken before the files are read: what is written meanwhile is seen the next time.
      const stamp = stampOf(paths);
      if (stamp === this.seen && !mustCall) continue;
      this.seen = stamp;
      await changed();
    }
    this.isLooking = false;
  }
}

/** A digest by which files are found to be still the same. Links are followed, so that a file that is swapped behind one counts as changed. */
export const stampOf = (paths: readonly string[]): string => paths.map(stampOfOne).join(' ');

function stampOfOne(path: string): string {
  try {
    const stats = statSync(path);
    // Reading a pipe would wait for its writer, and take what is meant for another reader.
    if (!stats.isFile() || stats.size > MOST_BYTES) return `${stats.mtimeMs}/${stats.size}/${stats.ino}`;
    return createHash('sha256').update(readFileSync(path)).digest('base64');
  } catch {
    return 'missing';
  }
}
