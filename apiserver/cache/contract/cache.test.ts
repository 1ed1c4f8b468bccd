import { openEtcdStore } from '../../storage/etcd/open';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { describeWithEtcd, startEtcd } from '../../../test/support/etcd';
import { openEmbedded, openMemory } from '../../../test/support/open-stores';
import { useResource } from '../../../test/support/use-resource';
import { prefix } from '../../../test/support/cache-fixture';
import { cacheContract } from './suite';

describe('cache over the memory store', () => cacheContract(openMemory, 40));
describe('cache over the embedded store', () => cacheContract(openEmbedded, 4));

describeWithEtcd('cache over etcd', () => {
  const server = useResource(startEtcd, (started) => started.dispose());

  cacheContract(async () => {
    const store = await openEtcdStore({ endpoints: [server().endpoint], clock: systemClock, random: systemRandom });
    const empty = async (): Promise<void> => {
      const { kvs } = await store.range({ start: prefix, end: `${prefix}~`, keysOnly: true });
      for (const { key } of kvs) await store.transact({ compare: [], operations: [{ type: 'delete', key }] });
    };
    await empty();
    return { store, dispose: () => store.close() };
  }, 4);
});
