/**
 * Two replicas on one etcd: a default read through one of them shows every write that the other has acknowledged. Thousands of alternating writes and reads, then the same
 * with one replica stopped (SIGSTOP) for seconds and continued. `REPLICA_ROUNDS=1000` writes and reads more often.
 */
import { ApiClient } from '../../support/api-client';
import { describeWithEtcd, startEtcd, type EtcdServer } from '../../support/etcd';
import { freePorts } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer } from '../../support/programs';

const base = '/api/v1/namespaces/default/configmaps';
const lanes = 5;
/** Each is a write and a read. */
const roundsPerLane = Number(process.env['REPLICA_ROUNDS'] ?? 300);

describeWithEtcd('two replicas on one etcd', () => {
  const folder = temporaryFolder('replicas');
  let etcd: EtcdServer;
  let replicas: ApiServer[];
  let clients: ApiClient[];

  beforeAll(async () => {
    etcd = await startEtcd();
    const ports = await freePorts(2);
    replicas = [];
    for (const securePort of ports) replicas.push(await startApiServer({ folder, securePort, etcdServers: etcd.endpoint }));
    clients = replicas.map(({ address, certificates }) => new ApiClient(address, certificates, lanes * 2));
  }, 60_000);

  afterAll(async () => {
    for (const client of clients) client.close();
    await Promise.all(replicas.map((replica) => replica.process.stop()));
    await etcd.dispose();
    removeFolder(folder);
  });

  it('return every acknowledged write to the next read through the other replica', async () => {
    const [heavy] = clients as [ApiClient];
    const stop = new AbortController();
    const traffic = keepBusy(heavy, stop.signal);
    try {
      const stale = await Promise.all(Array.from({ length: lanes }, (_, lane) => alternate(lane)));
      expect(stale.flat()).toEqual([]);
    } finally {
      stop.abort();
      await traffic;
    }
  }, 120_000);

  it('return every acknowledged write when one replica is stopped for seconds and continued', async () => {
    const [running, paused] = clients as [ApiClient, ApiClient];
    await put(running, 'held', 0);
    const pending: Promise<{ wanted: number; seen: number }>[] = [];
    let written = 0;
    const read = async (): Promise<{ wanted: number; seen: number }> => {
      const wanted = written;
      return { wanted, seen: await value(paused, 'held') };
    };
    for (const pauseMs of [1_500, 4_000]) {
      replicas[1]?.process.pause();
      try {
        const until = performance.now() + pauseMs;
        while (performance.now() < until) {
          await put(running, 'held', written + 1);
          written++;
          if (written % 50 === 1 && pending.length < lanes) pending.push(read());
          if (written % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 50));
        }
      } finally {
        replicas[1]?.process.resume();
      }
      // The reads that waited in the stopped replica, and those right after it went on.
      const answers = await Promise.all([...pending.splice(0), read(), read()]);
      for (const { wanted, seen } of answers) expect(seen).toBeGreaterThanOrEqual(wanted);
      for (let round = 0; round < 200; round++) {
        await put(running, 'held', ++written);
        expect(await value(paused, 'held')).toBe(written);
      }
    }
  }, 60_000);

  /** Writes through one replica, reads through the other, in turn; what was read wrongly, in words. */
  async function alternate(lane: number): Promise<string[]> {
    const wrong: string[] = [];
    const name = `lane-${lane}`;
    for (let round = 1; round <= roundsPerLane; round++) {
      const writer = clients[round % 2]!;
      const reader = clients[(round + 1) % 2]!;
      if (round % 100 === 0) {
        const removed = await writer.send('DELETE', `${base}/${name}`);
        expect(removed.status).toBe(200);
        const { status } = await reader.get(`${base}/${name}`);
        if (status !== 404) wrong.push(`round ${round}: ${name} is deleted, but the answer was ${status}`);
      } else {
        await put(writer, name, round, round % 100 === 1);
        const seen = round % 10 === 5 ? await listed(reader, lane) : await value(reader, name);
        if (seen !== round) wrong.push(`round ${round}: ${name} is ${round}, but ${seen} was read`);
      }
    }
    return wrong;
  }

  async function listed(client: ApiClient, lane: number): Promise<number> {
    const answer = await client.get(`${base}?labelSelector=lane%3Dlane-${lane}`);
    expect(answer.status).toBe(200);
    return Number(answer.json().items?.[0]?.data?.['n']);
  }
});

/** Large objects now and then, so that the replicas' streams of events lag behind what single reads of the store could tell. */
async function keepBusy(client: ApiClient, signal: AbortSignal): Promise<void> {
  const payload = 'x'.repeat(900_000);
  for (let n = 0; !signal.aborted; n++) {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'heavy' }, data: { n: String(n), payload } };
    const { status } = n === 0 ? await client.send('POST', base, object) : await client.send('PUT', `${base}/heavy`, object);
    if (status >= 300) throw new Error(`heavy write ${n}: ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function put(client: ApiClient, name: string, n: number, create = n === 0): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { lane: name } }, data: { n: String(n) } };
  const answer = create ? await client.send('POST', base, body) : await client.send('PUT', `${base}/${name}`, body);
  if (answer.status >= 300) throw new Error(`write ${n} of ${name}: ${answer.status} ${answer.text}`);
}

async function value(client: ApiClient, name: string): Promise<number> {
  const answer = await client.get(`${base}/${name}`);
  if (answer.status !== 200) throw new Error(`read of ${name}: ${answer.status} ${answer.text}`);
  return Number(answer.json().data?.['n']);
}
