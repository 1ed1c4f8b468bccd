/**
 * `npm run bench`: speed and memory as ratios within one run, so that a slow or noisy machine tells the same story as a fast one.
 * Every row is server CPU per request, beside what it is compared with: a bare TLS server sending the same bytes, the same read at
 * resourceVersion=0, or the same transaction sent to etcd by the same client. Prints; never fails on a number.
 *
 *   npm run bench [-- --seconds=4] [--objects=112000] [--parts=pods,reads,watches,writes,services,cluster,evictions,slices,hostile,access,traces,policies,flow,conversions,memory,garbage,workloads,custom,definitions,backups]
 *   npm run bench -- --parts=definitions [--definitions=450] [--stores=embedded,etcd]
 *
 * `definitions` prints absolute figures and takes minutes, so it runs only when it is asked for.
 * `cluster` prints what a client waits while 200 nodes and 5,000 Pods move; with --server=<origin> --token=<token> --domain=<end of the groups'
 * names> it asks that server instead of one of ours. Both cores are busy for a minute, so it runs only when it is asked for.
 * `hostile` prints how long another client waits for each of a table of bad inputs, or of those whose names have --only=<text> in them.
 * `evictions` prints how long --evictions=100 of them take under a budget that lets one pod go at a time; with --server=127.0.0.1:<port> --token=<token> on
 * that server, which must have its controllers.
 * `slices` prints how often the EndpointSlices of a Service are written while its --pods=5000 are replaced, and how soon they are right; on another server as
 * for `evictions`.
 * `policies` prints what it costs to ask a policy, and a webhook besides its round trip.
 * `access` prints what it costs to know who asks, whether he may, and to record it.
 * `traces` prints what it costs a get to be traced.
 * `flow` prints what flow control costs a get, and what a calm user waits while another one floods the server.
 * `conversions` prints how long a list of --converted=10000 custom objects takes in a version that a webhook converts, beside the webhook alone, and what another client
 * waits meanwhile.
 * `garbage` prints how long chains and families of objects take to go after their owner, and what 100,000 objects cost the collector; with --server=<origin>
 * --token=<token> it asks that server for the first. It takes minutes, so it runs only when it is asked for.
 * `backups` prints what a backup of --objects=100000 of 1.5 KB costs the server beside it, on each of --stores; it takes minutes, so it runs only when it is asked for.
 * `custom` prints what creating objects of a kind with a schema of 30 members and three rules costs.
 * `workloads` prints how long --pods=5000 of one Deployment take, with how many requests, and what the controllers cost then and in --idle=60 seconds without a change;
 * with --server=127.0.0.1:<port> --token=<token> --pid=<of its controllers> on that server. It takes minutes, so it runs only when it is asked for.
 * `memory` is measured with so many objects of 1.5 KB, each updated twice; it takes minutes, so it runs only when it is asked for.
 */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROTOBUF_MEDIA_TYPE } from '../../shared/names/dialect';
import { systemClock } from '../../shared/runtime/clock';
import { createAuthority, issueCertificate, type Credential } from '../../shared/runtime/pki';
import { systemRandom } from '../../shared/runtime/random';
import { openEtcdStore } from '../../apiserver/storage/etcd/open';
import { startControllers } from '../support/control-plane';
import { findEtcd, startEtcd } from '../support/etcd';
import { freePort } from '../support/ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer } from '../support/programs';
import { BareServer } from './bare';
import { startTraceReceiver } from '../support/trace-receiver';
import { backupCost, type ServerState } from './backups';
import { policyMicros, webhookMicros } from './policies';
import { decisionMicros, getCost, metadataPolicy, prepare, tracingFile } from './access';
import { BenchClient, configMap, deployment } from './client';
import { anonymousMegabytes, cpuSeconds, loop, warmLoop, type Cost } from './measure';
import { clusterWaits, quantile } from './cluster';
import type { ClusterLoad } from './cluster-load';
import { customCosts } from './custom';
import { definitionCosts } from './definitions';
import { conversionWaits } from './conversions';
import { changeCost } from './node-watchers';
import { collectionTimes, families, type CollectionTimes } from './garbage';
import { watched } from './loop-delay';
import { podCost } from './pods';
import { Probe } from './probe';
import { evictAll } from './evictions';
import { flood, seatMicros, type FloodTarget } from './flood';
import { hostileWaits } from './hostile';
import { rollPods } from './slices';
import { compareCreations, fillRange, ROOM, SERVICE_RANGE } from './services';
import { fanOut } from './watchers';
import { workloadCosts } from './workloads';

const TOKEN = 'bench-token';
const PROTOBUF = PROTOBUF_MEDIA_TYPE.platform;
const option = (name: string, absent: number): number =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? absent);
const text = (name: string): string | undefined =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const seconds = option('seconds', 4);
const objects = option('objects', 112_000);
const SERVICES = 10_000;
const CONVERSION_ROUNDS = 5;
const names = (name: string, absent: string): readonly string[] =>
  (process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? absent).split(',');
const parts = names('parts', 'pods,reads,watches,writes,services');
const definitions = option('definitions', 450);
const stores = names('stores', 'embedded,etcd');

function row(name: string, cost: Cost | { cpuMicros: number }, against?: string, reference?: number): void {
  const ratio = reference === undefined ? '' : `${(cost.cpuMicros / reference).toFixed(2)} × ${against} (${reference.toFixed(1)})`;
  console.log(`${name.padEnd(46)} ${cost.cpuMicros.toFixed(1).padStart(9)} µs  ${ratio}`);
}

async function start(
  folder: string,
  etcdServers?: string,
  args: readonly string[] = [],
): Promise<{ server: ApiServer; client: BenchClient }> {
  const securePort = await freePort();
  const tokens = path.join(folder, 'tokens.csv');
  writeFileSync(tokens, `${TOKEN},bench,bench,"system:masters"\n`, { mode: 0o600 });
  const server = await startApiServer({
    folder,
    securePort,
    args: [`--token-auth-file=${tokens}`, ...args],
    ...(etcdServers === undefined ? {} : { etcdServers }),
  });
  return { server, client: new BenchClient(securePort, TOKEN) };
}

async function fill(client: BenchClient, pid: number, namespace: string, count: number, size = 1000): Promise<Cost> {
  await client.send('POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } }));
  return loop(pid, { workers: 16, count }, async (index) => {
    await client.send('POST', `/api/v1/namespaces/${namespace}/configmaps`, configMap(namespace, `o-${index}`, '', size));
  });
}

async function credential(): Promise<Credential> {
  const life = { lifetimeMs: 86_400_000, clock: systemClock };
  const authority = await createAuthority({ ...life, subject: { commonName: 'bench-ca' } });
  return issueCertificate({ ...life, authority, usage: 'server', subject: { commonName: 'bare' }, names: ['127.0.0.1'] });
}

async function reads(): Promise<void> {
  const folder = temporaryFolder('bench');
  const { server, client } = await start(folder);
  const pid = server.process.pid;
  console.log(`\nidle memory: ${anonymousMegabytes(pid).toFixed(1)} MB\n`);
  const bare = await BareServer.start(await credential());
  try {
    await fill(client, pid, 'bench', 1000);
    await fill(client, pid, 'l500', 500);
    await fill(client, pid, 'l10k', 10_000);
    const get = async (
      name: string,
      target: string | ((index: number) => string),
      workers: number,
      headers?: Record<string, string>,
    ): Promise<Cost> => {
      const at = typeof target === 'string' ? () => target : target;
      const size = await client.send('GET', at(0), undefined, headers);
      const floor = await bare.answer(size, workers, seconds / 2);
      const cost = await warmLoop(
        pid,
        { workers, seconds },
        async (index) => void (await client.send('GET', at(index), undefined, headers)),
      );
      row(name, cost, 'bare TLS', floor.cpuMicros);
      return cost;
    };
    const one = (query: string) => (index: number) => `/api/v1/namespaces/bench/configmaps/o-${index % 1000}${query}`;
    const list = (namespace: string, query = ''): string => `/api/v1/namespaces/${namespace}/configmaps${query}`;
    await get('get, consistent', one(''), 32);
    await get('get, resourceVersion=0', one('?resourceVersion=0'), 32);
    const consistent = await get('list of 500, consistent', list('l500'), 8);
    const cached = await get('list of 500, resourceVersion=0', list('l500', '?resourceVersion=0'), 8);
    row('  the first over the second', consistent, 'resourceVersion=0', cached.cpuMicros);
    await get('get as protobuf', one(''), 32, { accept: PROTOBUF });
    await get('list of 500 as protobuf', list('l500'), 8, { accept: PROTOBUF });
    await get('list of 500 as Table', list('l500'), 8, { accept: 'application/json;as=Table;v=v1;g=meta.platform.io' });
    await get('list of 500, selector matching 71', list('l500', '?labelSelector=shard%3Ds3'), 8);
    await get('list of 10,000', list('l10k'), 2);
    await get('page of 500 out of 10,000', list('l10k', '?limit=500'), 4);
  } finally {
    bare.stop();
    client.close();
    await server.process.stop();
    removeFolder(folder);
  }
}

async function policies(): Promise<void> {
  console.log();
  row('a policy with three expressions', { cpuMicros: policyMicros() });
  const { asked, bare } = await webhookMicros();
  row('a webhook', { cpuMicros: asked });
  row('its bare round trip', { cpuMicros: bare });
}

/** In alternation, since a machine is never as quiet as it was. */
async function access(): Promise<void> {
  console.log();
  row('decision, 10,000 rules in 1,000 bindings', { cpuMicros: await decisionMicros() });
  const [plain, recorded] = [temporaryFolder('bench-plain'), temporaryFolder('bench-recorded')];
  const audited = [`--audit-policy-file=${metadataPolicy(recorded)}`, `--audit-log-path=${path.join(recorded, 'audit.log')}`];
  const [one, other] = [await start(plain), await start(recorded, undefined, audited)];
  const admin = { client: one.client, pid: one.server.process.pid };
  const account = { ...admin, client: new BenchClient(one.client.port, await prepare(admin)) };
  const watched = { client: other.client, pid: other.server.process.pid };
  await prepare(watched);
  try {
    for (let round = 0; round < 3; round += 1) {
      const floor = await getCost(admin, seconds);
      row('get by an administrator', floor);
      row('get by a service account, RBAC', await getCost(account, seconds), 'administrator', floor.cpuMicros);
      row('get, recorded at Metadata', await getCost(watched, seconds), 'not recorded', floor.cpuMicros);
    }
  } finally {
    for (const { client } of [admin, account, watched]) client.close();
    await Promise.all([one.server.process.stop(), other.server.process.stop()]);
    for (const folder of [plain, recorded]) removeFolder(folder);
  }
}

/** Of no request, of one in a hundred and of all of them, in alternation. */
async function traces(): Promise<void> {
  console.log();
  const receiver = await startTraceReceiver();
  const open = async (
    rate: number | undefined,
  ): Promise<{ readonly folder: string; readonly client: BenchClient; readonly server: ApiServer }> => {
    const folder = temporaryFolder('bench-traces');
    const args = rate === undefined ? [] : [`--tracing-config-file=${tracingFile(folder, receiver.port, rate)}`];
    const opened = { folder, ...(await start(folder, undefined, args)) };
    await prepare({ client: opened.client, pid: opened.server.process.pid });
    return opened;
  };
  const [off, some, all] = [await open(undefined), await open(10_000), await open(1_000_000)];
  try {
    for (let round = 0; round < 3; round += 1) {
      const cost = ({ client, server }: typeof off): Promise<Cost> => getCost({ client, pid: server.process.pid }, seconds);
      const floor = await cost(off);
      row('get without traces', floor);
      row('get, one in a hundred is traced', await cost(some), 'without', floor.cpuMicros);
      row('get, each is traced', await cost(all), 'without', floor.cpuMicros);
    }
  } finally {
    for (const { folder, server, client } of [off, some, all]) {
      client.close();
      await server.process.stop();
      removeFolder(folder);
    }
    await receiver.close();
  }
}

async function conversions(): Promise<void> {
  const folder = temporaryFolder('bench');
  const { server, client } = await start(folder);
  const probe = await Probe.start(client.port, TOKEN, '/api/v1/namespaces/default');
  const count = option('converted', 10_000);
  const ms = (time: number): string => `${time.toFixed(0)} ms`;
  console.log(`\na list of ${count} custom objects, converted by a webhook`);
  try {
    for await (const found of conversionWaits({ client, probe, pid: server.process.pid }, count, CONVERSION_ROUNDS)) {
      const { plainMs, webhookMs, listMs, againMs, calls, cpuMs, webhookCpuMs, longestMs } = found;
      const ratio = `${(listMs / webhookMs).toFixed(2)} × the webhook alone (${ms(webhookMs)}), ${calls} calls`;
      const work = `${ms(cpuMs)} of a processor, the webhook ${ms(webhookCpuMs)}`;
      const others = `again ${ms(againMs)}, stored version ${ms(plainMs)}, another client ${ms(longestMs)}`;
      console.log(`${ms(listMs).padStart(9)}  ${ratio}; ${work}; ${others}`);
    }
  } finally {
    probe.stop();
    client.close();
    await server.process.stop();
    removeFolder(folder);
  }
}

/** With and without flow control, in alternation; the users are nobody in particular. */
async function flow(): Promise<void> {
  const open = async (args: readonly string[]): Promise<Flooded> => {
    const folder = temporaryFolder('bench-flow');
    const users = path.join(folder, 'users.csv');
    writeFileSync(users, `${TOKEN},bench,bench,"system:masters"\ncalm,calm,1,"devs"\nflood,flood,2,"devs"\n`, { mode: 0o600 });
    const securePort = await freePort();
    const server = await startApiServer({
      folder,
      securePort,
      args: [
        `--token-auth-file=${users}`,
        '--authorization-mode=AlwaysAllow',
        '--max-requests-inflight=40',
        '--max-mutating-requests-inflight=20',
        ...args,
      ],
    });
    const admin = new BenchClient(securePort, TOKEN);
    await prepare({ client: admin, pid: server.process.pid });
    admin.close();
    return { folder, server, calm: new BenchClient(securePort, 'calm'), flooder: 'flood' };
  };
  console.log();
  row('a seat taken and given back', { cpuMicros: seatMicros() });
  const [without, withIt] = [await open(['--enable-priority-and-fairness=false']), await open([])];
  try {
    for (let round = 0; round < 3; round += 1) {
      const floor = await getCost({ client: without.calm, pid: without.server.process.pid }, seconds);
      row('get without flow control', floor);
      row(
        'get with flow control',
        await getCost({ client: withIt.calm, pid: withIt.server.process.pid }, seconds),
        'without',
        floor.cpuMicros,
      );
    }
    for (const [where, niceness] of [
      ['on the same processors', 0],
      ['on what they leave', 19],
    ] as const) {
      const { idle, flooded, served, refused, cut } = await flood(withIt, seconds, niceness);
      const shown = [idle, flooded].map((waits) => [0.5, 0.99].map((part) => quantile(waits, part).toFixed(1)).join(' / '));
      console.log(
        `calm user p50 / p99 ${shown[0]} ms, in a flood from ${where} ${shown[1]} ms (${served} lists served, ${refused} refused, ${cut} cut)`,
      );
    }
  } finally {
    for (const { folder, server, calm } of [without, withIt]) {
      calm.close();
      await server.process.stop();
      removeFolder(folder);
    }
  }
}

interface Flooded extends FloodTarget {
  readonly folder: string;
  readonly server: ApiServer;
}

/** 1,000 nodes that watch their own Pods each, beside one of them alone; and 1,000 watchers of one object, beside a server that only sends. */
async function watches(): Promise<void> {
  console.log();
  // The first one pays for compiling.
  await changeCost(1);
  const alone = await changeCost(1);
  row('change of a Pod, 1,000 nodes watching their own', { cpuMicros: await changeCost(1000) }, 'one node watching', alone);
  const folder = temporaryFolder('bench');
  const { server, client } = await start(folder);
  const pid = server.process.pid;
  const bare = await BareServer.start(await credential());
  try {
    await fill(client, pid, 'bench', 1);
    const target = '/api/v1/namespaces/bench/configmaps';
    const frame = 1400;
    bare.tell({ push: frame });
    const push = async (): Promise<void> => bare.tell({ push: frame });
    const floor = await fanOut(bare.pid, 1000, 100, () => bare.watch(), push);
    const watch = await fanOut(
      pid,
      1000,
      100,
      () => client.open('GET', `${target}?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Do-0`),
      async (index) => void (await client.send('PUT', `${target}/o-0`, configMap('bench', 'o-0', String(index)))),
    );
    row('one event to one of 1,000 watchers', watch, 'bare TLS', floor.cpuMicros);
  } finally {
    bare.stop();
    client.close();
    await server.process.stop();
    removeFolder(folder);
  }
}

async function custom(): Promise<void> {
  const folder = temporaryFolder('bench');
  const { server, client } = await start(folder);
  try {
    const { ruled, free, validationMicros } = await customCosts(client, server.process.pid, seconds);
    console.log();
    row('create, any object', free);
    row('create, 30 members and three rules', ruled, 'any object', free.cpuMicros);
    row('schema and rules alone', { cpuMicros: validationMicros });
    console.log(
      `  ${(1e6 / ruled.cpuMicros).toFixed(0)} creations a second of one core, ${(1e6 / validationMicros).toFixed(0)} validations`,
    );
  } finally {
    client.close();
    await server.process.stop();
    removeFolder(folder);
  }
}

async function memory(count: number): Promise<void> {
  const folder = temporaryFolder('bench');
  const { server, client } = await start(folder);
  const pid = server.process.pid;
  try {
    await fill(client, pid, 'big', count, 1200);
    for (const stamp of ['1', '2']) {
      await loop(pid, { workers: 16, count }, async (index) => {
        const name = `o-${index}`;
        await client.send('PUT', `/api/v1/namespaces/big/configmaps/${name}`, configMap('big', name, stamp, 1200));
      });
    }
    const before = anonymousMegabytes(pid);
    console.log(`\nmemory with ${count} objects of 1.5 KB, each updated twice: ${before.toFixed(0)} MB`);
    const bytes = await client.send('GET', '/api/v1/namespaces/big/configmaps');
    console.log(`after one list of them (${(bytes / 1e6).toFixed(0)} MB): ${(anonymousMegabytes(pid) - before).toFixed(0)} MB more`);
  } finally {
    client.close();
    await server.process.stop();
    removeFolder(folder);
  }
}

async function backups(kind: string, count: number): Promise<void> {
  const folder = temporaryFolder('bench');
  const etcd = kind === 'etcd' ? await startEtcd() : undefined;
  const { server, client } = await watched(() => start(folder, etcd?.endpoint));
  try {
    await fill(client, server.process.pid, 'big', count, 1200);
    const {
      seconds: took,
      bytes,
      ownMegabytes,
      server: loaded,
      idle,
    } = await backupCost({
      server,
      port: client.port,
      token: TOKEN,
      object: '/api/v1/namespaces/big/configmaps/o-7',
      flags: [etcd === undefined ? `--storage-dir=${path.join(folder, 'store')}` : `--etcd-servers=${etcd.endpoint}`],
      folder,
    });
    console.log(
      `\nbackup of ${count} objects of 1.5 KB in ${kind}: ${took.toFixed(1)} s, ${(bytes / 1e6).toFixed(0)} MB, itself at most ${ownMegabytes.toFixed(0)} MB`,
    );
    const told = ({ megabytes, longestDelayMs, waits }: ServerState): string =>
      `${megabytes.toFixed(0)} MB, event loop held up ${longestDelayMs.toFixed(0)} ms at most, ` +
      `another client p50 / p99 / p100 ${[waits.medianMs, waits.p99Ms, waits.longestMs].map((ms) => ms.toFixed(1)).join(' / ')} ms`;
    console.log(`  the server meanwhile: ${told(loaded)}`);
    console.log(`  as long without:      ${told(idle)}`);
  } finally {
    client.close();
    await server.process.stop();
    await etcd?.dispose();
    removeFolder(folder);
  }
}

async function garbage(): Promise<void> {
  const tell = ({ name, seconds: took }: CollectionTimes): void => console.log(`${name.padEnd(46)} ${took.toFixed(1).padStart(7)} s`);
  const origin = text('server');
  if (origin !== undefined) {
    const client = new BenchClient(Number(new URL(origin).port), text('token') ?? '');
    await collectionTimes(client, tell);
    client.close();
    return;
  }
  const folder = temporaryFolder('bench');
  const { server, client } = await start(folder);
  const count = option('objects', 100_000);
  try {
    let controllers = startControllers(server);
    await collectionTimes(client, tell);
    await controllers.stop();
    await families(client, 'families', count);
    for (const choice of ['-*,garbage-collector', '*']) {
      controllers = startControllers(server, `--controllers=${choice}`);
      const { pid } = controllers;
      while (!controllers.output.includes('the graph of owners is known')) await new Promise((resolve) => setTimeout(resolve, 200));
      const [cpu, before] = [cpuSeconds(pid), anonymousMegabytes(pid)];
      let most = before;
      for (let second = 0; second < 60; second += 1) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        most = Math.max(most, anonymousMegabytes(pid));
      }
      const now = anonymousMegabytes(pid);
      console.log(
        `${count} objects under --controllers=${choice}: known after ${cpu.toFixed(1)} s of CPU, ${before.toFixed(0)} MB, ` +
          `at most ${most.toFixed(0)} MB, a minute later ${now.toFixed(0)} MB`,
      );
      await controllers.stop();
    }
  } finally {
    client.close();
    await server.process.stop();
    removeFolder(folder);
  }
}

async function writes(): Promise<void> {
  if (findEtcd() === undefined) {
    console.log('\nwrites on etcd: left out, there is no etcd');
    return;
  }
  const etcd = await startEtcd();
  const folder = temporaryFolder('bench');
  const { server, client } = await start(folder, etcd.endpoint);
  const pid = server.process.pid;
  try {
    await fill(client, pid, 'bench', 100);
    const target = '/api/v1/namespaces/bench/configmaps';
    const store = await openEtcdStore({ endpoints: [etcd.endpoint], clock: systemClock, random: systemRandom });
    const value = Buffer.alloc(1200, 'x');
    const raw = await warmLoop(process.pid, { workers: 16, seconds }, async (index) => {
      const key = `/raw/${index}`;
      await store.transact({ compare: [{ key, modRevision: 0 }], operations: [{ type: 'put', key, value }] });
    });
    await store.close();
    console.log();
    const against = 'the same transaction by the same client';
    const create = await warmLoop(pid, { workers: 16, seconds }, async (index) => {
      await client.send('POST', target, configMap('bench', `c-${index}`, ''));
    });
    row('create on etcd', create, against, raw.cpuMicros);
    const update = await warmLoop(pid, { workers: 16, seconds }, async (index, worker) => {
      await client.send('PUT', `${target}/o-${worker}`, configMap('bench', `o-${worker}`, String(index)));
    });
    row('update on etcd', update, against, raw.cpuMicros);
    const patch = await warmLoop(pid, { workers: 16, seconds }, async (index, worker) => {
      const body = JSON.stringify({ data: { t: String(index) } });
      await client.send('PATCH', `${target}/o-${worker}`, body, { 'content-type': 'application/merge-patch+json' });
    });
    row('merge patch on etcd', patch, against, raw.cpuMicros);
    const applies = { 'content-type': 'application/apply-patch+yaml' };
    const apply = await warmLoop(pid, { workers: 16, seconds }, async (index, worker) => {
      const name = `a-${worker}`;
      await client.send('PATCH', `${target}/${name}?fieldManager=bench`, configMap('bench', name, String(index)), applies);
    });
    row('apply on etcd', apply, against, raw.cpuMicros);
    const deployments = '/apis/apps/v1/namespaces/bench/deployments';
    const large = await warmLoop(pid, { workers: 16, seconds }, async (index, worker) => {
      const name = `d-${worker}`;
      await client.send('PATCH', `${deployments}/${name}?fieldManager=bench`, deployment('bench', name, String(index)), applies);
    });
    row('apply of a Deployment of 200 fields on etcd', large, against, raw.cpuMicros);
  } finally {
    client.close();
    await server.process.stop();
    await etcd.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function services(): Promise<void> {
  console.log();
  for (const [name, count, full] of [
    ['create a Service', SERVICES, false],
    ['create a Service, 99 % of the range taken', ROOM, true],
  ] as const) {
    const folder = temporaryFolder('bench');
    if (full) await fillRange(folder);
    const { server, client } = await start(folder, undefined, [SERVICE_RANGE]);
    try {
      const costs = await compareCreations(client, server.process.pid, count);
      row(name, costs.services, 'create a ConfigMap', costs.configMaps.cpuMicros);
      console.log(`  ${costs.services.requests} of them took ${costs.transactions.toFixed(3)} store transactions each`);
    } finally {
      client.close();
      await server.process.stop();
      removeFolder(folder);
    }
  }
}

/** On etcd when there is one: its client shares the event loop with everyone else. */
async function cluster(): Promise<void> {
  const load = { nodes: option('nodes', 200), pods: option('pods', 5000), creators: 50 };
  const origin = text('server');
  if (origin !== undefined) {
    await printWaits({ ...load, origin, token: text('token') ?? '', domain: text('domain') ?? 'k8s.io' });
    return;
  }
  const etcd = findEtcd() === undefined ? undefined : await startEtcd();
  const folder = temporaryFolder('bench');
  const { server, client } = await start(folder, etcd?.endpoint);
  try {
    await printWaits({ ...load, origin: `https://127.0.0.1:${client.port}`, token: TOKEN, domain: 'platform.io' }, server.process.pid);
  } finally {
    client.close();
    await server.process.stop();
    await etcd?.dispose();
    removeFolder(folder);
  }
}

async function hostile(): Promise<void> {
  const folder = temporaryFolder('bench');
  const { server, client } = await start(folder);
  console.log('\nlongest wait of another client in ms: HTTP/1.1, HTTP/2, both without credentials (answers)');
  try {
    for await (const { name, longest, statuses } of hostileWaits(`https://127.0.0.1:${client.port}`, TOKEN, text('only') ?? '')) {
      const waits = Object.values(longest).map((wait) => wait.toFixed(0).padStart(5));
      console.log(`${name.padEnd(46)} ${waits.join('')}  (${statuses.join(' ')})`);
    }
  } finally {
    client.close();
    await server.process.stop();
    removeFolder(folder);
  }
}

const evictions = (): Promise<void> => besideControllers((client, pid) => printEvictions(client, option('evictions', 100), pid));

async function slices(): Promise<void> {
  await besideControllers(async (client, pid) => {
    for (const batch of [1, 100]) {
      const { writes, seconds: took, settledMs, slices: left } = await rollPods(client, option('pods', 5_000), batch);
      const memory =
        pid === undefined ? '' : `, ${anonymousMegabytes(pid).toFixed(0)} MB and ${cpuSeconds(pid).toFixed(1)} s of CPU of the controllers`;
      console.log(
        `${`pods replaced, ${batch} at a time`.padEnd(46)} ${took.toFixed(1)} s, right ${settledMs.toFixed(0)} ms later: ${writes} writes of slices, ${left} left${memory}`,
      );
    }
  });
}

const workloads = (): Promise<void> =>
  besideControllers(async (client, pid = option('pid', process.pid)) => {
    const pods = option('pods', 5_000);
    const { seconds: took, requests, cpu, megabytes, idle } = await workloadCosts(client, pid, pods, option('idle', 60));
    const count = [...requests.values()].reduce((sum, one) => sum + one, 0);
    const told = [...requests].slice(0, 6).map(([what, one]) => `${one} ${what}`);
    console.log(`\n${pods} pods of one Deployment: ${took.toFixed(1)} s, ${(count / pods).toFixed(2)} requests a pod (${told.join(', ')})`);
    console.log(`${"the controllers' process".padEnd(46)} ${cpu.toFixed(1)} s of CPU, ${megabytes.toFixed(0)} MB`);
    const share = ((idle.cpu / idle.seconds) * 100).toFixed(2);
    console.log(
      `${'without a change'.padEnd(46)} ${share} % of a core, ${idle.megabytes.toFixed(0)} MB, ${idle.requests} requests in ${idle.seconds} s`,
    );
  });

/** On a server of our own with its controllers, or on the one that is named. */
async function besideControllers(measure: (client: BenchClient, pid?: number) => Promise<void>): Promise<void> {
  const other = text('server');
  if (other !== undefined) {
    const client = new BenchClient(Number(other.slice(other.lastIndexOf(':') + 1)), text('token') ?? '');
    await measure(client);
    return client.close();
  }
  const folder = temporaryFolder('bench');
  const { server, client } = await start(folder);
  const controllers = startControllers(server, '--log-level=error');
  try {
    await measure(client, controllers.pid);
  } finally {
    client.close();
    await controllers.stop();
    await server.process.stop();
    removeFolder(folder);
  }
}

async function printEvictions(client: BenchClient, count: number, pid?: number): Promise<void> {
  const { seconds: took, waits, refused } = await evictAll(client, count);
  const used = pid === undefined ? '' : `, ${cpuSeconds(pid).toFixed(1)} s of the controllers' CPU from their start`;
  console.log(`\n${count} evictions one after the other: ${took.toFixed(1)} s${used}, ${refused} attempts too early`);
  const parts = [0.5, 0.9, 0.99, 1].map((part) => quantile(waits, part).toFixed(0)).join(' / ');
  console.log(`${'until a pod is let go'.padEnd(46)} p50 / p90 / p99 / p100 ${parts} ms`);
}

async function printWaits(load: ClusterLoad, pid?: number): Promise<void> {
  const before = pid === undefined ? 0 : cpuSeconds(pid);
  const { kept, fresh, rewatched, seconds: took } = await clusterWaits(load);
  const used = pid === undefined ? '' : `, ${(cpuSeconds(pid) - before).toFixed(1)} s of the server's CPU`;
  console.log(`\n${load.pods} Pods on ${load.nodes} nodes: ${took.toFixed(1)} s until all run${used}, ${rewatched} watches were cut off`);
  for (const [name, waits] of [
    ['GET on a kept connection', kept],
    ['GET on a new connection', fresh],
  ] as const) {
    const parts = [0.5, 0.9, 0.99, 1].map((part) => quantile(waits, part).toFixed(0)).join(' / ');
    console.log(`${name.padEnd(46)} p50 / p90 / p99 / p100 ${parts} ms (${waits.length})`);
  }
}

async function main(): Promise<void> {
  if (parts.includes('pods')) {
    const { checked, parsed } = podCost();
    row('a Pod of 60 fields: decode, default, validate', { cpuMicros: checked }, 'JSON.parse of it', parsed);
  }
  if (parts.includes('reads')) await reads();
  if (parts.includes('watches')) await watches();
  if (parts.includes('writes')) await writes();
  if (parts.includes('services')) await services();
  if (parts.includes('cluster')) await cluster();
  if (parts.includes('evictions')) await evictions();
  if (parts.includes('slices')) await slices();
  if (parts.includes('hostile')) await hostile();
  if (parts.includes('access')) await access();
  if (parts.includes('policies')) await policies();
  if (parts.includes('traces')) await traces();
  if (parts.includes('flow')) await flow();
  if (parts.includes('conversions')) await conversions();
  if (parts.includes('garbage')) await garbage();
  if (parts.includes('custom')) await custom();
  if (parts.includes('workloads')) await workloads();
  if (parts.includes('memory')) await memory(objects);
  if (parts.includes('backups')) for (const kind of stores) await backups(kind, option('objects', 100_000));
  if (parts.includes('definitions')) await definitionCosts(definitions, stores);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
