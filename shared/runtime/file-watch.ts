/** Notices that files have changed, by looking at them now and then. Never reads them. */
import { statSync } from 'node:fs';
import type { Clock, Timer } from './clock';

const CHECK_MS = 10_000;

export interface FileWatch {
  readonly paths: readonly string[];
  readonly clock: Clock;
  /** What {@link stampOf} said when they were read; absent = they are read only after this. */
  readonly seen?: string;
  /** Called one at a time; must not reject. */
  readonly changed: () => Promise<void>;
  /** Whether there is a reason besides the files to call `changed`. */
  readonly due?: () => boolean;
}

/** Returns what ends the watch. What is under way then is not waited for. */
export function watchFiles({ paths, clock, changed, seen: read, due = () => false }: FileWatch): () => void {
  let seen = read ?? stampOf(paths);
  let stopped = false;
  let timer: Timer;
  const wait = (): void => {
    timer = clock.after(CHECK_MS, () => void check());
  };
  const check = async (): Promise<void> => {
    const now = stampOf(paths);
    if (now !== seen || due()) {
      // Taken before the files are read: what is written meanwhile is seen the next time.
      seen = now;
      await changed();
    }
    if (!stopped) wait();
  };
  wait();
  return () => {
    stopped = true;
    timer.cancel();
  };
}

/** Says of files whether they are still the same. Links are followed, so that a file that is swapped behind one counts as changed. */
export const stampOf = (paths: readonly string[]): string => paths.map(stampOfOne).join(' ');

function stampOfOne(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs}/${size}/${ino}`;
  } catch {
    return 'missing';
  }
}
