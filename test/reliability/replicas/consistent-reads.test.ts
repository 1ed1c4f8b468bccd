/**
 * Two replicas on one etcd: a default read through one of them shows every write that the other has acknowledged.
 * Thousands of alternating writes and reads, then the same with one replica stopped (SIGSTOP) for seconds and
 * continued. `REPLICA_ROUNDS=1000` writes and reads more often.
 */
import { ApiClient } from '../../support/http/api-client';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';
import { freePorts } from '../../support/ports';
import { startApiServer, type ApiServer } from '../../support/programs';
import { useFolder, useResource } from '../../support/use-resource';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const LANES = 5;
/** Each is a write and a read. */
const ROUNDS_PER_LANE = Number(process.env['REPLICA_ROUNDS'] ?? 300);

describeWithEtcd('two replicas on one etcd', () => {
  const folder = useFolder('replicas');
  const etcd = useResource(startEtcd, (started) => started.dispose());
  const replicas = useResource(
    async () => {
      const started: ApiServer[] = [];
      for (const securePort of await freePorts(2)) {
        started.push(await startApiServer({ folder, securePort, etcdServers: etcd().endpoint }));
      }
      return started;
    },
    (started) => Promise.all(started.map((replica) => replica.process.stop())),
    60_000,
  );
  const clients = useResource(
    () => replicas().map(({ address, certificates }) => new ApiClient(address, certificates, LANES * 2)),
    (opened) => opened.forEach((client) => client.close()),
  );

  it('return every acknowledged write to the next read through the other replica', async () => {
    const [busyClient] = clients() as [ApiClient];
    const stop = new AbortController();
    const traffic = writeLargeObjects(busyClient, stop.signal);
    try {
      const stale = await Promise.all(Array.from({ length: LANES }, (_, lane) => writeAndReadAlternately(lane)));
      expect(stale.flat()).toEqual([]);
    } finally {
      stop.abort();
      await traffic;
    }
  }, 120_000);

  it('return every acknowledged write when one replica is stopped for seconds and continued', async () => {
    const [running, paused] = clients() as [ApiClient, ApiClient];
    await writeValue(running, 'held', 0);
    const pending: Promise<{ wanted: number; seen: number }>[] = [];
    let written = 0;
    const readPaused = async (): Promise<{ wanted: number; seen: number }> => {
      const wanted = written;
      return { wanted, seen: await readValue(paused, 'held') };
    };
    for (const pauseMs of [1_500, 4_000]) {
      replicas()[1]?.process.pause();
      try {
        const until = performance.now() + pauseMs;
        while (performance.now() < until) {
          await writeValue(running, 'held', written + 1);
          written++;
          if (written % 50 === 1 && pending.length < LANES) pending.push(readPaused());
          if (written % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 50));
        }
      } finally {
        replicas()[1]?.process.resume();
      }
      // Reads that waited in the stopped replica, and reads right after it continued.
      const answers = await Promise.all([...pending.splice(0), readPaused(), readPaused()]);
      for (const { wanted, seen } of answers) expect(seen).toBeGreaterThanOrEqual(wanted);
      for (let round = 0; round < 200; round++) {
        await writeValue(running, 'held', ++written);
        expect(await readValue(paused, 'held')).toBe(written);
      }
    }
  }, 60_000);

  /** Writes through one replica and reads through the other, in turn. Returns descriptions of stale reads. */
  async function writeAndReadAlternately(lane: number): Promise<string[]> {
    const staleReads: string[] = [];
    const name = `lane-${lane}`;
    for (let round = 1; round <= ROUNDS_PER_LANE; round++) {
      const writer = clients()[round % 2]!;
      const reader = clients()[(round + 1) % 2]!;
      if (round % 100 === 0) {
        const removed = await writer.send('DELETE', `${CONFIGMAPS}/${name}`);
        expect(removed.status).toBe(200);
        const { status } = await reader.get(`${CONFIGMAPS}/${name}`);
        if (status !== 404) staleReads.push(`round ${round}: ${name} is deleted, but the answer was ${status}`);
      } else {
        await writeValue(writer, name, round, round % 100 === 1);
        const seen = round % 10 === 5 ? await listValue(reader, lane) : await readValue(reader, name);
        if (seen !== round) staleReads.push(`round ${round}: ${name} is ${round}, but ${seen} was read`);
      }
    }
    return staleReads;
  }

  async function listValue(client: ApiClient, lane: number): Promise<number> {
    const answer = await client.get(`${CONFIGMAPS}?labelSelector=lane%3Dlane-${lane}`);
    expect(answer.status).toBe(200);
    return Number(answer.json().items?.[0]?.data?.['n']);
  }
});

/** Writes large objects periodically, so that the watch streams of the replicas lag behind the store. */
async function writeLargeObjects(client: ApiClient, signal: AbortSignal): Promise<void> {
  const payload = 'x'.repeat(900_000);
  for (let n = 0; !signal.aborted; n++) {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'heavy' }, data: { n: String(n), payload } };
    const { status } = n === 0 ? await client.send('POST', CONFIGMAPS, object) : await client.send('PUT', `${CONFIGMAPS}/heavy`, object);
    if (status >= 300) throw new Error(`heavy write ${n}: ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function writeValue(client: ApiClient, name: string, n: number, create = n === 0): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { lane: name } }, data: { n: String(n) } };
  const answer = create ? await client.send('POST', CONFIGMAPS, body) : await client.send('PUT', `${CONFIGMAPS}/${name}`, body);
  if (answer.status >= 300) throw new Error(`write ${n} of ${name}: ${answer.status} ${answer.text}`);
}

async function readValue(client: ApiClient, name: string): Promise<number> {
  const answer = await client.get(`${CONFIGMAPS}/${name}`);
  if (answer.status !== 200) throw new Error(`read of ${name}: ${answer.status} ${answer.text}`);
  return Number(answer.json().data?.['n']);
}
