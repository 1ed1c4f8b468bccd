/**
 * A replica killed (SIGKILL) during writes: after the restart every acknowledged write is stored, no object exists that
 * was never sent, and no resourceVersion is assigned twice. Several kills at different times, over both stores.
 */
import { ApiClient, isConnectionCut } from '../../support/http/api-client';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';
import { freePort } from '../../support/ports';
import { startApiServer, waitUntil, type ApiServer } from '../../support/programs';
import { useFolder, useResource } from '../../support/use-resource';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
/** Writers, each with one request in flight, so that a kill hits some in every phase. */
const WORKERS = 8;
/** Milliseconds of writing before each kill. */
const KILL_DELAYS_MS = [15, 60, 140, 333, 700];

/**
 * The expected state of an object after the crash: the last acknowledged value, or the one of the request in flight.
 */
interface Expectation {
  /** `undefined` when the object does not exist. */
  acknowledged: number | undefined;
  attempted: number | undefined;
}

describe('a killed replica on the embedded store', () => {
  const folder = useFolder('crash-embedded');

  it('loses no acknowledged write', async () => {
    await crashAndCompare((securePort) => startApiServer({ folder, securePort }));
  }, 90_000);
});

describeWithEtcd('a killed replica on etcd', () => {
  const folder = useFolder('crash-etcd');
  const etcd = useResource(startEtcd, (started) => started.dispose());

  it('loses no acknowledged write', async () => {
    await crashAndCompare((securePort) => startApiServer({ folder, securePort, etcdServers: etcd().endpoint }));
  }, 90_000);
});

async function crashAndCompare(start: (securePort: number) => Promise<ApiServer>): Promise<void> {
  const securePort = await freePort();
  const expected = new Map<string, Expectation>();
  const versions = new Set<string>();
  let server = await start(securePort);
  try {
    for (const [round, delayMs] of KILL_DELAYS_MS.entries()) {
      const client = new ApiClient(server.address, server.certificates, WORKERS);
      const writing = Array.from({ length: WORKERS }, (_, worker) => writeUntilCut(client, `r${round}-w${worker}`, expected, versions));
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      // On a slow machine too, some writers must get beyond their first object.
      if (delayMs === KILL_DELAYS_MS.at(-1)) await waitUntil('writes', () => expected.size > WORKERS * KILL_DELAYS_MS.length, 60_000);
      await server.process.kill();
      await Promise.all(writing);
      client.close();

      server = await start(securePort);
      const reader = new ApiClient(server.address, server.certificates);
      const stored = await storedNumbers(reader);
      reader.close();
      const wrong = [...expected].filter(
        ([name, expectation]) => stored.get(name) !== expectation.acknowledged && stored.get(name) !== expectation.attempted,
      );
      expect(wrong.map(([name, expectation]) => ({ name, expectation, stored: stored.get(name) }))).toEqual([]);
      expect([...stored.keys()].filter((name) => !expected.has(name))).toEqual([]);
      // The stored state is the expected state of the next round.
      for (const [name, expectation] of expected) expectation.acknowledged = expectation.attempted = stored.get(name);
    }
    expect(expected.size).toBeGreaterThan(WORKERS * KILL_DELAYS_MS.length);
  } finally {
    await server.process.stop();
  }
}

/** Creates, changes and deletes objects, one request at a time, until the connection breaks. */
async function writeUntilCut(client: ApiClient, prefix: string, expected: Map<string, Expectation>, versions: Set<string>): Promise<void> {
  for (let n = 0; ; n++) {
    const name = `${prefix}-${n}`;
    const expectation: Expectation = { acknowledged: undefined, attempted: undefined };
    expected.set(name, expectation);
    const object = (value: number): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { n: String(value) } });
    const steps: [method: string, path: string, value: number | undefined][] = [
      ['POST', CONFIGMAPS, 1],
      ['PUT', `${CONFIGMAPS}/${name}`, 2],
      ...(n % 3 === 0 ? [['DELETE', `${CONFIGMAPS}/${name}`, undefined] satisfies [string, string, undefined]] : []),
    ];
    for (const [method, path, value] of steps) {
      expectation.attempted = value;
      try {
        const response = await client.send(method, path, value === undefined ? undefined : object(value), { timeoutMs: 10_000 });
        if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
        expectation.acknowledged = value;
        if (value === undefined) continue;
        const version = response.json().metadata.resourceVersion;
        if (versions.has(version)) throw new Error(`version ${version} was given out twice`);
        versions.add(version);
      } catch (error) {
        if (isConnectionCut(error)) return;
        throw error;
      }
    }
  }
}

async function storedNumbers(client: ApiClient): Promise<Map<string, number>> {
  const response = await client.get(CONFIGMAPS);
  expect(response.status).toBe(200);
  return new Map((response.json().items ?? []).map((item) => [item.metadata.name, Number(item.data?.['n'])]));
}
