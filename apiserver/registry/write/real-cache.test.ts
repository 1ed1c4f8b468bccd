/** The writers of two replicas with real caches over one store. */
import { ManualClock } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { openReplica } from '../../../test/support/store/replica';
import { objectOf } from '../../../test/support/store/write-fixture';
import type { RequestContext } from '../verbs';
import { buildResources } from '../resources';

const resources = buildResources();
const namespaces = resources.require('namespaces');
const configMaps = resources.require('configmaps');
const clock = new ManualClock();
const context: RequestContext = { user: { name: 'u', groups: [] }, deadline: 60_000, warn: () => undefined };
const options = { dryRun: false, fieldValidation: 'Warn', fieldManager: 'test' } as const;

it('two replicas update one object in turn without a conflict, and lose none of their concurrent patches', async () => {
  const store = new MemoryStore();
  const [first, second] = await Promise.all([openReplica(store, clock), openReplica(store, clock)]);
  const body = (metadata: { name: string }, data?: { [key: string]: string }) =>
    ({ value: { metadata, ...(data === undefined ? {} : { data }) }, duplicates: [], format: 'json' }) as const;
  await first.writer.create(context, namespaces, '', body({ name: 'ns' }), options);
  const created = await second.writer.create(context, configMaps, 'ns', body({ name: 'a' }, { n: '0' }), options);
  let version = created.entry.revision;
  for (let i = 1; i <= 50; i++) {
    const { writer } = i % 2 === 0 ? first : second;
    const value = { metadata: { name: 'a', resourceVersion: String(version) }, data: { n: String(i) } };
    const key = { namespace: 'ns', name: 'a' };
    const { entry } = await writer.update(context, configMaps, key, undefined, { value, duplicates: [], format: 'json' }, options);
    expect(objectOf(entry)).toMatchObject({ data: { n: String(i) } });
    version = entry.revision;
  }
  const patches = Array.from({ length: 40 }, (_, i) => {
    const bytes = Buffer.from(JSON.stringify({ data: { [`k${i}`]: 'v' } }));
    const { writer } = i % 2 === 0 ? first : second;
    return writer.patch(
      context,
      configMaps,
      { namespace: 'ns', name: 'a' },
      undefined,
      { type: 'merge', bytes, dialect: 'platform' },
      options,
    );
  });
  await Promise.all(patches);
  await first.cache.waitUntilFresh({ deadline: 60_000 });
  const entry = first.cache.get(configMaps.stored, 'ns/a');
  // With `n`, which the updates have set.
  expect(Object.keys(Object(entry === undefined ? {} : objectOf(entry)['data']))).toHaveLength(40 + 1);
  await Promise.all([first.cache.close(), second.cache.close()]);
});

it('a write responds when its replica has seen it, and after 20 ms otherwise', async () => {
  const store = new MemoryStore();
  const stillClock = new ManualClock();
  const { writer, cache } = await openReplica(store, stillClock);
  const create = (name: string) =>
    writer.create(context, namespaces, '', { value: { metadata: { name } }, duplicates: [], format: 'json' }, options);
  const seen = await create('seen');
  expect(cache.get(namespaces.stored, 'seen')?.revision).toBe(seen.entry.revision);

  store.isHeld = true;
  let hasResponded = false;
  const unseen = create('unseen').finally(() => (hasResponded = true));
  await stillClock.advanceAsync(19);
  expect(hasResponded).toBe(false);
  await stillClock.advanceAsync(1);
  expect(hasResponded).toBe(true);
  expect((await unseen).entry.revision).toBeGreaterThan(cache.revision);
  await cache.close();
});
