/**
 * Measures many pods of one Deployment: the time until all exist, the requests that this takes, and the memory and CPU
 * of the controllers' process while nothing happens. Works on any server with its controllers.
 */
import type { BenchClient } from './harness/client';
import { anonymousMegabytes, cpuSeconds } from './harness/measure';

export interface WorkloadCosts {
  /** From the creation of the Deployment. */
  readonly seconds: number;
  /** By verb and resource, of all clients, without watches and the reads of this program. */
  readonly requests: ReadonlyMap<string, number>;
  /** Seconds of the controllers' CPU. */
  readonly cpu: number;
  readonly megabytes: number;
  /** While nothing happened. */
  readonly idle: { readonly seconds: number; readonly cpu: number; readonly requests: number; readonly megabytes: number };
}

const POLL_MS = 250;
const TIMEOUT_MS = 900_000;
/** Time until the writes that follow the last pod (statuses, Events) are done. */
const TRAILING_WRITES_MS = 5_000;
const REQUEST = /^apiserver_request_total\{(.*)\} (\d+)/;

export async function measureWorkload(client: BenchClient, pid: number, pods: number, idleSeconds: number): Promise<WorkloadCosts> {
  const namespace = `workload-${Math.random().toString(36).slice(2, 8)}`;
  await client.send('POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } }));
  await waitUntilFound(client, `/api/v1/namespaces/${namespace}/serviceaccounts/default`);
  try {
    const [before, cpu, startedAt] = [await countRequests(client), cpuSeconds(pid), performance.now()];
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'registry.example.com/web:1' }] } };
    const spec = { replicas: pods, selector: { matchLabels: labels }, template };
    await client.send('POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, JSON.stringify({ metadata: { name: 'web' }, spec }));
    const status = new RegExp(`"replicas":\\s*${pods},\\s*"unavailableReplicas"|"replicas":\\s*${pods},\\s*"updatedReplicas":\\s*${pods}`);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/web`;
    while (!status.test(/"status":[\s\S]*/.exec(await client.text('GET', path))?.[0] ?? '')) {
      if (performance.now() - startedAt > TIMEOUT_MS) throw new Error('the pods are not created');
      await pause(POLL_MS);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    await pause(TRAILING_WRITES_MS);
    const after = await countRequests(client);
    const busy = { seconds, requests: difference(before, after), cpu: cpuSeconds(pid) - cpu, megabytes: anonymousMegabytes(pid) };
    const used = cpuSeconds(pid);
    await pause(idleSeconds * 1000);
    const idleRequests = [...difference(after, await countRequests(client)).values()].reduce((sum, count) => sum + count, 0);
    return {
      ...busy,
      idle: { seconds: idleSeconds, cpu: cpuSeconds(pid) - used, requests: idleRequests, megabytes: anonymousMegabytes(pid) },
    };
  } finally {
    await client.send('DELETE', `/api/v1/namespaces/${namespace}`);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function waitUntilFound(client: BenchClient, path: string): Promise<void> {
  for (let left = 100; left > 0; left -= 1) {
    const response = await client.open('GET', path);
    response.resume();
    if (response.statusCode === 200) return;
    await pause(POLL_MS);
  }
  throw new Error(`${path} was not created`);
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

function difference(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const grown = [...after].map(([key, count]): [string, number] => [key, count - (before.get(key) ?? 0)]);
  return new Map(grown.filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a));
}
