/** What writes through a server on etcd cost, beside the same transactions without a server. */
import { findEtcd } from '../../support/external/etcd';
import { openEtcd } from '../../support/store/open-stores';
import { createConfigMaps, printRow, withEtcd, withServer, type BenchServer } from '../harness/bench-server';
import { configMap, deployment, MERGE, type BenchClient } from '../harness/client';
import { measureWarmLoop } from '../harness/measure';
import { seconds } from '../harness/settings';

/** Writes in flight. */
const WRITERS = 16;

/** Prints a row for each kind of write. Left out without etcd. */
export async function writes(): Promise<void> {
  if (findEtcd() === undefined) {
    console.log('\nwrites on etcd: left out, there is no etcd');
    return;
  }
  await withEtcd(true, (endpoint = '') => withServer((opened) => printWrites(opened, endpoint), { etcdServers: endpoint }));
}

async function printWrites({ client, pid }: BenchServer, endpoint: string): Promise<void> {
  await createConfigMaps({ client, pid }, { namespace: 'bench', count: 100 });
  const store = await openEtcd(endpoint);
  const value = Buffer.alloc(1200, 'x');
  const raw = await measureWarmLoop(process.pid, { workers: WRITERS, seconds }, async (index) => {
    const key = `/raw/${index}`;
    await store.transact({ compare: [{ key, modRevision: 0 }], operations: [{ type: 'put', key, value }] });
  });
  await store.close();
  console.log();
  const baseline = { name: 'the same transaction by the same client', ...raw };
  for (const { name, send } of writesOf(client))
    printRow(
      name,
      await measureWarmLoop(pid, { workers: WRITERS, seconds }, async (index, worker) => void (await send(index, worker))),
      baseline,
    );
}

interface Write {
  readonly name: string;
  send(index: number, worker: number): Promise<unknown>;
}

/** Each worker updates an object of its own, so that no write conflicts. */
function writesOf(client: BenchClient): readonly Write[] {
  const configMaps = '/api/v1/namespaces/bench/configmaps';
  const deployments = '/apis/apps/v1/namespaces/bench/deployments';
  const apply = (path: string, body: string): Promise<unknown> =>
    client.send('PATCH', `${path}?fieldManager=bench`, body, { 'content-type': 'application/apply-patch+yaml' });
  const mergePatch = (path: string, body: object): Promise<unknown> => client.send('PATCH', path, body, MERGE);
  return [
    { name: 'create on etcd', send: (index) => client.send('POST', configMaps, configMap('bench', `c-${index}`, '')) },
    {
      name: 'update on etcd',
      send: (index, worker) => client.send('PUT', `${configMaps}/o-${worker}`, configMap('bench', `o-${worker}`, String(index))),
    },
    {
      name: 'merge patch on etcd',
      send: (index, worker) => mergePatch(`${configMaps}/o-${worker}`, { data: { t: String(index) } }),
    },
    {
      name: 'apply on etcd',
      send: (index, worker) => apply(`${configMaps}/a-${worker}`, configMap('bench', `a-${worker}`, String(index))),
    },
    {
      name: 'apply of a Deployment of 200 fields on etcd',
      send: (index, worker) => apply(`${deployments}/d-${worker}`, deployment('bench', `d-${worker}`, String(index))),
    },
  ];
}
