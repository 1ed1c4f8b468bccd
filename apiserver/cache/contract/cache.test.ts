/** The contract of the cache over every kind of store. */
import { openEtcdStore } from '../../storage/etcd/open';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { describeWithEtcd, startEtcd } from '../../../test/support/external/etcd';
import { openTemporaryEmbeddedStore, openMemoryStore, type OpenedStore } from '../../../test/support/store/open-stores';
import { useResource } from '../../../test/support/use-resource';
import { storePrefix } from '../../../test/support/store/cache-fixture';
import { describeCache } from './suite';

describe('cache over the memory store', () => describeCache(openMemoryStore, { historyRuns: 40 }));
describe('cache over the embedded store', () => describeCache(openTemporaryEmbeddedStore, { historyRuns: 4 }));

describeWithEtcd('cache over etcd', () => {
  const server = useResource(startEtcd, (started) => started.dispose());

  const openStore = async (): Promise<OpenedStore> => {
    const store = await openEtcdStore({ endpoints: [server().endpoint], clock: systemClock, random: systemRandom });
    const deleteAllKeys = async (): Promise<void> => {
      const { kvs } = await store.range({ start: storePrefix, end: `${storePrefix}~`, keysOnly: true });
      for (const { key } of kvs) await store.transact({ compare: [], operations: [{ type: 'delete', key }] });
    };
    await deleteAllKeys();
    return { store, dispose: () => store.close() };
  };
  describeCache(openStore, { historyRuns: 4 });
});
