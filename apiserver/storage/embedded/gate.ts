/**
 * Lets one process at a time open or close the database files of a folder. lmdb has a lock file of its own, which is made anew by whoever opens the files while nobody else
 * has them, and taken down by the last one to close them; whoever opens them in between finds it half made or taken down, and cannot write or lets the other one write over
 * what is stored. Behind a lock that the kernel takes from whoever dies, nobody comes in between: the next one is alone, and makes it anew.
 *
 * Nobody waits longer than it takes to open or to close, never for whoever reads or writes. The file is never removed: whoever made a new one would lock something else.
 */
import { closeSync } from 'node:fs';
import { unlock, waitForLock } from 'fs-native-extensions';
import { openPrivate } from './folder-lock';

const FILE_NAME = 'opening';

export class StoreGate {
  /** Of a folder that there is. */
  static at(directory: string): StoreGate {
    return new StoreGate(openPrivate(directory, FILE_NAME));
  }

  private constructor(private readonly file: number) {}

  /** Does `action` while no other process does something here. */
  async pass<T>(action: () => T | Promise<T>): Promise<T> {
    await waitForLock(this.file);
    try {
      return await action();
    } finally {
      unlock(this.file);
    }
  }

  /** For the last thing that is done here. */
  async passAndClose(action: () => Promise<void>): Promise<void> {
    try {
      await this.pass(action);
    } finally {
      this.close();
    }
  }

  close(): void {
    closeSync(this.file);
  }
}
