/** The etcd store while etcd is killed, stopped or compacted, or the network connection breaks. */
import { commit } from '../../../apiserver/storage/commit';
import { openEtcdStore } from '../../../apiserver/storage/etcd/open';
import { prefixRange, type Transaction } from '../../../apiserver/storage/store';
import { systemClock } from '../../../shared/runtime/clock';
import { openEtcd } from '../../support/store/open-stores';
import { conditionalPut, failureIn, failureOf, put, valueOf } from '../../support/store/store-helpers';
import { StoreEventRecorder } from '../../support/store/store-recorder';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';
import { FixedRandom } from '../../support/clock/fixed-random';
import { stubTestDomains } from '../../support/servers/stub-test-domains';
import { ManualClock } from '../../support/clock/manual-clock';
import { freePorts } from '../../support/ports';
import { waitUntil } from '../../support/programs';
import { startSilentServer } from '../../support/servers/silent-server';
import { startTcpProxy, type TcpProxy } from '../../support/servers/tcp-proxy';
import { useForEachTest } from '../../support/use-resource';

describeWithEtcd('the etcd store under faults', () => {
  const allKeys = prefixRange('/');
  const deadlineInOneSecond = (): { readonly deadline: number } => ({ deadline: systemClock.monotonic() + 1_000 });
  const server = useForEachTest(startEtcd, (started) => started.dispose(), 60_000);
  const proxy = useForEachTest(
    () => startTcpProxy(Number(new URL(server().endpoint).port)),
    (started) => started.close(),
  );
  /** Reaches the server directly. */
  const direct = useForEachTest(
    () => openEtcd(server().endpoint),
    (opened) => opened.close(),
  );
  /** Reaches the server through the proxy. */
  const store = useForEachTest(
    () => openEtcd(`http://127.0.0.1:${proxy().port}`),
    (opened) => opened.close(),
  );

  /** Retries while a server that has just started has no leader, up to the timeout of the test. */
  const retryWhileUnavailable = async <T>(call: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (failureIn(error) !== 'unavailable') throw error;
      }
    }
  };

  /** Expects one event of each revision of the range, in order. */
  const expectAllRevisions = (recorder: StoreEventRecorder, from: number, through: number): void => {
    expect(recorder.breaches).toEqual([]);
    expect(recorder.allEvents.map(({ revision }) => revision)).toEqual(
      Array.from({ length: through - from + 1 }, (_, index) => from + index),
    );
  };

  describe('for watches,', () => {
    it('loses and repeats no event when the server is killed during a watch', async () => {
      const recorder = new StoreEventRecorder();
      direct().watch(allKeys, 2, recorder);
      for (let value = 0; value < 20; value++) await put(direct(), '/a', String(value));
      await server().kill();
      await recorder.until(() => recorder.connections.includes('disconnected'));
      await server().restart();
      await recorder.connected(2);
      await retryWhileUnavailable(() => put(direct(), '/a', '20'));
      for (let value = 21; value < 40; value++) await put(direct(), '/a', String(value));
      await recorder.count(40);
      expectAllRevisions(recorder, 2, 41);
    }, 30_000);

    it('resumes a watch whose connection is cut repeatedly before it catches up', async () => {
      const value = 'x'.repeat(2_000);
      await Promise.all(Array.from({ length: 2_000 }, (_, index) => put(direct(), `/${index % 10}`, value + String(index))));
      const recorder = new StoreEventRecorder();
      store().watch(allKeys, 2, recorder);
      // Each connection transfers only a part of the 4 MB.
      for (let cuts = 1; cuts <= 4; cuts++) {
        proxy().cutAfter(500_000);
        await recorder.until(
          () => recorder.connections.filter((state) => state === 'disconnected').length >= cuts || recorder.allEvents.length === 2_000,
        );
      }
      await recorder.count(2_000);
      expect(recorder.connections.filter((state) => state === 'disconnected').length).toBeGreaterThanOrEqual(3);
      expectAllRevisions(recorder, 2, 2_001);
    }, 30_000);

    /** A watch that was disconnected while seven events and a compaction to `revision` happened. */
    async function watchThroughCompaction(revision: number): Promise<StoreEventRecorder> {
      const recorder = new StoreEventRecorder();
      store().watch(allKeys, 2, recorder);
      await put(direct(), '/a', '1');
      await recorder.count(1);
      proxy().refuse();
      proxy().cut();
      await recorder.until(() => recorder.connections.includes('disconnected'));
      for (let value = 2; value < 9; value++) await put(direct(), '/a', String(value));
      await direct().compact(revision);
      proxy().accept();
      return recorder;
    }

    it('reports a compaction when a disconnected watch has missed compacted events', async () => {
      const recorder = await watchThroughCompaction(7);
      await recorder.until(() => recorder.compactedAt !== undefined);
      expect(recorder.compactedAt).toBe(7);
      expect(recorder.allEvents).toHaveLength(1);
    }, 30_000);

    it('resumes a watch when the missed events are not compacted', async () => {
      const recorder = await watchThroughCompaction(3);
      await recorder.count(8);
      expectAllRevisions(recorder, 2, 9);
    }, 30_000);

    it('moves a watch to another connection when it is reopened', async () => {
      const recorder = new StoreEventRecorder();
      const watch = store().watch(allKeys, 2, recorder);
      await put(direct(), '/a', '1');
      await recorder.count(1);
      const before = proxy().accepted;
      proxy().mute();
      await put(direct(), '/a', '2');
      watch.reopen();
      proxy().unmute();
      await recorder.count(2);
      expect(proxy().accepted).toBeGreaterThan(before);
      expectAllRevisions(recorder, 2, 3);
    }, 30_000);
  });

  describe('for calls,', () => {
    it('fails calls at their deadline while the server is stopped, and recovers when it continues', async () => {
      const recorder = new StoreEventRecorder();
      direct().watch(allKeys, 2, recorder);
      await put(direct(), '/a', '1');
      await recorder.count(1);
      server().pause();
      expect(await failureOf(direct().get('/a', deadlineInOneSecond()))).toMatchObject({ failure: 'deadline' });
      expect(await failureOf(direct().revision(deadlineInOneSecond()))).toMatchObject({ failure: 'deadline' });
      expect(await failureOf(direct().transact(conditionalPut('/b', '1'), deadlineInOneSecond()))).toMatchObject({ failure: 'ambiguous' });
      server().resume();
      await put(direct(), '/c', '1');
      await recorder.until(() => recorder.allEvents.some(({ key }) => key === '/c'));
      expect(recorder.breaches).toEqual([]);
      expect(await valueOf(direct(), '/a')).toBe('1');
    }, 30_000);

    it('retries reads when the connection breaks', async () => {
      await put(direct(), '/a', '1');
      await valueOf(store(), '/a');
      for (let round = 0; round < 5; round++) {
        const reading = Promise.all(Array.from({ length: 20 }, () => valueOf(store(), '/a')));
        proxy().cut();
        expect(await reading).toEqual(Array.from({ length: 20 }, () => '1'));
      }
    }, 30_000);

    it('serves other calls after one very large read', async () => {
      for (let index = 0; index < 12; index++) await put(direct(), `/large/${index}`, 'x'.repeat(1_000_000));
      const [range, value] = await Promise.all([direct().range(prefixRange('/large/')), valueOf(direct(), '/large/0')]);
      expect([range.kvs.length, value?.length]).toEqual([12, 1_000_000]);
    }, 30_000);
  });

  describe('for writes,', () => {
    it('resolves the outcome of a create and an update whose responses were lost', async () => {
      const loseResponse = async (): Promise<void> => {
        // The write is committed when the direct connection receives its event; then the connection that waits for the
        // response is cut.
        const before = await direct().revision();
        proxy().mute();
        const recorder = new StoreEventRecorder();
        const witness = direct().watch(allKeys, before + 1, recorder);
        await recorder.count(1);
        witness.close();
        proxy().unmute();
        proxy().cut();
      };
      const [created] = await Promise.all([commitSoon(conditionalPut('/a', '1')), loseResponse()]);
      expect(created).toEqual({ committed: true, revision: 2 });
      const [updated] = await Promise.all([commitSoon(conditionalPut('/a', '2', 2)), loseResponse()]);
      expect(updated).toEqual({ committed: true, revision: 3 });
      expect(await direct().revision()).toBe(3);
      expect((await direct().get('/a')).kv).toMatchObject({ version: 2 });

      async function commitSoon(transaction: Transaction): ReturnType<typeof commit> {
        // `loseResponse` must mute the proxy first.
        await systemClock.sleep(100);
        return commit(store(), transaction, { clock: systemClock });
      }
    }, 30_000);

    it('reports a write as ambiguous when its response is lost', async () => {
      proxy().mute();
      expect(await failureOf(store().transact(conditionalPut('/a', '1'), deadlineInOneSecond()))).toMatchObject({ failure: 'ambiguous' });
      expect(await valueOf(direct(), '/a')).toBe('1');
    }, 30_000);

    it('reports a write as unavailable, not ambiguous, when no server is reachable', async () => {
      await server().kill();
      // The first write may still be sent on the connection that is breaking.
      const first = { compare: [], operations: [{ type: 'put' as const, key: '/b', value: Buffer.from('1') }] };
      await failureOf(direct().transact(first, deadlineInOneSecond()));
      const write = { compare: [], operations: [{ type: 'put' as const, key: '/a', value: Buffer.from('1') }] };
      for (let attempt = 0; attempt < 3; attempt++)
        expect(await failureOf(direct().transact(write, deadlineInOneSecond()))).toMatchObject({ failure: 'unavailable' });
      await server().restart();
      expect(await retryWhileUnavailable(() => valueOf(direct(), '/a'))).toBeUndefined();
    }, 30_000);

    it('reports which writes a store without space has committed', async () => {
      const smallEtcd = await startEtcd({ arguments: ['--quota-backend-bytes', String(4 * 1024 * 1024), '--backend-batch-limit', '1'] });
      const fullStore = await openEtcd(smallEtcd.endpoint);
      const value = Buffer.alloc(300_000, 'x');
      const outcomes = new Map<string, string>();
      const create = async (key: string): Promise<void> => {
        const outcome = await commit(fullStore, conditionalPut(key, value), { clock: systemClock }).then(
          ({ committed }) => (committed ? 'committed' : 'not committed'),
          failureIn,
        );
        outcomes.set(key, outcome);
      };
      try {
        // Writes that are admitted together and exceed the quota may be committed although the response is an error;
        // later ones are rejected.
        for (let round = 0; round < 3; round++) {
          await Promise.all(Array.from({ length: 10 }, (_, index) => create(`/${round}${index}`)));
        }
        const { kvs } = await fullStore.range({ ...allKeys, keysOnly: true });
        expect(new Set(outcomes.values())).toEqual(new Set(['committed', 'no-space']));
        const committedKeys = [...outcomes.keys()].filter((key) => outcomes.get(key) === 'committed');
        expect(committedKeys.sort()).toEqual(kvs.map(({ key }) => key));
      } finally {
        await fullStore.close();
        await smallEtcd.dispose();
      }
    }, 30_000);
  });

  describe('for connections,', () => {
    it('connects to the next member when one accepts the connection and sends nothing', async () => {
      const silent = await startSilentServer();
      const clock = new ManualClock();
      const endpoints = [`http://127.0.0.1:${silent.port}`, server().endpoint];
      const storeOverBoth = await openEtcdStore({ endpoints, clock, random: new FixedRandom() });
      try {
        const recorder = new StoreEventRecorder();
        storeOverBoth.watch(allKeys, 2, recorder);
        await put(direct(), '/a', '1');
        // One connection for calls and one for the watch.
        await waitUntil('the silent member was tried', () => silent.accepted() === 2);
        await clock.advanceAsync(5_000);
        expect(recorder.connections).toEqual([]);
        await clock.advanceAsync(200);
        await recorder.count(1);
        expect(await valueOf(storeOverBoth, '/a')).toBe('1');
      } finally {
        await storeOverBoth.close();
        await silent.close();
      }
    }, 30_000);

    it('reconnects to members whose names resolve to other addresses', async () => {
      let address = '127.0.0.1';
      const restoreNames = stubTestDomains(() => address);
      const target = Number(new URL(server().endpoint).port);
      const ports = await freePorts(2);
      const startProxies = (): Promise<TcpProxy[]> => Promise.all(ports.map((port) => startTcpProxy(target, { host: address, port })));
      let proxies = await startProxies();
      const endpoints = ports.map((port, index) => `http://member-${index}.test:${port}`);
      const named = await openEtcd(...endpoints);
      try {
        const recorder = new StoreEventRecorder();
        named.watch(allKeys, 2, recorder);
        await put(named, '/a', '1');
        await recorder.count(1);
        await Promise.all(proxies.map((open) => open.close()));
        address = '127.0.0.2';
        proxies = await startProxies();
        expect(await retryWhileUnavailable(() => valueOf(named, '/a'))).toBe('1');
        await put(direct(), '/a', '2');
        await recorder.until(() => recorder.allEvents.length >= 2);
        expect(recorder.breaches).toEqual([]);
      } finally {
        restoreNames();
        await named.close();
        await Promise.all(proxies.map((open) => open.close()));
      }
    }, 30_000);

    it('rejects opening when there is no server', async () => {
      const options = { endpoints: ['http://127.0.0.1:1'], clock: systemClock, random: new FixedRandom(), openTimeoutMs: 500 };
      expect(await failureOf(openEtcdStore(options))).toMatchObject({ failure: 'unavailable' });
    });
  });
});
