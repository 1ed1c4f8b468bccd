import { objectOf, refusalStatus, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import type { ListPage } from '../verbs';

let f: WriteFixture;
beforeEach(async () => {
  f = await openWriteFixture();
});

const pod = (
  name: string,
  nodeName?: string,
): { metadata: { name: string }; spec: { [member: string]: string | { [member: string]: string }[] } } => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...(nodeName === undefined ? {} : { nodeName }) },
});

it('delete returns a Status, or the object with the revision of its removal', async () => {
  await f.create('configmaps', { metadata: { name: 'a' } });
  expect(await f.remove('configmaps', 'a')).toEqual({
    type: 'status',
    code: 200,
    status: expect.objectContaining({ status: 'Success', details: { name: 'a', kind: 'configmaps', uid: expect.any(String) } }),
  });
  const { entry } = await f.create('serviceaccounts', { metadata: { name: 's' } });
  const removed = await f.remove('serviceaccounts', 's');
  if (removed.type !== 'object') throw new Error('no object');
  expect(removed.entry.revision).toBe(f.store.currentRevision);
  expect(objectOf(removed.entry)).toMatchObject({ metadata: { name: 's', resourceVersion: String(f.store.currentRevision) } });
  expect(removed.entry.revision).toBeGreaterThan(entry.revision);
});

it('delete removes an object in one transaction', async () => {
  await f.create('configmaps', { metadata: { name: 'a' } });
  await f.cache.catchUp();
  const before = f.store.calls.transact;
  await f.remove('configmaps', 'a');
  expect(f.store.calls.transact - before).toBe(1);
  expect(await refusalStatus(f.remove('configmaps', 'a'))).toMatchObject({ code: 404 });
});

it('delete marks a pod as terminating in a separate transaction before it removes it', async () => {
  await f.create('pods', pod('p'));
  await f.cache.catchUp();
  const before = f.store.calls.transact;
  const removed = await f.remove('pods', 'p');
  expect(f.store.calls.transact - before).toBe(2);
  if (removed.type !== 'object') throw new Error('no object');
  expect(removed.entry.revision).toBe(f.store.currentRevision);
  const mark = { deletionTimestamp: '2026-01-02T03:04:05Z', deletionGracePeriodSeconds: 0 };
  expect(objectOf(removed.entry)).toMatchObject({ metadata: mark });
  const marked = await f.store.get('/registry/pods/ns/p', { revision: f.store.currentRevision - 1 });
  expect(JSON.stringify(marked.kv?.value.toString())).toContain('deletionGracePeriodSeconds');
  expect((await f.store.get('/registry/pods/ns/p')).kv).toBeUndefined();
});

it('delete gives a scheduled pod its grace period, which later deletes can only shorten', async () => {
  await f.create('pods', pod('p', 'n1'));
  const first = await f.remove('pods', 'p');
  if (first.type !== 'object') throw new Error('no object');
  expect(objectOf(first.entry)).toMatchObject({
    metadata: { deletionTimestamp: '2026-01-02T03:04:35Z', deletionGracePeriodSeconds: 30 },
  });
  f.clock.advance(5_000);
  const longer = await f.remove('pods', 'p', { gracePeriodSeconds: 50 });
  expect(longer).toMatchObject({ entry: { revision: first.entry.revision } });
  const shorter = await f.remove('pods', 'p', { gracePeriodSeconds: 10 });
  if (shorter.type !== 'object') throw new Error('no object');
  expect(objectOf(shorter.entry)).toMatchObject({
    metadata: { deletionTimestamp: '2026-01-02T03:04:15Z', deletionGracePeriodSeconds: 10 },
  });
  const deleted = await f.remove('pods', 'p', { gracePeriodSeconds: 0 });
  expect(deleted).toMatchObject({ type: 'object', code: 200 });
  expect(await f.stored('pods', 'p')).toBeUndefined();
});

it('delete removes an unscheduled or finished pod at once', async () => {
  await f.create('pods', pod('p'));
  await f.remove('pods', 'p', { gracePeriodSeconds: 5 });
  expect(await f.stored('pods', 'p')).toBeUndefined();
  await f.create('pods', pod('q', 'n1'));
  await f.patch('pods', 'q', 'merge', { status: { phase: 'Succeeded' } }, { subresource: 'status' });
  await f.remove('pods', 'q');
  expect(await f.stored('pods', 'q')).toBeUndefined();
});

it('delete with grace period 0 keeps a pod that has a finalizer', async () => {
  await f.create('pods', { ...pod('p', 'n1'), metadata: { name: 'p', finalizers: ['x.y/z'] } });
  await f.remove('pods', 'p');
  await f.remove('pods', 'p', { gracePeriodSeconds: 0 });
  expect(await f.stored('pods', 'p')).toMatchObject({ metadata: { deletionGracePeriodSeconds: 0, finalizers: ['x.y/z'] } });
  await f.patch('pods', 'p', 'merge', { metadata: { finalizers: null } });
  expect(await f.stored('pods', 'p')).toBeUndefined();
});

it('delete of a protected namespace is forbidden', async () => {
  await f.create('namespaces', { metadata: { name: 'default' } });
  expect(await refusalStatus(f.remove('namespaces', 'default'))).toMatchObject({
    code: 403,
    message: 'namespaces "default" is forbidden: this namespace may not be deleted',
  });
});

it('delete makes a namespace Terminating, and finalize removes it', async () => {
  const first = await f.remove('namespaces', 'ns');
  if (first.type !== 'object') throw new Error('no object');
  expect(objectOf(first.entry)).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) }, status: { phase: 'Terminating' } });
  expect(objectOf(first.entry)).not.toHaveProperty('metadata.deletionGracePeriodSeconds');
  expect(await f.remove('namespaces', 'ns')).toMatchObject({ entry: { revision: first.entry.revision } });
  await f.update('namespaces', 'ns', { metadata: { name: 'ns' } }, { subresource: 'finalize' });
  expect(await f.stored('namespaces', 'ns')).toBeUndefined();
});

describe('deleteCollection', () => {
  it('deletes and returns the listed objects', async () => {
    const listed: ListPage[] = [];
    const g = await openWriteFixture({
      list: () => {
        const page = listed[0];
        return page === undefined ? Promise.reject(new Error('no page')) : Promise.resolve(page);
      },
    });
    const entries = [];
    for (let i = 0; i < 40; i++) entries.push((await g.create('configmaps', { metadata: { name: `c${i}` } })).entry);
    await g.remove('configmaps', 'c7');
    listed.push({ revision: g.store.currentRevision, entries, continue: 'more' });
    const selection = { hasFilters: false, matches: () => true };
    const page = await g.writer.deleteCollection(g.context, g.resource('configmaps'), 'ns', { selection }, { dryRun: false });
    expect([...page.entries].map((entry) => entry.key)).toEqual(entries.map((entry) => entry.key));
    expect(page.continue).toBe('more');
    for (let i = 0; i < 40; i++) expect(await g.stored('configmaps', `c${i}`)).toBeUndefined();
  });

  it('yields after each object of a dry run', async () => {
    const listed: ListPage[] = [];
    const g = await openWriteFixture({ list: () => Promise.resolve(listed[0] ?? { revision: 0, entries: [] }) });
    const entries = [];
    for (let i = 0; i < 40; i++) entries.push((await g.create('configmaps', { metadata: { name: `c${i}` } })).entry);
    listed.push({ revision: g.store.currentRevision, entries });
    let requeues = 0;
    const requeue = async (): Promise<void> => void (requeues += 1);
    const context = { ...g.context, isTurnOver: true, requeue };
    const selection = { hasFilters: false, matches: () => true };
    await g.writer.deleteCollection(context, g.resource('configmaps'), 'ns', { selection }, { dryRun: true });
    expect(requeues).toBe(40);
  });

  it('fails with the first failed delete', async () => {
    const listed: ListPage[] = [];
    const g = await openWriteFixture({ list: () => Promise.resolve(listed[0] ?? { revision: 0, entries: [] }) });
    const { entry } = await g.create('configmaps', { metadata: { name: 'a' } });
    listed.push({ revision: g.store.currentRevision, entries: [entry] });
    const call = g.writer.deleteCollection(
      g.context,
      g.resource('configmaps'),
      'ns',
      { selection: { hasFilters: false, matches: () => true } },
      { dryRun: false, preconditions: { uid: 'other' } },
    );
    expect(await refusalStatus(call)).toMatchObject({ code: 409 });
    expect(await g.stored('configmaps', 'a')).toBeDefined();
  });
});
