import { ManualClock } from '../../test/support/manual-clock';
import { MemoryStore } from '../../test/support/memory-store';
import { REPLICAS, Replicas, type ReplicaAddress } from './replicas';

const addresses = [1, 2, 3].map((last): ReplicaAddress => ({ ip: `10.0.0.${last}`, port: 6443 }));
const subjects = Array.from({ length: 300 }, (_, index) => `things${index}.example.com`);

/** All of them see all of them. */
function cluster(live: readonly ReplicaAddress[]): readonly Replicas[] {
  const options = { store: new MemoryStore(), prefix: '/registry', clock: new ManualClock(), failed: () => undefined };
  return live.map((own) => {
    const replicas = new Replicas(options);
    for (const other of live) replicas.changed(`${REPLICAS}${other.ip}:${other.port}`, Buffer.from(JSON.stringify(other)));
    replicas.join(own);
    return replicas;
  });
}

test('each subject has its own order, the same for all', () => {
  const replicas = cluster(addresses);
  const orders = subjects.map((subject) => replicas.map((one) => one.goingBefore(subject)));
  for (const order of orders) expect(order.toSorted()).toEqual([0, 1, 2]);
  const firsts = [0, 1, 2].map((index) => orders.filter((order) => order[index] === 0).length);
  expect(Math.min(...firsts)).toBeGreaterThan(60);
});

test('one that goes leaves the order of the others as it was', () => {
  const [all, rest] = [cluster(addresses), cluster(addresses.slice(0, 2))];
  for (const subject of subjects) {
    const [before, after] = [all, rest].map((some) => some.slice(0, 2).map((one) => one.goingBefore(subject)));
    expect((after?.[0] ?? 0) < (after?.[1] ?? 0)).toBe((before?.[0] ?? 0) < (before?.[1] ?? 0));
  }
});

test('whoever is none of them waits for nobody', () => {
  const options = { store: new MemoryStore(), prefix: '/registry', clock: new ManualClock(), failed: () => undefined };
  const outside = new Replicas(options);
  for (const { ip, port } of addresses) outside.changed(`${REPLICAS}${ip}:${port}`, Buffer.from(JSON.stringify({ ip, port })));
  expect(subjects.map((subject) => outside.goingBefore(subject))).toEqual(subjects.map(() => 0));
});
