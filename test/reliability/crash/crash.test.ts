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
/** Writers, each with one request in flight, so that a kill hits some in every phase of a write. */
const WRITERS = 8;
/** Milliseconds of writing before each kill. */
const KILL_DELAYS_MS = [15, 60, 140, 333, 700];
/** More than one object of each writer in each round: some writers have got beyond their first object. */
const LEAST_OBJECTS = WRITERS * KILL_DELAYS_MS.length + 1;

/** The value of an object; `undefined` when the object does not exist. */
type StoredValue = number | undefined;

/** What an object may be after the crash: the last acknowledged value, or the one of the request in flight. */
interface Expectation {
  acknowledged: StoredValue;
  attempted: StoredValue;
}

/** What the writers have sent and received. */
interface WriteHistory {
  /** By the name of the object. */
  readonly expected: Map<string, Expectation>;
  /** All resourceVersions in responses. */
  readonly versions: Set<string>;
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
  const history: WriteHistory = { expected: new Map(), versions: new Set() };
  const { expected } = history;
  let server = await start(securePort);
  try {
    for (const [round, delayMs] of KILL_DELAYS_MS.entries()) {
      const client = new ApiClient(server.address, server.certificates, WRITERS);
      const writing = Array.from({ length: WRITERS }, (_, writer) => writeUntilCut(client, `r${round}-w${writer}`, history));
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      // A slow machine may need longer.
      const isLastRound = round === KILL_DELAYS_MS.length - 1;
      if (isLastRound) await waitUntil('writes', () => expected.size >= LEAST_OBJECTS, 60_000);
      await server.process.kill();
      await Promise.all(writing);
      client.close();

      server = await start(securePort);
      const stored = await readStoredValues(server);
      expectNoDifference(stored, expected);
      // The stored state is the expected state of the next round.
      for (const [name, expectation] of expected) expectation.acknowledged = expectation.attempted = stored.get(name);
    }
  } finally {
    await server.process.stop();
  }
}

function expectNoDifference(stored: ReadonlyMap<string, number>, expected: ReadonlyMap<string, Expectation>): void {
  const differences = [...expected]
    .map(([name, { acknowledged, attempted }]) => ({ name, acknowledged, attempted, stored: stored.get(name) }))
    .filter((row) => row.stored !== row.acknowledged && row.stored !== row.attempted);
  expect(differences).toEqual([]);
  const neverSent = [...stored.keys()].filter((name) => !expected.has(name));
  expect(neverSent).toEqual([]);
}

/** Creates, changes and deletes objects, one request at a time, until the connection breaks. */
async function writeUntilCut(client: ApiClient, prefix: string, { expected, versions }: WriteHistory): Promise<void> {
  for (let serial = 0; ; serial++) {
    const name = `${prefix}-${serial}`;
    const expectation: Expectation = { acknowledged: undefined, attempted: undefined };
    expected.set(name, expectation);
    for (const { method, path, value } of writeSteps(name, serial)) {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value: String(value) } };
      expectation.attempted = value;
      try {
        const response = await client.send(method, path, value === undefined ? undefined : body, { timeoutMs: 10_000 });
        if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
        expectation.acknowledged = value;
        if (value === undefined) continue;
        const version = response.json().metadata.resourceVersion;
        if (versions.has(version)) throw new Error(`the resourceVersion ${version} was assigned twice`);
        versions.add(version);
      } catch (error) {
        if (isConnectionCut(error)) return;
        throw error;
      }
    }
  }
}

interface WriteStep {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The value of the object after the step. */
  readonly value: StoredValue;
}

/** The writes of one object. Every third one is deleted in the end. */
function writeSteps(name: string, serial: number): readonly WriteStep[] {
  const path = `${CONFIGMAPS}/${name}`;
  const steps: readonly WriteStep[] = [
    { method: 'POST', path: CONFIGMAPS, value: 1 },
    { method: 'PUT', path, value: 2 },
  ];
  return serial % 3 === 0 ? [...steps, { method: 'DELETE', path, value: undefined }] : steps;
}

/** The values of all objects of the writers, by name. */
async function readStoredValues({ address, certificates }: ApiServer): Promise<ReadonlyMap<string, number>> {
  const client = new ApiClient(address, certificates);
  const response = await client.get(CONFIGMAPS);
  client.close();
  expect(response.status).toBe(200);
  return new Map((response.json().items ?? []).map((item) => [item.metadata.name, Number(item.data?.['value'])]));
}
