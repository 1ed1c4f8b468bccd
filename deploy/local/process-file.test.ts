import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../test/support/ports';
import { useFolder } from '../../test/support/use-resource';
import { findPortProblem } from './ports';
import { acquireProcessFile, HeldError, isAlive, livePid, removePid, writePid } from './process-file';

const parent = useFolder('process-file');

function setUp() {
  const folder = mkdtempSync(path.join(parent, 'run-'));
  return { folder, file: path.join(folder, 'supervisor.pid') };
}

/** Runs `use` with a process that is alive meanwhile. */
async function withProcess(use: (pid: number) => void | Promise<void>): Promise<void> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  await once(child, 'spawn');
  try {
    await use(child.pid ?? 0);
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

describe('livePid', () => {
  it('returns the process id while the process lives', async () => {
    const { file } = setUp();
    await withProcess((pid) => {
      writePid(file, pid);
      expect(readFileSync(file, 'utf8')).toBe(`${pid}\n`);
      expect(livePid(file)).toBe(pid);
      removePid(file);
      expect(livePid(file)).toBeUndefined();
    });
  });

  // The first thread of a process may exit before the others; ten attempts, because the state is seen only sometimes.
  it('returns the process id until the process has released its ports', async () => {
    const { file } = setUp();
    for (let times = 0; times < 10; times++) {
      const port = await freePort();
      const listening = `require('net').createServer().listen(${port}, '127.0.0.1', () => process.stdout.write('listening'))`;
      const child = spawn(process.execPath, ['-e', listening], { stdio: ['ignore', 'pipe', 'ignore'] });
      await once(child.stdout, 'data');
      const ended = once(child, 'exit');
      writePid(file, child.pid ?? 0);
      child.kill('SIGKILL');
      while (livePid(file) !== undefined);
      expect(await findPortProblem(port, '127.0.0.1')).toBeUndefined();
      await ended;
      expect(isAlive(child.pid ?? 0)).toBe(false);
    }
  });

  it('returns nothing for an exited process, a reused process id and the current process', async () => {
    const { file } = setUp();
    let ended = 0;
    await withProcess((pid) => {
      ended = pid;
      writePid(file, pid);
      const longAgo = new Date(2001, 0, 1);
      utimesSync(file, longAgo, longAgo);
      if (process.platform === 'linux') expect(livePid(file)).toBeUndefined();
    });
    writePid(file, ended);
    expect(livePid(file)).toBeUndefined();
    writePid(file, process.pid);
    expect(livePid(file)).toBeUndefined();
  });

  it.each(['', 'abc', '-1', '0', '1 2'])('returns nothing for a file with the text %j', (text) => {
    const { file } = setUp();
    writeFileSync(file, text);
    expect(livePid(file)).toBeUndefined();
  });
});

describe('acquireProcessFile', () => {
  it('writes a new file, and replaces the file of an exited process', async () => {
    const { folder, file } = setUp();
    acquireProcessFile(file)();
    let ended = 0;
    await withProcess((pid) => {
      ended = pid;
    });
    writePid(file, ended);
    const release = acquireProcessFile(file);
    expect(readFileSync(file, 'utf8')).toBe(`${process.pid}\n`);
    expect(readdirSync(folder)).toEqual(['lock', 'supervisor.pid']);
    release();
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  // In every container the first process has the id 1. Here this process is both.
  it('throws HeldError while a process with the same id in another container holds the file', () => {
    const { file } = setUp();
    const release = acquireProcessFile(file);
    expect(() => acquireProcessFile(file)).toThrow(
      expect.objectContaining({ holder: expect.stringMatching(`^process ${process.pid} on `) as unknown, constructor: HeldError }),
    );
    expect(readFileSync(file, 'utf8')).toBe(`${process.pid}\n`);
    release();
    acquireProcessFile(file)();
  });

  it('throws HeldError with the process id of the live holder', async () => {
    const { folder, file } = setUp();
    await withProcess((pid) => {
      writePid(file, pid);
      expect(() => acquireProcessFile(file)).toThrow(
        expect.objectContaining({ holder: `the running process ${pid}`, constructor: HeldError }),
      );
      expect(livePid(file)).toBe(pid);
      expect(readdirSync(folder)).toEqual(['lock', 'supervisor.pid']);
    });
  });
});
