/**
 * Plays one scenario: creates its workload, waits until it is ready with two pods on each node, takes the steps under
 * observation, and deletes the workload.
 */
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { sendOnce } from '../../support/http/send-once';
import { waitUntil } from '../../support/programs';
import type { ControlPlane } from './control-plane';
import { NODES, type NodeTool } from './node-tool';
import { ClusterObserver } from './observer';
import { Probe } from './probe';
import type { FaultCluster, Scenario } from './scenarios';
import { TimelineRecorder, type Timeline } from './timeline';
import { REPLICAS, Workload } from './workload';

/** The nodes may pull images before the workload is ready. */
const READY_MS = 180_000;
/** Kubelets end the pods of the namespace first. */
const DELETED_MS = 120_000;
/** The time limit of one request of a probe. */
const REQUEST_TIMEOUT_MS = 2_000;
/** The time from one request to the next. */
const REQUEST_PERIOD_MS = 200;

export interface RunningCluster {
  readonly client: RestClient;
  readonly plane: ControlPlane;
  readonly nodes: NodeTool;
}

/**
 * Rejects when the workload cannot be created, does not become ready or is spread unevenly, when a step fails or when the
 * namespace is not deleted in time. The namespace of a workload that was created is deleted in any case.
 */
export async function runScenario(scenario: Scenario, { client, plane, nodes }: RunningCluster): Promise<Timeline> {
  const workload = await Workload.create(client, scenario.name);
  const recorder = new TimelineRecorder(clock);
  const observer = new ClusterObserver(client, workload.namespace, recorder);
  try {
    await waitUntil('the workload to be ready', () => observer.isRecovered(), READY_MS);
    const uneven = NODES.find((name) => observer.spread().get(name) !== REPLICAS / NODES.length);
    if (uneven !== undefined) throw new Error(`${uneven} has ${observer.spread().get(uneven) ?? 0} of the pods`);
    return await observeSteps(scenario, { plane, nodes, observer }, workload, recorder);
  } finally {
    await observer.stop();
    await workload.delete();
    await waitUntil('the namespace to be deleted', async () => !(await workload.exists()), DELETED_MS);
  }
}

/** Takes the steps while both probes send requests. */
async function observeSteps(scenario: Scenario, cluster: FaultCluster, workload: Workload, recorder: TimelineRecorder): Promise<Timeline> {
  await scenario.prepare?.(cluster);
  const requests = new Probe(clock, REQUEST_PERIOD_MS, () => workload.write(REQUEST_TIMEOUT_MS));
  const service = new Probe(clock, REQUEST_PERIOD_MS, () => requestService(workload.url));
  try {
    for (const { name, run } of scenario.steps) {
      recorder.beginStep(name);
      await run(cluster);
    }
    return recorder.finish(await requests.finish(), await service.finish());
  } finally {
    await requests.finish();
    await service.finish();
    await scenario.cleanUp?.(cluster);
  }
}

/** Requests the Service over a new connection each time. Any response is a success. */
async function requestService(url: string): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  await sendOnce({ protocol: 'http:', hostname, host: hostname, port, path: pathname, timeout: REQUEST_TIMEOUT_MS });
}
