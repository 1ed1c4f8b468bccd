import { startFixture } from '../../test/integration/http/fixture';
import { waitUntil } from '../../test/support/programs';
import { MemoryStore } from '../../test/support/store/memory-store';
import { ALLOCATIONS } from '../allocation/service-allocator';
import { QUOTA_GUARD_PREFIX } from '../admission/plugins/quota/quota-guards';
import { buildResources } from '../registry/resources';
import { STORED_KINDS, SERVED_KINDS } from '../../shared/api/kinds';
import { REPLICAS } from '../reconcilers/replicas/replicas';
import { isIncludedKey, EXCLUDED_KEYS } from './excluded-keys';

describe('a backup', () => {
  it('includes objects, allocations and quota guards, and excludes the state of running servers', () => {
    for (const key of ['pods/a/b', `${ALLOCATIONS}ips/10.0.0.1`, `${QUOTA_GUARD_PREFIX}a`, 'ticks/a/b', 'compaction/a'])
      expect(isIncludedKey(key)).toBe(true);
    for (const key of ['tick', 'compaction', `${REPLICAS}10.0.0.1:6443`]) expect(isIncludedKey(key)).toBe(false);
  });

  it('excludes every other key that a running server writes', async () => {
    const store = new MemoryStore();
    const fixture = await startFixture({}, store);
    const segments = buildResources(SERVED_KINDS, STORED_KINDS).storedTypes.map(({ segment }) => `${segment}/`);
    const otherKeys = async (): Promise<string[]> => {
      const { kvs } = await store.range({ start: '/registry/', end: '/registry0', keysOnly: true });
      const keys = kvs.map(({ key }) => key.slice('/registry/'.length));
      return keys.filter((key) => ![...segments, ALLOCATIONS, QUOTA_GUARD_PREFIX].some((start) => key.startsWith(start)));
    };
    try {
      await waitUntil('the leases of the background work to be taken', async () =>
        (await otherKeys()).some((key) => key === 'allocation-audit'),
      );
      expect((await otherKeys()).filter((key) => isIncludedKey(key))).toEqual([]);
      expect(EXCLUDED_KEYS.every(({ reason }) => reason !== '')).toBe(true);
    } finally {
      await fixture.stop();
    }
  });
});
