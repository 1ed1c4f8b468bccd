/** The etcd store fulfils the store contract. Runs against a real etcd. */
import { openEtcdStore } from '../etcd/open';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { describeWithEtcd, startEtcd } from '../../../test/support/external/etcd';
import { describeStore } from './suite';

describeWithEtcd('the etcd store', () => {
  describeStore('the etcd store', {
    async create() {
      const server = await startEtcd();
      const openStore = () => openEtcdStore({ endpoints: [server.endpoint], clock: systemClock, random: systemRandom });
      let store = await openStore();
      return {
        store,
        restart: async () => {
          await store.close();
          await server.kill();
          await server.restart();
          store = await openStore();
          return store;
        },
        advance: (seconds) => systemClock.sleep(seconds * 1_000),
        dispose: async () => {
          await store.close();
          await server.dispose();
        },
      };
    },
  });
});
