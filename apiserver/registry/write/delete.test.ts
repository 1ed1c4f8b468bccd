import { objectOf, refusalStatus, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import type { JsonObject } from '../../../shared/values/json';
import type { Entry } from '../../cache/cache';
import type { ListPage } from '../verbs';
import { useForEachTest } from '../../../test/support/use-resource';

const fixture = useForEachTest(() => openWriteFixture());

const pod = (name: string, nodeName?: string): JsonObject => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...(nodeName === undefined ? {} : { nodeName }) },
});

it('delete returns a Status, or the object with the revision of its removal', async () => {
  await fixture().create('configmaps', { metadata: { name: 'a' } });
  expect(await fixture().remove('configmaps', 'a')).toEqual({
    type: 'status',
    code: 200,
    status: expect.objectContaining({ status: 'Success', details: { name: 'a', kind: 'configmaps', uid: expect.any(String) } }),
  });
  const { entry } = await fixture().create('serviceaccounts', { metadata: { name: 's' } });
  const removed = await fixture().remove('serviceaccounts', 's');
  if (removed.type !== 'object') throw new Error('no object');
  expect(removed.entry.revision).toBe(fixture().store.currentRevision);
  expect(objectOf(removed.entry)).toMatchObject({ metadata: { name: 's', resourceVersion: String(fixture().store.currentRevision) } });
  expect(removed.entry.revision).toBeGreaterThan(entry.revision);
});

it('delete removes an object in one transaction', async () => {
  await fixture().create('configmaps', { metadata: { name: 'a' } });
  await fixture().cache.catchUp();
  const before = fixture().store.calls.transact;
  await fixture().remove('configmaps', 'a');
  expect(fixture().store.calls.transact - before).toBe(1);
  expect(await refusalStatus(fixture().remove('configmaps', 'a'))).toMatchObject({ code: 404 });
});

it('delete marks a pod as terminating in a separate transaction before it removes it', async () => {
  await fixture().create('pods', pod('p'));
  await fixture().cache.catchUp();
  const before = fixture().store.calls.transact;
  const removed = await fixture().remove('pods', 'p');
  expect(fixture().store.calls.transact - before).toBe(2);
  if (removed.type !== 'object') throw new Error('no object');
  expect(removed.entry.revision).toBe(fixture().store.currentRevision);
  const mark = { deletionTimestamp: '2026-01-02T03:04:05Z', deletionGracePeriodSeconds: 0 };
  expect(objectOf(removed.entry)).toMatchObject({ metadata: mark });
  const marked = await fixture().store.get('/registry/pods/ns/p', { revision: fixture().store.currentRevision - 1 });
  expect(JSON.stringify(marked.kv?.value.toString())).toContain('deletionGracePeriodSeconds');
  expect((await fixture().store.get('/registry/pods/ns/p')).kv).toBeUndefined();
});

it('delete gives a scheduled pod its grace period, which later deletes can only shorten', async () => {
  await fixture().create('pods', pod('p', 'n1'));
  const first = await fixture().remove('pods', 'p');
  if (first.type !== 'object') throw new Error('no object');
  expect(objectOf(first.entry)).toMatchObject({
    metadata: { deletionTimestamp: '2026-01-02T03:04:35Z', deletionGracePeriodSeconds: 30 },
  });
  fixture().clock.advance(5_000);
  const longer = await fixture().remove('pods', 'p', { gracePeriodSeconds: 50 });
  expect(longer).toMatchObject({ entry: { revision: first.entry.revision } });
  const shorter = await fixture().remove('pods', 'p', { gracePeriodSeconds: 10 });
  if (shorter.type !== 'object') throw new Error('no object');
  expect(objectOf(shorter.entry)).toMatchObject({
    metadata: { deletionTimestamp: '2026-01-02T03:04:15Z', deletionGracePeriodSeconds: 10 },
  });
  const deleted = await fixture().remove('pods', 'p', { gracePeriodSeconds: 0 });
  expect(deleted).toMatchObject({ type: 'object', code: 200 });
  expect(await fixture().stored('pods', 'p')).toBeUndefined();
});

it('delete removes an unscheduled or finished pod at once', async () => {
  await fixture().create('pods', pod('p'));
  await fixture().remove('pods', 'p', { gracePeriodSeconds: 5 });
  expect(await fixture().stored('pods', 'p')).toBeUndefined();
  await fixture().create('pods', pod('q', 'n1'));
  await fixture().patch('pods', 'q', 'merge', { status: { phase: 'Succeeded' } }, { subresource: 'status' });
  await fixture().remove('pods', 'q');
  expect(await fixture().stored('pods', 'q')).toBeUndefined();
});

it('delete with grace period 0 keeps a pod that has a finalizer', async () => {
  await fixture().create('pods', { ...pod('p', 'n1'), metadata: { name: 'p', finalizers: ['x.y/z'] } });
  await fixture().remove('pods', 'p');
  await fixture().remove('pods', 'p', { gracePeriodSeconds: 0 });
  expect(await fixture().stored('pods', 'p')).toMatchObject({ metadata: { deletionGracePeriodSeconds: 0, finalizers: ['x.y/z'] } });
  await fixture().patch('pods', 'p', 'merge', { metadata: { finalizers: null } });
  expect(await fixture().stored('pods', 'p')).toBeUndefined();
});

it('delete of a protected namespace is forbidden', async () => {
  await fixture().create('namespaces', { metadata: { name: 'default' } });
  expect(await refusalStatus(fixture().remove('namespaces', 'default'))).toMatchObject({
    code: 403,
    message: 'namespaces "default" is forbidden: this namespace may not be deleted',
  });
});

it('delete makes a namespace Terminating, and finalize removes it', async () => {
  const first = await fixture().remove('namespaces', 'ns');
  if (first.type !== 'object') throw new Error('no object');
  expect(objectOf(first.entry)).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) }, status: { phase: 'Terminating' } });
  expect(objectOf(first.entry)).not.toHaveProperty('metadata.deletionGracePeriodSeconds');
  expect(await fixture().remove('namespaces', 'ns')).toMatchObject({ entry: { revision: first.entry.revision } });
  await fixture().update('namespaces', 'ns', { metadata: { name: 'ns' } }, { subresource: 'finalize' });
  expect(await fixture().stored('namespaces', 'ns')).toBeUndefined();
});

describe('deleteCollection', () => {
  const EVERYTHING = { selection: { hasFilters: false, matches: () => true } };

  /** A fixture with ConfigMaps `c0`, `c1` and so on, which its reader lists as one page. */
  async function openWithConfigMaps(count: number): Promise<{ readonly listing: WriteFixture; readonly entries: readonly Entry[] }> {
    const entries: Entry[] = [];
    const page = (): ListPage => ({ revision: listing.store.currentRevision, entries, continue: 'more' });
    const listing = await openWriteFixture({ list: () => Promise.resolve(page()) });
    for (let index = 0; index < count; index += 1)
      entries.push((await listing.create('configmaps', { metadata: { name: `c${index}` } })).entry);
    return { listing, entries };
  }

  it('deletes and returns the listed objects, also those that are gone already', async () => {
    const { listing, entries } = await openWithConfigMaps(40);
    await listing.remove('configmaps', 'c7');
    const { writer, context } = listing;
    const page = await writer.deleteCollection(context, listing.resource('configmaps'), 'ns', EVERYTHING, { dryRun: false });
    expect([...page.entries].map((entry) => entry.key)).toEqual(entries.map((entry) => entry.key));
    expect(page.continue).toBe('more');
    for (let index = 0; index < 40; index += 1) expect(await listing.stored('configmaps', `c${index}`)).toBeUndefined();
  });

  it('yields after each object of a dry run while its turn is over', async () => {
    const { listing } = await openWithConfigMaps(40);
    let requeues = 0;
    const requeue = async (): Promise<void> => void (requeues += 1);
    const context = { ...listing.context, isTurnOver: true, requeue };
    await listing.writer.deleteCollection(context, listing.resource('configmaps'), 'ns', EVERYTHING, { dryRun: true });
    expect(requeues).toBe(40);
  });

  it('fails with the first failed delete', async () => {
    const { listing } = await openWithConfigMaps(1);
    const options = { dryRun: false, preconditions: { uid: 'other' } };
    const deletion = listing.writer.deleteCollection(listing.context, listing.resource('configmaps'), 'ns', EVERYTHING, options);
    expect(await refusalStatus(deletion)).toMatchObject({ code: 409 });
    expect(await listing.stored('configmaps', 'c0')).toBeDefined();
  });
});
