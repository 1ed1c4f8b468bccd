/**
 * The cache over a real etcd that is killed, paused, and compacted by other clients: it loses and repeats no event, and a
 * consistent read never shows less than was stored before it.
 */
import type { OpenedCache } from '../../../apiserver/cache/sync/open-cache';
import type { Revision } from '../../../apiserver/storage/store';
import { systemClock } from '../../../shared/runtime/clock';
import { configMaps, nodes, putObject, storedTypes, ChangeRecorder } from '../../support/store/cache-fixture';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';
import { waitUntil } from '../../support/programs';
import { openEtcd } from '../../support/store/open-stores';
import { openTestCache } from '../../support/store/test-cache';
import { useForEachTest } from '../../support/use-resource';

describeWithEtcd('the cache on etcd', () => {
  const server = useForEachTest(startEtcd, (started) => started.dispose());
  const store = useForEachTest(
    () => openEtcd(server().endpoint),
    (opened) => opened.close(),
  );
  const cache = useForEachTest(openCache, (opened) => opened.close());

  async function openCache(): Promise<OpenedCache> {
    const opened = openTestCache({ store: store(), types: storedTypes, clock: systemClock });
    await opened.whenReady();
    return opened;
  }

  const deadlineIn = (ms: number): { deadline: number } => ({ deadline: systemClock.monotonic() + ms });

  function watch(): ChangeRecorder {
    const recorder = new ChangeRecorder();
    const start = { type: 'after', revision: cache().revision } as const;
    cache().watch(configMaps, { scope: {}, start, bookmarks: false, markEndOfInitialEvents: false }, recorder);
    return recorder;
  }

  async function isFreshAt(revision: Revision): Promise<boolean> {
    try {
      return (await cache().waitUntilFresh(deadlineIn(3000))) >= revision;
    } catch {
      return false;
    }
  }

  /** Writes an object; retries while etcd does not respond. */
  async function putWithRetries(key: string): Promise<Revision> {
    for (;;) {
      try {
        return await putObject(store(), configMaps, key);
      } catch {
        await systemClock.sleep(50);
      }
    }
  }

  it('loses and repeats no event when etcd is killed and restarted', async () => {
    const recorder = watch();
    const written = [await putObject(store(), configMaps, 'a/0')];
    await cache().waitUntilFresh(deadlineIn(3000));
    await server().kill();
    await expect(cache().waitUntilFresh(deadlineIn(500))).rejects.toMatchObject({ name: 'StoreError' });
    expect(cache().get(configMaps, 'a/0')).toBeDefined();
    await server().restart();
    for (let i = 1; i < 5; i += 1) written.push(await putWithRetries(`a/${i}`));
    await recorder.until(({ events }) => events.length >= 5);
    expect(recorder.lines).toEqual(written.map((revision, i) => `ADDED a/${i}@${revision}`));
    expect(cache().statistics.gaps).toBe(0);
  });

  it('fails consistent reads within 4.5 s while etcd is frozen, and is up to date afterwards', async () => {
    server().pause();
    const start = systemClock.monotonic();
    await expect(cache().waitUntilFresh(deadlineIn(60_000))).rejects.toMatchObject({ failure: 'deadline' });
    expect(systemClock.monotonic() - start).toBeLessThan(4500);
    server().resume();
    const revision = await putWithRetries('a/late');
    await waitUntil('a consistent read of the new revision', () => isFreshAt(revision));
    expect(cache().get(configMaps, 'a/late')?.revision).toBe(revision);
  });

  it('follows revisions of etcd that come from writes outside its prefix', async () => {
    for (let i = 0; i < 5; i += 1) {
      const outsideWrite = { type: 'put', key: `/elsewhere/${i}`, value: Buffer.from('x') } as const;
      await store().transact({ compare: [], operations: [outsideWrite] });
    }
    const revision = await store().revision();
    expect(await cache().waitUntilFresh(deadlineIn(3000))).toBeGreaterThanOrEqual(revision);
    expect(cache().revision).toBeGreaterThanOrEqual(revision);
  });

  it('starts when etcd has been compacted to its newest revision', async () => {
    for (let i = 0; i < 10; i += 1) await putObject(store(), nodes, `n${i % 3}`, { data: String(i) });
    await store().compact(await store().revision());
    const second = await openCache();
    expect(second.snapshot(nodes).size).toBe(3);
    expect(second.compactedRevision).toBe(second.revision);
    await second.close();
  });
});
