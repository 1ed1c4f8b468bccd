/** Deletes of single objects and of collections through the writer, without HTTP. */
import { objectOf, refusalStatus, openWriteFixture, type WriteFixture } from '../../../test/support/store/write-fixture';
import type { JsonObject } from '../../../shared/values/json';
import type { Entry } from '../../cache/cache';
import type { DeleteOptions, ListPage } from '../verbs';
import { useForEachTest } from '../../../test/support/use-resource';

const fixture = useForEachTest(() => openWriteFixture());

const pod = (name: string, nodeName?: string): JsonObject => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...(nodeName === undefined ? {} : { nodeName }) },
});

/** Deletes an object; returns the object of the response and its revision. */
async function removeObject(resource: string, name: string, options?: Partial<DeleteOptions>) {
  const result = await fixture().remove(resource, name, options);
  if (result.type !== 'object') throw new Error('the response has no object');
  return { object: objectOf(result.entry), revision: result.entry.revision };
}

describe('delete', () => {
  it('returns a Status for a ConfigMap', async () => {
    await fixture().create('configmaps', { metadata: { name: 'a' } });
    expect(await fixture().remove('configmaps', 'a')).toEqual({
      type: 'status',
      code: 200,
      status: expect.objectContaining({ status: 'Success', details: { name: 'a', kind: 'configmaps', uid: expect.any(String) } }),
    });
  });

  it('returns a ServiceAccount with the revision of its removal', async () => {
    const { entry } = await fixture().create('serviceaccounts', { metadata: { name: 's' } });
    const { object, revision } = await removeObject('serviceaccounts', 's');
    expect(revision).toBeGreaterThan(entry.revision);
    expect(revision).toBe(fixture().store.currentRevision);
    expect(object).toMatchObject({ metadata: { name: 's', resourceVersion: String(revision) } });
  });

  it('removes an object in one transaction', async () => {
    await fixture().create('configmaps', { metadata: { name: 'a' } });
    await fixture().cache.catchUp();
    const before = fixture().store.calls.transact;
    await fixture().remove('configmaps', 'a');
    expect(fixture().store.calls.transact - before).toBe(1);
    expect(await fixture().stored('configmaps', 'a')).toBeUndefined();
  });

  it('fails with 404 for an object that has been deleted', async () => {
    await fixture().create('configmaps', { metadata: { name: 'a' } });
    await fixture().remove('configmaps', 'a');
    expect(await refusalStatus(fixture().remove('configmaps', 'a'))).toMatchObject({ code: 404 });
  });
});

describe('delete of a Pod', () => {
  it('marks it as terminating in a separate transaction before it removes it', async () => {
    await fixture().create('pods', pod('p'));
    await fixture().cache.catchUp();
    const before = fixture().store.calls.transact;
    const { object, revision } = await removeObject('pods', 'p');
    expect(fixture().store.calls.transact - before).toBe(2);
    expect(revision).toBe(fixture().store.currentRevision);
    expect(object).toMatchObject({ metadata: { deletionTimestamp: '2026-01-02T03:04:05Z', deletionGracePeriodSeconds: 0 } });
    const { kv: marked } = await fixture().store.get('/registry/pods/ns/p', { revision: revision - 1 });
    expect(marked?.value.toString()).toContain('deletionGracePeriodSeconds');
    expect((await fixture().store.get('/registry/pods/ns/p')).kv).toBeUndefined();
  });

  it('gives it a grace period of 30 s when it is scheduled', async () => {
    await fixture().create('pods', pod('p', 'node'));
    const { object } = await removeObject('pods', 'p');
    // The clock of the fixture is at 03:04:05.
    expect(object).toMatchObject({ metadata: { deletionTimestamp: '2026-01-02T03:04:35Z', deletionGracePeriodSeconds: 30 } });
  });

  it('does not change it when it asks for a longer grace period', async () => {
    await fixture().create('pods', pod('p', 'node'));
    const { revision } = await removeObject('pods', 'p');
    fixture().clock.advance(5_000);
    expect((await removeObject('pods', 'p', { gracePeriodSeconds: 50 })).revision).toBe(revision);
  });

  it('shortens its grace period, counted from the first delete', async () => {
    await fixture().create('pods', pod('p', 'node'));
    await fixture().remove('pods', 'p');
    fixture().clock.advance(5_000);
    const { object } = await removeObject('pods', 'p', { gracePeriodSeconds: 10 });
    expect(object).toMatchObject({ metadata: { deletionTimestamp: '2026-01-02T03:04:15Z', deletionGracePeriodSeconds: 10 } });
  });

  it('removes it at once with the grace period 0', async () => {
    await fixture().create('pods', pod('p', 'node'));
    await fixture().remove('pods', 'p');
    expect(await fixture().remove('pods', 'p', { gracePeriodSeconds: 0 })).toMatchObject({ type: 'object', code: 200 });
    expect(await fixture().stored('pods', 'p')).toBeUndefined();
  });

  it('removes it at once when it is not scheduled', async () => {
    await fixture().create('pods', pod('p'));
    await fixture().remove('pods', 'p', { gracePeriodSeconds: 5 });
    expect(await fixture().stored('pods', 'p')).toBeUndefined();
  });

  it('removes it at once when it has finished', async () => {
    await fixture().create('pods', pod('p', 'node'));
    await fixture().patch('pods', 'p', 'merge', { status: { phase: 'Succeeded' } }, { subresource: 'status' });
    await fixture().remove('pods', 'p');
    expect(await fixture().stored('pods', 'p')).toBeUndefined();
  });

  it('keeps it while it has a finalizer, even with the grace period 0', async () => {
    await fixture().create('pods', { ...pod('p', 'node'), metadata: { name: 'p', finalizers: ['x.y/z'] } });
    await fixture().remove('pods', 'p');
    await fixture().remove('pods', 'p', { gracePeriodSeconds: 0 });
    expect(await fixture().stored('pods', 'p')).toMatchObject({ metadata: { deletionGracePeriodSeconds: 0, finalizers: ['x.y/z'] } });
    await fixture().patch('pods', 'p', 'merge', { metadata: { finalizers: null } });
    expect(await fixture().stored('pods', 'p')).toBeUndefined();
  });
});

describe('delete of a Namespace', () => {
  it('is forbidden when it is protected', async () => {
    await fixture().create('namespaces', { metadata: { name: 'default' } });
    expect(await refusalStatus(fixture().remove('namespaces', 'default'))).toMatchObject({
      code: 403,
      message: 'namespaces "default" is forbidden: this namespace may not be deleted',
    });
  });

  it('makes it Terminating, and does not change it again', async () => {
    const { object, revision } = await removeObject('namespaces', 'ns');
    expect(object).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) }, status: { phase: 'Terminating' } });
    expect(object).not.toHaveProperty('metadata.deletionGracePeriodSeconds');
    expect((await removeObject('namespaces', 'ns')).revision).toBe(revision);
  });

  it('is completed by the update of its subresource finalize', async () => {
    await fixture().remove('namespaces', 'ns');
    await fixture().update('namespaces', 'ns', { metadata: { name: 'ns' } }, { subresource: 'finalize' });
    expect(await fixture().stored('namespaces', 'ns')).toBeUndefined();
  });
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
