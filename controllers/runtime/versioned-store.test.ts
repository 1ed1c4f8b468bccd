import type { CoreV1ConfigMap } from '../../shared/api/types/generated/members';
import { InformerPool } from '../../shared/client/informer/informer-pool';
import { apiObject } from '../../shared/client/rest/api-object';
import type { ConfigMap } from '../../shared/client/rest/typed-objects';
import { resourceOf } from '../../shared/client/rest/resource';
import { silentLogger } from '../../shared/runtime/logger';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { VersionedStore } from './versioned-store';

const MAPS = '/api/v1/configmaps';
const version = (resourceVersion: string, uid = 'u'): ConfigMap =>
  apiObject({ metadata: { namespace: 'n', name: 'm', uid, resourceVersion } });

async function startStore() {
  const { api, client, clock, random } = fakeClient();
  api.put(MAPS, { metadata: { namespace: 'n', name: 'm', uid: 'u' } });
  const end = new AbortController();
  const informer = new InformerPool({ client, clock, random, logger: silentLogger }, end.signal).of(resourceOf('core.v1.ConfigMap'));
  const changes: (readonly (string | undefined)[])[] = [];
  const store = new VersionedStore<CoreV1ConfigMap>(informer, {
    onChange: (previous, current) => void changes.push([previous?.resourceVersion, current?.resourceVersion]),
  });
  await clock.advanceAsync(0);
  changes.length = 0;
  const stop = async (): Promise<void> => {
    store.end();
    end.abort();
    await clock.advanceAsync(0);
  };
  return { api, clock, store, changes, stop, first: String(api.version) };
}

describe('VersionedStore', () => {
  test('takes newer versions and keeps them when older ones arrive', async () => {
    const { store, changes, stop, first } = await startStore();
    store.set(version('900'));
    store.set(version('899'));
    store.set(version('900'));
    store.set(version('1000'));
    expect(changes).toEqual([
      [first, '900'],
      ['900', '1000'],
    ]);
    await stop();
  });

  test('removes an object when it is deleted, but not a later one of the name', async () => {
    const { store, changes, stop, first } = await startStore();
    store.remove(version('900', 'earlier'));
    expect(store.get('n/m')?.resourceVersion).toBe(first);
    store.remove(version('900'));
    expect(store.get('n/m')).toBeUndefined();
    expect(changes).toEqual([[first, undefined]]);
    await stop();
  });

  test('dropIfDeleted removes an object whose deletion came before the response to a write', async () => {
    const { api, clock, store, changes, stop } = await startStore();
    api.remove(MAPS, 'n', 'm');
    await clock.advanceAsync(0);
    store.set(version('900'));
    expect(store.dropIfDeleted(version('900'))).toBe(true);
    expect(store.get('n/m')).toBeUndefined();
    expect(changes.at(-1)).toEqual(['900', undefined]);
    api.put(MAPS, { metadata: { namespace: 'n', name: 'm', uid: 'v' } });
    await clock.advanceAsync(0);
    expect(store.dropIfDeleted(version('901', 'v'))).toBe(false);
    expect(store.get('n/m')?.uid).toBe('v');
    await stop();
  });
});
