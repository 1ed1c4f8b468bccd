import { flushPromises } from '../../test/support/clock/manual-clock';
import { PREFIX, openWriteFixture, type WriteFixture } from '../../test/support/store/write-fixture';
import { StoreError } from '../storage/store';
import { startEventExpiry, type EventExpiry } from './event-expiry';

/** Events of the fixture expire after an hour. */
const HALF_TTL_MS = 1_800_000;
/** The limit of deletions at the same time. */
const CONCURRENCY = 32;

/** A store with the Event `old` and the Event `young`, which is half an hour younger. */
async function openFixture(): Promise<WriteFixture> {
  const fixture = await openWriteFixture();
  await fixture.create('events', { metadata: { name: 'old' }, involvedObject: { namespace: 'ns' } });
  fixture.clock.advance(HALF_TTL_MS);
  await fixture.create('events', { metadata: { name: 'young' }, involvedObject: { namespace: 'ns' } });
  await fixture.cache.catchUp();
  return fixture;
}

/** As {@link openFixture}, when `old` has expired and `young` has not. */
async function openExpiredFixture(): Promise<WriteFixture> {
  const fixture = await openFixture();
  fixture.clock.advance(HALF_TTL_MS + 1);
  return fixture;
}

/** Starts the expiry on the replica `one`. `failures` receives the messages of failed passes. */
const start = ({ store, cache, clock, resource }: WriteFixture, failures: string[] = []): EventExpiry =>
  startEventExpiry({
    store,
    cache,
    types: [resource('events').stored],
    prefix: PREFIX,
    holder: 'one',
    clock,
    onFailure: (message) => void failures.push(message),
  });

/** Stores a term of a replica that ends in a minute. */
const putTerm = ({ store, clock }: WriteFixture, holder: string): void =>
  void store.put(`${PREFIX}/event-expiry`, Buffer.from(JSON.stringify({ holder, until: clock.now() + 60_000 })));

/** Stores copies of the Event `old`. */
async function copyOldEvent({ store, cache, resource }: WriteFixture, count: number): Promise<void> {
  const folder = `${PREFIX}/${resource('events').stored.segment}/ns`;
  const { kv } = await store.get(`${folder}/old`);
  for (let index = 0; index < count; index += 1) store.put(`${folder}/e${index}`, kv?.value ?? Buffer.alloc(0));
  await cache.catchUp();
}

it('event expiry deletes nothing before an event has expired', async () => {
  expect(await start(await openFixture()).runPass()).toBe(0);
});

it('event expiry deletes only expired events', async () => {
  const fixture = await openExpiredFixture();
  const before = fixture.store.currentRevision;
  expect(await start(fixture).runPass()).toBe(1);
  expect(await fixture.stored('events', 'old')).toBeUndefined();
  expect(await fixture.stored('events', 'young')).toBeDefined();
  // The write of the term, and one deletion.
  expect(fixture.store.currentRevision - before).toBe(2);
});

it('event expiry keeps an event that was updated after the cache was read', async () => {
  const fixture = await openExpiredFixture();
  await fixture.patch('events', 'old', 'merge', { message: 'again' });
  expect(await start(fixture).runPass()).toBe(0);
  expect(await fixture.stored('events', 'old')).toBeDefined();
});

it('event expiry deletes nothing until the term of another replica has ended', async () => {
  const fixture = await openExpiredFixture();
  putTerm(fixture, 'two');
  start(fixture);
  await fixture.clock.advanceAsync(59_000);
  expect(await fixture.stored('events', 'old')).toBeDefined();
  await fixture.clock.advanceAsync(1_000);
  await flushPromises();
  expect(await fixture.stored('events', 'old')).toBeUndefined();
});

it('event expiry runs every 15 seconds, and reports a failure', async () => {
  const fixture = await openExpiredFixture();
  const failures: string[] = [];
  start(fixture, failures);
  jest.spyOn(fixture.store, 'get').mockRejectedValueOnce(new Error('x'));
  await fixture.clock.advanceAsync(15_000);
  await flushPromises();
  expect(failures).toEqual(['the expiry of Events failed']);
  await fixture.clock.advanceAsync(15_000);
  await flushPromises();
  expect(await fixture.stored('events', 'old')).toBeUndefined();
});

it('event expiry leaves no timer when it is stopped', async () => {
  const fixture = await openFixture();
  start(fixture).stop();
  expect(fixture.clock.pending).toBe(0);
});

/** Half a minute of Events at 500 per second, in a store that takes 20 ms per deletion. */
it('event expiry deletes 15,000 events within ten seconds with at most 32 deletions in flight', async () => {
  const count = 15_000;
  const fixture = await openFixture();
  await copyOldEvent(fixture, count);
  const { store, cache, clock } = fixture;
  clock.advance(HALF_TTL_MS + 1);
  const transact = store.transact.bind(store);
  let inFlight = 0;
  let maxInFlight = 0;
  jest.spyOn(store, 'transact').mockImplementation(async (transaction) => {
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    await clock.sleep(20);
    inFlight -= 1;
    return transact(transaction);
  });
  const startedAt = clock.monotonic();
  let deleted: number | undefined;
  void start(fixture)
    .runPass()
    .then((number) => (deleted = number));
  while (deleted === undefined) await clock.advanceAsync(20);
  // The copies and `old`.
  expect(deleted).toBe(count + 1);
  expect(clock.monotonic() - startedAt).toBeLessThan(10_000);
  expect(maxInFlight).toBe(CONCURRENCY);
  await cache.catchUp();
  expect(cache.snapshot(fixture.resource('events').stored).size).toBe(1);
});

it('event expiry starts no more deletions after one has failed', async () => {
  const fixture = await openFixture();
  await copyOldEvent(fixture, 100);
  fixture.clock.advance(HALF_TTL_MS + 1);
  // The replica has a term already, so that each transaction is a deletion.
  putTerm(fixture, 'one');
  const transact = jest.spyOn(fixture.store, 'transact').mockRejectedValue(new StoreError('unavailable', 'gone'));
  await expect(start(fixture).runPass()).rejects.toMatchObject({ failure: 'unavailable' });
  expect(transact).toHaveBeenCalledTimes(CONCURRENCY);
});
