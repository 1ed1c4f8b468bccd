/** One data folder and two processes that want it: the kernel's lock, and what happens where it was got around. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openEmbeddedStore } from '../../../apiserver/storage/embedded/open';
import { prefixRange, type Store } from '../../../apiserver/storage/store';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { failureOf, put, valueOf } from '../../support/store-helpers';
import { Recorder } from '../../support/store-recorder';
import { skipLoudly } from '../../support/skipped';

const hook = resolve(__dirname, '../../support/typescript-hook.cjs');
const program = resolve(__dirname, 'embedded-writer.ts');
/** A first process of its own namespace, which is killed with the program that made it. */
const apart = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];

interface Writer {
  /** `<key> <revision>` of every write that it was told is done. */
  readonly acknowledged: () => Map<string, number>;
  /** Resolves once it has been told so of so many. */
  count(acknowledgements: number): Promise<void>;
  /** Resolves with what it said when it has ended by itself. */
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

function startWriter(prefix: string, within: readonly string[] = []): Writer {
  const [command = '', ...rest] = [...within, process.execPath, '-r', hook, program, directory, prefix];
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let [text, trouble] = ['', ''];
  child.stderr.on('data', (chunk: Buffer) => (trouble += chunk.toString()));
  const closed = once(child, 'close');
  const lines = (): string[] => text.split('\n').slice(0, -1);
  return {
    acknowledged: () => new Map(lines().map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])])),
    count: (acknowledgements) =>
      new Promise((done, failed) => {
        child.stdout.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          if (lines().length >= acknowledgements) done();
        });
        void closed.then(() => failed(new Error(`the writer ended by itself: ${trouble}`)));
      }),
    ended: closed.then(() => trouble.trim()),
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

describe('the data folder of the embedded store,', () => {
  const places: readonly (readonly [string, readonly string[]])[] = [
    ['a plain process', []],
    ['a process in a namespace of its own', apart],
  ];
  describe.each(places)('wanted by %s,', (name, within) => {
    if (within.length > 0 && spawnSync(within[0] ?? '', [...within.slice(1), 'true']).status !== 0) {
      skipLoudly(name, 'no namespaces can be made here');
      return;
    }

    it('is locked for others while that process holds it, and free when it is killed', async () => {
      const writer = startWriter('/a/', within);
      await writer.count(5);
      const refused: unknown = await open().catch((error: unknown) => error);
      expect(refused).toMatchObject({ failure: 'unavailable', message: expect.stringMatching(/is in use by process \d+ on /) });
      await writer.kill();
      const store = await open();
      for (const [key, revision] of writer.acknowledged()) expect((await store.get(key)).kv?.modRevision).toBe(revision);
    }, 30_000);

    it('is locked for that process while another one holds it', async () => {
      const store = await open();
      await put(store, '/mine', '1');
      expect(await startWriter('/a/', within).ended).toContain(`is in use by process ${process.pid} on `);
      expect(await put(store, '/mine', '2')).toBe(3);
    }, 30_000);
  });

  it('opened twice, stays with the last writer; the other store closes and loses no acknowledged write', async () => {
    const store = await open();
    const seen = new Recorder();
    store.watch(prefixRange('/'), 1, seen);
    await put(store, '/mine', '1');
    await seen.count(1);
    rmSync(join(directory, 'lock'));
    const writer = startWriter('/other/');
    await writer.count(50);
    expect(await failureOf(put(store, '/mine', '2'))).toMatchObject({ failure: 'unavailable' });
    const said = /another process has written to the data in .* \(its last revision is \d+, the last one known here is 2\)/;
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
      expect(await call().catch((error: unknown) => error)).toMatchObject({ failure: 'closed', message: expect.stringMatching(said) });
    }
    expect(seen.connections).toEqual(['connected', 'disconnected']);
    await writer.count(200);
    await writer.kill();
    const after = await open();
    for (const [key, revision] of writer.acknowledged()) expect((await after.get(key)).kv?.modRevision).toBe(revision);
    expect(await valueOf(after, '/mine')).toBe('1');
  }, 30_000);

  it('opened twice, stays with the first store when the second has not seen its last writes', async () => {
    const store = await open();
    rmSync(join(directory, 'lock'));
    const newcomer = await open();
    const lease = await store.grantLease(60);
    expect(await failureOf(put(newcomer, '/a', '1'))).toMatchObject({ failure: 'unavailable' });
    expect(await failureOf(newcomer.health())).toMatchObject({ failure: 'closed' });
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
