/**
 * The writes of a Service's EndpointSlices while its pods are replaced, and the time until the slices are right after the
 * last one. Measures any server with its controllers, so that two can be compared on one machine.
 */
import { MERGE, type BenchClient } from '../harness/client';
import { EventCounter } from '../harness/event-counter';
import { Kubelets, nodeName } from './kubelets';
import { forEachNumber, pause } from '../harness/timing';
import { anonymousMegabytes, cpuSeconds } from '../../support/process-usage';
import { createNamespace, withControllers } from '../harness/bench-server';
import { numberOption } from '../harness/settings';
import { waitUntil } from '../../support/programs';

/** How far the watch may be behind the reads. */
const WATCH_LAG_MS = 1_000;
const LABELS = { app: 'rolled' };
/** Requests in flight while objects are created. */
const WORKERS = 16;
const POLLS = { pollMs: 25, timeoutMs: 600_000 };
/** Nodes that the pods are spread over. Controllers delete pods of nodes that are missing or send no heartbeats. */
const NODES = 10;

/** Replaces `--pods` pods one at a time, and then a hundred at a time. */
export const slices = (): Promise<void> =>
  withControllers(async (client, pid) => {
    for (const batch of [1, 100]) await printReplacement(client, { count: numberOption('pods', 5_000), batch, pid });
  });

interface Replacement {
  /** The pods of the Service. */
  readonly count: number;
  /** Pods that are replaced at a time. */
  readonly batch: number;
  /** The process of the controllers, if it is ours. */
  readonly pid: number | undefined;
}

/** Replaces `count` pods of a Service, `batch` at a time: new pods become ready, then as many old ones are deleted. */
async function printReplacement(client: BenchClient, { count, batch, pid }: Replacement): Promise<void> {
  const namespace = `rolling-${process.pid}-${batch}`;
  const namespacePath = `/api/v1/namespaces/${namespace}`;
  const collection = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
  await createNamespace(client, namespace);
  const kubelets = new Kubelets(client, NODES);
  await kubelets.start();
  const spec = { selector: LABELS, ports: [{ port: 80 }] };
  await client.send('POST', `${namespacePath}/services`, { metadata: { name: 'web' }, spec });
  const createPods = (from: number, to: number): Promise<void> =>
    forEachNumber({ from, to, workers: WORKERS }, (index) => createReadyPod(client, namespacePath, index));
  const deletePods = (from: number, to: number): Promise<void> =>
    forEachNumber({ from, to, workers: WORKERS }, (index) =>
      client.send('DELETE', `${namespacePath}/pods/p-${index}?gracePeriodSeconds=0`),
    );
  /** Waits until the slices have `count` pods, all of them with numbers from `from` on. */
  const waitUntilConverged = (from: number): Promise<boolean> => {
    const isConverged = async (): Promise<boolean> => {
      const { pods } = await readSlices(client, collection);
      return pods.size === count && [...pods].every((index) => index >= from);
    };
    return waitUntil('the slices to have the pods', isConverged, POLLS);
  };
  await createPods(0, count);
  await waitUntilConverged(0);
  const changes = new EventCounter();
  changes.addStream(await client.open('GET', `${collection}?watch=1&resourceVersion=${await client.revision(collection)}`));
  const startedAt = performance.now();
  for (let replaced = 0; replaced < count; replaced += batch) {
    await createPods(count + replaced, count + Math.min(count, replaced + batch));
    await deletePods(replaced, Math.min(count, replaced + batch));
  }
  const replacedAt = performance.now();
  await waitUntilConverged(count);
  const convergedMs = performance.now() - replacedAt;
  const { slices: remaining } = await readSlices(client, collection);
  await pause(WATCH_LAG_MS);
  changes.close();
  await kubelets.stop();
  await client.send('DELETE', `/api/v1/namespaces/${namespace}`);
  const memory =
    pid === undefined ? '' : `, ${anonymousMegabytes(pid).toFixed(0)} MB and ${cpuSeconds(pid).toFixed(1)} s of CPU of the controllers`;
  const times = `${((replacedAt - startedAt) / 1000).toFixed(1)} s, right ${convergedMs.toFixed(0)} ms later`;
  console.log(
    `${`pods replaced, ${batch} at a time`.padEnd(46)} ${times}: ${changes.received} writes of slices, ${remaining} left${memory}`,
  );
}

/** The number of slices and the numbers of the pods in them. */
async function readSlices(client: BenchClient, path: string): Promise<{ readonly slices: number; readonly pods: ReadonlySet<number> }> {
  const text = await client.text('GET', path);
  // The target references of the endpoints.
  const references = text.matchAll(/"kind":\s*"Pod",\s*"namespace":\s*"[^"]*",\s*"name":\s*"p-(\d+)"/g);
  const pods = new Set([...references].map(([, index]) => Number(index)));
  // Each slice has one address type.
  return { slices: (text.match(/"addressType"/g) ?? []).length, pods };
}

/** Creates the pod `p-<index>` with the labels of the Service, and reports it as ready. */
async function createReadyPod(client: BenchClient, namespacePath: string, index: number): Promise<void> {
  const name = `p-${index}`;
  const spec = { nodeName: nodeName(index % NODES), containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80 }] }] };
  await client.send('POST', `${namespacePath}/pods`, { metadata: { name, labels: LABELS }, spec });
  const podIP = `10.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
  const conditions = [{ type: 'Ready', status: 'True' }];
  const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions };
  await client.send('PATCH', `${namespacePath}/pods/${name}/status`, { status }, MERGE);
}
