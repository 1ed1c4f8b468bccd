/**
 * Two replicas over one store allocate from the same ranges at the same time: nothing is given twice, nothing is lost, and what is refused is refused
 * rightly. On both stores; what goes over the network to several processes is in test/reliability/allocation.
 */
import type { Store, Transaction } from '../../../apiserver/storage/store';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { StatusError } from '../../../shared/api/errors/status';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { auditStore } from '../../support/allocations';
import { describeWithEtcd } from '../../support/etcd';
import { openEmbedded, openEtcd, openMemory } from '../../support/open-stores';
import { openReplica, type Replica } from '../../support/replica';

const STORES = { memory: openMemory, embedded: openEmbedded, etcd: openEtcd };

/** The store, and how many transactions went to it. */
function counted(store: Store): { readonly store: Store; readonly sent: () => number } {
  let sent = 0;
  const proxy = new Proxy(store, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member, target);
      if (typeof value !== 'function') return value;
      if (member !== 'transact') return value.bind(target) as unknown;
      return (transaction: Transaction, options: Parameters<Store['transact']>[1]) => {
        sent += 1;
        return target.transact(transaction, options);
      };
    },
  });
  return { store: proxy, sent: () => sent };
}

async function both(
  kind: keyof typeof STORES,
  ranges: { readonly ranges?: string; readonly nodePorts?: string },
  run: (replicas: readonly [Replica, Replica], store: Store, sent: () => number) => Promise<void>,
): Promise<void> {
  const opened = await STORES[kind]();
  const { store, sent } = counted(opened.store);
  const [one, two] = await Promise.all([openReplica(store, clock, ranges), openReplica(store, clock, ranges)]);
  try {
    await one.create('namespaces', { metadata: { name: 'default' } });
    await run([one, two], store, sent);
  } finally {
    await one.cache.close();
    await two.cache.close();
    await opened.dispose();
  }
}

const service = (name: string, spec: JsonObject = {}): JsonObject => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });

interface Outcomes<T> {
  readonly made: T[];
  readonly refused: string[];
}

/** What came of many calls at once. */
async function outcomes<T>(calls: readonly Promise<T>[]): Promise<Outcomes<T>> {
  const made: T[] = [];
  const refused: string[] = [];
  for (const outcome of await Promise.allSettled(calls)) {
    if (outcome.status === 'fulfilled') made.push(outcome.value);
    else if (outcome.reason instanceof StatusError) refused.push(outcome.reason.message);
    else throw outcome.reason;
  }
  return { made, refused };
}

/** As many at once as a server lets in; more of them in one process come to the deadline of a request where the machine is slow. */
const CROWD = 200;

async function inCrowds<T>(count: number, call: (index: number) => Promise<T>): Promise<Outcomes<T>> {
  const all: Outcomes<T> = { made: [], refused: [] };
  for (let from = 0; from < count; from += CROWD) {
    const { made, refused } = await outcomes(Array.from({ length: Math.min(CROWD, count - from) }, (_, index) => call(from + index)));
    all.made.push(...made);
    all.refused.push(...refused);
  }
  return all;
}

const addressOf = (object: JsonObject): string => stringAt(objectAt(object, 'spec'), 'clusterIP') ?? '';
const portsOf = (object: JsonObject): unknown[] =>
  (arrayAt(objectAt(object, 'spec'), 'ports') ?? []).filter(isObject).map((port) => port['nodePort']);

const FULL = 'Internal error occurred: failed to allocate a serviceIP: range is full';

function describeAllocation(kind: keyof typeof STORES): void {
  describe(`two replicas on ${kind}`, () => {
    it('allocate an address of its own to each of 1,000 Services, and the rest of the range to exactly as many more', async () => {
      await both(kind, { ranges: '10.0.0.0/22' }, async (replicas, store, sent) => {
        const create = (index: number): Promise<JsonObject> =>
          (replicas[index % 2] ?? replicas[0]).create('services', service(`s-${index}`));
        const before = sent();
        const first = await inCrowds(1000, create);
        expect(first.refused).toEqual([]);
        // One each, and one more for every race that was lost to the other replica.
        expect(sent() - before).toBeLessThan(2000);
        // 1,024 without the network's and the last address, and without the default Service's.
        const second = await inCrowds(100, (index) => create(1000 + index));
        expect([second.made.length, second.refused.length]).toEqual([21, 79]);
        expect([...new Set(second.refused)]).toEqual([FULL]);
        expect(new Set([...first.made, ...second.made].map(addressOf)).size).toBe(1021);
        expect(await auditStore(store)).toEqual({ services: 1021, allocations: 1021, findings: [] });
        const removed = await inCrowds(500, (index) => (replicas[(index + 1) % 2] ?? replicas[0]).remove('services', `s-${index}`));
        expect(removed.refused).toEqual([]);
        expect(await auditStore(store)).toEqual({ services: 521, allocations: 521, findings: [] });
        const third = await inCrowds(510, (index) => create(2000 + index));
        expect([third.made.length, [...new Set(third.refused)]]).toEqual([500, [FULL]]);
        expect(await auditStore(store)).toMatchObject({ services: 1021, findings: [] });
      });
    }, 60_000);

    it('allocate a requested address and a requested node port to one of many requests at once', async () => {
      await both(kind, {}, async (replicas, store) => {
        const wish = { type: 'NodePort', clusterIP: '10.0.0.9', ports: [{ port: 80, nodePort: 31000 }] };
        const same = await outcomes(
          Array.from({ length: 20 }, (_, index) => (replicas[index % 2] ?? replicas[0]).create('services', service(`a-${index}`, wish))),
        );
        expect([same.made.length, same.refused.length]).toEqual([1, 19]);
        for (const text of same.refused) expect(text).toContain('failed to allocate IP 10.0.0.9: provided IP is already allocated');
        const port = { type: 'NodePort', ports: [{ port: 80, nodePort: 31001 }] };
        const ports = await outcomes(
          Array.from({ length: 20 }, (_, index) => (replicas[index % 2] ?? replicas[0]).create('services', service(`b-${index}`, port))),
        );
        expect([ports.made.length, ports.refused.length]).toEqual([1, 19]);
        for (const text of ports.refused)
          expect(text).toContain('spec.ports[0].nodePort: Invalid value: 31001: provided port is already allocated');
        expect(await auditStore(store)).toEqual({ services: 2, allocations: 4, findings: [] });
      });
    });

    it('allocate the last node ports once each', async () => {
      await both(kind, { nodePorts: '30000-30019' }, async (replicas, store) => {
        const wish = { type: 'NodePort' };
        const { made, refused } = await outcomes(
          Array.from({ length: 30 }, (_, index) => (replicas[index % 2] ?? replicas[0]).create('services', service(`s-${index}`, wish))),
        );
        expect([made.length, [...new Set(refused)]]).toEqual([
          20,
          ['Internal error occurred: failed to allocate a nodePort: range is full'],
        ]);
        expect(new Set(made.flatMap(portsOf)).size).toBe(20);
        expect(await auditStore(store)).toEqual({ services: 20, allocations: 40, findings: [] });
      });
    });

    it('need one transaction for a Service, whether the range is empty or nearly full', async () => {
      await both(kind, { ranges: '10.0.0.0/22' }, async ([one], store, sent) => {
        for (const [from, to] of [
          [0, 20],
          [20, 1000],
          [1000, 1021],
        ] as const) {
          const before = sent();
          const create = (index: number): Promise<JsonObject> => one.create('services', service(`s-${from + index}`));
          if (to - from > 100) expect((await inCrowds(to - from, create)).refused).toEqual([]);
          else for (let index = 0; index < to - from; index++) await create(index);
          expect(sent() - before).toBe(to - from);
        }
        expect(await auditStore(store)).toEqual({ services: 1021, allocations: 1021, findings: [] });
      });
    }, 60_000);
  });
}

describeAllocation('memory');
describeAllocation('embedded');
describeWithEtcd('with etcd', () => describeAllocation('etcd'));
