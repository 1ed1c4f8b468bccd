import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../storage/embedded/open';
import { openEtcdStore } from '../../storage/etcd/open';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { describeWithEtcd, startEtcd, type EtcdServer } from '../../../test/support/etcd';
import { MemoryStore } from '../../../test/support/memory-store';
import { prefix } from '../../../test/support/cache-fixture';
import { cacheContract } from './suite';

describe('cache over the memory store', () => {
  cacheContract(async () => {
    const store = new MemoryStore();
    return { store, dispose: () => store.close() };
  }, 40);
});

describe('cache over the embedded store', () => {
  cacheContract(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'cache-test-'));
    const store = await openEmbeddedStore({ directory, clock: systemClock, random: systemRandom });
    const dispose = async (): Promise<void> => {
      await store.close();
      await rm(directory, { recursive: true });
    };
    return { store, dispose };
  }, 4);
});

describeWithEtcd('cache over etcd', () => {
  let server: EtcdServer;

  beforeAll(async () => {
    server = await startEtcd();
  });

  afterAll(() => server.dispose());

  cacheContract(async () => {
    const store = await openEtcdStore({ endpoints: [server.endpoint], clock: systemClock, random: systemRandom });
    const empty = async (): Promise<void> => {
      const { kvs } = await store.range({ start: prefix, end: `${prefix}~`, keysOnly: true });
      for (const { key } of kvs) await store.transact({ compare: [], operations: [{ type: 'delete', key }] });
    };
    await empty();
    return { store, dispose: () => store.close() };
  }, 4);
});
