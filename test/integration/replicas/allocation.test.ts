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

/** A range, and the number of its addresses: 1,024 minus the network address, the last one and that of the default Service. */
const RANGE = '10.0.0.0/22';
const RANGE_SIZE = 1021;
const RANGE_FULL = 'Internal error occurred: failed to allocate a serviceIP: range is full';

function describeAllocation(kind: StoreKind): void {
  describe(`two replicas on ${kind}`, () => {
    it('allocate each address of a range of 1,021 once, also those that deleted Services release', async () => {
      const transactions = new TransactionCounter();
      const use = async ({ store, replicaFor }: TwoReplicas): Promise<void> => {
        const create = (index: number): Promise<JsonObject> => replicaFor(index).create('services', service(`s-${index}`));
        const before = transactions.sent;
        const most = await runInBatches(1000, create);
        expect(most.rejected).toEqual([]);
        // One transaction for each Service, and one more for each conflict with the other replica.
        expect(transactions.sent - before).toBeLessThan(2000);

        const last = await runInBatches(100, (index) => create(1000 + index));
        expect([last.created.length, last.rejected.length]).toEqual([21, 79]);
        expect([...new Set(last.rejected)]).toEqual([RANGE_FULL]);
        expect(new Set([...most.created, ...last.created].map(addressOf)).size).toBe(RANGE_SIZE);
        expect(await auditStoredAllocations(store)).toEqual({ services: RANGE_SIZE, allocations: RANGE_SIZE, findings: [] });

        // Each Service is deleted through the other replica than the one that created it.
        const removed = await runInBatches(500, (index) => replicaFor(index + 1).remove('services', `s-${index}`));
        expect(removed.rejected).toEqual([]);
        const remaining = RANGE_SIZE - 500;
        expect(await auditStoredAllocations(store)).toEqual({ services: remaining, allocations: remaining, findings: [] });

        const refilled = await runInBatches(510, (index) => create(2000 + index));
        expect([refilled.created.length, [...new Set(refilled.rejected)]]).toEqual([500, [RANGE_FULL]]);
        expect(await auditStoredAllocations(store)).toMatchObject({ services: RANGE_SIZE, findings: [] });
      };
      await withReplicas(kind, use, { ranges: RANGE, wrapStore: transactions.wrapStore });
    }, 60_000);

    /** Creates this number of Services at once, in turn through both replicas. */
    const createAtOnce = ({ replicaFor }: TwoReplicas, count: number, spec: JsonObject): Promise<Outcomes> =>
      collectOutcomes(Array.from({ length: count }, (_, index) => replicaFor(index).create('services', service(`s-${index}`, spec))));

    it.each<[string, JsonObject, string]>([
      ['address', { type: 'NodePort', clusterIP: '10.0.0.9' }, 'failed to allocate IP 10.0.0.9: provided IP is already allocated'],
      [
        'node port',
        { type: 'NodePort', ports: [{ port: 80, nodePort: 31_001 }] },
        'spec.ports[0].nodePort: Invalid value: 31001: provided port is already allocated',
      ],
    ])('allocate a requested %s to one of 20 requests at once', async (_title, spec, message) => {
      await withReplicas(kind, async (replicas) => {
        const { created, rejected } = await createAtOnce(replicas, 20, spec);
        expect([created.length, rejected.length]).toEqual([1, 19]);
        for (const text of rejected) expect(text).toContain(message);
        // The address and the node port.
        expect(await auditStoredAllocations(replicas.store)).toEqual({ services: 1, allocations: 2, findings: [] });
      });
    });

    it('allocate the last node ports once each', async () => {
      const use = async (replicas: TwoReplicas): Promise<void> => {
        const { created, rejected } = await createAtOnce(replicas, 30, { type: 'NodePort' });
        expect(created).toHaveLength(20);
        expect([...new Set(rejected)]).toEqual(['Internal error occurred: failed to allocate a nodePort: range is full']);
        expect(new Set(created.flatMap(portsOf)).size).toBe(20);
        // An address and a node port each.
        expect(await auditStoredAllocations(replicas.store)).toEqual({ services: 20, allocations: 40, findings: [] });
      };
      await withReplicas(kind, use, { nodePorts: '30000-30019' });
    });

    it('need one transaction for a Service, whether the range is empty or nearly full', async () => {
      const transactions = new TransactionCounter();
      const use = async ({ first, store }: TwoReplicas): Promise<void> => {
        const before = transactions.sent;
        const create = (index: number): Promise<JsonObject> => first.create('services', service(`s-${index}`));
        const createOneByOne = async (from: number, to: number): Promise<void> => {
          for (let index = from; index < to; index++) await create(index);
        };
        const fill = async (from: number, to: number): Promise<void> => {
          expect((await runInBatches(to - from, (index) => create(from + index))).rejected).toEqual([]);
        };
        await createOneByOne(0, 20);
        await fill(20, 1000);
        await createOneByOne(1000, RANGE_SIZE);
        expect(transactions.sent - before).toBe(RANGE_SIZE);
        expect(await auditStoredAllocations(store)).toEqual({ services: RANGE_SIZE, allocations: RANGE_SIZE, findings: [] });
      };
      await withReplicas(kind, use, { ranges: RANGE, wrapStore: transactions.wrapStore });
    }, 60_000);
  });
}

describeAllocation('memory');
describeAllocation('embedded');
describeWithEtcd('with etcd', () => describeAllocation('etcd'));
