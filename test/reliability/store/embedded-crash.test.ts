/** The embedded store loses no acknowledged write when its process is killed during writes. */
import { prefixRange, type Revision } from '../../../apiserver/storage/store';
import { StoreEventRecorder } from '../../support/store/store-recorder';
import { waitUntil } from '../../support/programs';
import { acknowledgedWrites, useEmbeddedFolder } from './use-embedded-folder';

/** Rounds, in each of which a writer and a reader are killed. */
const ROUNDS = 4;
/** The revisions of which the events are read after a crash. */
const LOGGED_REVISIONS = 41;

describe('the embedded store after a crash', () => {
  const folder = useEmbeddedFolder('embedded-crash');

  /**
   * Starts a writer, kills it after `acknowledgements` acknowledged writes, and returns the revisions of these by key.
   */
  async function writeAndKill(
    prefix: string,
    acknowledgements: number,
    meanwhile?: (pid: number) => Promise<void>,
  ): Promise<ReadonlyMap<string, Revision>> {
    const writer = folder().startWriter(prefix);
    await writer.waitForLines(acknowledgements);
    await meanwhile?.(writer.pid);
    await writer.kill();
    return acknowledgedWrites(writer);
  }

  it('has every acknowledged write and whole transactions only', async () => {
    const acknowledged = new Map<string, Revision>();
    for (const round of [1, 2, 3]) {
      for (const [key, revision] of await writeAndKill(`/round${round}/`, 300 * round)) acknowledged.set(key, revision);
      const store = await folder().open();
      try {
        const { kvs, revision: current } = await store.range(prefixRange('/'));
        const byKey = new Map(kvs.map((kv) => [kv.key, kv]));
        for (const [key, revision] of acknowledged) {
          expect(byKey.get(key)).toMatchObject({ key, modRevision: revision, version: 1 });
          expect(byKey.get(key)?.value.toString().split(' ')[0]).toBe(key);
        }
        // The last transaction wrote a key of its own and, as the value of the shared key, that key's name.
        const shared = byKey.get(`/round${round}/shared`);
        expect(byKey.get(shared?.value.toString() ?? '')?.modRevision).toBe(shared?.modRevision);
        // The event log has no gap: a watch from the oldest available event receives every revision up to the newest.
        const recorder = new StoreEventRecorder();
        const watch = store.watch(prefixRange('/'), current - LOGGED_REVISIONS + 1, recorder);
        await recorder.until(() => recorder.allEvents[recorder.allEvents.length - 1]?.revision === current);
        watch.close();
        expect(recorder.breaches).toEqual([]);
        expect([...new Set(recorder.allEvents.map(({ revision }) => revision))]).toEqual(
          Array.from({ length: LOGGED_REVISIONS }, (_, index) => current - LOGGED_REVISIONS + 1 + index),
        );
      } finally {
        await store.close();
      }
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(300 + 600 + 900);
  }, 60_000);

  it('loses no acknowledged write when readers that open and close it are killed too', async () => {
    const acknowledged = new Map<string, Revision>();
    const viewers = [folder().startViewer(), folder().startViewer(), folder().startViewer()];
    for (let round = 1; round <= ROUNDS; round++) {
      const views = viewers.map((viewer) => viewer.lines().length);
      const written = await writeAndKill(`/round${round}/`, 20, async () => {
        await waitUntil('every reader to read', () => viewers.every((viewer, index) => viewer.lines().length > (views[index] ?? 0)));
      });
      for (const [key, revision] of written) acknowledged.set(key, revision);
      await viewers.shift()?.kill();
      viewers.push(folder().startViewer());
    }
    for (const viewer of viewers) await viewer.kill();
    const { kvs } = await (await folder().open()).range(prefixRange('/'));
    const revisions = new Map(kvs.map(({ key, modRevision }) => [key, modRevision]));
    expect([...acknowledged].filter(([key, revision]) => revisions.get(key) !== revision)).toEqual([]);
  }, 90_000);

  it('can be opened once the process that held it is killed, and not before', async () => {
    await writeAndKill('/a/', 5, async (pid) => {
      await expect(folder().open()).rejects.toMatchObject({
        failure: 'unavailable',
        message: expect.stringContaining(`the data folder ${folder().directory} is in use by process ${pid} on `),
      });
    });
    await folder().open();
  }, 30_000);

  it('cannot be opened twice by the same process', async () => {
    const store = await folder().open();
    await expect(folder().open()).rejects.toMatchObject({ failure: 'unavailable', message: expect.stringContaining(String(process.pid)) });
    await store.close();
    await folder().open();
  });
});
