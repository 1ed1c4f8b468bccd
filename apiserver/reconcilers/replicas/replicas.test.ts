import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { MemoryStore } from '../../../test/support/store/memory-store';
import { useForEachTest } from '../../../test/support/use-resource';
import { prefixRange, StoreError, type LeaseId } from '../../storage/store';
import { REPLICAS, Replicas, serverName, type ReplicaAddress } from './replicas';

const SERVERS = [1, 2, 3].map((number): ReplicaAddress => ({ ip: `10.0.0.${number}`, port: 6443 }));
const SUBJECTS = Array.from({ length: 300 }, (_, index) => `things${index}.example.com`);

/** A replica that has not joined, with the watch events of the keys of `live`. */
function observerOf(live: readonly ReplicaAddress[]): Replicas {
  const replicas = new Replicas({ store: new MemoryStore(), prefix: '/registry', clock: new ManualClock(), onFailure: () => undefined });
  for (const address of live) {
    const key = `${REPLICAS}${serverName(address.ip, address.port, address.worker)}`;
    replicas.onKeyChange(key, Buffer.from(JSON.stringify(address)));
  }
  return replicas;
}

/** One replica for each address; each has seen the keys of all. */
function replicasOf(live: readonly ReplicaAddress[]): readonly Replicas[] {
  return live.map((address) => {
    const replicas = observerOf(live);
    replicas.join(address);
    return replicas;
  });
}

describe('rankFor', () => {
  it('gives the replicas distinct ranks for each subject', () => {
    const replicas = replicasOf(SERVERS);
    for (const subject of SUBJECTS) expect(replicas.map((replica) => replica.rankFor(subject)).toSorted()).toEqual([0, 1, 2]);
  });

  it('gives each replica the first rank for about a third of the subjects', () => {
    for (const replica of replicasOf(SERVERS)) {
      // Of 300 subjects; 100 on average.
      expect(SUBJECTS.filter((subject) => replica.rankFor(subject) === 0).length).toBeGreaterThan(60);
    }
  });

  it('keeps the relative order of two replicas when a third one leaves', () => {
    const isFirstAhead = ([first, second]: readonly Replicas[], subject: string): boolean =>
      (first?.rankFor(subject) ?? 0) < (second?.rankFor(subject) ?? 0);
    const before = replicasOf(SERVERS);
    const after = replicasOf(SERVERS.slice(0, 2));
    for (const subject of SUBJECTS) expect(isFirstAhead(after, subject)).toBe(isFirstAhead(before, subject));
  });

  it('returns 0 on a server that has not joined', () => {
    const observer = observerOf(SERVERS);
    for (const subject of SUBJECTS) expect(observer.rankFor(subject)).toBe(0);
  });
});

it('Replicas count the workers of one server as replicas, and list their address once', () => {
  const replicas = replicasOf([1, 2].map((worker) => ({ ip: '10.0.0.1', port: 6443, worker })));
  for (const subject of SUBJECTS) expect(replicas.map((replica) => replica.rankFor(subject)).toSorted()).toEqual([0, 1]);
  for (const replica of replicas) expect(replica.addresses).toEqual([{ ip: '10.0.0.1', port: 6443 }]);
});

describe('a replica that has joined', () => {
  const ADDRESS = { ip: '10.0.0.1', port: 6443 };
  const KEY = '/registry/replicas/10.0.0.1:6443';
  /** The lease of the replica: the store numbers leases from 1. */
  const LEASE = '1';

  const joined = useForEachTest(
    async () => {
      const clock = new ManualClock();
      const store = new MemoryStore(clock);
      const failures: string[] = [];
      const replicas = new Replicas({ store, prefix: '/registry', clock, onFailure: (message) => void failures.push(message) });
      replicas.join(ADDRESS);
      await flushPromises();
      return { clock, store, replicas, failures };
    },
    ({ replicas }) => replicas.leave(),
  );

  const hasKey = async (): Promise<boolean> => (await joined().store.get(KEY)).kv !== undefined;

  it('puts its key again at the next renewal when only the key was deleted', async () => {
    const { store, clock, failures } = joined();
    store.remove(KEY);
    expect(await hasKey()).toBe(false);
    await clock.advanceAsync(5_000);
    expect(await hasKey()).toBe(true);
    await clock.advanceAsync(60_000);
    expect(await hasKey()).toBe(true);
    expect(failures).toEqual([]);
  });

  it('puts its key again immediately when the watch reports its deletion', async () => {
    const { store, replicas } = joined();
    await store.revokeLease(LEASE);
    replicas.onKeyChange(`${REPLICAS}10.0.0.1:6443`, undefined);
    await flushPromises();
    expect(await hasKey()).toBe(true);
  });

  it('grants a new lease instead of renewing an expired one', async () => {
    const { store, clock } = joined();
    await store.revokeLease(LEASE);
    const renewed: LeaseId[] = [];
    const renew = store.keepLeaseAlive.bind(store);
    jest.spyOn(store, 'keepLeaseAlive').mockImplementation((lease, call) => {
      renewed.push(lease);
      return renew(lease, call);
    });
    await clock.advanceAsync(20_000);
    expect(renewed).toEqual([LEASE, '2', '2', '2']);
    expect(await hasKey()).toBe(true);
  });

  it('moves its key back to its own lease when a put under an earlier lease arrives late', async () => {
    const { store, clock } = joined();
    const earlierLease = await store.grantLease(10);
    const latePut = { type: 'put', key: KEY, value: Buffer.from(JSON.stringify(ADDRESS)), lease: earlierLease } as const;
    await store.transact({ compare: [], operations: [latePut] });
    await clock.advanceAsync(60_000);
    expect(await hasKey()).toBe(true);
    // The last write was an update: the key moved before the earlier lease expired.
    expect(store.eventsAt(store.currentRevision)).toMatchObject([{ type: 'put', key: KEY, created: false }]);
  });

  it.each(['grantLease', 'transact', 'keepLeaseAlive', 'get'] as const)('recovers its key after failures of %s', async (call) => {
    const { store, clock } = joined();
    const failing = jest.spyOn(store, call).mockRejectedValue(new StoreError('unavailable', 'late'));
    await store.revokeLease(LEASE);
    await clock.advanceAsync(30_000);
    failing.mockRestore();
    await clock.advanceAsync(1_000);
    expect(await hasKey()).toBe(true);
    const revision = store.currentRevision;
    await clock.advanceAsync(60_000);
    expect(await hasKey()).toBe(true);
    expect(store.currentRevision).toBe(revision);
  });

  it('leaves no key behind when it leaves while its key is being put again', async () => {
    const { store, clock, replicas, failures } = joined();
    await store.revokeLease(LEASE);
    clock.advance(5_000);
    await replicas.leave();
    await clock.advanceAsync(60_000);
    expect((await store.range(prefixRange('/registry/'))).kvs).toEqual([]);
    expect(failures).toEqual([]);
  });
});
