import { flushPromises } from '../../test/support/clock/manual-clock';
import { PREFIX, openWriteFixture, type WriteFixture } from '../../test/support/store/write-fixture';
import { StoreError } from '../storage/store';
import { startEventExpiry, type EventExpiry } from './event-expiry';

let f: WriteFixture;
let failures: string[];
beforeEach(async () => {
  f = await openWriteFixture();
  failures = [];
  await f.create('events', { metadata: { name: 'old' }, involvedObject: { namespace: 'ns' } });
  f.clock.advance(1_800_000);
  await f.create('events', { metadata: { name: 'young' }, involvedObject: { namespace: 'ns' } });
  await f.cache.catchUp();
});

const start = (holder = 'one'): EventExpiry =>
  startEventExpiry({
    store: f.store,
    cache: f.cache,
    types: [f.resource('events').stored],
    prefix: PREFIX,
    holder,
    clock: f.clock,
    onFailure: (message) => void failures.push(message),
  });

it('event expiry deletes only expired events, each at its own revision', async () => {
  expect(await start().pass()).toBe(0);
  f.clock.advance(1_800_001);
  const before = f.store.currentRevision;
  expect(await start().pass()).toBe(1);
  expect(await f.stored('events', 'old')).toBeUndefined();
  expect(await f.stored('events', 'young')).toBeDefined();
  expect(f.store.currentRevision - before).toBe(2);
});

it('event expiry keeps an event that was updated after the cache was read', async () => {
  f.clock.advance(1_800_001);
  await f.patch('events', 'old', 'merge', { message: 'again' });
  expect(await start().pass()).toBe(0);
  expect(await f.stored('events', 'old')).toBeDefined();
});

it('event expiry runs on one replica until that replica does not renew its term', async () => {
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

it('event expiry runs periodically, reports failures, and stops', async () => {
  f.clock.advance(1_800_001);
  const expiry = start();
  jest.spyOn(f.store, 'get').mockRejectedValueOnce(new Error('x'));
  await f.clock.advanceAsync(15_000);
  await flushPromises(3);
  expect(failures).toEqual(['the expiry of Events failed']);
  await f.clock.advanceAsync(15_000);
  await flushPromises(3);
  expect(await f.stored('events', 'old')).toBeUndefined();
  expiry.stop();
  expect(f.clock.pending).toBe(0);
});

/** Half a minute of Events at 500 per second, in a store that takes 20 ms per deletion. */
it('event expiry deletes 15,000 events within ten seconds with at most 32 deletions in flight', async () => {
  const count = 15_000;
  const { stored } = f.resource('events');
  const { kv } = await f.store.get(`${PREFIX}/${stored.segment}/ns/old`);
  for (let index = 0; index < count; index += 1) f.store.put(`${PREFIX}/${stored.segment}/ns/e${index}`, kv?.value ?? Buffer.alloc(0));
  await f.cache.catchUp();
  f.clock.advance(1_800_001);
  const transact = f.store.transact.bind(f.store);
  let inFlight = 0;
  let maxInFlight = 0;
  jest.spyOn(f.store, 'transact').mockImplementation(async (transaction) => {
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    await f.clock.sleep(20);
    inFlight -= 1;
    return transact(transaction);
  });
  const startedAt = f.clock.monotonic();
  let deleted: number | undefined;
  const pass = start()
    .pass()
    .then((number) => (deleted = number));
  while (deleted === undefined) await f.clock.advanceAsync(20);
  await pass;
  expect(deleted).toBe(count + 1);
  expect(f.clock.monotonic() - startedAt).toBeLessThan(10_000);
  expect(maxInFlight).toBe(32);
  await f.cache.catchUp();
  expect(f.cache.snapshot(stored).size).toBe(1);
});

it('event expiry starts no more deletions after one has failed', async () => {
  const { stored } = f.resource('events');
  const { kv } = await f.store.get(`${PREFIX}/${stored.segment}/ns/old`);
  for (let index = 0; index < 100; index += 1) f.store.put(`${PREFIX}/${stored.segment}/ns/e${index}`, kv?.value ?? Buffer.alloc(0));
  await f.cache.catchUp();
  f.clock.advance(1_800_001);
  const failing = jest.spyOn(f.store, 'transact').mockRejectedValue(new StoreError('unavailable', 'gone'));
  f.store.put(`${PREFIX}/event-expiry`, Buffer.from(JSON.stringify({ holder: 'one', until: f.clock.now() + 60_000 })));
  await expect(start('one').pass()).rejects.toMatchObject({ failure: 'unavailable' });
  expect(failing).toHaveBeenCalledTimes(32);
});
