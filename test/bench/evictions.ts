/**
 * Measures consecutive evictions under a budget that allows one disruption at a time: each has to wait until the
 * previous pod is deleted, a replacement is ready, and the budget's status is updated. Works against any server with
 * its controllers, so that two can be compared on one machine.
 */
import type { BenchClient } from './harness/client';
import { waitUntil } from '../support/programs';

export interface EvictionCosts {
  readonly seconds: number;
  /** Milliseconds from the first attempt at a pod until its eviction succeeds, ascending. */
  readonly waits: readonly number[];
  /** The number of attempts that were rejected with 429. */
  readonly rejected: number;
}

const LABELS = { app: 'evicted' };
const MERGE = { 'content-type': 'application/merge-patch+json' };
const RETRY = { pollMs: 2, timeoutMs: 60_000 };
const READY = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };

/** Evicts `count` pods of a budget that requires `count - 1` available ones. */
export async function measureEvictions(client: BenchClient, count: number): Promise<EvictionCosts> {
  const namespace = `evictions-${process.pid}`;
  const namespacePath = `/api/v1/namespaces/${namespace}`;
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const account = `${namespacePath}/serviceaccounts/default`;
  await waitUntil('the service account', async () => (await client.status('GET', account)) === 200, RETRY);
  const createReadyPod = async (name: string): Promise<void> => {
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await client.send('POST', `${namespacePath}/pods`, { metadata: { name, labels: LABELS }, spec });
    await client.send('PATCH', `${namespacePath}/pods/${name}/status`, READY, MERGE);
  };
  for (let index = 0; index < count; index += 1) await createReadyPod(`p-${index}`);
  const budget = { metadata: { name: 'b' }, spec: { minAvailable: count - 1, selector: { matchLabels: LABELS } } };
  await client.send('POST', `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, budget);
  const waits: number[] = [];
  let rejected = 0;
  const startedAt = performance.now();
  for (let index = 0; index < count; index += 1) {
    const name = `p-${index}`;
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } };
    const askedAt = performance.now();
    const evict = async (): Promise<boolean> => {
      const status = await client.status('POST', `${namespacePath}/pods/${name}/eviction`, eviction);
      if (status === 201) return true;
      if (status !== 429) throw new Error(`the eviction of ${name}: ${status}`);
      rejected += 1;
      return false;
    };
    await waitUntil(`the eviction of ${name}`, evict, RETRY);
    waits.push(performance.now() - askedAt);
    await createReadyPod(`q-${index}`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await client.send('DELETE', `/api/v1/namespaces/${namespace}`);
  return { seconds, waits: waits.sort((a, b) => a - b), rejected };
}
