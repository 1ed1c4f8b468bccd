/** Concurrent writers, and writers with a stale cache: no write is lost, and no rejection is based on stale data. */
import { objectOf, refusalStatus, openWriteFixture } from '../../../test/support/store/write-fixture';
import { useForEachTest } from '../../../test/support/use-resource';

const fixture = useForEachTest(async () => {
  const opened = await openWriteFixture();
  await opened.create('configmaps', { metadata: { name: 'a' }, data: { n: '0' } });
  await opened.cache.catchUp();
  return opened;
});

it('the writer applies all of 100 concurrent patches of one object', async () => {
  await Promise.all(Array.from({ length: 100 }, (_, i) => fixture().patch('configmaps', 'a', 'merge', { data: { [`k${i}`]: 'v' } })));
  // With `n`, which the object had before.
  expect(Object.keys(Object((await fixture().stored('configmaps', 'a'))?.['data']))).toHaveLength(100 + 1);
});

it('the writer accepts one of 20 concurrent PUTs of one resourceVersion', async () => {
  const version = String((await fixture().cache.readFromStore(fixture().resource('configmaps').stored, 'ns/a')).entry?.revision);
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) =>
      fixture().update('configmaps', 'a', { metadata: { name: 'a', resourceVersion: version }, data: { winner: String(i) } }),
    ),
  );
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: { code: 409 } });
});

it('the writer accepts one of 20 concurrent creates of one name', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => fixture().create('configmaps', { metadata: { name: 'new' } })));
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
});

describe('the writer with a stale cache', () => {
  it('accepts a PUT with the stored resourceVersion', async () => {
    const second = await fixture().patch('configmaps', 'a', 'merge', { data: { n: '1' } });
    const put = await fixture().update('configmaps', 'a', {
      metadata: { name: 'a', resourceVersion: String(second.entry.revision) },
      data: { n: '2' },
    });
    expect(put.object).toMatchObject({ data: { n: '2' } });
  });

  it('rejects a PUT with the cached resourceVersion as a conflict', async () => {
    const old = fixture().cache.get(fixture().resource('configmaps').stored, 'ns/a')?.revision;
    await fixture().patch('configmaps', 'a', 'merge', { data: { n: '1' } });
    const put = fixture().update('configmaps', 'a', { metadata: { name: 'a', resourceVersion: String(old) }, data: { n: '2' } });
    expect(await refusalStatus(put)).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(await fixture().stored('configmaps', 'a')).toMatchObject({ data: { n: '1' } });
  });

  it('patches and deletes an object that is not in the cache yet', async () => {
    await fixture().create('configmaps', { metadata: { name: 'late' } });
    expect(fixture().cache.get(fixture().resource('configmaps').stored, 'ns/late')).toBeUndefined();
    expect((await fixture().patch('configmaps', 'late', 'merge', { data: { x: 'y' } })).object).toMatchObject({ data: { x: 'y' } });
    await fixture().create('configmaps', { metadata: { name: 'later' } });
    expect(await fixture().remove('configmaps', 'later')).toMatchObject({ type: 'status' });
  });

  it('creates an object that is deleted but still in the cache', async () => {
    await fixture().remove('configmaps', 'a');
    expect(fixture().cache.get(fixture().resource('configmaps').stored, 'ns/a')).toBeDefined();
    expect((await fixture().create('configmaps', { metadata: { name: 'a' } })).created).toBe(true);
  });

  it('stores an update that equals the cached object but not the stored one', async () => {
    await fixture().patch('configmaps', 'a', 'merge', { data: { n: '1' } });
    const back = await fixture().update('configmaps', 'a', { metadata: { name: 'a' }, data: { n: '0' } });
    expect(objectOf(back.entry)).toMatchObject({ data: { n: '0' } });
    expect(await fixture().stored('configmaps', 'a')).toMatchObject({ data: { n: '0' } });
  });

  it('evaluates the test operation of a JSON patch on the stored object', async () => {
    await fixture().patch('configmaps', 'a', 'merge', { data: { n: '1' } });
    const swap = [
      { op: 'test', path: '/data/n', value: '1' },
      { op: 'replace', path: '/data/n', value: '2' },
    ];
    expect((await fixture().patch('configmaps', 'a', 'json', swap)).object).toMatchObject({ data: { n: '2' } });
    expect(await refusalStatus(fixture().patch('configmaps', 'a', 'json', swap))).toMatchObject({ code: 422 });
  });

  it('compares the resourceVersion precondition of a delete with the stored object', async () => {
    const second = await fixture().patch('configmaps', 'a', 'merge', { data: { n: '1' } });
    const resourceVersion = String(second.entry.revision);
    expect(await refusalStatus(fixture().remove('configmaps', 'a', { preconditions: { resourceVersion: '1' } }))).toMatchObject({
      code: 409,
    });
    expect(await fixture().remove('configmaps', 'a', { preconditions: { resourceVersion } })).toMatchObject({ type: 'status' });
  });

  it('reads from the store when the cache cannot catch up', async () => {
    await fixture().create('configmaps', { metadata: { name: 'late' } });
    fixture().cache.isStuck = true;
    expect((await fixture().patch('configmaps', 'late', 'merge', { data: { x: 'y' } })).object).toMatchObject({ data: { x: 'y' } });
    expect(await refusalStatus(fixture().patch('configmaps', 'none', 'merge', {}))).toMatchObject({ code: 404 });
    expect(await refusalStatus(fixture().create('configmaps', { metadata: { name: 'x' } }, { namespace: 'none' }))).toMatchObject({
      code: 404,
    });
  });
});

it('the writer responds 504 at the deadline when every attempt conflicts', async () => {
  const transact = fixture().store.transact.bind(fixture().store);
  let rounds = 0;
  // Another writer is always first, and each attempt takes a second, up to 50 attempts.
  jest.spyOn(fixture().store, 'transact').mockImplementation(async (transaction) => {
    const object = transaction.compare[0]?.key ?? '';
    const { kv } = await fixture().store.get(object);
    if (kv !== undefined && rounds++ < 50) {
      fixture().store.put(object, kv.value);
      fixture().clock.advance(1_000);
    }
    return transact(transaction);
  });
  expect(await refusalStatus(fixture().patch('configmaps', 'a', 'merge', { data: { n: '9' } }))).toMatchObject({
    code: 504,
    reason: 'Timeout',
  });
  // The deadline of a write is after 34 seconds.
  expect(rounds).toBeLessThan(40);
});
