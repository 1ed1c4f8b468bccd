/**
 * Measures many pods of one Deployment: the time until all exist, the requests that this takes, and the memory and CPU
 * of the controllers' process while nothing happens; with nodes, also while the pods are bound, and "nothing" is the
 * renewal of their Leases. Works on any server with its controllers.
 */
import type { BenchClient } from './harness/client';
import { pause } from './harness/timing';
import { waitUntil } from '../support/programs';
import { Kubelets } from './kubelets';
import { anonymousMegabytes, cpuSeconds } from '../support/process-usage';

export interface Workload {
  readonly pods: number;
  /** 0: the pods stay without a node. */
  readonly nodes: number;
  readonly idleSeconds: number;
}

export interface WorkloadCosts {
  /** From the creation of the Deployment. */
  readonly seconds: number;
  /** By verb and resource, of all clients, without watches, the reads of this program and renewals of nodes' Leases. */
  readonly requests: ReadonlyMap<string, number>;
  /** Seconds of the controllers' CPU. */
  readonly cpu: number;
  readonly megabytes: number;
  /** Undefined without nodes. */
  readonly nodes: NodeCosts | undefined;
  /** While nothing happened. */
  readonly idle: { readonly seconds: number; readonly cpu: number; readonly requests: number; readonly megabytes: number };
}

/** What the nodes cost the process of the controllers. */
export interface NodeCosts {
  /** Until the controllers had removed the taints of all nodes. */
  readonly readySeconds: number;
  readonly readyCpu: number;
  /** While all pods were bound. */
  readonly bindingSeconds: number;
  readonly bindingCpu: number;
  /** At the end: not 0 when Leases were renewed too late, because the machine was too busy. */
  readonly unready: number;
}

const POLLS = { pollMs: 250, timeoutMs: 900_000 };
/** Time until the writes that follow the last pod (statuses, Events) are done. */
const TRAILING_WRITES_MS = 5_000;
const LEASE_WRITES = 'PUT leases';
const REQUEST = /^apiserver_request_total\{(.*)\} (\d+)/;

/** Creates, binds, idles and deletes the workload in a namespace of its own. `pid`: the measured process. */
export async function measureWorkload(client: BenchClient, pid: number, workload: Workload): Promise<WorkloadCosts> {
  const namespace = `workload-${Math.random().toString(36).slice(2, 8)}`;
  const kubelets = new Kubelets(client, workload.nodes);
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const account = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  await waitUntil('the service account', async () => (await client.status('GET', account)) === 200, POLLS);
  try {
    const ready = await measure(pid, () => kubelets.start());
    const [requestsBefore, renewalsBefore] = [await countRequests(client), kubelets.renewals];
    const creation = await measure(pid, () => createPods(client, namespace, workload.pods), TRAILING_WRITES_MS);
    const [requestsAfter, renewalsAfter] = [await countRequests(client), kubelets.renewals];
    const requests = difference(requestsBefore, requestsAfter, renewalsAfter - renewalsBefore);
    const megabytes = anonymousMegabytes(pid);
    const binding = await measure(pid, () => bindPods(client, kubelets, namespace), workload.nodes === 0 ? 0 : TRAILING_WRITES_MS);
    const [idleBefore, idleRenewals] = [await countRequests(client), kubelets.renewals];
    const idle = await measure(pid, () => pause(workload.idleSeconds * 1000));
    const idleRequests = difference(idleBefore, await countRequests(client), kubelets.renewals - idleRenewals);
    const nodes = {
      readySeconds: ready.seconds,
      readyCpu: ready.cpu,
      bindingSeconds: binding.seconds,
      bindingCpu: binding.cpu,
      unready: await kubelets.countUnready(),
    };
    return {
      ...creation,
      requests,
      megabytes,
      nodes: workload.nodes === 0 ? undefined : nodes,
      idle: {
        seconds: workload.idleSeconds,
        cpu: idle.cpu,
        requests: [...idleRequests.values()].reduce((sum, count) => sum + count, 0),
        megabytes: anonymousMegabytes(pid),
      },
    };
  } finally {
    await client.send('DELETE', `/api/v1/namespaces/${namespace}`);
    await kubelets.stop();
  }
}

/** The duration of the action, and the CPU of the process until its trailing writes are done. */
async function measure(
  pid: number,
  action: () => Promise<void>,
  trailingMs = 0,
): Promise<{ readonly seconds: number; readonly cpu: number }> {
  const [cpu, startedAt] = [cpuSeconds(pid), performance.now()];
  await action();
  const seconds = (performance.now() - startedAt) / 1000;
  await pause(trailingMs);
  return { seconds, cpu: cpuSeconds(pid) - cpu };
}

async function createPods(client: BenchClient, namespace: string, pods: number): Promise<void> {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'registry.example.com/web:1' }] } };
  const spec = { replicas: pods, selector: { matchLabels: labels }, template };
  await client.send('POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, { metadata: { name: 'web' }, spec });
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
    const [, labels = '', count = '0'] = REQUEST.exec(line) ?? [];
    const label = (name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const [verb, resource, part] = [label('verb'), label('resource'), label('subresource')];
    if (resource === '' || verb === 'WATCH' || (verb === 'GET' && resource === 'deployments')) continue;
    const key = `${verb} ${resource}${part === '' ? '' : `/${part}`}`;
    counts.set(key, (counts.get(key) ?? 0) + Number(count));
  }
  return counts;
}

/** `renewals`: writes of Leases that are left out. */
function difference(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  renewals: number,
): ReadonlyMap<string, number> {
  const grown = [...after].map(([key, count]): [string, number] => [
    key,
    count - (before.get(key) ?? 0) - (key === LEASE_WRITES ? renewals : 0),
  ]);
  return new Map(grown.filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a));
}
