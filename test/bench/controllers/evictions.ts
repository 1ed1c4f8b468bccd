/**
 * Consecutive evictions under a budget that allows one disruption at a time: each has to wait until the previous pod is
 * deleted, a replacement is ready, and the budget's status is updated. Measures any server with its controllers, so that
 * two can be compared on one machine.
 */
import { MERGE, type BenchClient } from '../harness/client';
import { cpuSeconds } from '../../support/process-usage';
import { waitUntil } from '../../support/programs';
import { createNamespace, withControllers } from '../harness/bench-server';
import { numberOption } from '../harness/settings';
import { formatQuantiles } from '../harness/statistics';

const LABELS = { app: 'evicted' };
const RETRY = { pollMs: 2, timeoutMs: 60_000 };
const READY = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };

/** Evicts `--evictions` pods of a budget that requires all but one of them to be available. */
export const evictions = (): Promise<void> => withControllers((client, pid) => printEvictions(client, numberOption('evictions', 100), pid));

async function printEvictions(client: BenchClient, count: number, pid?: number): Promise<void> {
  const namespace = `evictions-${process.pid}`;
  const namespacePath = `/api/v1/namespaces/${namespace}`;
  await createNamespace(client, namespace);
  const createReadyPod = async (name: string): Promise<void> => {
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await client.send('POST', `${namespacePath}/pods`, { metadata: { name, labels: LABELS }, spec });
    await client.send('PATCH', `${namespacePath}/pods/${name}/status`, READY, MERGE);
  };
  for (let index = 0; index < count; index += 1) await createReadyPod(`p-${index}`);
  const budget = { metadata: { name: 'b' }, spec: { minAvailable: count - 1, selector: { matchLabels: LABELS } } };
  await client.send('POST', `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, budget);
  /** Milliseconds from the first attempt at a pod until its eviction succeeds. */
  const waits: number[] = [];
  /** Attempts that were rejected with 429. */
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
  waits.sort((a, b) => a - b);
  const used = pid === undefined ? '' : `, ${cpuSeconds(pid).toFixed(1)} s of the controllers' CPU from their start`;
  console.log(`\n${count} evictions one after the other: ${seconds.toFixed(1)} s${used}, ${rejected} attempts too early`);
  console.log(`${'until a pod is let go'.padEnd(46)} p50 / p90 / p99 / p100 ${formatQuantiles(waits, [0.5, 0.9, 0.99, 1])} ms`);
}
