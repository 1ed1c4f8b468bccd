/**
 * The floors: what a request costs the server, beside what it must cost any server on Node, measured in alternation. A
 * read stands beside a bare TLS server that sends as many bytes; a creation beside its transaction, sent by the same
 * client of etcd.
 */
import { PROTOBUF_MEDIA_TYPE } from '../../../shared/names/dialect';
import type { Store } from '../../../apiserver/storage/store';
import { findEtcd } from '../../support/external/etcd';
import { openEtcd } from '../../support/store/open-stores';
import { createConfigMaps, withEtcd, withServer, type BenchServer } from '../harness/bench-server';
import { BareServer } from '../harness/bare-server';
import { BenchClient, configMap } from '../harness/client';
import type { Estimate } from '../harness/statistics';
import { compareCosts, prefer, type Comparison } from '../harness/comparison';

export interface Floor {
  readonly name: string;
  /** A higher ratio is marked in the output, and fails nothing; undefined for a ratio without a bound. */
  readonly bound: number | undefined;
  readonly ratio: Estimate;
  readonly comparison: Comparison;
}

interface Read {
  readonly name: string;
  readonly bound: number;
  path(index: number): string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: the token of a token file, which is hashed for each request. */
  readonly hasCertificate?: true;
  readonly workers: number;
  /** Those of a round of {@link compareCosts}. */
  readonly requests: number;
}

/** Objects that gets alternate between, and objects of the list. */
const OBJECTS = 1000;
const LISTED = 500;
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

/** Creations of each side in a round, and the bound of the ratio of latencies. */
const CREATIONS = 800;
const CREATE_BOUND = 1.3;
/** Bytes of a stored ConfigMap of the benchmark. */
const STORED_BYTES = 1200;

/** Calls `onFloor` after each comparison. Creations are left out when there is no etcd. */
export async function measureFloors(onFloor: (floor: Floor) => void): Promise<void> {
  const bare = await BareServer.start();
  try {
    await withServer((opened) => compareReads(opened, bare, onFloor));
  } finally {
    bare.stop();
  }
  if (findEtcd() === undefined) return;
  await withEtcd(true, (endpoint = '') => withServer((opened) => compareCreation(opened, endpoint, onFloor), { etcdServers: endpoint }));
}

async function compareReads({ client, pid, server }: BenchServer, bare: BareServer, onFloor: (floor: Floor) => void): Promise<void> {
  prefer(pid, bare.pid);
  await createConfigMaps({ client, pid }, { namespace: 'bench', count: OBJECTS });
  await createConfigMaps({ client, pid }, { namespace: 'l500', count: LISTED });
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

/**
 * The latency has the bound, because the client waits for etcd most of the time. The CPU of the server includes HTTP, TLS
 * and admission, which the transaction alone does not have.
 */
async function compareCreation({ client, pid }: BenchServer, endpoint: string, onFloor: (floor: Floor) => void): Promise<void> {
  prefer(pid, process.pid);
  await createConfigMaps({ client, pid }, { namespace: 'bench', count: 1 });
  const subject = {
    pid,
    send: (index: number) => client.send('POST', '/api/v1/namespaces/bench/configmaps', configMap('bench', `c-${index}`, '')),
  };
  const store = await openEtcd(endpoint);
  try {
    const transaction = { pid: process.pid, send: transactionOf(store) };
    const comparison = await compareCosts(subject, transaction, { workers: 1, requests: CREATIONS });
    onFloor({ name: 'create by one client, latency', bound: CREATE_BOUND, ratio: comparison.latencyRatio, comparison });
    onFloor({ name: 'create by one client, CPU', bound: undefined, ratio: comparison.ratio, comparison });
  } finally {
    await store.close();
  }
}

function transactionOf(store: Store): (index: number) => Promise<unknown> {
  const value = Buffer.alloc(STORED_BYTES, 'x');
  return (index) => {
    const key = `/raw/${index}`;
    return store.transact({ compare: [{ key, modRevision: 0 }], operations: [{ type: 'put', key, value }] });
  };
}
