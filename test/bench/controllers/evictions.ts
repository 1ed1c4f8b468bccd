/**
 * Consecutive evictions under a budget that allows one disruption at a time: each has to wait until the previous pod is
 * deleted, a replacement is ready, and the budget's status is updated. `--evictions` is their number. `--server` and
 * `--token` name another server that runs with its controllers, so that two can be compared on one machine.
 */
import { MERGE, type BenchClient } from '../harness/client';
import { cpuSeconds } from '../../support/process-usage';
import { waitUntil } from '../../support/programs';
import { createNamespace, withControllers } from '../harness/bench-server';
import { numberOption } from '../harness/settings';
import { formatQuantiles } from '../harness/statistics';

const LABELS = { app: 'evicted' };
/** The pause before a rejected eviction is repeated is a part of what is measured, and thus short. */
const RETRY = { pollMs: 2, timeoutMs: 60_000 };
/** A patch that makes a pod count as available. */
const READY = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };

/** Prints how long evictions had to wait. */
export const evictions = (): Promise<void> =>
  withControllers((client, controllersPid) => printEvictions(client, numberOption('evictions', 100), controllersPid));

/** Evicts `count` pods, one after the other. `controllersPid` is absent with `--server`. */
async function printEvictions(client: BenchClient, count: number, controllersPid?: number): Promise<void> {
  const namespace = `evictions-${process.pid}`;
  const namespacePath = `/api/v1/namespaces/${namespace}`;
  await createPodsWithBudget(client, namespace, count);
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
    await createReadyPod(client, namespacePath, `q-${index}`);
  }
  /** The whole loop: the waits and the creation of the replacements. */
  const seconds = (performance.now() - startedAt) / 1000;
  await client.send('DELETE', namespacePath);
  waits.sort((a, b) => a - b);
  const used = controllersPid === undefined ? '' : `, ${cpuSeconds(controllersPid).toFixed(1)} s of the controllers' CPU from their start`;
  console.log(`\n${count} evictions one after the other: ${seconds.toFixed(1)} s${used}, ${rejected} attempts too early`);
  console.log(`${'until a pod is let go'.padEnd(46)} p50 / p90 / p99 / p100 ${formatQuantiles(waits, [0.5, 0.9, 0.99, 1])} ms`);
}

/** Creates a namespace with ready pods and a budget that requires all but one of them to be available. */
async function createPodsWithBudget(client: BenchClient, namespace: string, count: number): Promise<void> {
  await createNamespace(client, namespace);
  for (let index = 0; index < count; index += 1) await createReadyPod(client, `/api/v1/namespaces/${namespace}`, `p-${index}`);
  const budget = { metadata: { name: 'b' }, spec: { minAvailable: count - 1, selector: { matchLabels: LABELS } } };
  await client.send('POST', `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, budget);
}

async function createReadyPod(client: BenchClient, namespacePath: string, name: string): Promise<void> {
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  await client.send('POST', `${namespacePath}/pods`, { metadata: { name, labels: LABELS }, spec });
  await client.send('PATCH', `${namespacePath}/pods/${name}/status`, READY, MERGE);
}
