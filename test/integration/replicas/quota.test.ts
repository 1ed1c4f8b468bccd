/**
 * Two replicas over one store create objects under one ResourceQuota concurrently: exactly as many succeed as the quota
 * allows. Over each kind of store; test/reliability/quota tests several processes, one of which is killed.
 */
import { prefixRange } from '../../../apiserver/storage/store';
import type { JsonObject } from '../../../shared/values/json';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { describeWithEtcd } from '../../support/external/etcd';
import { collectOutcomes, withReplicas, type StoreKind } from './two-replicas';

/** The keys of the namespace `default`. */
const DEFAULT_NAMESPACE = prefixRange('default/');

const quota = (hard: JsonObject): JsonObject => ({ metadata: { name: 'q' }, spec: { hard } });
const pod = (name: string, cpu: string): JsonObject => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] },
});

function describeQuota(kind: StoreKind): void {
  describe(`two replicas on ${kind}`, () => {
    it('create exactly 50 of 200 objects under a quota of 50', async () => {
      await withReplicas(kind, async ({ first, second, replicaFor }) => {
        await first.create('resourcequotas', quota({ 'count/configmaps': '50' }));
        await second.cache.waitUntilFresh({ deadline: clock.monotonic() + 5_000 });
        const calls = Array.from({ length: 200 }, (_, n) => replicaFor(n).create('configmaps', { metadata: { name: `m${n}` } }));
        const { created, rejected } = await collectOutcomes(calls);
        expect([created.length, rejected.length]).toEqual([50, 150]);
        expect(new Set(rejected.map((text) => text.replace(/"m\d+"/, '"m"')))).toEqual(
          new Set([
            'configmaps "m" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=50, limited: count/configmaps=50',
          ]),
        );
        // A deletion makes room for one object.
        const present = first.cache.snapshot(first.resources.require('configmaps').stored);
        const [firstEntry] = [...present.range(DEFAULT_NAMESPACE.start, DEFAULT_NAMESPACE.end)];
        await first.remove('configmaps', firstEntry?.key.slice(DEFAULT_NAMESPACE.start.length) ?? '');
        await expect(second.create('configmaps', { metadata: { name: 'again' } })).resolves.toBeDefined();
        await expect(first.create('configmaps', { metadata: { name: 'too-many' } })).rejects.toThrow('exceeded quota');
      });
    }, 60_000);

    it('never exceed the quota of a resource with requests of several sizes, and can use it up', async () => {
      await withReplicas(kind, async ({ first, second }) => {
        await first.create('resourcequotas', quota({ 'requests.cpu': '2', pods: '30' }));
        await second.cache.waitUntilFresh({ deadline: clock.monotonic() + 5_000 });
        const sizes = ['50m', '100m', '150m', '400m'];
        const calls = Array.from({ length: 60 }, (_, n) =>
          (n % 3 === 0 ? second : first).create('pods', pod(`p${n}`, sizes[n % sizes.length] ?? '50m')),
        );
        const { created, rejected } = await collectOutcomes(calls);
        expect(created.length + rejected.length).toBe(60);
        const pods = first.cache.snapshot(first.resources.require('pods').stored);
        const present = [...pods.range(DEFAULT_NAMESPACE.start, DEFAULT_NAMESPACE.end)];
        expect(present).toHaveLength(created.length);
        const used = present.reduce((sum, entry) => sum + Number(/"cpu":"(\d+)m"/.exec(entry.bytes.toString())?.[1]), 0);
        expect(used).toBeLessThanOrEqual(2000);
        // The rest can be used to the last thousandth.
        if (used < 2000) await second.create('pods', pod('rest', `${2000 - used}m`));
        await expect(second.create('pods', pod('beyond', '1m'))).rejects.toThrow('exceeded quota');
      });
    }, 60_000);
  });
}

describeQuota('memory');
describeQuota('embedded');
describeWithEtcd('quotas on etcd', () => describeQuota('etcd'));
