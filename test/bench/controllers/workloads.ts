/**
 * Many pods of one Deployment: the time until all exist, the requests that this takes, and the memory and CPU of the
 * controllers' process then and while nothing happens. With nodes also the time until they are ready and the pods are
 * bound; then their Leases are renewed all the time. Measures any server with its controllers.
 */
import type { BenchClient } from '../harness/client';
import { pause } from '../harness/timing';
import { waitUntil } from '../../support/programs';
import { anonymousMegabytes, cpuSeconds } from '../../support/process-usage';
import { createNamespace, withControllers } from '../harness/bench-server';
import { numberOption } from '../harness/settings';
import { Kubelets } from './kubelets';

const POLLS = { pollMs: 250, timeoutMs: 900_000 };
/** Time until the writes that follow the last pod (statuses, Events) are done. */
const TRAILING_WRITES_MS = 5_000;
/** The key of renewals among the counted requests. */
const LEASE_WRITES = 'PUT leases';
/** A sample of the counter of requests: its labels and its value. */
const REQUEST_SAMPLE = /^apiserver_request_total\{(.*)\} (\d+)/;

/**
 * Creates `--pods` pods in a namespace of their own, binds them to `--nodes` nodes, does nothing for `--idle` seconds, and
 * deletes them. With `--server`, `--pid` names the process of its controllers.
 */
export const workloads = (): Promise<void> =>
  withControllers(async (client, pid = numberOption('pid', process.pid)) => {
    const namespace = `workload-${Math.random().toString(36).slice(2, 8)}`;
    const kubelets = new Kubelets(client, numberOption('nodes', 0));
    await createNamespace(client, namespace);
    try {
      await printWorkload({ client, pid, kubelets, namespace });
    } finally {
      await client.send('DELETE', `/api/v1/namespaces/${namespace}`);
      await kubelets.stop();
    }
  });

interface WorkloadTarget {
  readonly client: BenchClient;
  /** The process of the controllers. */
  readonly pid: number;
  readonly kubelets: Kubelets;
  readonly namespace: string;
}

/** Runs and measures the phases (nodes, creation, binding, idleness), and then prints all of them. */
async function printWorkload(target: WorkloadTarget): Promise<void> {
  const { client, pid, kubelets, namespace } = target;
  const pods = numberOption('pods', 5_000);
  const nodes = kubelets.names.length;
  const ready = await measure(target, () => kubelets.start());
  const creation = await measure(target, () => createPods(client, namespace, pods), TRAILING_WRITES_MS);
  const megabytes = anonymousMegabytes(pid);
  const binding = await measure(target, () => bindPods(client, kubelets, namespace), nodes === 0 ? 0 : TRAILING_WRITES_MS);
  const idle = await measure(target, () => pause(numberOption('idle', 60) * 1000));
  const mostFrequent = [...creation.requests].slice(0, 6).map(([request, count]) => `${count} ${request}`);
  console.log(
    `\n${pods} pods of one Deployment: ${creation.seconds.toFixed(1)} s, ` +
      `${(sumOf(creation.requests) / pods).toFixed(2)} requests a pod (${mostFrequent.join(', ')})`,
  );
  console.log(`${"the controllers' process".padEnd(46)} ${creation.cpu.toFixed(1)} s of CPU, ${megabytes.toFixed(0)} MB`);
  if (nodes > 0) {
    console.log(`${`until ${nodes} new nodes were untainted`.padEnd(46)} ${formatCosts(ready)}`);
    console.log(`${'while the pods were bound'.padEnd(46)} ${formatCosts(binding)}`);
    const unready = await kubelets.countUnready();
    if (unready > 0) console.log(`${unready} nodes were not ready in the end: their Leases were renewed too late`);
  }
  const share = ((idle.cpu / idle.seconds) * 100).toFixed(2);
  const change = nodes === 0 ? 'without a change' : 'while only Leases are renewed';
  const memory = `${anonymousMegabytes(pid).toFixed(0)} MB`;
  console.log(`${change.padEnd(46)} ${share} % of a core, ${memory}, ${sumOf(idle.requests)} requests in ${idle.seconds.toFixed(0)} s`);
}

interface PhaseCosts {
  readonly seconds: number;
  /** Seconds of the controllers' CPU until the trailing writes are done. */
  readonly cpu: number;
  /**
   * Requests of all clients until then, by verb and resource, most frequent first. Renewals of the nodes' Leases are left
   * out.
   */
  readonly requests: ReadonlyMap<string, number>;
}

/** `trailingMs`: the time after the action in which CPU and requests are still counted. */
async function measure({ client, pid, kubelets }: WorkloadTarget, action: () => Promise<void>, trailingMs = 0): Promise<PhaseCosts> {
  const requestsBefore = await countRequests(client);
  const renewalsBefore = kubelets.renewals;
  const cpuBefore = cpuSeconds(pid);
  const startedAt = performance.now();
  await action();
  const seconds = (performance.now() - startedAt) / 1000;
  await pause(trailingMs);
  const cpu = cpuSeconds(pid) - cpuBefore;
  const requests = difference(requestsBefore, await countRequests(client), kubelets.renewals - renewalsBefore);
  return { seconds, cpu, requests };
}

const formatCosts = ({ seconds, cpu }: PhaseCosts): string => `${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of CPU`;
const sumOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, count) => sum + count, 0);

/** Resolves when all pods exist. */
async function createPods(client: BenchClient, namespace: string, pods: number): Promise<void> {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'registry.example.com/web:1' }] } };
  const spec = { replicas: pods, selector: { matchLabels: labels }, template };
  await client.send('POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, { metadata: { name: 'web' }, spec });
  // In a complete status `replicas` has this value. The next member distinguishes it from the spec's `replicas`.
  const status = new RegExp(`"replicas":\\s*${pods},\\s*"unavailableReplicas"|"replicas":\\s*${pods},\\s*"updatedReplicas":\\s*${pods}`);
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/web`;
  const areCreated = async (): Promise<boolean> => status.test(/"status":[\s\S]*/.exec(await client.text('GET', path))?.[0] ?? '');
  await waitUntil('the pods to be created', areCreated, POLLS);
}

async function bindPods(client: BenchClient, kubelets: Kubelets, namespace: string): Promise<void> {
  if (kubelets.names.length === 0) return;
  const list = JSON.parse(await client.text('GET', `/api/v1/namespaces/${namespace}/pods`)) as {
    readonly items: readonly { readonly metadata: { readonly name: string } }[];
  };
  await kubelets.bindPods(
    namespace,
    list.items.map(({ metadata }) => metadata.name),
  );
}

/** The requests that the server counted, by verb and resource. Reads of one Deployment are this program's own. */
async function countRequests(client: BenchClient): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const line of (await client.text('GET', '/metrics')).split('\n')) {
    const [, labels = '', count = '0'] = REQUEST_SAMPLE.exec(line) ?? [];
    const label = (name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const verb = label('verb');
    const resource = label('resource');
    const subresource = label('subresource');
    const isOwnRead = verb === 'GET' && resource === 'deployments';
    if (resource === '' || verb === 'WATCH' || isOwnRead) continue;
    const key = `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}`;
    counts.set(key, (counts.get(key) ?? 0) + Number(count));
  }
  return counts;
}

/** The growth of each count, largest first. `renewals`: writes of Leases that are left out. */
function difference(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  renewals: number,
): ReadonlyMap<string, number> {
  const growths = [...after].map(([key, count]): [string, number] => [
    key,
    count - (before.get(key) ?? 0) - (key === LEASE_WRITES ? renewals : 0),
  ]);
  return new Map(growths.filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a));
}
