/**
 * Two replicas over one store create under the same quota at the same time: exactly as many get through as there is room for. On every store; what several
 * processes make of it while one of them is killed is in test/reliability/quota.
 */
import type { JsonObject } from '../../../shared/values/json';
import { StatusError } from '../../../shared/api/errors/status';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { describeWithEtcd } from '../../support/etcd';
import { openEmbedded, openEtcd, openMemory } from '../../support/open-stores';
import { openReplica, type Replica } from '../../support/replica';

const STORES = { memory: openMemory, embedded: openEmbedded, etcd: openEtcd };

async function both(kind: keyof typeof STORES, run: (replicas: readonly [Replica, Replica]) => Promise<void>): Promise<void> {
  const { store, dispose } = await STORES[kind]();
  const [one, two] = await Promise.all([openReplica(store, clock), openReplica(store, clock)]);
  try {
    await one.create('namespaces', { metadata: { name: 'default' } });
    await run([one, two]);
  } finally {
    await one.cache.close();
    await two.cache.close();
    await dispose();
  }
}

interface Outcome {
  readonly made: number;
  readonly refused: readonly string[];
}

async function outcome(calls: readonly Promise<JsonObject>[]): Promise<Outcome> {
  let made = 0;
  const refused: string[] = [];
  for (const result of await Promise.allSettled(calls)) {
    if (result.status === 'fulfilled') made += 1;
    else if (result.reason instanceof StatusError) refused.push(result.reason.message);
    else throw result.reason;
  }
  return { made, refused };
}

const quota = (hard: JsonObject): JsonObject => ({ metadata: { name: 'q' }, spec: { hard } });
const pod = (name: string, cpu: string): JsonObject => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] },
});

function describeQuota(kind: keyof typeof STORES): void {
  describe(`two replicas on ${kind}`, () => {
    it('create exactly 50 of 200 objects under a quota of 50', async () => {
      await both(kind, async ([one, two]) => {
        await one.create('resourcequotas', quota({ 'count/configmaps': '50' }));
        await two.cache.waitUntilFresh({ deadline: clock.monotonic() + 5_000 });
        const calls = Array.from({ length: 200 }, (_, n) =>
          (n % 2 === 0 ? one : two).create('configmaps', { metadata: { name: `m${n}` } }),
        );
        const { made, refused } = await outcome(calls);
        expect([made, refused.length]).toEqual([50, 150]);
        expect(new Set(refused.map((text) => text.replace(/"m\d+"/, '"m"')))).toEqual(
          new Set([
            'configmaps "m" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=50, limited: count/configmaps=50',
          ]),
        );
        // What has gone leaves room.
        const present = one.cache.snapshot(one.resources.require('configmaps').stored);
        const [first] = [...present.range('default/', 'default0')];
        await one.remove('configmaps', first?.key.slice('default/'.length) ?? '');
        await expect(two.create('configmaps', { metadata: { name: 'again' } })).resolves.toBeDefined();
        await expect(one.create('configmaps', { metadata: { name: 'too-many' } })).rejects.toThrow('exceeded quota');
      });
    }, 60_000);

    it('never exceed the quota of a resource, whatever is requested', async () => {
      await both(kind, async ([one, two]) => {
        await one.create('resourcequotas', quota({ 'requests.cpu': '2', pods: '30' }));
        await two.cache.waitUntilFresh({ deadline: clock.monotonic() + 5_000 });
        const sizes = ['50m', '100m', '150m', '400m'];
        const calls = Array.from({ length: 60 }, (_, n) =>
          (n % 3 === 0 ? two : one).create('pods', pod(`p${n}`, sizes[n % sizes.length] ?? '50m')),
        );
        const { made, refused } = await outcome(calls);
        expect(made + refused.length).toBe(60);
        const present = [...one.cache.snapshot(one.resources.require('pods').stored).range('default/', 'default0')];
        expect(present).toHaveLength(made);
        const used = present.reduce((sum, entry) => sum + Number(/"cpu":"(\d+)m"/.exec(entry.bytes.toString())?.[1]), 0);
        expect(used).toBeLessThanOrEqual(2000);
        // Nothing more fits, not even the smallest.
        if (used > 1950) await expect(two.create('pods', pod('last', '51m'))).rejects.toThrow('exceeded quota');
      });
    }, 60_000);
  });
}

describeQuota('memory');
describeQuota('embedded');
describeWithEtcd('quotas on etcd', () => describeQuota('etcd'));
