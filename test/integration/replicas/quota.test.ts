/**
 * Two replicas over one store create objects under one ResourceQuota concurrently: exactly as many succeed as the quota
 * allows. Over each kind of store; test/reliability/quota tests several processes, one of which is killed.
 */
import { prefixRange } from '../../../apiserver/storage/store';
import type { JsonObject } from '../../../shared/values/json';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { describeWithEtcd } from '../../support/external/etcd';
import { collectOutcomes, withReplicas, type StoreKind, type TwoReplicas } from './two-replicas';

/** The keys of the namespace `default`. */
const DEFAULT_NAMESPACE = prefixRange('default/');

/** Creates a ResourceQuota through the first replica and waits until the second knows it. */
async function createQuota({ first, second }: TwoReplicas, hard: JsonObject): Promise<void> {
  await first.create('resourcequotas', { metadata: { name: 'q' }, spec: { hard } });
  await second.cache.waitUntilFresh({ deadline: clock.monotonic() + 5_000 });
}

const pod = (name: string, cpu: string): JsonObject => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] },
});

function describeQuota(kind: StoreKind): void {
  describe(`two replicas on ${kind}`, () => {
    it('create exactly 50 of 200 objects under a quota of 50', async () => {
      await withReplicas(kind, async (replicas) => {
        await createQuota(replicas, { 'count/configmaps': '50' });
        const calls = Array.from({ length: 200 }, (_, n) => replicas.replicaFor(n).create('configmaps', { metadata: { name: `m${n}` } }));
        const { created, rejected } = await collectOutcomes(calls);
        expect([created.length, rejected.length]).toEqual([50, 150]);
        expect(new Set(rejected.map((text) => text.replace(/"m\d+"/, '"m"')))).toEqual(
          new Set([
            'configmaps "m" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=50, limited: count/configmaps=50',
          ]),
        );
      });
    }, 60_000);

    it('create an object in place of one that the other replica deleted', async () => {
      await withReplicas(kind, async (replicas) => {
        const { first, second } = replicas;
        await createQuota(replicas, { 'count/configmaps': '1' });
        await first.create('configmaps', { metadata: { name: 'm' } });
        await first.remove('configmaps', 'm');
        await expect(second.create('configmaps', { metadata: { name: 'again' } })).resolves.toBeDefined();
        await expect(first.create('configmaps', { metadata: { name: 'too-many' } })).rejects.toThrow('exceeded quota');
      });
    }, 60_000);

    it('use up the quota of a resource, but no more, with requests of several sizes', async () => {
      await withReplicas(kind, async (replicas) => {
        const { first, second } = replicas;
        await createQuota(replicas, { 'requests.cpu': '2', pods: '30' });
        const sizes = ['50m', '100m', '150m', '400m'];
        const calls = Array.from({ length: 60 }, (_, n) =>
          (n % 3 === 0 ? second : first).create('pods', pod(`p${n}`, sizes[n % sizes.length] ?? '50m')),
        );
        const { created, rejected } = await collectOutcomes(calls);
        expect(created.length + rejected.length).toBe(60);
        const pods = first.cache.snapshot(first.resources.require('pods').stored);
        const storedPods = [...pods.range(DEFAULT_NAMESPACE.start, DEFAULT_NAMESPACE.end)];
        expect(storedPods).toHaveLength(created.length);
        const used = storedPods.reduce((sum, entry) => sum + Number(/"cpu":"(\d+)m"/.exec(entry.bytes.toString())?.[1]), 0);
        expect(used).toBeLessThanOrEqual(2000);
        // What is left can be used to the last thousandth of a CPU.
        if (used < 2000) await second.create('pods', pod('last', `${2000 - used}m`));
        await expect(second.create('pods', pod('one-too-many', '1m'))).rejects.toThrow('exceeded quota');
      });
    }, 60_000);
  });
}

describeQuota('memory');
describeQuota('embedded');
describeWithEtcd('quotas on etcd', () => describeQuota('etcd'));
