/** Gets: at which state an object is read, and what happens when neither cache nor store has that state. */
import { flushPromises } from '../../../test/support/clock/manual-clock';
import { configMaps, failureOf, namespaces, ReaderFixture, tooLargeResourceVersion } from '../../../test/support/store/reader-fixture';
import { StoreError } from '../../storage/store';
import { useForEachTest } from '../../../test/support/use-resource';

const fixture = useForEachTest(
  () => ReaderFixture.open(),
  (opened) => opened.close(),
);

describe('get', () => {
  test('without a resourceVersion reads the store revision once and waits for it', async () => {
    fixture().hold();
    fixture().tick();
    const revision = fixture().put('a/c1');
    const got = fixture().reader.get(fixture().context, configMaps, { namespace: 'a', name: 'c1' }, undefined);
    await flushPromises();
    fixture().catchUp();
    await expect(got).resolves.toMatchObject({ key: 'a/c1', revision });
    expect(fixture().lookups()).toBe(1);
  });

  test('without a resourceVersion reads no store revision when the store reports it synchronously and the cache has it', async () => {
    const now = fixture().put('a/c1');
    fixture().store.enableRevisionSync();
    expect(await fixture().reader.get(fixture().context, configMaps, { namespace: 'a', name: 'c1' }, undefined)).toMatchObject({
      revision: now,
    });
    expect(fixture().lookups()).toBe(0);
    fixture().hold();
    const later = fixture().put('a/c1');
    const got = fixture().reader.get(fixture().context, configMaps, { namespace: 'a', name: 'c1' }, undefined);
    await flushPromises();
    fixture().catchUp();
    await expect(got).resolves.toMatchObject({ revision: later });
    expect(fixture().lookups()).toBe(1);
  });

  test('at resourceVersion 0 returns the cached object without a store call', async () => {
    fixture().store.failure = new StoreError('unavailable', 'gone');
    expect(await fixture().reader.get(fixture().context, configMaps, { namespace: 'a', name: 'c1' }, 0)).toMatchObject({
      key: 'a/c1',
      revision: 101,
    });
    expect(fixture().lookups()).toBe(0);
  });

  test('at a resourceVersion waits until the cache reaches it', async () => {
    const got = fixture().reader.get(fixture().context, configMaps, { namespace: 'a', name: 'c1' }, 106);
    await flushPromises();
    const revision = fixture().put('a/c1');
    await expect(got).resolves.toMatchObject({ key: 'a/c1', revision });
  });

  test('at a future resourceVersion fails with 504 after 3 s', async () => {
    const got = fixture().reader.get(fixture().context, configMaps, { namespace: 'a', name: 'c1' }, 999);
    let isDone = false;
    got.catch(() => undefined).finally(() => (isDone = true));
    await fixture().clock.advanceAsync(2_999);
    expect(isDone).toBe(false);
    expect(await failureOf(fixture().after(1, got))).toMatchObject(tooLargeResourceVersion(999, 105));
  });

  test('fails with 504 at the deadline of its request', async () => {
    fixture().context = { ...fixture().context, deadline: fixture().clock.monotonic() + 500 };
    expect(
      await failureOf(fixture().after(500, fixture().reader.get(fixture().context, configMaps, { namespace: 'a', name: 'c1' }, 999))),
    ).toMatchObject({ code: 504 });
  });

  test('of a cluster-scoped kind uses only the name', async () => {
    const revision = fixture().put('default', {}, namespaces);
    expect(await fixture().reader.get(fixture().context, namespaces, { namespace: '', name: 'default' }, undefined)).toMatchObject({
      key: 'default',
      revision,
    });
  });

  test('of an absent object fails with 404', async () => {
    const error = await failureOf(fixture().reader.get(fixture().context, configMaps, { namespace: 'a', name: 'none' }, undefined));
    expect(error.status).toMatchObject({
      code: 404,
      message: 'configmaps "none" not found',
      details: { name: 'none', kind: 'configmaps' },
    });
  });

  test('reads from the store while the cache lags behind', async () => {
    fixture().hold();
    const revision = fixture().put('a/c1');
    const got = fixture().reader.get(fixture().context, configMaps, { namespace: 'a', name: 'c1' }, undefined);
    expect(await fixture().after(3_000, got)).toMatchObject({ key: 'a/c1', revision });
  });

  test('fails with 504 when the store is unreachable', async () => {
    fixture().store.failure = new StoreError('unavailable', 'no member answers');
    expect(await failureOf(fixture().reader.get(fixture().context, configMaps, { namespace: 'a', name: 'c1' }, undefined))).toMatchObject({
      code: 504,
      reason: 'Timeout',
    });
  });
});

describe('while the cache is loading', () => {
  const refused = {
    code: 429,
    reason: 'TooManyRequests',
    message: 'storage is (re)initializing',
    status: { details: { retryAfterSeconds: 1 } },
  };

  test('get, list and watch are rejected with 429', async () => {
    fixture().store.failure = new StoreError('unavailable', 'not yet');
    await fixture().reopen();
    expect(await failureOf(fixture().reader.get(fixture().context, configMaps, { namespace: 'a', name: 'c1' }, 0))).toMatchObject(refused);
    expect(await failureOf(fixture().list({ resourceVersion: 0 }))).toMatchObject(refused);
    expect(await failureOf(fixture().watch({}))).toMatchObject(refused);
  });
});
