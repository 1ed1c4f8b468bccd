/** The embedded store loses no acknowledged write when its process is killed during writes. */
import { prefixRange, type KeyValue, type Revision, type Store } from '../../../apiserver/storage/store';
import { StoreEventRecorder } from '../../support/store/store-recorder';
import { waitUntil } from '../../support/programs';
import { acknowledgedWrites, useEmbeddedFolder, type StoreProcess } from './use-embedded-folder';

/** Rounds, in each of which a writer and a reader are killed. */
const ROUNDS = 4;
/** The newest revisions of which the events are read after a crash; writers compact older ones than the last 50. */
const LOGGED_REVISIONS = 41;
/** Acknowledged writes in the first round; each further round has as many more. */
const WRITES_PER_ROUND = 300;

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

  it('has every acknowledged write, whole transactions only and a gapless event log', async () => {
    const acknowledged = new Map<string, Revision>();
    for (const round of [1, 2, 3]) {
      const prefix = `/round${round}/`;
      for (const [key, revision] of await writeAndKill(prefix, WRITES_PER_ROUND * round)) acknowledged.set(key, revision);
      const store = await folder().open();
      try {
        const { kvs, revision: current } = await store.range(prefixRange('/'));
        const stored = new Map(kvs.map((kv) => [kv.key, kv]));
        expectAcknowledgedWrites(stored, acknowledged);
        expectWholeTransaction(stored, `${prefix}shared`);
        await expectNoMissingEvent(store, current);
      } finally {
        await store.close();
      }
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(WRITES_PER_ROUND * (1 + 2 + 3));
  }, 60_000);

  type StoredKeys = ReadonlyMap<string, KeyValue>;

  /** Each value begins with its key. */
  function expectAcknowledgedWrites(stored: StoredKeys, acknowledged: ReadonlyMap<string, Revision>): void {
    for (const [key, revision] of acknowledged) {
      expect(stored.get(key)).toMatchObject({ key, modRevision: revision, version: 1 });
      expect(stored.get(key)?.value.toString().split(' ')[0]).toBe(key);
    }
  }

  /** The last transaction wrote a key of its own and, as the value of the shared key, that key's name. */
  function expectWholeTransaction(stored: StoredKeys, sharedKey: string): void {
    const shared = stored.get(sharedKey);
    expect(shared).toBeDefined();
    expect(stored.get(shared?.value.toString() ?? '')?.modRevision).toBe(shared?.modRevision);
  }

  /** A watch from an earlier revision receives the events of every revision up to the newest. */
  async function expectNoMissingEvent(store: Store, newest: Revision): Promise<void> {
    const from = newest - LOGGED_REVISIONS + 1;
    const recorder = new StoreEventRecorder();
    const watch = store.watch(prefixRange('/'), from, recorder);
    await recorder.until(() => recorder.allEvents.at(-1)?.revision === newest);
    watch.close();
    expect(recorder.breaches).toEqual([]);
    const revisions = new Set(recorder.allEvents.map(({ revision }) => revision));
    expect([...revisions]).toEqual(Array.from({ length: LOGGED_REVISIONS }, (_, index) => from + index));
  }

  it('loses no acknowledged write when readers that open and close it are killed too', async () => {
    const acknowledged = new Map<string, Revision>();
    const viewers = [folder().startViewer(), folder().startViewer(), folder().startViewer()];
    for (let round = 1; round <= ROUNDS; round++) {
      const viewsBefore = viewers.map((viewer) => viewer.lines().length);
      const written = await writeAndKill(`/round${round}/`, 20, async () => {
        const hasRead = (viewer: StoreProcess, index: number): boolean => viewer.lines().length > (viewsBefore[index] ?? 0);
        await waitUntil('every reader to read', () => viewers.every(hasRead));
      });
      for (const [key, revision] of written) acknowledged.set(key, revision);
      // The oldest reader is replaced.
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
