/** Parts of the benchmark about reads, watches and writes, each beside a baseline that they cannot beat. */
import { PROTOBUF_MEDIA_TYPE } from '../../../shared/names/dialect';
import { findEtcd, startEtcd } from '../../support/external/etcd';
import { openEtcd } from '../../support/store/open-stores';
import { BareServer, createBareCredential } from '../harness/bare-server';
import { configMap, deployment, type BenchClient } from '../harness/client';
import { idleKilobytes } from '../idle-connections';
import { measureLongLists } from '../long-lists';
import { measureLoop, measureWarmLoop, type Cost } from '../harness/measure';
import { anonymousMegabytes } from '../../support/process-usage';
import { podChangeMicros } from '../node-watchers';
import { podMicros } from '../pods';
import { Probe } from '../harness/probe';
import { compareCreations, fillRange, FREE_SERVICES, SERVICE_RANGE } from '../services';
import { numberOption, seconds, stores, textOption, TOKEN } from '../harness/settings';
import { withServer, createConfigMaps, printRow, type BenchServer } from '../harness/bench-server';
import { measureFanOut } from '../watchers';

const PROTOBUF = PROTOBUF_MEDIA_TYPE.platform;
/** Services that are created, a sixth of the addresses of their range. */
const SERVICES = 10_000;
/** Writes in flight. */
const WRITERS = 16;
/** Objects that gets alternate between. */
const OBJECTS = 1_000;

/** A Pod before it is stored, in this process. */
export function pods(): void {
  const { processing, parsed } = podMicros();
  printRow('a Pod of 60 fields: decode, default, validate', { cpuMicros: processing }, { name: 'JSON.parse of it', cpuMicros: parsed });
}

/** GETs and lists of one server, each beside a bare TLS server that sends as many bytes. */
export async function reads(): Promise<void> {
  await withServer(async (opened) => {
    console.log(`\nidle memory: ${anonymousMegabytes(opened.pid).toFixed(1)} MB\n`);
    const bare = await BareServer.start(await createBareCredential());
    try {
      await readRows(opened, bare);
    } finally {
      bare.stop();
    }
  });
}

async function readRows({ client, pid }: BenchServer, bare: BareServer): Promise<void> {
  await createConfigMaps({ client, pid }, { namespace: 'bench', count: OBJECTS });
  await createConfigMaps({ client, pid }, { namespace: 'l500', count: 500 });
  await createConfigMaps({ client, pid }, { namespace: 'l10k', count: 10_000 });
  const get = async (
    name: string,
    { target, workers, headers }: { target: string | ((index: number) => string); workers: number; headers?: Record<string, string> },
  ): Promise<Cost> => {
    const at = typeof target === 'string' ? () => target : target;
    const size = await client.send('GET', at(0), undefined, headers);
    const floor = await bare.measureResponse({ size, workers, seconds: seconds / 2 });
    const cost = await measureWarmLoop(
      pid,
      { workers, seconds },
      async (index) => void (await client.send('GET', at(index), undefined, headers)),
    );
    printRow(name, cost, { name: 'bare TLS', ...floor });
    return cost;
  };
  const getPath = (query: string) => (index: number) => `/api/v1/namespaces/bench/configmaps/o-${index % OBJECTS}${query}`;
  const list = (namespace: string, query = ''): string => `/api/v1/namespaces/${namespace}/configmaps${query}`;
  await get('get, consistent', { target: getPath(''), workers: 32 });
  await get('get, resourceVersion=0', { target: getPath('?resourceVersion=0'), workers: 32 });
  const consistent = await get('list of 500, consistent', { target: list('l500'), workers: 8 });
  const cached = await get('list of 500, resourceVersion=0', { target: list('l500', '?resourceVersion=0'), workers: 8 });
  printRow('  the first over the second', consistent, { name: 'resourceVersion=0', ...cached });
  await get('get as protobuf', { target: getPath(''), workers: 32, headers: { accept: PROTOBUF } });
  await get('list of 500 as protobuf', { target: list('l500'), workers: 8, headers: { accept: PROTOBUF } });
  await get('list of 500 as Table', {
    target: list('l500'),
    workers: 8,
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.platform.io' },
  });
  await get('list of 500, selector matching 71', { target: list('l500', '?labelSelector=shard%3Ds3'), workers: 8 });
  await get('list of 10,000', { target: list('l10k'), workers: 2 });
  await get('page of 500 out of 10,000', { target: list('l10k', '?limit=500'), workers: 4 });
}

/**
 * 1,000 nodes that watch their own Pods, beside a single one; and 1,000 watches of one object, beside a server that
 * only sends.
 */
export async function watches(): Promise<void> {
  console.log();
  // The first call includes compilation.
  await podChangeMicros(1);
  const alone = await podChangeMicros(1);
  printRow(
    'change of a Pod, 1,000 nodes watching their own',
    { cpuMicros: await podChangeMicros(1000) },
    { name: 'one node watching', cpuMicros: alone },
  );
  const bare = await BareServer.start(await createBareCredential());
  try {
    await withServer((opened) => fanOutRows(opened, bare));
  } finally {
    bare.stop();
  }
}

async function fanOutRows({ client, pid }: BenchServer, bare: BareServer): Promise<void> {
  await createConfigMaps({ client, pid }, { namespace: 'bench', count: 1 });
  const target = '/api/v1/namespaces/bench/configmaps';
  const frame = 1400;
  bare.send({ push: frame });
  const push = async (): Promise<void> => bare.send({ push: frame });
  const load = { streams: 1000, events: 100 };
  const floor = await measureFanOut({ ...load, pid: bare.pid, open: () => bare.watch(), push });
  const watch = await measureFanOut({
    ...load,
    pid,
    open: () => client.open('GET', `${target}?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Do-0`),
    push: async (index) => void (await client.send('PUT', `${target}/o-0`, configMap('bench', 'o-0', String(index)))),
  });
  printRow('one event to one of 1,000 watchers', watch, { name: 'bare TLS', ...floor });
}

/** Waits of another client while one reads very long lists, on each store. `--objects`: their length. */
export async function lists(): Promise<void> {
  const count = numberOption('objects', 60_000);
  const isWanted = (store: string): boolean => store !== 'etcd' || findEtcd() !== undefined;
  for (const store of stores.filter(isWanted)) {
    console.log(`\n${store}: another client, while one asks for ${count} ConfigMaps of 1.5 KB or half as many larger objects`);
    const etcd = store === 'etcd' ? await startEtcd() : undefined;
    try {
      await withServer((opened) => longLists(opened, count), {
        etcdServers: etcd?.endpoint,
        args: ['--feature-gates=WatchList=true'],
      });
    } finally {
      await etcd?.dispose();
    }
  }
}

async function longLists({ client, pid }: BenchServer, count: number): Promise<void> {
  const probe = await Probe.start({ port: client.port, token: TOKEN, path: '/api/v1/namespaces/default' });
  for await (const { name, bytes, ms, cpuMs, others } of measureLongLists({ client, probe, pid }, count, textOption('only') ?? '')) {
    const waited = `p50 / p99 / p100 ${[others.medianMs, others.p99Ms, others.longestMs].map((wait) => wait.toFixed(1).padStart(6)).join(' / ')} ms`;
    const work = `${ms.toFixed(0).padStart(6)} ms, CPU ${cpuMs.toFixed(0).padStart(6)} ms, ${(bytes / 1e6).toFixed(1).padStart(6)} MB`;
    console.log(`${name.padEnd(84)} ${waited}  ${work}`);
  }
  probe.stop();
}

/**
 * The memory of a server for idle connections; with `--objects` ConfigMaps that were updated, and what one list of them
 * adds.
 */
export async function memory(): Promise<void> {
  console.log();
  for (const watches of [0, 1, 4]) {
    await withServer(async ({ client: { port }, pid }) => {
      const kilobytes = await idleKilobytes({ port, pid, token: TOKEN, path: '/api/v1/services' }, watches);
      console.log(`memory of an idle HTTP/2 connection with ${watches} watches: ${kilobytes.toFixed(0)} KB`);
    });
  }
  const count = numberOption('objects', 112_000);
  await withServer(async ({ client, pid }) => {
    await createConfigMaps({ client, pid }, { namespace: 'big', count, size: 1200 });
    for (const stamp of ['1', '2']) {
      await measureLoop(pid, { workers: 16, count }, async (index) => {
        const name = `o-${index}`;
        await client.send('PUT', `/api/v1/namespaces/big/configmaps/${name}`, configMap('big', name, stamp, 1200));
      });
    }
    const before = anonymousMegabytes(pid);
    console.log(`\nmemory with ${count} objects of 1.5 KB, each updated twice: ${before.toFixed(0)} MB`);
    const bytes = await client.send('GET', '/api/v1/namespaces/big/configmaps');
    console.log(`after one list of them (${(bytes / 1e6).toFixed(0)} MB): ${(anonymousMegabytes(pid) - before).toFixed(0)} MB more`);
  });
}

/** Writes through a server on etcd, beside the same transactions without a server. Left out without etcd. */
export async function writes(): Promise<void> {
  if (findEtcd() === undefined) {
    console.log('\nwrites on etcd: left out, there is no etcd');
    return;
  }
  const etcd = await startEtcd();
  try {
    await withServer((opened) => writeRows(opened, etcd.endpoint), { etcdServers: etcd.endpoint });
  } finally {
    await etcd.dispose();
  }
}

async function writeRows({ client, pid }: BenchServer, endpoint: string): Promise<void> {
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
  for (const [name, write] of writeRowsOf(client))
    printRow(
      name,
      await measureWarmLoop(pid, { workers: WRITERS, seconds }, async (index, worker) => void (await write(index, worker))),
      baseline,
    );
}

type Write = (index: number, worker: number) => Promise<unknown>;

/** Each worker updates an object of its own, so that no write conflicts. */
function writeRowsOf(client: BenchClient): readonly (readonly [name: string, write: Write])[] {
  const configMaps = '/api/v1/namespaces/bench/configmaps';
  const deployments = '/apis/apps/v1/namespaces/bench/deployments';
  const apply = (path: string, body: string): Promise<unknown> =>
    client.send('PATCH', `${path}?fieldManager=bench`, body, { 'content-type': 'application/apply-patch+yaml' });
  const mergePatch = (path: string, body: object): Promise<unknown> =>
    client.send('PATCH', path, JSON.stringify(body), { 'content-type': 'application/merge-patch+json' });
  return [
    ['create on etcd', (index) => client.send('POST', configMaps, configMap('bench', `c-${index}`, ''))],
    [
      'update on etcd',
      (index, worker) => client.send('PUT', `${configMaps}/o-${worker}`, configMap('bench', `o-${worker}`, String(index))),
    ],
    ['merge patch on etcd', (index, worker) => mergePatch(`${configMaps}/o-${worker}`, { data: { t: String(index) } })],
    ['apply on etcd', (index, worker) => apply(`${configMaps}/a-${worker}`, configMap('bench', `a-${worker}`, String(index)))],
    [
      'apply of a Deployment of 200 fields on etcd',
      (index, worker) => apply(`${deployments}/d-${worker}`, deployment('bench', `d-${worker}`, String(index))),
    ],
  ];
}

/** Creations of Services in an empty and in an almost full range of addresses. */
export async function services(): Promise<void> {
  console.log();
  for (const [name, count, full] of [
    ['create a Service', SERVICES, false],
    ['create a Service, 99 % of the range taken', FREE_SERVICES, true],
  ] as const) {
    const prepare = full ? fillRange : undefined;
    await withServer(
      async ({ client, pid }) => {
        const costs = await compareCreations({ client, pid }, count);
        printRow(name, costs.services, { name: 'create a ConfigMap', ...costs.configMaps });
        console.log(`  ${costs.services.requests} of them took ${costs.transactions.toFixed(3)} store transactions each`);
      },
      { args: [SERVICE_RANGE], prepare },
    );
  }
}
