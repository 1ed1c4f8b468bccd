/** The embedded store loses no acknowledged write when its process is killed during writes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openEmbeddedStore } from '../../../apiserver/storage/embedded/open';
import { prefixRange, type Revision, type Store } from '../../../apiserver/storage/store';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { StoreEventRecorder } from '../../support/store/store-recorder';
import { waitUntil } from '../../support/programs';

const hook = resolve(__dirname, '../../support/typescript-hook.cjs');
const program = resolve(__dirname, 'embedded-writer.ts');
const viewerProgram = resolve(__dirname, 'embedded-viewer.ts');
const ROUNDS = 4;

interface Viewer {
  readonly child: ChildProcess;
  /** Number of complete reads so far. Throws when the process has ended. */
  countViews(): number;
  kill(): Promise<void>;
}

describe('the embedded store after a crash', () => {
  let directory: string;
  let child: ChildProcess | undefined;

  beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'embedded-crash-'))));
  afterEach(() => {
    child?.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });

  const open = (): Promise<Store> => openEmbeddedStore({ directory, clock: systemClock, random: systemRandom });

  /**
   * Starts a writer, kills it after `acknowledgements` acknowledged writes, and returns the revisions of these by key.
   */
  async function writeAndKill(
    prefix: string,
    acknowledgements: number,
    meanwhile?: (pid: number) => Promise<void>,
  ): Promise<Map<string, Revision>> {
    const process = spawn(globalThis.process.execPath, ['-r', hook, program, directory, prefix], { stdio: ['ignore', 'pipe', 'pipe'] });
    child = process;
    let text = '';
    let errorOutput = '';
    process.stderr.on('data', (chunk: Buffer) => (errorOutput += chunk.toString()));
    const acknowledged = new Promise<void>((resolve, reject) => {
      process.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.split('\n').length > acknowledgements) resolve();
      });
      process.once('exit', () => reject(new Error(`the writer ended by itself: ${errorOutput}`)));
    });
    await acknowledged;
    await meanwhile?.(process.pid ?? 0);
    const closed = once(process, 'close');
    process.kill('SIGKILL');
    await closed;
    const lines = text.split('\n').slice(0, -1);
    return new Map(lines.map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]));
  }

  function startViewer(): Viewer {
    const viewer = spawn(process.execPath, ['-r', hook, viewerProgram, directory], { stdio: ['ignore', 'pipe', 'pipe'] });
    let views = 0;
    let errorOutput = '';
    viewer.stdout.on('data', (chunk: Buffer) => (views += chunk.toString().split('\n').length - 1));
    viewer.stderr.on('data', (chunk: Buffer) => (errorOutput += chunk.toString()));
    const ended = once(viewer, 'close');
    return {
      child: viewer,
      countViews: () => {
        if (viewer.exitCode !== null || viewer.signalCode !== null) {
          throw new Error(`the reader ended by itself: ${viewer.exitCode} ${viewer.signalCode} ${errorOutput}`);
        }
        return views;
      },
      kill: async () => {
        viewer.kill('SIGKILL');
        await ended;
        // It ended by this signal only.
        expect([viewer.signalCode, errorOutput]).toEqual(['SIGKILL', '']);
      },
    };
  }

  it('has every acknowledged write and whole transactions only', async () => {
    const acknowledged = new Map<string, Revision>();
    for (const round of [1, 2, 3]) {
      for (const [key, revision] of await writeAndKill(`/round${round}/`, 300 * round)) acknowledged.set(key, revision);
      const store = await open();
      try {
        const { kvs, revision: current } = await store.range(prefixRange('/'));
        const byKey = new Map(kvs.map((kv) => [kv.key, kv]));
        for (const [key, revision] of acknowledged) {
          expect(byKey.get(key)).toMatchObject({ key, modRevision: revision, version: 1 });
          expect(byKey.get(key)?.value.toString().split(' ')[0]).toBe(key);
        }
        const shared = byKey.get(`/round${round}/shared`);
        expect(byKey.get(shared?.value.toString() ?? '')?.modRevision).toBe(shared?.modRevision);
        // The event log has no gap: a watch from the oldest available event receives every revision up to the newest.
        const recorder = new StoreEventRecorder();
        const watch = store.watch(prefixRange('/'), current - 40, recorder);
        await recorder.until(() => recorder.allEvents[recorder.allEvents.length - 1]?.revision === current);
        watch.close();
        expect(recorder.breaches).toEqual([]);
        expect([...new Set(recorder.allEvents.map(({ revision }) => revision))]).toEqual(
          Array.from({ length: 41 }, (_, index) => current - 40 + index),
        );
      } finally {
        await store.close();
      }
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(1_800);
  }, 60_000);

  it('loses no acknowledged write when readers that open and close it are killed too', async () => {
    const acknowledged = new Map<string, Revision>();
    const viewers = [startViewer(), startViewer(), startViewer()];
    try {
      for (let round = 1; round <= ROUNDS; round++) {
        const views = viewers.map((viewer) => viewer.countViews());
        const written = await writeAndKill(`/round${round}/`, 20, async () => {
          await waitUntil('every reader to read', () => viewers.every((viewer, index) => viewer.countViews() > (views[index] ?? 0)));
        });
        for (const [key, revision] of written) acknowledged.set(key, revision);
        await viewers.shift()?.kill();
        viewers.push(startViewer());
      }
      for (const viewer of viewers) await viewer.kill();
      const store = await open();
      const { kvs } = await store.range(prefixRange('/'));
      await store.close();
      const revisions = new Map(kvs.map(({ key, modRevision }) => [key, modRevision]));
      expect([...acknowledged].filter(([key, revision]) => revisions.get(key) !== revision)).toEqual([]);
    } finally {
      for (const viewer of viewers) viewer.child.kill('SIGKILL');
    }
  }, 90_000);

  it('can be opened once the process that held it is killed, and not before', async () => {
    await writeAndKill('/a/', 5, async (pid) => {
      const failure: unknown = await open().catch((error: unknown) => error);
      expect(failure).toMatchObject({
        failure: 'unavailable',
        message: expect.stringContaining(`the data folder ${directory} is in use by process ${pid} on `),
      });
    });
    await (await open()).close();
  }, 30_000);

  it('cannot be opened twice by the same process', async () => {
    const store = await open();
    await expect(open()).rejects.toMatchObject({ failure: 'unavailable', message: expect.stringContaining(String(process.pid)) });
    await store.close();
    await (await open()).close();
  });
});
