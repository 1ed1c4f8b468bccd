/**
 * Measures consecutive evictions under a budget that allows one disruption at a time: each has to wait until the
 * previous pod is deleted, a replacement is ready, and the budget's status is updated. Works against any server with
 * its controllers, so that two can be compared on one machine.
 */
import type { BenchClient } from './harness/client';

export interface EvictionCosts {
  readonly seconds: number;
  /** Milliseconds from the first attempt at a pod until its eviction succeeds, ascending. */
  readonly waits: readonly number[];
  /** The number of attempts that were rejected with 429. */
  readonly rejected: number;
}

const LABELS = { app: 'evicted' };
const MERGE = { 'content-type': 'application/merge-patch+json' };
const RETRY_MS = 2;
const TIMEOUT_MS = 60_000;
const READY = JSON.stringify({ status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } });

/** Evicts `count` pods of a budget that requires `count - 1` available ones. */
export async function measureEvictions(client: BenchClient, count: number): Promise<EvictionCosts> {
  const namespace = `evictions-${process.pid}`;
  const namespacePath = `/api/v1/namespaces/${namespace}`;
  await client.send('POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } }));
  await waitUntil(async () => (await statusOf(client, 'GET', `${namespacePath}/serviceaccounts/default`)) === 200);
  const createReadyPod = async (name: string): Promise<void> => {
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await client.send('POST', `${namespacePath}/pods`, JSON.stringify({ metadata: { name, labels: LABELS }, spec }));
    await client.send('PATCH', `${namespacePath}/pods/${name}/status`, READY, MERGE);
  };
  for (let index = 0; index < count; index += 1) await createReadyPod(`p-${index}`);
  const budget = { metadata: { name: 'b' }, spec: { minAvailable: count - 1, selector: { matchLabels: LABELS } } };
  await client.send('POST', `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, JSON.stringify(budget));
  const waits: number[] = [];
  let rejected = 0;
  const startedAt = performance.now();
  for (let index = 0; index < count; index += 1) {
    const name = `p-${index}`;
    const eviction = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } });
    const askedAt = performance.now();
    await waitUntil(async () => {
      const status = await statusOf(client, 'POST', `${namespacePath}/pods/${name}/eviction`, eviction);
      if (status === 201) return true;
      if (status !== 429) throw new Error(`the eviction of ${name}: ${status}`);
      rejected += 1;
      return false;
    });
    waits.push(performance.now() - askedAt);
    await createReadyPod(`q-${index}`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await client.send('DELETE', `/api/v1/namespaces/${namespace}`);
  return { seconds, waits: waits.sort((a, b) => a - b), rejected };
}

async function statusOf(client: BenchClient, method: string, path: string, body?: string): Promise<number> {
  const response = await client.open(method, path, body);
  response.resume();
  await new Promise((resolve) => response.on('end', resolve));
  return response.statusCode ?? 0;
}

async function waitUntil(done: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error('timed out');
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
