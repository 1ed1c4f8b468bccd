/**
 * Two replicas over one store create under the same quota at the same time: exactly as many get through as there is room for. On every store; what several
 * processes make of it while one of them is killed is in test/reliability/quota.
 */
import type { Store } from '../../../apiserver/storage/store';
import { openEmbeddedStore } from '../../../apiserver/storage/embedded/open';
import { openEtcdStore } from '../../../apiserver/storage/etcd/open';
import type { JsonObject } from '../../../shared/values/json';
import { StatusError } from '../../../shared/api/errors/status';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { systemRandom as random } from '../../../shared/runtime/random';
import { describeWithEtcd, startEtcd } from '../../support/etcd';
import { MemoryStore } from '../../support/memory-store';
import { removeFolder, temporaryFolder } from '../../support/programs';
import { openReplica, type Replica } from '../../support/replica';

interface Opened {
  readonly store: Store;
  dispose(): Promise<void>;
}

const SUBJECTS: Readonly<Record<'memory' | 'embedded' | 'etcd', () => Promise<Opened>>> = {
  async memory() {
    const store = new MemoryStore();
    return { store, dispose: () => store.close() };
  },
  async embedded() {
    const directory = temporaryFolder('quota-embedded');
    const store = await openEmbeddedStore({ directory, clock, random });
    return {
      store,
      async dispose() {
        await store.close();
        removeFolder(directory);
      },
    };
  },
  async etcd() {
    const server = await startEtcd();
    const store = await openEtcdStore({ endpoints: [server.endpoint], clock, random });
    return {
      store,
      async dispose() {
        await store.close();
        await server.dispose();
      },
    };
  },
};

async function both(subject: keyof typeof SUBJECTS, run: (replicas: readonly [Replica, Replica]) => Promise<void>): Promise<void> {
  const { store, dispose } = await SUBJECTS[subject]();
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

function describeQuota(subject: keyof typeof SUBJECTS): void {
  describe(`two replicas on ${subject}`, () => {
    it('let exactly fifty of two hundred through', async () => {
      await both(subject, async ([one, two]) => {
        await one.create('resourcequotas', quota({ 'count/configmaps': '50' }));
        await two.cache.mostRecent({ deadline: clock.monotonic() + 5_000 });
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

    it('never give away more than there is, whatever is asked for', async () => {
      await both(subject, async ([one, two]) => {
        await one.create('resourcequotas', quota({ 'requests.cpu': '2', pods: '30' }));
        await two.cache.mostRecent({ deadline: clock.monotonic() + 5_000 });
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
