/** The etcd store on three members with TLS and client certificates, while members are killed. */
import { readFileSync } from 'node:fs';
import { commit } from '../../../apiserver/storage/commit';
import { openEtcdStore, type EtcdStoreOptions } from '../../../apiserver/storage/etcd/open';
import { prefixRange } from '../../../apiserver/storage/store';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { conditionalPut, failureIn, failureOf } from '../../support/store/store-helpers';
import { StoreEventRecorder } from '../../support/store/store-recorder';
import { describeWithEtcd, startEtcdCluster } from '../../support/external/etcd';
import { makeEtcdCertificates } from '../../support/certificates/etcd-certificates';
import { waitUntil } from '../../support/programs';
import { useClosable, useFolder, useResource } from '../../support/use-resource';

const SERVER_NAME = 'store.test';
/** Five seconds in all, which the members need to elect another leader. */
const MAX_RETRIES = 50;
const RETRY_MS = 100;

describeWithEtcd('the etcd store on a cluster', () => {
  const folder = useFolder('etcd-cluster');
  const certificates = useResource(() => makeEtcdCertificates(folder, [SERVER_NAME]));
  const members = useResource(
    () => startEtcdCluster(3, { tls: certificates().members }),
    (started) => Promise.all(started.map((member) => member.dispose())),
    60_000,
  );
  const credentials = () => {
    const { ca, cert, key } = certificates().client;
    return { ca: readFileSync(ca), cert: readFileSync(cert), key: readFileSync(key) };
  };
  const storeOptions = (): EtcdStoreOptions => ({
    endpoints: members().map(({ endpoint }) => endpoint),
    credentials,
    serverName: SERVER_NAME,
    clock: systemClock,
    random: systemRandom,
  });
  const store = useClosable(() => openEtcdStore(storeOptions()), 60_000);

  it('loses no write and no event while each member in turn is killed and restarted', async () => {
    const target = store();
    const recorder = new StoreEventRecorder();
    const watch = target.watch(prefixRange('/'), 1, recorder);
    let serial = 0;
    const create = async (): Promise<void> => {
      const key = `/key/${serial++}`;
      for (let attempt = 1; ; attempt++) {
        try {
          expect(await commit(target, conditionalPut(key, key), { clock: systemClock })).toMatchObject({ committed: true });
          return;
        } catch (error) {
          // A write that failed as unavailable was not sent and can be retried.
          if (failureIn(error) !== 'unavailable' || attempt > MAX_RETRIES) throw error;
        }
        await systemClock.sleep(RETRY_MS);
      }
    };
    for (const member of members()) {
      for (let count = 0; count < 10; count++) await create();
      // Some writes are in flight when the member is killed.
      await Promise.all([member.kill(), ...Array.from({ length: 10 }, create)]);
      for (let count = 0; count < 10; count++) await create();
      await member.restart();
    }
    await recorder.count(serial);
    watch.close();
    expect(recorder.breaches).toEqual([]);
    const createdKeys = Array.from({ length: serial }, (_, index) => `/key/${index}`);
    expect(recorder.allEvents.map(({ key }) => key).sort()).toEqual(createdKeys.sort());
    expect((await target.count(prefixRange('/'))).count).toBe(serial);
  }, 60_000);

  it('fails no write and no read while each member in turn is restarted', async () => {
    const target = store();
    const failures: unknown[] = [];
    let completed = 0;
    let isOver = false;
    /** A client that repeats a call until the test is over. */
    const repeat = async (call: () => Promise<unknown>): Promise<void> => {
      while (!isOver) {
        await call().catch((error: unknown) => failures.push(error));
        completed++;
      }
    };
    let serial = 0;
    const create = (): Promise<unknown> => {
      const key = `/restarts/${serial++}`;
      const operation = { type: 'put' as const, key, value: Buffer.from(key) };
      return commit(target, { compare: [{ key, modRevision: 0 }], operations: [operation] }, { clock: systemClock });
    };
    const clients = [create, create, create, () => target.revision(), () => target.get('/restarts/0')].map(repeat);
    const waitForCalls = async (): Promise<void> => {
      const before = completed;
      await waitUntil('calls', () => completed > before + 100, 30_000);
    };
    for (const member of members()) {
      await member.stop();
      await waitForCalls();
      await member.restart();
      // The member responds when it has joined the others.
      const joined = await openEtcdStore({ ...storeOptions(), endpoints: [member.endpoint] });
      await joined.revision();
      await joined.close();
      await waitForCalls();
    }
    isOver = true;
    await Promise.all(clients);
    expect(failures).toEqual([]);
    expect((await target.count(prefixRange('/restarts/'))).count).toBe(serial);
  }, 120_000);

  it('fails writes and linearizable reads as unavailable within 10 s without a quorum', async () => {
    const target = store();
    const others = members().slice(1);
    await Promise.all(others.map((member) => member.kill()));
    const write = (): Promise<unknown> =>
      commit(target, { compare: [], operations: [{ type: 'put', key: '/alone', value: Buffer.from('x') }] }, { clock: systemClock });
    // A leader accepts writes that it cannot commit until it notices that the other members are down.
    const isUnavailable = async (): Promise<boolean> => (await failureOf(write())).failure === 'unavailable';
    await waitUntil('the leader to notice that it has no quorum', isUnavailable, 30_000);
    const start = systemClock.monotonic();
    const failures = await Promise.all([failureOf(target.count(prefixRange('/'))), failureOf(write())]);
    expect(failures.map(({ failure }) => failure)).toEqual(['unavailable', 'unavailable']);
    expect(systemClock.monotonic() - start).toBeLessThan(10_000);
    await Promise.all(others.map((member) => member.restart()));
    await waitUntil(
      'the cluster to accept writes again',
      () =>
        write().then(
          () => true,
          () => false,
        ),
      30_000,
    );
  }, 90_000);

  it('fails to open without a client certificate', async () => {
    const { ca } = credentials();
    const options = { ...storeOptions(), openTimeoutMs: 3_000, credentials: () => ({ ca }) };
    expect(await failureOf(openEtcdStore(options))).toMatchObject({ failure: 'unavailable' });
  }, 30_000);

  it('fails to open when the certificates of the members do not contain the server name', async () => {
    const options = { ...storeOptions(), openTimeoutMs: 3_000, serverName: 'other.test' };
    expect(await failureOf(openEtcdStore(options))).toMatchObject({ failure: 'unavailable' });
  }, 30_000);
});
