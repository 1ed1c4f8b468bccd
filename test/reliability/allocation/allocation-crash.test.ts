/**
 * API servers killed (SIGKILL) in the middle of creating, changing and deleting Services: what the store then holds is in order, however the kill
 * fell. One process on the embedded store, two on etcd, of which one is killed while the other goes on.
 */
import { openEmbeddedStore } from '../../../apiserver/storage/embedded/open';
import { openEtcdStore } from '../../../apiserver/storage/etcd/open';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { systemRandom as random } from '../../../shared/runtime/random';
import { auditStore } from '../../support/allocations';
import { ApiClient } from '../../support/api-client';
import { describeWithEtcd, startEtcd, type EtcdServer } from '../../support/etcd';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer } from '../../support/programs';

const base = '/api/v1/namespaces/default/services';
const workers = 8;
/** Milliseconds of writing before each kill. */
const moments = [20, 90, 250, 600];
const ranges = ['--service-cluster-ip-range=10.0.0.0/22,fd00::/112', '--service-node-port-range=30000-30399'];

describe('a killed replica on the embedded store', () => {
  const folder = temporaryFolder('allocation-crash');
  afterAll(() => removeFolder(folder));

  it('leaves no leaked and no doubly allocated address', async () => {
    const securePort = await freePort();
    let made = 0;
    for (const [round, moment] of moments.entries()) {
      const server = await startApiServer({ folder, securePort, args: ranges });
      made += await killWhileWriting(server, `r${round}`, moment);
      const store = await openEmbeddedStore({ directory: `${folder}/store`, clock, random });
      const { findings } = await auditStore(store);
      await store.close();
      expect(findings).toEqual([]);
    }
    expect(made).toBeGreaterThan(0);
  }, 90_000);
});

describeWithEtcd('a killed replica on etcd, beside another replica,', () => {
  const folder = temporaryFolder('allocation-crash-etcd');
  let etcd: EtcdServer;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(async () => {
    await etcd.dispose();
    removeFolder(folder);
  });

  it('leaves no leaked and no doubly allocated address', async () => {
    const start = async (): Promise<ApiServer> =>
      startApiServer({ folder, securePort: await freePort(), etcdServers: etcd.endpoint, args: ranges });
    const survivor = await start();
    const store = await openEtcdStore({ endpoints: [etcd.endpoint], clock, random });
    try {
      for (const [round, moment] of moments.slice(1).entries()) {
        const other = await start();
        const client = new ApiClient(survivor.address, survivor.certificates, workers);
        const going = { on: true };
        const writing = Array.from({ length: workers }, (_, worker) => churn(client, `s${round}-w${worker}`, going));
        await killWhileWriting(other, `k${round}`, moment);
        going.on = false;
        await Promise.all(writing);
        client.close();
        expect((await auditStore(store)).findings).toEqual([]);
      }
    } finally {
      await store.close();
      await survivor.process.stop();
    }
  }, 90_000);
});

/** How many Services were made until then. */
async function killWhileWriting(server: ApiServer, prefix: string, moment: number): Promise<number> {
  const client = new ApiClient(server.address, server.certificates, workers);
  const writing = Array.from({ length: workers }, (_, worker) => churn(client, `${prefix}-w${worker}`, { on: true }));
  await new Promise((resolve) => setTimeout(resolve, moment));
  await server.process.kill();
  const made = await Promise.all(writing);
  client.close();
  return made.reduce((sum, count) => sum + count, 0);
}

/** Makes Services of its own, changes what they hold and deletes some, until the connection breaks or it is told to stop. Returns how many. */
async function churn(client: ApiClient, prefix: string, going: { readonly on: boolean }): Promise<number> {
  const object = (name: string, spec: object): object => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });
  let n = 0;
  for (; going.on; n++) {
    const name = `${prefix}-${n}`;
    const steps: readonly (readonly [method: string, path: string, body?: object])[] = [
      ['POST', base, object(name, { type: 'NodePort', ipFamilyPolicy: 'PreferDualStack', ports: [{ port: 80 }] })],
      ['PATCH', `${base}/${name}`, { spec: { ipFamilyPolicy: 'SingleStack', ports: [{ port: 80, nodePort: 30_000 + (n % 16) }] } }],
      ['PATCH', `${base}/${name}`, { spec: { type: 'ClusterIP' } }],
      ...(n % 3 === 0 ? ([] as const) : ([['DELETE', `${base}/${name}`]] as const)),
    ];
    for (const [method, path, body] of steps) {
      const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
      try {
        const answer = await client.send(method, path, body, { timeoutMs: 10_000, headers });
        // A node port that another worker has is refused, and so is what depends on it.
        if (answer.status >= 500 && !answer.text.includes('range is full')) throw new Error(`${method} ${path}: ${answer.text}`);
      } catch (error) {
        if (isCut(error)) return n;
        throw error;
      }
    }
  }
  return n;
}

/** Node's own errors come from outside the test's realm, so `instanceof Error` does not know them. */
function isCut(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(code ?? '') || message === 'aborted';
}
