import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { prefixRange, StoreError, type LeaseId } from '../../storage/store';
import { REPLICAS, Replicas, type ReplicaAddress } from './replicas';

const addresses = [1, 2, 3].map((last): ReplicaAddress => ({ ip: `10.0.0.${last}`, port: 6443 }));
const subjects = Array.from({ length: 300 }, (_, index) => `things${index}.example.com`);

/** Replicas that all know each other. */
function cluster(live: readonly ReplicaAddress[]): readonly Replicas[] {
  const options = { store: new MemoryStore(), prefix: '/registry', clock: new ManualClock(), onFailure: () => undefined };
  return live.map((own) => {
    const replicas = new Replicas(options);
    for (const other of live) replicas.onKeyChange(`${REPLICAS}${other.ip}:${other.port}`, Buffer.from(JSON.stringify(other)));
    replicas.join(own);
    return replicas;
  });
}

test('Replicas order each subject differently and consistently on all replicas', () => {
  const replicas = cluster(addresses);
  const orders = subjects.map((subject) => replicas.map((replica) => replica.rankFor(subject)));
  for (const order of orders) expect(order.toSorted()).toEqual([0, 1, 2]);
  // Each replica is the first for some 100 of the 300 subjects.
  for (const index of [0, 1, 2]) expect(orders.filter((order) => order[index] === 0).length).toBeGreaterThan(60);
});

test('Replicas keep their relative order when one leaves', () => {
  const isFirstAhead = ([first, second]: readonly Replicas[], subject: string): boolean =>
    (first?.rankFor(subject) ?? 0) < (second?.rankFor(subject) ?? 0);
  const before = cluster(addresses);
  const after = cluster(addresses.slice(0, 2));
  for (const subject of subjects) expect(isFirstAhead(after, subject)).toBe(isFirstAhead(before, subject));
});

test('Replicas count the workers of one address as replicas, and list their address once', () => {
  const first: ReplicaAddress = { ip: '10.0.0.1', port: 6443, worker: 1 };
  const second: ReplicaAddress = { ip: '10.0.0.1', port: 6443, worker: 2 };
  const options = { store: new MemoryStore(), prefix: '/registry', clock: new ManualClock(), onFailure: () => undefined };
  const replicas = [first, second].map((own) => {
    const joined = new Replicas(options);
    joined.onKeyChange(`${REPLICAS}10.0.0.1:6443`, Buffer.from(JSON.stringify(first)));
    joined.onKeyChange(`${REPLICAS}10.0.0.1:6443/2`, Buffer.from(JSON.stringify(second)));
    joined.join(own);
    return joined;
  });
  for (const subject of subjects) expect(replicas.map((replica) => replica.rankFor(subject)).toSorted()).toEqual([0, 1]);
  for (const replica of replicas) expect(replica.addresses).toEqual([{ ip: '10.0.0.1', port: 6443 }]);
});

test('Replicas give a server that has not joined the first place', () => {
  const options = { store: new MemoryStore(), prefix: '/registry', clock: new ManualClock(), onFailure: () => undefined };
  const outside = new Replicas(options);
  for (const { ip, port } of addresses) outside.onKeyChange(`${REPLICAS}${ip}:${port}`, Buffer.from(JSON.stringify({ ip, port })));
  for (const subject of subjects) expect(outside.rankFor(subject)).toBe(0);
});

describe('a replica that has joined', () => {
  const own = { ip: '10.0.0.1', port: 6443 };
  const key = '/registry/replicas/10.0.0.1:6443';
  let clock: ManualClock;
  let store: MemoryStore;
  let replicas: Replicas;
  let failures: string[];

  beforeEach(async () => {
    clock = new ManualClock();
    failures = [];
    store = new MemoryStore(clock);
    replicas = new Replicas({ store, prefix: '/registry', clock, onFailure: (message) => void failures.push(message) });
    replicas.join(own);
    await flushPromises();
  });
  afterEach(() => replicas.leave());

  // The store numbers leases from 1, which is the one of the replica at the start.
  const isRecorded = async (): Promise<boolean> => (await store.get(key)).kv !== undefined;

  it('puts its key again at the next renewal when the key is gone and its lease is not', async () => {
    store.remove(key);
    expect(await isRecorded()).toBe(false);
    await clock.advanceAsync(5_000);
    expect(await isRecorded()).toBe(true);
    await clock.advanceAsync(60_000);
    expect(await isRecorded()).toBe(true);
    expect(failures).toEqual([]);
  });

  it('puts its key again immediately when the watch reports its deletion', async () => {
    await store.revokeLease('1');
    replicas.onKeyChange(`${REPLICAS}10.0.0.1:6443`, undefined);
    await flushPromises();
    expect(await isRecorded()).toBe(true);
  });

  it('grants a new lease instead of renewing an expired one', async () => {
    await store.revokeLease('1');
    const renewed: LeaseId[] = [];
    const renew = store.keepLeaseAlive.bind(store);
    jest.spyOn(store, 'keepLeaseAlive').mockImplementation((lease, call) => {
      renewed.push(lease);
      return renew(lease, call);
    });
    await clock.advanceAsync(20_000);
    expect(renewed).toEqual(['1', '2', '2', '2']);
    expect(await isRecorded()).toBe(true);
  });

  it('moves its key back to its own lease when a put under an earlier lease arrives late', async () => {
    const early = await store.grantLease(10);
    await store.transact({ compare: [], operations: [{ type: 'put', key, value: Buffer.from(JSON.stringify(own)), lease: early }] });
    await clock.advanceAsync(60_000);
    expect(await isRecorded()).toBe(true);
    // The key moved before the earlier lease expired.
    expect(store.eventsAt(store.currentRevision)).toMatchObject([{ type: 'put', key, created: false }]);
  });

  it.each(['grantLease', 'transact', 'keepLeaseAlive', 'get'] as const)('recovers its key after failures of %s', async (call) => {
    const failing = jest.spyOn(store, call).mockRejectedValue(new StoreError('unavailable', 'late'));
    await store.revokeLease('1');
    await clock.advanceAsync(30_000);
    failing.mockRestore();
    await clock.advanceAsync(1_000);
    expect(await isRecorded()).toBe(true);
    const written = store.currentRevision;
    await clock.advanceAsync(60_000);
    expect(await isRecorded()).toBe(true);
    expect(store.currentRevision).toBe(written);
  });

  it('leaves no key behind when it leaves while its key is being put again', async () => {
    await store.revokeLease('1');
    clock.advance(5_000);
    await replicas.leave();
    await clock.advanceAsync(60_000);
    expect((await store.range(prefixRange('/registry/'))).kvs).toEqual([]);
    expect(failures).toEqual([]);
  });
});
