/**
 * Two replicas over one store allocate from the same ranges concurrently: nothing is allocated twice or leaked, and
 * requests are rejected only when the range is full or the value is allocated. Over each kind of store;
 * test/reliability/allocation tests several processes.
 */
import type { Store, Transaction } from '../../../apiserver/storage/store';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { auditStoredAllocations } from '../../support/store/allocation-audit';
import { describeWithEtcd } from '../../support/external/etcd';
import { collectOutcomes, withReplicas, type Outcomes, type StoreKind, type TwoReplicas } from './two-replicas';

/** Counts the transactions of the store that it wraps. */
class TransactionCounter {
  sent = 0;

  readonly wrapStore = (store: Store): Store =>
    new Proxy(store, {
      get: (target, member) => {
        const value: unknown = Reflect.get(target, member, target);
        if (typeof value !== 'function') return value;
        if (member !== 'transact') return value.bind(target) as unknown;
        return (transaction: Transaction, options: Parameters<Store['transact']>[1]) => {
          this.sent += 1;
          return target.transact(transaction, options);
        };
      },
    });
}

const service = (name: string, spec: JsonObject = {}): JsonObject => ({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });

/**
 * The number of mutating requests that a server runs at once. With more of them in one process, a slow machine exceeds
 * the deadline of a request.
 */
const BATCH_SIZE = 200;

async function runInBatches<T>(count: number, call: (index: number) => Promise<T>): Promise<Outcomes<T>> {
  const total: Outcomes<T> = { created: [], rejected: [] };
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const { created, rejected } = await collectOutcomes(
      Array.from({ length: Math.min(BATCH_SIZE, count - from) }, (_, index) => call(from + index)),
    );
    total.created.push(...created);
    total.rejected.push(...rejected);
  }
  return total;
}

const addressOf = (object: JsonObject): string => stringAt(objectAt(object, 'spec'), 'clusterIP') ?? '';
const portsOf = (object: JsonObject): unknown[] =>
  (arrayAt(objectAt(object, 'spec'), 'ports') ?? []).filter(isObject).map((port) => port['nodePort']);

const RANGE_FULL = 'Internal error occurred: failed to allocate a serviceIP: range is full';

function describeAllocation(kind: StoreKind): void {
  describe(`two replicas on ${kind}`, () => {
    it('allocate each address of a range of 1,021 once, also those that deleted Services release', async () => {
      const transactions = new TransactionCounter();
      const use = async ({ store, replicaFor }: TwoReplicas): Promise<void> => {
        const create = (index: number): Promise<JsonObject> => replicaFor(index).create('services', service(`s-${index}`));
        const before = transactions.sent;
        const first = await runInBatches(1000, create);
        expect(first.rejected).toEqual([]);
        // One transaction for each Service, and one more for each conflict with the other replica.
        expect(transactions.sent - before).toBeLessThan(2000);
        // 1,024 minus the network address, the last address and the address of the default Service.
        const second = await runInBatches(100, (index) => create(1000 + index));
        expect([second.created.length, second.rejected.length]).toEqual([21, 79]);
        expect([...new Set(second.rejected)]).toEqual([RANGE_FULL]);
        expect(new Set([...first.created, ...second.created].map(addressOf)).size).toBe(1021);
        expect(await auditStoredAllocations(store)).toEqual({ services: 1021, allocations: 1021, findings: [] });
        const removed = await runInBatches(500, (index) => replicaFor(index + 1).remove('services', `s-${index}`));
        expect(removed.rejected).toEqual([]);
        expect(await auditStoredAllocations(store)).toEqual({ services: 521, allocations: 521, findings: [] });
        const third = await runInBatches(510, (index) => create(2000 + index));
        expect([third.created.length, [...new Set(third.rejected)]]).toEqual([500, [RANGE_FULL]]);
        expect(await auditStoredAllocations(store)).toMatchObject({ services: 1021, findings: [] });
      };
      await withReplicas(kind, use, { ranges: '10.0.0.0/22', wrapStore: transactions.wrapStore });
    }, 60_000);

    it('allocate a requested address and a requested node port to one of many requests at once', async () => {
      await withReplicas(kind, async ({ store, replicaFor }) => {
        const requestedSpec = { type: 'NodePort', clusterIP: '10.0.0.9', ports: [{ port: 80, nodePort: 31000 }] };
        const sameAddress = await collectOutcomes(
          Array.from({ length: 20 }, (_, index) => replicaFor(index).create('services', service(`a-${index}`, requestedSpec))),
        );
        expect([sameAddress.created.length, sameAddress.rejected.length]).toEqual([1, 19]);
        for (const text of sameAddress.rejected) expect(text).toContain('failed to allocate IP 10.0.0.9: provided IP is already allocated');
        const port = { type: 'NodePort', ports: [{ port: 80, nodePort: 31001 }] };
        const ports = await collectOutcomes(
          Array.from({ length: 20 }, (_, index) => replicaFor(index).create('services', service(`b-${index}`, port))),
        );
        expect([ports.created.length, ports.rejected.length]).toEqual([1, 19]);
        for (const text of ports.rejected)
          expect(text).toContain('spec.ports[0].nodePort: Invalid value: 31001: provided port is already allocated');
        expect(await auditStoredAllocations(store)).toEqual({ services: 2, allocations: 4, findings: [] });
      });
    });

    it('allocate the last node ports once each', async () => {
      const use = async ({ store, replicaFor }: TwoReplicas): Promise<void> => {
        const nodePortSpec = { type: 'NodePort' };
        const { created, rejected } = await collectOutcomes(
          Array.from({ length: 30 }, (_, index) => replicaFor(index).create('services', service(`s-${index}`, nodePortSpec))),
        );
        expect([created.length, [...new Set(rejected)]]).toEqual([
          20,
          ['Internal error occurred: failed to allocate a nodePort: range is full'],
        ]);
        expect(new Set(created.flatMap(portsOf)).size).toBe(20);
        expect(await auditStoredAllocations(store)).toEqual({ services: 20, allocations: 40, findings: [] });
      };
      await withReplicas(kind, use, { nodePorts: '30000-30019' });
    });

    it('need one transaction for a Service, whether the range is empty or nearly full', async () => {
      const transactions = new TransactionCounter();
      const use = async ({ first, store }: TwoReplicas): Promise<void> => {
        for (const [from, to] of [
          [0, 20],
          [20, 1000],
          [1000, 1021],
        ] as const) {
          const before = transactions.sent;
          const create = (index: number): Promise<JsonObject> => first.create('services', service(`s-${from + index}`));
          if (to - from > 100) expect((await runInBatches(to - from, create)).rejected).toEqual([]);
          else for (let index = 0; index < to - from; index++) await create(index);
          expect(transactions.sent - before).toBe(to - from);
        }
        expect(await auditStoredAllocations(store)).toEqual({ services: 1021, allocations: 1021, findings: [] });
      };
      await withReplicas(kind, use, { ranges: '10.0.0.0/22', wrapStore: transactions.wrapStore });
    }, 60_000);
  });
}

describeAllocation('memory');
describeAllocation('embedded');
describeWithEtcd('with etcd', () => describeAllocation('etcd'));
