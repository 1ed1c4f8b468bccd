/**
 * Backup files. A file appears under its name only when it is complete and synced; until then it has a temporary name.
 * It is readable by its owner only, because it contains Secrets.
 */
import { createReadStream } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../shared/runtime/error-code';

const PRIVATE_FILE = 0o600;

/** The name of a backup file cannot be used. */
export class BackupFileError extends Error {
  override readonly name = 'BackupFileError';
}

/** Writes a new file; rejects with {@link BackupFileError} when the name exists. Returns the number of bytes. */
export async function writeAtomically(file: string, chunks: AsyncIterable<Buffer>): Promise<number> {
  await assertMissing(file);
  const partial = `${file}.partial-${process.pid}`;
  const handle = await open(partial, 'wx', PRIVATE_FILE);
  let bytes = 0;
  try {
    try {
      for await (const chunk of chunks) {
        await handle.writeFile(chunk);
        bytes += chunk.length;
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await assertMissing(file);
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(file));
  return bytes;
}

/** `-` is the standard input. */
export async function* readChunks(file: string): AsyncGenerator<Buffer, void, undefined> {
  const chunks: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 256 << 10 });
  yield* chunks;
}

async function assertMissing(file: string): Promise<void> {
  try {
    await access(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  throw new BackupFileError(`${file} already exists: choose another name`);
}

/** Makes the new name durable. Windows does not support this. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
