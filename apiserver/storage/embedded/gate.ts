/**
 * Lets one process at a time open or close the database files of a folder, and nobody open them while something is written there.
 *
 * lmdb has a lock file of its own, which is made anew by whoever opens the files while nobody else has them, and taken down by the last one to close them; whoever opens them
 * in between finds it half made or taken down, and cannot write or lets the other one write over what is stored. Behind a lock that the kernel takes from whoever dies, nobody
 * comes in between: the next one is alone, and makes it anew. In the lock file stands, too, which write was the last, and whoever opens the files sets it to what he read in
 * their headers a moment before: a write that was done in between would be taken back.
 *
 * Nobody waits longer than it takes to open, to close or to write once, never for whoever reads. The file is never removed: whoever made a new one would lock something else.
 */
import { closeSync } from 'node:fs';
import { tryLock, unlock, waitForLock } from 'fs-native-extensions';
import { openPrivate } from './folder-lock';

const FILE_NAME = 'opening';
/**
 * Bytes of the file, locked in this order. Whoever opens or closes has the door all the time, whoever writes only until he has the pen: so one who writes without end does
 * not keep the others out.
 */
const DOOR = 0;
const PEN = 1;

export class StoreGate {
  /** Of a folder that there is. */
  static at(directory: string): StoreGate {
    return new StoreGate(openPrivate(directory, FILE_NAME));
  }

  private constructor(private readonly file: number) {}

  /** Does `action` while no other process does something here. */
  async pass<T>(action: () => T | Promise<T>): Promise<T> {
    await this.lock(DOOR);
    try {
      await this.lock(PEN);
      return await this.holdingPen(action);
    } finally {
      this.unlock(DOOR);
    }
  }

  /** Does `action` while no other process opens or closes the files. One at a time: this process's own are not kept apart. */
  async write<T>(action: () => Promise<T>): Promise<T> {
    await this.lock(DOOR);
    try {
      await this.lock(PEN);
    } finally {
      this.unlock(DOOR);
    }
    return this.holdingPen(action);
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

  /** Gives the pen back. */
  private async holdingPen<T>(action: () => T | Promise<T>): Promise<T> {
    try {
      return await action();
    } finally {
      this.unlock(PEN);
    }
  }

  private async lock(byte: number): Promise<void> {
    // Mostly nobody has it, and no thread is needed to wait for it.
    if (!tryLock(this.file, byte, 1)) await waitForLock(this.file, byte, 1);
  }

  private unlock(byte: number): void {
    unlock(this.file, byte, 1);
  }
}
