/** Which keys a backup includes; the keys of running servers are those that a real server writes. */
import { startFixture } from '../../test/integration/http/fixture';
import { waitUntil } from '../../test/support/programs';
import { MemoryStore } from '../../test/support/store/memory-store';
import { ALLOCATIONS } from '../allocation/service-allocator';
import { QUOTA_GUARD_PREFIX } from '../admission/plugins/quota/quota-guards';
import { buildResources } from '../registry/resources';
import { STORED_KINDS, SERVED_KINDS } from '../../shared/api/kinds';
import { REPLICAS } from '../reconcilers/replicas/replicas';
import { isIncludedKey } from './excluded-keys';

describe('a backup', () => {
  it.each(['pods/a/b', `${ALLOCATIONS}ips/10.0.0.1`, `${QUOTA_GUARD_PREFIX}a`, 'ticks/a/b', 'compaction/a'])('includes %s', (key) => {
    expect(isIncludedKey(key)).toBe(true);
  });

  it.each(['tick', 'compaction', `${REPLICAS}10.0.0.1:6443`])('excludes %s', (key) => {
    expect(isIncludedKey(key)).toBe(false);
  });

  it('excludes every other key that a running server writes', async () => {
    const store = new MemoryStore();
    const fixture = await startFixture({}, { store });
    const segments = buildResources(SERVED_KINDS, STORED_KINDS).storedTypes.map(({ segment }) => `${segment}/`);
    /** The keys that are neither objects, allocations nor quota guards. */
    const otherKeys = async (): Promise<string[]> => {
      const { kvs } = await store.range({ start: '/registry/', end: '/registry0', keysOnly: true });
      const keys = kvs.map(({ key }) => key.slice('/registry/'.length));
      return keys.filter((key) => ![...segments, ALLOCATIONS, QUOTA_GUARD_PREFIX].some((start) => key.startsWith(start)));
    };
    try {
      await waitUntil('the lease of the audit of allocations', async () => (await otherKeys()).includes('allocation-audit'));
      expect((await otherKeys()).filter((key) => isIncludedKey(key))).toEqual([]);
    } finally {
      await fixture.stop();
    }
  });
});
