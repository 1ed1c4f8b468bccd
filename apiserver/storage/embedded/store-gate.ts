/**
 * A lock between processes: one process at a time opens or closes the database files of a folder, and no process opens
 * or closes them during a write.
 */
import { closeSync } from 'node:fs';
import { tryLock, unlock, waitForLock } from 'fs-native-extensions';
import { openPrivateFile } from '../../../shared/runtime/files/folder-lock';

/** Never removed, because a new file would be a different lock. */
const FILE_NAME = 'opening';
/**
 * Bytes of the file, locked in this order: a turnstile and a mutex. Opening and closing hold the turnstile to the end,
 * a write only until it has the mutex, so a process that writes continuously does not starve the others.
 */
const TURNSTILE = 0;
const MUTEX = 1;

/**
 * The gate of one folder. Waiting takes at most the time of one open, close or write; reads never hold the lock.
 *
 * LMDB's own lock file is initialized by the first process that opens the environment and torn down by the last one
 * that closes it. A process that opens it in between finds it half initialized or torn down, and then either cannot
 * write or overwrites committed data. The lock file also holds the last transaction id, which an opening process sets
 * to the value that it read from the meta pages a moment before: a write committed in between would be lost.
 *
 * The kernel releases the locks of this gate when the process that holds them dies, so a killed process blocks no other.
 */
export class StoreGate {
  /** Opens the gate of an existing folder. */
  static open(directory: string): StoreGate {
    return new StoreGate(openPrivateFile(directory, FILE_NAME));
  }

  private constructor(private readonly file: number) {}

  /** Runs `action` while no other process opens, closes or writes. */
  async runExclusive<T>(action: () => T | Promise<T>): Promise<T> {
    await this.lock(TURNSTILE);
    try {
      await this.lock(MUTEX);
      return await this.runAndReleaseMutex(action);
    } finally {
      this.unlock(TURNSTILE);
    }
  }

  /**
   * Runs `action` while no other process opens or closes the files. The caller must serialize its own writes: locks do
   * not exclude other calls of this process.
   */
  async runWrite<T>(action: () => Promise<T>): Promise<T> {
    await this.lock(TURNSTILE);
    try {
      await this.lock(MUTEX);
    } finally {
      this.unlock(TURNSTILE);
    }
    return this.runAndReleaseMutex(action);
  }

  /** Runs the last action of this process in the folder, closing the environment, and closes the gate. */
  async runExclusiveAndClose(action: () => Promise<void>): Promise<void> {
    try {
      await this.runExclusive(action);
    } finally {
      this.close();
    }
  }

  /** Gives up the gate without closing an environment: for a process that could not open one. */
  close(): void {
    closeSync(this.file);
  }

  private async runAndReleaseMutex<T>(action: () => T | Promise<T>): Promise<T> {
    try {
      return await action();
    } finally {
      this.unlock(MUTEX);
    }
  }

  private async lock(byte: number): Promise<void> {
    // The lock is usually available, and then no thread is needed to wait for it.
    if (!tryLock(this.file, byte, 1)) await waitForLock(this.file, byte, 1);
  }

  private unlock(byte: number): void {
    unlock(this.file, byte, 1);
  }
}
