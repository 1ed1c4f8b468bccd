/**
 * A replica killed (SIGKILL) in the middle of writes: whatever it acknowledged is there after the restart, nothing that it never received
 * is, and no version is given out twice. Several kills at different moments, over both stores.
 */
import { ApiClient } from '../../support/api-client';
import { describeWithEtcd, startEtcd, type EtcdServer } from '../../support/etcd';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, waitUntil, type ApiServer } from '../../support/programs';

const base = '/api/v1/namespaces/default/configmaps';
const workers = 8;
/** Milliseconds of writing before each kill. */
const moments = [15, 60, 140, 333, 700];

/** What one object must look like after the crash: the last acknowledged state, or the one that was on its way. */
interface Expectation {
  /** Undefined = absent. */
  acknowledged: number | undefined;
  attempted: number | undefined;
}

describe('a killed replica on the embedded store', () => {
  const folder = temporaryFolder('crash-embedded');
  afterAll(() => removeFolder(folder));

  it('loses no acknowledged write', async () => {
    await crashAndCompare((securePort) => startApiServer({ folder, securePort }));
  }, 90_000);
});

describeWithEtcd('a killed replica on etcd', () => {
  const folder = temporaryFolder('crash-etcd');
  let etcd: EtcdServer;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(async () => {
    await etcd.dispose();
    removeFolder(folder);
  });

  it('loses no acknowledged write', async () => {
    await crashAndCompare((securePort) => startApiServer({ folder, securePort, etcdServers: etcd.endpoint }));
  }, 90_000);
});

async function crashAndCompare(start: (securePort: number) => Promise<ApiServer>): Promise<void> {
  const securePort = await freePort();
  const expected = new Map<string, Expectation>();
  const versions = new Set<string>();
  let server = await start(securePort);
  try {
    for (const [round, moment] of moments.entries()) {
      const client = new ApiClient(server.address, server.certificates, workers);
      const writing = Array.from({ length: workers }, (_, worker) => writeUntilCut(client, `r${round}-w${worker}`, expected, versions));
      await new Promise((resolve) => setTimeout(resolve, moment));
      // However slow the machine: some writers got further than their first object.
      if (moment === moments.at(-1)) await waitUntil('writes', () => expected.size > workers * moments.length, 60_000);
      await server.process.kill();
      await Promise.all(writing);
      client.close();

      server = await start(securePort);
      const reader = new ApiClient(server.address, server.certificates);
      const found = await storedNumbers(reader);
      reader.close();
      const wrong = [...expected].filter(([name, want]) => found.get(name) !== want.acknowledged && found.get(name) !== want.attempted);
      expect(wrong.map(([name, want]) => ({ name, want, found: found.get(name) }))).toEqual([]);
      expect([...found.keys()].filter((name) => !expected.has(name))).toEqual([]);
      // What is found now is the truth from which the next round goes on.
      for (const [name, want] of expected) want.acknowledged = want.attempted = found.get(name);
    }
    expect(expected.size).toBeGreaterThan(workers * moments.length);
  } finally {
    await server.process.stop();
  }
}

/** Creates, changes and deletes objects of its own, one request at a time, until the connection breaks. */
async function writeUntilCut(client: ApiClient, prefix: string, expected: Map<string, Expectation>, versions: Set<string>): Promise<void> {
  for (let n = 0; ; n++) {
    const name = `${prefix}-${n}`;
    const want: Expectation = { acknowledged: undefined, attempted: undefined };
    expected.set(name, want);
    const object = (value: number): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { n: String(value) } });
    const steps: [method: string, path: string, value: number | undefined][] = [
      ['POST', base, 1],
      ['PUT', `${base}/${name}`, 2],
      ...(n % 3 === 0 ? [['DELETE', `${base}/${name}`, undefined] satisfies [string, string, undefined]] : []),
    ];
    for (const [method, path, value] of steps) {
      want.attempted = value;
      try {
        const answer = await client.send(method, path, value === undefined ? undefined : object(value), { timeoutMs: 10_000 });
        if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
        want.acknowledged = value;
        if (value === undefined) continue;
        const version = answer.json().metadata.resourceVersion;
        if (versions.has(version)) throw new Error(`version ${version} was given out twice`);
        versions.add(version);
      } catch (error) {
        if (isCut(error)) return;
        throw error;
      }
    }
  }
}

function isCut(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(code ?? '') || message === 'aborted';
}

async function storedNumbers(client: ApiClient): Promise<Map<string, number>> {
  const answer = await client.get(base);
  expect(answer.status).toBe(200);
  return new Map((answer.json().items ?? []).map((item) => [item.metadata.name, Number(item.data?.['n'])]));
}
