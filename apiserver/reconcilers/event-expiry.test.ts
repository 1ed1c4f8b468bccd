import { flushPromises } from '../../test/support/clock/manual-clock';
import { PREFIX, openWriteFixture, type WriteFixture } from '../../test/support/store/write-fixture';
import { StoreError } from '../storage/store';
import { startEventExpiry, type EventExpiry } from './event-expiry';

let fixture: WriteFixture;
let failures: string[];
// The fixture's Events expire after an hour; `young` is half an hour younger than `old`.
beforeEach(async () => {
  fixture = await openWriteFixture();
  failures = [];
  await fixture.create('events', { metadata: { name: 'old' }, involvedObject: { namespace: 'ns' } });
  fixture.clock.advance(1_800_000);
  await fixture.create('events', { metadata: { name: 'young' }, involvedObject: { namespace: 'ns' } });
  await fixture.cache.catchUp();
});

const start = (holder = 'one'): EventExpiry =>
  startEventExpiry({
    store: fixture.store,
    cache: fixture.cache,
    types: [fixture.resource('events').stored],
    prefix: PREFIX,
    holder,
    clock: fixture.clock,
    onFailure: (message) => void failures.push(message),
  });

it('event expiry deletes only expired events, each at its own revision', async () => {
  expect(await start().runPass()).toBe(0);
  fixture.clock.advance(1_800_001);
  const before = fixture.store.currentRevision;
  expect(await start().runPass()).toBe(1);
  expect(await fixture.stored('events', 'old')).toBeUndefined();
  expect(await fixture.stored('events', 'young')).toBeDefined();
  // The write of the term, and one deletion.
  expect(fixture.store.currentRevision - before).toBe(2);
});

it('event expiry keeps an event that was updated after the cache was read', async () => {
  fixture.clock.advance(1_800_001);
  await fixture.patch('events', 'old', 'merge', { message: 'again' });
  expect(await start().runPass()).toBe(0);
  expect(await fixture.stored('events', 'old')).toBeDefined();
});

it('event expiry runs on one replica until that replica does not renew its term', async () => {
  const term = { holder: 'two', until: fixture.clock.now() + 1_860_000 };
  fixture.store.put(`${PREFIX}/event-expiry`, Buffer.from(JSON.stringify(term)));
  fixture.clock.advance(1_800_001);
  const expiry = start('one');
  expect(await expiry.runPass()).toBe(0);
  expect(await fixture.stored('events', 'old')).toBeDefined();
  expiry.stop();
  fixture.clock.advance(60_000);
  expect(await start('one').runPass()).toBe(1);
});

it('event expiry runs periodically, reports failures, and stops', async () => {
  fixture.clock.advance(1_800_001);
  const expiry = start();
  jest.spyOn(fixture.store, 'get').mockRejectedValueOnce(new Error('x'));
  await fixture.clock.advanceAsync(15_000);
  await flushPromises(3);
  expect(failures).toEqual(['the expiry of Events failed']);
  await fixture.clock.advanceAsync(15_000);
  await flushPromises(3);
  expect(await fixture.stored('events', 'old')).toBeUndefined();
  expiry.stop();
  expect(fixture.clock.pending).toBe(0);
});

/** Half a minute of Events at 500 per second, in a store that takes 20 ms per deletion. */
it('event expiry deletes 15,000 events within ten seconds with at most 32 deletions in flight', async () => {
  const count = 15_000;
  const { stored } = fixture.resource('events');
  const { kv } = await fixture.store.get(`${PREFIX}/${stored.segment}/ns/old`);
  for (let index = 0; index < count; index += 1)
    fixture.store.put(`${PREFIX}/${stored.segment}/ns/e${index}`, kv?.value ?? Buffer.alloc(0));
  await fixture.cache.catchUp();
  fixture.clock.advance(1_800_001);
  const transact = fixture.store.transact.bind(fixture.store);
  let inFlight = 0;
  let maxInFlight = 0;
  jest.spyOn(fixture.store, 'transact').mockImplementation(async (transaction) => {
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    await fixture.clock.sleep(20);
    inFlight -= 1;
    return transact(transaction);
  });
  const startedAt = fixture.clock.monotonic();
  let deleted: number | undefined;
  const pass = start()
    .runPass()
    .then((number) => (deleted = number));
  while (deleted === undefined) await fixture.clock.advanceAsync(20);
  await pass;
  expect(deleted).toBe(count + 1);
  expect(fixture.clock.monotonic() - startedAt).toBeLessThan(10_000);
  expect(maxInFlight).toBe(32);
  await fixture.cache.catchUp();
  expect(fixture.cache.snapshot(stored).size).toBe(1);
});

it('event expiry starts no more deletions after one has failed', async () => {
  const { stored } = fixture.resource('events');
  const { kv } = await fixture.store.get(`${PREFIX}/${stored.segment}/ns/old`);
  for (let index = 0; index < 100; index += 1) fixture.store.put(`${PREFIX}/${stored.segment}/ns/e${index}`, kv?.value ?? Buffer.alloc(0));
  await fixture.cache.catchUp();
  fixture.clock.advance(1_800_001);
  const failing = jest.spyOn(fixture.store, 'transact').mockRejectedValue(new StoreError('unavailable', 'gone'));
  fixture.store.put(`${PREFIX}/event-expiry`, Buffer.from(JSON.stringify({ holder: 'one', until: fixture.clock.now() + 60_000 })));
  await expect(start('one').runPass()).rejects.toMatchObject({ failure: 'unavailable' });
  expect(failing).toHaveBeenCalledTimes(32);
});
