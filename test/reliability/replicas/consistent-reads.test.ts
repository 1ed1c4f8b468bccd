/**
 * Two replicas on one etcd: a default read through one of them shows every write that the other has acknowledged.
 * Thousands of alternating writes and reads, then the same with one replica stopped (SIGSTOP) for seconds and
 * continued. `REPLICA_ROUNDS=1000` writes and reads more often.
 */
import { ApiClient, type ApiResponse } from '../../support/http/api-client';
import { describeWithEtcd } from '../../support/external/etcd';
import { replicaAt, useReplicas } from '../../support/use-replicas';
import { useResource } from '../../support/use-resource';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
/** Writers, each of which reads its own write from the other replica. */
const LANES = 5;
/** In each cycle of a lane its object is created, updated and at last deleted. */
const ROUNDS_PER_CYCLE = 100;
/** The pause between two large writes, in which the watch streams carry the other changes. */
const LARGE_WRITE_PAUSE_MS = 200;
/** Each is a write and a read. */
const ROUNDS_PER_LANE = Number(process.env['REPLICA_ROUNDS'] ?? 300);

describeWithEtcd('two replicas on one etcd', () => {
  const replicas = useReplicas('replicas');
  const clients = useResource(
    () => replicas().servers.map(({ address, certificates }) => new ApiClient(address, certificates, LANES * 2)),
    (opened) => opened.forEach((client) => client.close()),
  );

  /** The client of the replica with this index. */
  function clientOf(index: number): ApiClient {
    const client = clients()[index];
    if (client === undefined) throw new Error(`there is no replica ${index}`);
    return client;
  }

  it('return every acknowledged write to the next read through the other replica', async () => {
    const stop = new AbortController();
    const traffic = writeLargeObjects(clientOf(0), stop.signal);
    try {
      const stale = await Promise.all(Array.from({ length: LANES }, (_, lane) => writeAndReadAlternately(lane)));
      expect(stale.flat()).toEqual([]);
    } finally {
      stop.abort();
      await traffic;
    }
  }, 120_000);

  it('return every acknowledged write when one replica is stopped for seconds and continued', async () => {
    const [running, paused] = [clientOf(0), clientOf(1)];
    const name = 'held';
    let written = 0;
    await createValue(running, name, written);
    const update = async (): Promise<void> => {
      await updateValue(running, name, written + 1);
      written++;
    };
    /** Reads through the other replica, which must show at least the value that was written before. */
    const readFreshness = async (): Promise<{ acknowledged: number; seen: number }> => {
      const acknowledged = written;
      return { acknowledged, seen: await readValue(paused, name) };
    };
    for (const pauseMs of [1_500, 4_000]) {
      const readsDuringPause: ReturnType<typeof readFreshness>[] = [];
      replicaAt(replicas(), 1).process.pause();
      try {
        const until = performance.now() + pauseMs;
        while (performance.now() < until) {
          await update();
          if (written % 50 === 1 && readsDuringPause.length < LANES) readsDuringPause.push(readFreshness());
          if (written % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 50));
        }
      } finally {
        replicaAt(replicas(), 1).process.resume();
      }
      const reads = await Promise.all([...readsDuringPause, readFreshness(), readFreshness()]);
      expect(reads.filter(({ acknowledged, seen }) => seen < acknowledged)).toEqual([]);
      for (let round = 0; round < 200; round++) {
        await update();
        expect(await readValue(paused, name)).toBe(written);
      }
    }
  }, 60_000);

  /** Writes through one replica and reads through the other, in turn. Returns descriptions of stale reads. */
  async function writeAndReadAlternately(lane: number): Promise<string[]> {
    const staleReads: string[] = [];
    const name = `lane-${lane}`;
    for (let round = 1; round <= ROUNDS_PER_LANE; round++) {
      const writer = clientOf(round % 2);
      const reader = clientOf((round + 1) % 2);
      const roundOfCycle = round % ROUNDS_PER_CYCLE;
      if (roundOfCycle === 0) {
        const removed = await writer.send('DELETE', `${CONFIGMAPS}/${name}`);
        expect(removed.status).toBe(200);
        const { status } = await reader.get(`${CONFIGMAPS}/${name}`);
        if (status !== 404) staleReads.push(`round ${round}: ${name} is deleted, but the status was ${status}`);
      } else {
        await (roundOfCycle === 1 ? createValue(writer, name, round) : updateValue(writer, name, round));
        // Some reads are lists.
        const seen = round % 10 === 5 ? await listValue(reader, lane) : await readValue(reader, name);
        if (seen !== round) staleReads.push(`round ${round}: ${name} is ${round}, but ${seen} was read`);
      }
    }
    return staleReads;
  }

  /** The value of a lane's object in a list. */
  async function listValue(client: ApiClient, lane: number): Promise<number> {
    const response = await client.get(`${CONFIGMAPS}?labelSelector=lane%3Dlane-${lane}`);
    expect(response.status).toBe(200);
    return Number(response.json().items?.[0]?.data?.['n']);
  }
});

/** Writes large objects periodically, so that the watch streams of the replicas lag behind the store. */
async function writeLargeObjects(client: ApiClient, signal: AbortSignal): Promise<void> {
  const payload = 'x'.repeat(900_000);
  for (let n = 0; !signal.aborted; n++) {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'heavy' }, data: { n: String(n), payload } };
    const { status } = n === 0 ? await client.send('POST', CONFIGMAPS, object) : await client.send('PUT', `${CONFIGMAPS}/heavy`, object);
    if (status >= 300) throw new Error(`heavy write ${n}: ${status}`);
    await new Promise((resolve) => setTimeout(resolve, LARGE_WRITE_PAUSE_MS));
  }
}

const createValue = async (client: ApiClient, name: string, n: number): Promise<void> =>
  expectWritten(await client.send('POST', CONFIGMAPS, valueObject(name, n)));

const updateValue = async (client: ApiClient, name: string, n: number): Promise<void> =>
  expectWritten(await client.send('PUT', `${CONFIGMAPS}/${name}`, valueObject(name, n)));

const valueObject = (name: string, n: number): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { lane: name } },
  data: { n: String(n) },
});

function expectWritten({ status, text }: ApiResponse): void {
  if (status >= 300) throw new Error(`a write returned ${status}: ${text}`);
}

async function readValue(client: ApiClient, name: string): Promise<number> {
  const response = await client.get(`${CONFIGMAPS}/${name}`);
  if (response.status !== 200) throw new Error(`read of ${name}: ${response.status} ${response.text}`);
  return Number(response.json().data?.['n']);
}
