/**
 * Two processes that open one data folder: the file lock, and detection of a second writer when the lock file was
 * deleted.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openEmbeddedStore } from '../../../apiserver/storage/embedded/open';
import { prefixRange, type Store } from '../../../apiserver/storage/store';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { failureOf, put, valueOf } from '../../support/store/store-helpers';
import { StoreEventRecorder } from '../../support/store/store-recorder';
import { reportSkipped } from '../../support/report-skipped';

const hook = resolve(__dirname, '../../support/typescript-hook.cjs');
const program = resolve(__dirname, 'embedded-writer.ts');
/** Runs a process in a PID namespace of its own, which is killed with its parent. */
const IN_NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];

interface Writer {
  /** Revision of each acknowledged write, by key. */
  readonly acknowledged: () => Map<string, number>;
  /** Resolves after this number of acknowledged writes. */
  waitForCount(acknowledgements: number): Promise<void>;
  /** Resolves with the error output when the process has ended. */
  readonly ended: Promise<string>;
  kill(): Promise<void>;
}

let directory: string;
let stores: Store[] = [];
let children: ChildProcess[] = [];

beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'embedded-folder-'))));
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  for (const store of stores) await store.close();
  [stores, children] = [[], []];
  rmSync(directory, { recursive: true, force: true });
});

async function open(): Promise<Store> {
  const store = await openEmbeddedStore({ directory, clock: systemClock, random: systemRandom });
  stores.push(store);
  return store;
}

function startWriter(prefix: string, commandPrefix: readonly string[] = []): Writer {
  const [command = '', ...rest] = [...commandPrefix, process.execPath, '-r', hook, program, directory, prefix];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let text = '';
  let errorOutput = '';
  child.stderr.on('data', (chunk: Buffer) => (errorOutput += chunk.toString()));
  const closed = once(child, 'close');
  const lines = (): string[] => text.split('\n').slice(0, -1);
  return {
    acknowledged: () => new Map(lines().map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])])),
    waitForCount: (acknowledgements) =>
      new Promise((done, failed) => {
        child.stdout.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          if (lines().length >= acknowledgements) done();
        });
        void closed.then(() => failed(new Error(`the writer ended by itself: ${errorOutput}`)));
      }),
    ended: closed.then(() => errorOutput.trim()),
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

describe('the data folder of the embedded store,', () => {
  const PROCESSES: readonly (readonly [string, readonly string[]])[] = [
    ['a plain process', []],
    ['a process in a namespace of its own', IN_NAMESPACE],
  ];
  describe.each(PROCESSES)('wanted by %s,', (name, commandPrefix) => {
    if (commandPrefix.length > 0 && spawnSync(commandPrefix[0] ?? '', [...commandPrefix.slice(1), 'true']).status !== 0) {
      reportSkipped(name, 'no namespaces can be made here');
      return;
    }

    it('is locked for others while that process holds it, and free when it is killed', async () => {
      const writer = startWriter('/a/', commandPrefix);
      await writer.waitForCount(5);
      const failure: unknown = await open().catch((error: unknown) => error);
      expect(failure).toMatchObject({ failure: 'unavailable', message: expect.stringMatching(/is in use by process \d+ on /) });
      await writer.kill();
      const store = await open();
      for (const [key, revision] of writer.acknowledged()) expect((await store.get(key)).kv?.modRevision).toBe(revision);
    }, 30_000);

    it('is locked for that process while another one holds it', async () => {
      const store = await open();
      await put(store, '/mine', '1');
      expect(await startWriter('/a/', commandPrefix).ended).toContain(`is in use by process ${process.pid} on `);
      expect(await put(store, '/mine', '2')).toBe(3);
    }, 30_000);
  });

  it('opened twice, stays with the last writer; the other store closes and loses no acknowledged write', async () => {
    const store = await open();
    const recorder = new StoreEventRecorder();
    store.watch(prefixRange('/'), 1, recorder);
    await put(store, '/mine', '1');
    await recorder.count(1);
    rmSync(join(directory, 'lock'));
    const writer = startWriter('/other/');
    await writer.waitForCount(50);
    expect(await failureOf(put(store, '/mine', '2'))).toMatchObject({ failure: 'unavailable' });
    const expectedMessage = /another process has written to the data in .* \(its last revision is \d+, and the last one known here is 2\)/;
    const calls: (() => Promise<unknown>)[] = [
      () => put(store, '/mine', '3'),
      () => store.get('/mine'),
      () => store.range(prefixRange('/')),
      () => store.revision(),
      () => store.grantLease(10),
      () => store.compact(2),
      () => store.health(),
    ];
    for (const call of calls) {
      expect(await call().catch((error: unknown) => error)).toMatchObject({
        failure: 'closed',
        message: expect.stringMatching(expectedMessage),
      });
    }
    expect(recorder.connections).toEqual(['connected', 'disconnected']);
    await writer.waitForCount(200);
    await writer.kill();
    const after = await open();
    for (const [key, revision] of writer.acknowledged()) expect((await after.get(key)).kv?.modRevision).toBe(revision);
    expect(await valueOf(after, '/mine')).toBe('1');
  }, 30_000);

  it('opened twice, stays with the first store when the second has not seen its last writes', async () => {
    const store = await open();
    rmSync(join(directory, 'lock'));
    const second = await open();
    const lease = await store.grantLease(60);
    expect(await failureOf(put(second, '/a', '1'))).toMatchObject({ failure: 'unavailable' });
    expect(await failureOf(second.health())).toMatchObject({ failure: 'closed' });
    await store.keepLeaseAlive(lease);
    expect(await put(store, '/a', '2')).toBe(2);
  });

  it('is accessible to its owner only, even when it was created for everyone', async () => {
    const folder = join(directory, 'data');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    for (let round = 0; round < 2; round++) {
      const store = await openEmbeddedStore({ directory: folder, clock: systemClock, random: systemRandom });
      await put(store, '/a', '1');
      await store.close();
      const modes = Object.fromEntries(readdirSync(folder).map((file) => [file, statSync(join(folder, file)).mode & 0o777]));
      expect(modes).toEqual({ 'data.mdb': 0o600, 'lock.mdb': 0o600, lock: 0o600, opening: 0o600 });
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      // As older versions left them.
      for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o664);
    }
  });
});
