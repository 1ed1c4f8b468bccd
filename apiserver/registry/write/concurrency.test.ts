/** Races between writers, and writers whose cache is behind: nothing is lost, and no refusal rests on what is old. */
import { objectOf, refusal, writeFixture, type Fixture } from '../../../test/support/write-fixture';

let f: Fixture;
beforeEach(async () => {
  f = await writeFixture();
  await f.create('configmaps', { metadata: { name: 'a' }, data: { n: '0' } });
  await f.cache.catchUp();
});

it('applies 100 patches of one object at a time, all of them', async () => {
  await Promise.all(Array.from({ length: 100 }, (_, i) => f.patch('configmaps', 'a', 'merge', { data: { [`k${i}`]: 'v' } })));
  expect(Object.keys(Object((await f.stored('configmaps', 'a'))?.['data']))).toHaveLength(101);
});

it('lets one of many PUTs of one version win', async () => {
  const version = String((await f.cache.read(f.resource('configmaps').stored, 'ns/a')).entry?.revision);
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) =>
      f.update('configmaps', 'a', { metadata: { name: 'a', resourceVersion: version }, data: { winner: String(i) } }),
    ),
  );
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: { code: 409 } });
});

it('lets one of many creations win', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => f.create('configmaps', { metadata: { name: 'new' } })));
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
});

describe('with a cache that is behind', () => {
  it('takes a PUT of the version that the store has', async () => {
    const second = await f.patch('configmaps', 'a', 'merge', { data: { n: '1' } });
    const put = await f.update('configmaps', 'a', {
      metadata: { name: 'a', resourceVersion: String(second.entry.revision) },
      data: { n: '2' },
    });
    expect(put.object).toMatchObject({ data: { n: '2' } });
  });

  it('refuses a PUT of the version that the cache still has', async () => {
    const old = f.cache.get(f.resource('configmaps').stored, 'ns/a')?.revision;
    await f.patch('configmaps', 'a', 'merge', { data: { n: '1' } });
    const put = f.update('configmaps', 'a', { metadata: { name: 'a', resourceVersion: String(old) }, data: { n: '2' } });
    expect(await refusal(put)).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(await f.stored('configmaps', 'a')).toMatchObject({ data: { n: '1' } });
  });

  it('finds what was created behind its back', async () => {
    await f.create('configmaps', { metadata: { name: 'late' } });
    expect(f.cache.get(f.resource('configmaps').stored, 'ns/late')).toBeUndefined();
    expect((await f.patch('configmaps', 'late', 'merge', { data: { x: 'y' } })).object).toMatchObject({ data: { x: 'y' } });
    await f.create('configmaps', { metadata: { name: 'later' } });
    expect(await f.remove('configmaps', 'later')).toMatchObject({ type: 'status' });
  });

  it('creates again what was deleted behind its back', async () => {
    await f.remove('configmaps', 'a');
    expect(f.cache.get(f.resource('configmaps').stored, 'ns/a')).toBeDefined();
    expect((await f.create('configmaps', { metadata: { name: 'a' } })).created).toBe(true);
  });

  it('writes what only looks like no change', async () => {
    await f.patch('configmaps', 'a', 'merge', { data: { n: '1' } });
    const back = await f.update('configmaps', 'a', { metadata: { name: 'a' }, data: { n: '0' } });
    expect(objectOf(back.entry)).toMatchObject({ data: { n: '0' } });
    expect(await f.stored('configmaps', 'a')).toMatchObject({ data: { n: '0' } });
  });

  it('judges a test operation by what is stored', async () => {
    await f.patch('configmaps', 'a', 'merge', { data: { n: '1' } });
    const swap = [
      { op: 'test', path: '/data/n', value: '1' },
      { op: 'replace', path: '/data/n', value: '2' },
    ];
    expect((await f.patch('configmaps', 'a', 'json', swap)).object).toMatchObject({ data: { n: '2' } });
    expect(await refusal(f.patch('configmaps', 'a', 'json', swap))).toMatchObject({ code: 422 });
  });

  it('deletes by the version that the store has', async () => {
    const second = await f.patch('configmaps', 'a', 'merge', { data: { n: '1' } });
    const resourceVersion = String(second.entry.revision);
    expect(await refusal(f.remove('configmaps', 'a', { preconditions: { resourceVersion: '1' } }))).toMatchObject({ code: 409 });
    expect(await f.remove('configmaps', 'a', { preconditions: { resourceVersion } })).toMatchObject({ type: 'status' });
  });

  it('asks the store itself when the cache cannot catch up', async () => {
    await f.create('configmaps', { metadata: { name: 'late' } });
    f.cache.stuck = true;
    expect((await f.patch('configmaps', 'late', 'merge', { data: { x: 'y' } })).object).toMatchObject({ data: { x: 'y' } });
    expect(await refusal(f.patch('configmaps', 'none', 'merge', {}))).toMatchObject({ code: 404 });
    expect(await refusal(f.create('configmaps', { metadata: { name: 'x' } }, { namespace: 'none' }))).toMatchObject({ code: 404 });
  });
});

it('gives up at the deadline when others always win', async () => {
  const transact = f.store.transact.bind(f.store);
  let rounds = 0;
  jest.spyOn(f.store, 'transact').mockImplementation(async (transaction) => {
    const object = transaction.compare[0]?.key ?? '';
    const { kv } = await f.store.get(object);
    if (kv !== undefined && rounds++ < 50) {
      f.store.put(object, kv.value);
      f.clock.advance(1_000);
    }
    return transact(transaction);
  });
  expect(await refusal(f.patch('configmaps', 'a', 'merge', { data: { n: '9' } }))).toMatchObject({ code: 504, reason: 'Timeout' });
  expect(rounds).toBeLessThan(40);
});
