/**
 * The floors: what a request costs the server, beside what it must cost any server on Node, measured in alternation. A
 * read stands beside a bare TLS server that sends as many bytes; a write by one client beside its transaction, sent by
 * the same client of etcd, and beside both.
 */
import { PROTOBUF_MEDIA_TYPE } from '../../../shared/names/dialect';
import type { Store } from '../../../apiserver/storage/store';
import { findEtcd } from '../../support/external/etcd';
import { openEtcd } from '../../support/store/open-stores';
import { createConfigMaps, withEtcd, withServer, type BenchServer } from '../harness/bench-server';
import { BareServer } from '../harness/bare-server';
import { BenchClient, configMap } from '../harness/client';
import type { Estimate } from '../harness/statistics';
import { compareCosts, raisePriority, type Comparison } from '../harness/comparison';

export interface Floor {
  readonly name: string;
  /** A higher ratio is marked in the output, but fails nothing; undefined for a ratio without a bound. */
  readonly bound: number | undefined;
  readonly ratio: Estimate;
  readonly comparison: Comparison;
}

interface Read {
  readonly name: string;
  readonly bound: number;
  /** The path of the request with this number. */
  path(index: number): string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Authenticates with a client certificate; by default with the token of a token file, which is hashed for each request. */
  readonly hasCertificate?: true;
  /** Requests in flight. */
  readonly workers: number;
  /** Requests of each side in a round of {@link compareCosts}. */
  readonly requests: number;
}

/** Objects that gets alternate between. */
const OBJECTS = 1000;
const LISTED_OBJECTS = 500;
const LIST = '/api/v1/namespaces/l500/configmaps';
const PROTOBUF = { accept: PROTOBUF_MEDIA_TYPE.platform };
const getPath = (index: number): string => `/api/v1/namespaces/bench/configmaps/o-${index % OBJECTS}`;

const READS: readonly Read[] = [
  { name: 'get', bound: 1.25, path: getPath, workers: 32, requests: 2500 },
  { name: 'get, client certificate', bound: 1.25, path: getPath, hasCertificate: true, workers: 32, requests: 2500 },
  { name: 'get, resourceVersion=0', bound: 1.25, path: (index) => `${getPath(index)}?resourceVersion=0`, workers: 32, requests: 2500 },
  { name: 'list of 500', bound: 1.2, path: () => LIST, workers: 8, requests: 250 },
  { name: 'list of 500, resourceVersion=0', bound: 1.2, path: () => `${LIST}?resourceVersion=0`, workers: 8, requests: 250 },
  { name: 'list of 500 as protobuf', bound: 1.5, path: () => LIST, headers: PROTOBUF, workers: 8, requests: 250 },
];

/** A write by one client, beside its transaction. */
interface Write {
  readonly name: string;
  /** Bytes of the stored object. */
  readonly storedBytes: number;
  readonly isUpdate: boolean;
  /** Creates what the writes need. */
  prepare(client: BenchClient): Promise<unknown>;
  /** `count`: the number of this call, from 1 on. */
  send(client: BenchClient, count: number): Promise<unknown>;
}

/** Requests of each side in a round. */
const WRITES_PER_ROUND = 800;
/** The bound of the ratios of the latencies of writes. */
const WRITE_BOUND = 1.3;
const LEASES = '/apis/coordination.platform.io/v1/namespaces/bench/leases';

const WRITES: readonly Write[] = [
  {
    name: 'create by one client',
    storedBytes: 1200,
    isUpdate: false,
    prepare: (client) => client.send('POST', '/api/v1/namespaces', { metadata: { name: 'bench' } }),
    send: (client, count) => client.send('POST', '/api/v1/namespaces/bench/configmaps', configMap('bench', `c-${count}`, '')),
  },
  {
    name: 'renewal of a Lease by its node',
    storedBytes: 300,
    isUpdate: true,
    prepare: (client) => client.send('POST', LEASES, nodeLease(0)),
    send: (client, count) => client.send('PUT', `${LEASES}/node-1`, nodeLease(count)),
  },
];

/** The Lease of a node as its kubelet sends it. `renewal`: the number of the renewal. */
const nodeLease = (renewal: number): object => ({
  apiVersion: 'coordination.platform.io/v1',
  kind: 'Lease',
  metadata: {
    name: 'node-1',
    namespace: 'bench',
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: '0b1f6d2e-8c0a-4d6b-9d0e-2f6a1c3b5d7f' }],
  },
  spec: { holderIdentity: 'node-1', leaseDurationSeconds: 40, renewTime: new Date(renewal).toISOString().replace('Z', '000Z') },
});

/** Calls `onFloor` after each comparison. Writes are left out when there is no etcd. */
export async function measureFloors(onFloor: (floor: Floor) => void): Promise<void> {
  const bare = await BareServer.start();
  try {
    await withServer((opened) => compareReads(opened, bare, onFloor));
    if (findEtcd() === undefined) return;
    await withEtcd(true, (endpoint = '') =>
      withServer((opened) => compareWrites(opened, { bare, endpoint }, onFloor), { etcdServers: endpoint }),
    );
  } finally {
    bare.stop();
  }
}

async function compareReads({ client, pid, server }: BenchServer, bare: BareServer, onFloor: (floor: Floor) => void): Promise<void> {
  raisePriority(pid, bare.pid);
  await createConfigMaps({ client, pid }, { namespace: 'bench', count: OBJECTS });
  await createConfigMaps({ client, pid }, { namespace: 'l500', count: LISTED_OBJECTS });
  const certified = new BenchClient(client.port, server.certificates.admin);
  for (const { name, bound, path, headers, hasCertificate, ...load } of READS) {
    const reader = hasCertificate === true ? certified : client;
    const size = await reader.send('GET', path(0), undefined, headers);
    const subject = { pid, send: (index: number) => reader.send('GET', path(index), undefined, headers) };
    const comparison = await compareCosts(subject, bare.responding(size), load);
    onFloor({ name, bound, ratio: comparison.ratio, comparison });
  }
  certified.close();
}

interface WriteFloors {
  readonly bare: BareServer;
  /** The address of the etcd on which the server runs. */
  readonly endpoint: string;
}

/**
 * The latencies have the bound, because the client waits for etcd most of the time. No server can reach it over the
 * transaction alone when a request over TLS takes longer than a third of the transaction, so the latency also stands over
 * a request to the bare server followed by the transaction. The CPU of the server includes HTTP, TLS and admission, which
 * the transaction alone does not have.
 */
async function compareWrites(
  { client, pid }: BenchServer,
  { bare, endpoint }: WriteFloors,
  onFloor: (floor: Floor) => void,
): Promise<void> {
  raisePriority(pid, process.pid, bare.pid);
  const store = await openEtcd(endpoint);
  try {
    for (const write of WRITES) {
      await write.prepare(client);
      let sent = 0;
      const subject = { pid, send: () => write.send(client, (sent += 1)) };
      const transact = transactionOf(store, write);
      const load = { workers: 1, requests: WRITES_PER_ROUND };
      const transaction = await compareCosts(subject, { pid: process.pid, send: transact }, load);
      onFloor({ name: `${write.name}, latency`, bound: WRITE_BOUND, ratio: transaction.latencyRatio, comparison: transaction });
      onFloor({ name: `${write.name}, CPU`, bound: undefined, ratio: transaction.ratio, comparison: transaction });
      const request = bare.responding(write.storedBytes);
      const both = {
        pid: bare.pid,
        send: async (index: number, worker: number) => {
          await request.send(index, worker);
          await transact();
        },
      };
      const bareAndTransaction = await compareCosts(subject, both, load);
      const { latencyRatio } = bareAndTransaction;
      onFloor({ name: `${write.name}, latency over both`, bound: WRITE_BOUND, ratio: latencyRatio, comparison: bareAndTransaction });
    }
  } finally {
    await store.close();
  }
}

/** Sends the transaction that the API server sends for the write: each call creates a key, or updates the same one. */
function transactionOf(store: Store, { name, storedBytes, isUpdate }: Write): () => Promise<void> {
  const value = Buffer.alloc(storedBytes, 'x');
  let count = 0;
  let modRevision = 0;
  return async () => {
    count += 1;
    const key = isUpdate ? `/raw/${name}` : `/raw/${name}/${count}`;
    const { revision } = await store.transact({ compare: [{ key, modRevision }], operations: [{ type: 'put', key, value }] });
    if (isUpdate) modRevision = revision;
  };
}
