import { settle } from '../../test/support/manual-clock';
import { PREFIX, writeFixture, type Fixture } from '../../test/support/write-fixture';
import type { Entry, Snapshot, StoredType } from '../cache/cache';
import { startEventExpiry, type EventExpiry } from './event-expiry';

let f: Fixture;
let failures: string[];
beforeEach(async () => {
  f = await writeFixture();
  failures = [];
  jest.spyOn(f.cache, 'snapshot').mockImplementation(snapshotOfEvents);
  await f.create('events', { metadata: { name: 'old' }, involvedObject: { namespace: 'ns' } });
  f.clock.advance(1_800_000);
  await f.create('events', { metadata: { name: 'young' }, involvedObject: { namespace: 'ns' } });
  await f.cache.catchUp();
});

function snapshotOfEvents(type: StoredType): Snapshot {
  const entries = ['ns/old', 'ns/young'].flatMap((key): readonly Entry[] => {
    const entry = f.cache.get(type, key);
    return entry === undefined ? [] : [entry];
  });
  return { revision: f.cache.revision, size: entries.length, get: () => undefined, range: () => entries, count: () => entries.length };
}

const start = (holder = 'one'): EventExpiry =>
  startEventExpiry({
    store: f.store,
    cache: f.cache,
    types: [f.resource('events').stored],
    prefix: PREFIX,
    holder,
    clock: f.clock,
    failed: (message) => void failures.push(message),
  });

it('deletes what has expired and nothing else, each at a revision of its own', async () => {
  expect(await start().pass()).toBe(0);
  f.clock.advance(1_800_001);
  const before = f.store.current;
  expect(await start().pass()).toBe(1);
  expect(await f.stored('events', 'old')).toBeUndefined();
  expect(await f.stored('events', 'young')).toBeDefined();
  expect(f.store.current - before).toBe(2);
});

it('spares an event that was written again behind its back', async () => {
  f.clock.advance(1_800_001);
  await f.patch('events', 'old', 'merge', { message: 'again' });
  expect(await start().pass()).toBe(0);
  expect(await f.stored('events', 'old')).toBeDefined();
});

it('leaves the work to one replica, until that one has not renewed its term', async () => {
  const term = { holder: 'two', until: f.clock.now() + 1_860_000 };
  f.store.put(`${PREFIX}/event-expiry`, Buffer.from(JSON.stringify(term)));
  f.clock.advance(1_800_001);
  const expiry = start('one');
  expect(await expiry.pass()).toBe(0);
  expect(await f.stored('events', 'old')).toBeDefined();
  expiry.stop();
  f.clock.advance(60_000);
  expect(await start('one').pass()).toBe(1);
});

it('looks by itself, reports failures, and stops', async () => {
  f.clock.advance(1_800_001);
  const expiry = start();
  jest.spyOn(f.store, 'get').mockRejectedValueOnce(new Error('x'));
  await f.clock.advanceAsync(15_000);
  await settle(3);
  expect(failures).toEqual(['the event expiry failed']);
  await f.clock.advanceAsync(15_000);
  await settle(3);
  expect(await f.stored('events', 'old')).toBeUndefined();
  expiry.stop();
  expect(f.clock.pending).toBe(0);
});
