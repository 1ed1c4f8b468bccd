import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { useFolder } from '../../test/support/use-resource';
import { BackupFileError, readChunks, writeAtomically } from './files';

const parent = useFolder('backup-files');

function setUp() {
  const folder = mkdtempSync(path.join(parent, 'backups-'));
  return { folder, file: path.join(folder, 'a.backup') };
}

async function* chunks(...texts: readonly (string | (() => void))[]): AsyncGenerator<Buffer, void, undefined> {
  await Promise.resolve();
  for (const text of texts) {
    if (typeof text === 'string') yield Buffer.from(text);
    else text();
  }
}

const fail = (): never => {
  throw new Error('the store is gone');
};

describe('a backup file', () => {
  it('is readable by its owner only, and writeAtomically returns its length', async () => {
    const { folder, file } = setUp();
    expect(await writeAtomically(file, chunks('one', 'three'))).toBe(8);
    expect(readFileSync(file, 'utf8')).toBe('onethree');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['a.backup']);
  });

  it('appears under its name only when it is complete', async () => {
    const { file } = setUp();
    const seen: boolean[] = [];
    const noteExistence = (): void => void seen.push(existsSync(file));
    await writeAtomically(file, chunks('one', noteExistence, 'two', noteExistence));
    expect(seen).toEqual([false, false]);
  });

  it('is removed when the write fails', async () => {
    const { folder, file } = setUp();
    await expect(writeAtomically(file, chunks('one', fail))).rejects.toThrow('the store is gone');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not replace an existing file, even one that appears during the write', async () => {
    const { folder, file } = setUp();
    writeFileSync(file, 'old');
    await expect(writeAtomically(file, chunks('new', fail))).rejects.toThrow(BackupFileError);
    rmSync(file);
    const other = (): void => writeFileSync(file, 'other');
    await expect(writeAtomically(file, chunks('new', other))).rejects.toThrow('already exists: choose another name');
    expect(readFileSync(file, 'utf8')).toBe('other');
    expect(readdirSync(folder)).toEqual(['a.backup']);
  });

  it('is not created in a missing folder', async () => {
    const { folder } = setUp();
    await expect(writeAtomically(path.join(folder, 'none', 'a.backup'), chunks('x'))).rejects.toThrow('ENOENT');
  });

  it('is read in chunks', async () => {
    const { file } = setUp();
    const bytes = Buffer.alloc(1 << 20, 'abc');
    writeFileSync(file, bytes);
    const read: Buffer[] = [];
    for await (const chunk of readChunks(file)) read.push(chunk);
    expect(read.length).toBeGreaterThan(1);
    expect(Buffer.concat(read).equals(bytes)).toBe(true);
  });
});
