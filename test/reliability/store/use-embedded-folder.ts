/**
 * Processes that use one data folder of the embedded store: writers (embedded-writer.ts) and readers
 * (embedded-viewer.ts), which run until they are killed. All that still run are killed after each test, and the folder is
 * removed.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Revision, Store } from '../../../apiserver/storage/store';
import { openEmbedded } from '../../support/store/open-stores';
import { removeFolder, temporaryFolder } from '../../support/programs';
import { useForEachTest } from '../../support/use-resource';

const HOOK = path.resolve(__dirname, '../../support/typescript-hook.cjs');

export interface StoreProcess {
  readonly pid: number;
  /** The complete lines of standard output so far. Throws when the process has ended by itself. */
  lines(): readonly string[];
  /** Resolves once there is this number of lines. Rejects when the process ends before. */
  waitForLines(count: number): Promise<void>;
  /** Resolves with the error output when the process has ended. */
  readonly ended: Promise<string>;
  /** Kills the process, which must not have ended before. */
  kill(): Promise<void>;
}

export interface EmbeddedFolder {
  readonly directory: string;
  /** Opens the store in this process; it is closed after the test. */
  open(): Promise<Store>;
  /** `command` is put before node and its arguments, such as `unshare --pid`. */
  startWriter(prefix: string, command?: readonly string[]): StoreProcess;
  /** Starts a process that reads the store again and again. */
  startViewer(): StoreProcess;
}

interface FolderResources {
  readonly directory: string;
  readonly stores: Store[];
  readonly children: ChildProcess[];
}

/** A new folder for each test. */
export function useEmbeddedFolder(name: string): () => EmbeddedFolder {
  const resources = useForEachTest(
    (): FolderResources => ({ directory: temporaryFolder(name), stores: [], children: [] }),
    async ({ directory, stores, children }) => {
      for (const child of children) child.kill('SIGKILL');
      for (const store of stores) await store.close();
      removeFolder(directory);
    },
  );
  return () => folderOf(resources());
}

function folderOf({ directory, stores, children }: FolderResources): EmbeddedFolder {
  const start = (program: string, args: readonly string[], [command, ...commandArgs]: readonly string[]): StoreProcess => {
    const nodeArgs = ['-r', HOOK, path.resolve(__dirname, program), directory, ...args];
    const commandLine = command === undefined ? nodeArgs : [...commandArgs, process.execPath, ...nodeArgs];
    const child = spawn(command ?? process.execPath, commandLine, { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    return followProcess(child);
  };
  return {
    directory,
    async open() {
      const store = await openEmbedded(directory);
      stores.push(store);
      return store;
    },
    startWriter: (prefix, command = []) => start('embedded-writer.ts', [prefix], command),
    startViewer: () => start('embedded-viewer.ts', [], []),
  };
}

function followProcess(child: ChildProcess): StoreProcess {
  let output = '';
  let errorOutput = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (errorOutput += chunk.toString()));
  const closed = once(child, 'close');
  const endError = (): Error => new Error(`the process ended by itself: ${child.exitCode} ${child.signalCode} ${errorOutput}`);
  const lines = (): readonly string[] => output.split('\n').slice(0, -1);
  return {
    pid: child.pid ?? 0,
    lines() {
      if (child.exitCode !== null || (child.signalCode !== null && child.signalCode !== 'SIGKILL')) throw endError();
      return lines();
    },
    waitForLines: (count) =>
      new Promise((resolve, reject) => {
        const check = (): void => void (lines().length >= count && resolve());
        child.stdout?.on('data', check);
        void closed.then(() => reject(endError()));
        check();
      }),
    ended: closed.then(() => errorOutput.trim()),
    async kill() {
      child.kill('SIGKILL');
      await closed;
      expect([child.signalCode, errorOutput]).toEqual(['SIGKILL', '']);
    },
  };
}

/** The revision of each write that a writer has reported as acknowledged, by key. */
export const acknowledgedWrites = (writer: StoreProcess): ReadonlyMap<string, Revision> =>
  new Map(
    writer.lines().map((line) => {
      const [key = '', revision] = line.split(' ');
      return [key, Number(revision)];
    }),
  );
