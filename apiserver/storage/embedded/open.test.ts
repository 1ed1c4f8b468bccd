/** Behaviour that the contract suite cannot observe: durability before visibility, group commit, failing disks. */
import { open } from 'lmdb';
import { silentLogger, type LogFields, type Logger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { removeFolder, temporaryFolder } from '../../../test/support/programs';
import { useForEachTest } from '../../../test/support/use-resource';
import { prefixRange, type LeaseId, type TransactionResult, type StoreEvent } from '../store';
import { Environment } from './environment';
import { openEmbeddedStore, type EmbeddedStoreOptions } from './open';

describe('embedded store', () => {
  const fixture = useForEachTest(
    async () => {
      const directory = temporaryFolder('embedded');
      const clock = new ManualClock();
      const open = (options?: Partial<EmbeddedStoreOptions>) => openEmbeddedStore({ directory, clock, random: systemRandom, ...options });
      let store = await open();
      return {
        directory,
        clock,
        store: () => store,
        /** Closes the store, calls `whileClosed` and opens the store again. */
        async reopen(options?: Partial<EmbeddedStoreOptions>, whileClosed: () => Promise<void> = () => Promise.resolve()) {
          await store.close();
          await whileClosed();
          store = await open(options);
        },
      };
    },
    async ({ directory, store }) => {
      jest.restoreAllMocks();
      await store().close();
      removeFolder(directory);
    },
  );
  const store = () => fixture().store();

  const put = (key: string, value: string, modRevision?: number): Promise<TransactionResult> =>
    store().transact({
      compare: modRevision === undefined ? [] : [{ key, modRevision }],
      operations: [{ type: 'put', key, value: Buffer.from(value) }],
    });

  /** Blocks every durable write until `release`; `writes` is the number of those that have started. */
  function slowDisk(): { readonly writes: () => number; readonly release: () => void } {
    const write = Environment.prototype.write;
    let writes = 0;
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    jest.spyOn(Environment.prototype, 'write').mockImplementation(async function (this: Environment, action) {
      writes++;
      await gate;
      await write.call(this, action);
    });
    return { writes: () => writes, release };
  }

  it('makes a write visible only after it is durable', async () => {
    const events: StoreEvent[] = [];
    const watch = store().watch(prefixRange('/'), 1, {
      events: (batch) => void events.push(...batch),
      progress: () => undefined,
      compacted: () => undefined,
      connection: () => undefined,
    });
    const disk = slowDisk();
    let hasResponse = false;
    const writing = put('/a', '1').then(() => (hasResponse = true));
    await flushPromises(10);
    expect(hasResponse).toBe(false);
    expect(events).toEqual([]);
    expect(await store().revision()).toBe(1);
    expect((await store().get('/a')).kv).toBeUndefined();
    expect((await store().range(prefixRange('/'))).count).toBe(0);
    disk.release();
    await writing;
    expect(events).toHaveLength(1);
    expect(await store().revision()).toBe(2);
    expect((await store().get('/a')).kv?.value.toString()).toBe('1');
    watch.close();
  });

  it('evaluates a transaction after all earlier ones, durable or not, and responds in order', async () => {
    const disk = slowDisk();
    const results: TransactionResult[] = [];
    const recordResult = (result: TransactionResult): void => void results.push(result);
    const pendingWrites = [
      put('/a', '1', 0).then(recordResult),
      put('/a', '2', 0).then(recordResult),
      put('/a', '3', 2).then(recordResult),
    ];
    await flushPromises(5);
    expect(results).toEqual([]);
    disk.release();
    await Promise.all(pendingWrites);
    expect(results).toEqual([
      { committed: true, revision: 2 },
      { committed: false, revision: 2, current: [expect.objectContaining({ value: Buffer.from('1'), modRevision: 2 })] },
      { committed: true, revision: 3 },
    ]);
  });

  it('commits concurrent writes in one durable step, and writes that arrive meanwhile in the next', async () => {
    const disk = slowDisk();
    const first = Array.from({ length: 10 }, (_, index) => put(`/first/${index}`, ''));
    await flushPromises(5);
    const second = Array.from({ length: 50 }, (_, index) => put(`/second/${index}`, ''));
    await flushPromises(5);
    expect(disk.writes()).toBe(1);
    disk.release();
    await Promise.all([...first, ...second]);
    expect(disk.writes()).toBe(2);
    expect(await store().revision()).toBe(61);
  });

  it('rolls back writes that failed on the disk and accepts later ones', async () => {
    await put('/a', '1');
    jest.spyOn(Environment.prototype, 'write').mockRejectedValueOnce(new Error('MDB_MAP_FULL: no space left'));
    const failed = put('/a', '2');
    // Conditioned on the revision that the failing write would have had.
    const dependent = put('/a', '3', 3);
    await expect(failed).rejects.toMatchObject({ failure: 'no-space' });
    await expect(dependent).rejects.toMatchObject({ failure: 'no-space' });
    expect(await store().revision()).toBe(2);
    expect(await put('/a', '4', 2)).toEqual({ committed: true, revision: 3 });
    expect((await store().get('/a')).kv).toMatchObject({ version: 2, modRevision: 3 });
  });

  it('logs and counts a failed removal of compacted revisions, and can be compacted again', async () => {
    const lines: LogFields[] = [];
    const logger: Logger = { ...silentLogger, warn: (message, fields = {}) => void lines.push({ message, ...fields }) };
    await fixture().reopen({ logger });
    for (let round = 0; round < 10; round++) await put('/a', String(round));
    const write = Environment.prototype.write;
    let writes = 0;
    // The first write stores the compacted revision; the second one removes what it replaces.
    const failing = jest.spyOn(Environment.prototype, 'write').mockImplementation(async function (this: Environment, action) {
      if (++writes === 2) throw new Error('no space left');
      await write.call(this, action);
    });
    await store().compact(5);
    await flushPromises();
    expect(lines).toEqual([{ message: 'compacted revisions could not be removed from the disk', error: new Error('no space left') }]);
    expect(await store().status()).toMatchObject({ purgeFailures: 1 });
    failing.mockRestore();
    await store().compact(6);
    expect(await store().status()).toMatchObject({ purgeFailures: 1 });
    expect(await store().get('/a', { revision: 6 })).toMatchObject({ kv: { modRevision: 6 } });
  });

  it('reports a write as ambiguous when the disk does not respond before the timeout', async () => {
    const disk = slowDisk();
    const writing = put('/a', '1');
    await flushPromises(5);
    const expectation = expect(writing).rejects.toMatchObject({ failure: 'ambiguous' });
    await fixture().clock.advanceAsync(11_000);
    await expectation;
    disk.release();
  });

  it('rejects writes over the limit of pending bytes', async () => {
    const disk = slowDisk();
    // 30 writes take 90 MB; 64 MiB may be pending.
    const value = 'x'.repeat(3_000_000);
    const writes = Array.from({ length: 30 }, (_, index) =>
      put(`/${index}`, value).then(
        () => 'done',
        (error: unknown) => (error instanceof Error && 'failure' in error ? error.failure : error),
      ),
    );
    await flushPromises(5);
    disk.release();
    const outcomes = await Promise.all(writes);
    expect(new Set(outcomes)).toEqual(new Set(['done', 'unavailable']));
    expect(await store().revision()).toBe(1 + outcomes.filter((outcome) => outcome === 'done').length);
  });

  describe('when a lease expires', () => {
    const lease = useForEachTest(async () => {
      const granted = await store().grantLease(15);
      await putUnderLease('/leased', granted);
      return granted;
    });
    const putUnderLease = (key: string, leaseId: LeaseId) =>
      store().transact({ compare: [], operations: [{ type: 'put', key, value: Buffer.from(''), lease: leaseId }] });
    /** Resolves with `renewed` or with the error. */
    const renewal = (): Promise<unknown> =>
      store()
        .keepLeaseAlive(lease())
        .then(
          () => 'renewed',
          (error: unknown) => error,
        );
    const leaseNotFound = expect.objectContaining({ failure: 'lease-not-found' });
    /** Whether the leased key exists after all pending writes. */
    const hasLeasedKey = async (): Promise<boolean> => {
      await put('/other', '');
      return (await store().get('/leased')).kv !== undefined;
    };

    it('refuses to renew the lease while its revocation waits for the disk, and afterwards', async () => {
      const disk = slowDisk();
      await fixture().clock.advanceAsync(15_000);
      expect(await renewal()).toEqual(leaseNotFound);
      await fixture().clock.advanceAsync(12_000);
      expect(await renewal()).toEqual(leaseNotFound);
      disk.release();
      expect(await hasLeasedKey()).toBe(false);
      expect(await renewal()).toEqual(leaseNotFound);
      await flushPromises();
      // The revocation is not requested again.
      await fixture().clock.advanceAsync(10_000);
      expect(fixture().clock.pending).toBe(0);
    });

    it('retries a revocation that failed on the disk, and meanwhile refuses to renew the lease or to put a key under it', async () => {
      jest.spyOn(Environment.prototype, 'write').mockRejectedValueOnce(new Error('no space left'));
      await fixture().clock.advanceAsync(15_000);
      expect(await renewal()).toEqual(leaseNotFound);
      expect(await hasLeasedKey()).toBe(true);
      await expect(putUnderLease('/b', lease())).rejects.toEqual(leaseNotFound);
      await fixture().clock.advanceAsync(10_000);
      expect(await renewal()).toEqual(leaseNotFound);
      expect(await hasLeasedKey()).toBe(false);
    });

    it('refuses to renew the lease after its TTL, even before its expiry timer has run', async () => {
      jest.spyOn(fixture().clock, 'monotonic').mockReturnValue(15_000);
      expect(await renewal()).toEqual(leaseNotFound);
    });

    it('keeps a key that moved to another lease before a failed revocation was retried', async () => {
      const next = await store().grantLease(600);
      jest.spyOn(Environment.prototype, 'write').mockRejectedValueOnce(new Error('no space left'));
      await fixture().clock.advanceAsync(15_000);
      await putUnderLease('/leased', next);
      await fixture().clock.advanceAsync(10_000);
      expect(await renewal()).toEqual(leaseNotFound);
      expect(await hasLeasedKey()).toBe(true);
    });

    it('expires a lease whose grant reached the disk only after its time-out', async () => {
      const disk = slowDisk();
      const lateGrant = store()
        .grantLease(600)
        .catch((error: unknown) => error);
      await fixture().clock.advanceAsync(11_000);
      expect(await lateGrant).toMatchObject({ failure: 'ambiguous' });
      disk.release();
      await put('/other', '');
      await fixture().clock.advanceAsync(600_000);
      await put('/other', '');
      await flushPromises();
      const clock = new ManualClock();
      await fixture().reopen({ clock });
      // A lease on disk would have set a timer.
      expect(clock.pending).toBe(0);
    });
  });

  it('reuses the space of compacted revisions', async () => {
    for (let round = 0; round < 300; round++) await put('/a', 'x'.repeat(15_000) + String(round));
    const { size } = await store().status();
    for (let round = 0; round < 10; round++) {
      await store().compact(await store().revision());
      for (let write = 0; write < 60; write++) await put('/a', 'x'.repeat(15_000) + String(write));
    }
    expect((await store().status()).size).toBeLessThan(size * 1.5);
  });

  it('compresses long values', async () => {
    const long = 'long '.repeat(20_000);
    await put('/long', long);
    const { size } = await store().status();
    await put('/long', `${long}again`);
    expect((await store().status()).size - size).toBeLessThan(long.length / 2);
  });

  it('reads compressed values from files that an older version has marked with its format', async () => {
    const long = 'long '.repeat(20_000);
    await put('/long', long);
    await fixture().reopen({}, markAsFormat1);
    const result = await store().range(prefixRange('/'));
    expect(result.kvs.map(({ key, value }) => [key, value.toString()])).toEqual([['/long', long]]);
  });

  /** Format 1 had no compressed values; a server that reads format 2 opens it as well. */
  async function markAsFormat1(): Promise<void> {
    const root = open<Buffer, Buffer>({ path: fixture().directory, maxDbs: 8, noSubdir: false });
    const counters = root.openDB<Buffer, Buffer>({ name: 'counters', keyEncoding: 'binary', encoding: 'binary' });
    await counters.put(Buffer.from('format'), Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]));
    await root.close();
  }
});
