/**
 * CustomResourceDefinitions of real size: the installation of hundreds of them, the cost of one more, the
 * waits of other clients meanwhile, the time until a restarted server serves them, its memory, and the time to publish
 * their documents. The figures are absolute, to compare with a reference server on the same machine.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { JSON_MEDIA_TYPE } from '../../../shared/names/dialect';
import { errorCode } from '../../../shared/runtime/error-code';
import { withEtcd } from '../harness/bench-server';
import { kubectlOnPath, packagedProgram, runClient } from '../../support/external/kubectl';
import { generateDefinitions, smallDefinition, type GeneratedDefinition } from '../../support/objects/generated-definitions';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer } from '../../support/programs';
import { BenchClient } from '../harness/client';
import { median } from '../harness/statistics';
import { measureMs, pause } from '../harness/timing';
import { anonymousMegabytes, cpuSeconds, residentMegabytes } from '../../support/process-usage';
import { Probe } from '../harness/probe';
import { numberOption, stores, textOption, TOKEN } from '../harness/settings';

const DEFINITIONS = '/apis/apiextensions.platform.io/v1/customresourcedefinitions';
/** The header of a server-side apply; JSON is YAML too. */
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
/** Reads of an OpenAPI document that has not changed. */
const REPEATS = 10;
const GZIP = { 'accept-encoding': 'gzip' };
/** The form in which client-go reads the OpenAPI v2 document. */
const V2_PROTOBUF = { accept: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf', ...GZIP };
const TABLE = { accept: `${JSON_MEDIA_TYPE};as=Table;v=v1;g=meta.platform.io` };
/** The longest wait until definitions are served. */
const TIMEOUT_MS = 1_200_000;

/** One of the API servers on a store; two on etcd. */
interface Replica {
  readonly server: ApiServer;
  readonly client: BenchClient;
  /** Another client of this server. Its waits stand beside each measurement. */
  readonly probe: Probe;
}

/** Prints a row for each step, on each store. */
export async function definitions(): Promise<void> {
  const generated = generateDefinitions(numberOption('definitions', 450));
  const sizes = generated.map(({ text }) => text.length);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const range = `${formatSize(Math.min(...sizes))} to ${formatSize(Math.max(...sizes))}`;
  console.log(`\n${generated.length} definitions, ${(bytes / 1e6).toFixed(1)} MB, ${range}`);
  for (const store of stores) {
    const folder = temporaryFolder('bench');
    try {
      await withEtcd(store === 'etcd', async (endpoint) => {
        console.log(`\n${store}${endpoint === undefined ? '' : ', two replicas'}`);
        await measureStore(folder, endpoint, generated);
      });
    } finally {
      removeFolder(folder);
    }
  }
}

const formatSize = (bytes: number): string => `${(bytes / 1e6).toFixed(3)} MB`;

/** All measurements on one store. `etcdServers`: undefined for the embedded store. */
async function measureStore(folder: string, etcdServers: string | undefined, definitions: readonly GeneratedDefinition[]): Promise<void> {
  let replicas = await startReplicas(folder, etcdServers);
  try {
    await installDefinitions(replicas, definitions);
    await addDefinition(replicas, 'first');
    await addDefinition(replicas, 'second');
    await printMemory('after install', replicas);
    await measureDocuments(replicas, definitions);
    await printMemory('after documents', replicas);
    await stopReplicas(replicas);
    replicas = await restartReplicas(folder, etcdServers, definitions);
    await printMemory('after a restart', replicas);
    await measureKubectl(replicas, definitions);
  } catch (error) {
    for (const { server } of replicas) console.log(`${server.process.isRunning ? 'running' : 'ended'}: ${server.process.output}`);
    throw error;
  } finally {
    await stopReplicas(replicas);
  }
}

function printRow(name: string, ms: number, details = ''): void {
  console.log(`${name.padEnd(52)} ${ms.toFixed(ms < 10 ? 1 : 0).padStart(9)} ms  ${details}`);
}

/** The waits of the probes since the previous call, which this call resets. */
async function takeWaits(replicas: readonly Replica[]): Promise<string> {
  const probeWaits = await Promise.all(replicas.map(({ probe }) => probe.waits()));
  return `others: ${probeWaits
    .map(({ medianMs, p99Ms, longestMs }) => `p50 ${medianMs.toFixed(1)}, p99 ${p99Ms.toFixed(0)}, longest ${longestMs.toFixed(0)} ms`)
    .join(' | ')}`;
}

/** Prints how long `work` took, the CPU of all servers, and the waits of the probes meanwhile. */
async function measureWithProbes(name: string, replicas: readonly Replica[], work: () => Promise<unknown>): Promise<void> {
  await takeWaits(replicas);
  const cpuUsed = (): number => replicas.reduce((sum, { server }) => sum + cpuSeconds(server.process.pid), 0);
  const before = cpuUsed();
  const ms = await measureMs(work);
  printRow(name, ms, `CPU ${(cpuUsed() - before).toFixed(1)} s, ${await takeWaits(replicas)}`);
}

/** One server on the embedded store in `folder`, or two on etcd. Resolves when all are ready. */
async function startReplicas(folder: string, etcdServers: string | undefined): Promise<readonly Replica[]> {
  const tokens = path.join(folder, 'tokens.csv');
  if (!existsSync(tokens)) writeFileSync(tokens, `${TOKEN},bench,bench,"system:masters"\n`, { mode: 0o600 });
  const folders = etcdServers === undefined ? [folder] : [folder, path.join(folder, 'second')];
  mkdirSync(path.join(folder, 'second'), { recursive: true });
  return Promise.all(
    folders.map(async (replicaFolder) => {
      const securePort = await freePort();
      const server = await startApiServer({
        folder: replicaFolder,
        securePort,
        args: [`--token-auth-file=${tokens}`],
        ...(etcdServers === undefined ? {} : { etcdServers }),
      });
      const probe = await Probe.start({ port: securePort, token: TOKEN, path: textOption('probed') ?? '/api/v1/namespaces/default' });
      return { server, client: new BenchClient(securePort, TOKEN), probe };
    }),
  );
}

async function stopReplicas(replicas: readonly Replica[]): Promise<void> {
  for (const { server, client, probe } of replicas) {
    probe.stop();
    client.close();
    await server.process.stop();
  }
}

/** The path of the first version of the kind, in all namespaces. */
const collection = ({ group, versions, plural }: GeneratedDefinition): string => `/apis/${group}/${versions[0] ?? ''}/${plural}`;

/** Repeats reads without a pause until all definitions are served. */
async function waitUntilServed(replicas: readonly Replica[], definitions: readonly GeneratedDefinition[]): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (const { client } of replicas) {
    for (const definition of definitions) {
      while ((await client.status('GET', collection(definition))) !== 200) {
        if (performance.now() > deadline) throw new Error(`${definition.name} is not served`);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }
}

/**
 * Repeats the request when the connection was reset: Node's HTTP/1.1 server drops a connection when the next large
 * request begins to arrive while the last large response is being sent ("Parse Error: Paused").
 */
async function applyDefinition(client: BenchClient, { name, text }: GeneratedDefinition): Promise<void> {
  const send = (): Promise<number> => client.send('PATCH', `${DEFINITIONS}/${name}?fieldManager=bench&force=true`, text, APPLY);
  await send().catch(async (error: unknown) => {
    if (errorCode(error) !== 'ECONNRESET') throw error;
    await send();
  });
}

async function installDefinitions(replicas: readonly Replica[], definitions: readonly GeneratedDefinition[]): Promise<void> {
  const [first] = replicas;
  if (first === undefined) return;
  await measureWithProbes('install all by server-side apply, until served', replicas, async () => {
    for (const definition of definitions) await applyDefinition(first.client, definition);
    await waitUntilServed(replicas, definitions);
  });
}

async function addDefinition(replicas: readonly Replica[], name: string): Promise<void> {
  const [first] = replicas;
  if (first === undefined) return;
  const definition = smallDefinition(name);
  await measureWithProbes('one more small definition, until served', replicas, async () => {
    await applyDefinition(first.client, definition);
    await waitUntilServed(replicas, [definition]);
  });
}

/** V8 collects garbage of idle processes some seconds after their last allocation. */
const IDLE_MS = 12_000;

/** Prints the memory of each server after {@link IDLE_MS} without work. */
async function printMemory(when: string, replicas: readonly Replica[]): Promise<void> {
  await pause(IDLE_MS);
  for (const { server } of replicas) {
    const { pid } = server.process;
    console.log(
      `${`memory ${when}`.padEnd(52)} ${residentMegabytes(pid).toFixed(0).padStart(9)} MB  ${anonymousMegabytes(pid).toFixed(0)} of them its own`,
    );
  }
}

/** Reads of OpenAPI, discovery, the definitions and the metrics, before and after a change of one definition. */
async function measureDocuments(replicas: readonly Replica[], definitions: readonly GeneratedDefinition[]): Promise<void> {
  const [first] = replicas;
  const [sample] = definitions;
  if (first === undefined || sample === undefined) return;
  const { client } = first;
  const get = (target: string, headers?: Record<string, string>): Promise<number> => client.send('GET', target, undefined, headers);
  await measureWithProbes('OpenAPI v3 index, first', replicas, () => get('/openapi/v3'));
  await applyDefinition(client, { ...sample, text: sample.text.replace('A made-up kind', 'Another kind') });
  await measureWithProbes('OpenAPI v3 index after a change', replicas, () => get('/openapi/v3'));
  await measureWithProbes('OpenAPI v3 of one group version', replicas, () =>
    get(`/openapi/v3/apis/${sample.group}/${sample.versions[0] ?? ''}`, GZIP),
  );
  await measureWithProbes('OpenAPI v2 in protobuf, first', replicas, () => get('/openapi/v2', V2_PROTOBUF));
  await measureWithProbes('OpenAPI v2 in protobuf, again', replicas, () => get('/openapi/v2', V2_PROTOBUF));
  const repeatedMs: number[] = [];
  while (repeatedMs.length < REPEATS) repeatedMs.push(await measureMs(() => get('/openapi/v2', V2_PROTOBUF)));
  printRow('OpenAPI v2 in protobuf, median of ten more', median(repeatedMs), `longest ${Math.max(...repeatedMs).toFixed(0)} ms`);
  await measureWithProbes('OpenAPI v2 in JSON, first', replicas, () => get('/openapi/v2', GZIP));
  await measureWithProbes('aggregated discovery', replicas, () =>
    get('/apis', { accept: `${JSON_MEDIA_TYPE};as=APIGroupDiscoveryList;v=v2;g=apidiscovery.platform.io` }),
  );
  await measureWithProbes('get definitions as JSON', replicas, () => get(DEFINITIONS, GZIP));
  await measureWithProbes('get definitions as a table', replicas, () => get(DEFINITIONS, TABLE));
  await measureWithProbes('metrics, with series of all their kinds', replicas, () => get('/metrics', GZIP));
}

/** Starts the servers again on the same data, and prints the time until they serve all definitions. */
async function restartReplicas(
  folder: string,
  etcdServers: string | undefined,
  definitions: readonly GeneratedDefinition[],
): Promise<readonly Replica[]> {
  const startedAt = performance.now();
  const replicas = await startReplicas(folder, etcdServers);
  const readyMs = performance.now() - startedAt;
  await waitUntilServed(replicas, definitions);
  printRow('restart, to ready and serving all', performance.now() - startedAt, `ready after ${readyMs.toFixed(0)} ms`);
  return replicas;
}

/** Commands of kubectl. Its first command fills its cache of the discovery. */
async function measureKubectl([first]: readonly Replica[], [sample]: readonly GeneratedDefinition[]): Promise<void> {
  const kubectl = packagedProgram('kubectl') ?? kubectlOnPath();
  if (first === undefined || sample === undefined) return;
  if (kubectl === undefined) {
    console.log('kubectl explain: left out, there is no kubectl');
    return;
  }
  const runCommand = async (name: string, ...args: readonly string[]): Promise<void> => {
    await takeWaits([first]);
    const start = performance.now();
    const { code, stderr, stdout } = await runClient(kubectl, first.server.kubeconfig, args);
    const ms = performance.now() - start;
    const outcome = code === 0 ? `${(stdout.length / 1e6).toFixed(1)} MB, ` : `${stderr.trim()} `;
    printRow(name, ms, `${outcome}${await takeWaits([first])}`);
  };
  await runCommand('kubectl version', 'version');
  await runCommand('kubectl explain, cold', 'explain', `${sample.plural}.${sample.group}`, '--recursive');
  await runCommand('kubectl explain, again', 'explain', `${sample.plural}.${sample.group}`, '--recursive');
  await runCommand('kubectl get crd -o json', 'get', 'crd', '-o', 'json');
  await runCommand('kubectl get crd', 'get', 'crd');
}
