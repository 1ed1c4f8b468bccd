/**
 * A cluster with simulated nodes for the tests of a file, and what these do with it: wait in simulated time, create pods
 * and Deployments in the namespace `default`, and read pods by the label `app`.
 */
import { labelsOf, isPodReady } from '../../../controllers/runtime/pods';
import type { CoreV1Pod, CoreV1PodSpec, ObjectTypes } from '../../../shared/api/types/generated/members';
import type { ApiObject } from '../../../shared/client/rest/api-object';
import { resourceOf, type Resource } from '../../../shared/client/rest/resource';
import type { RestClient } from '../../../shared/client/rest/rest-client';
import type { JsonObject } from '../../../shared/values/json';
import type { SimulatedCluster } from './simulated-cluster';
import { useSimulatedCluster } from './use-simulated-cluster';

export const NAMESPACE = 'default';
export const NODES = resourceOf('core.v1.Node');
export const PODS = resourceOf('core.v1.Pod');
export const EVENTS = resourceOf('core.v1.Event');
export const DEPLOYMENTS = resourceOf('apps.v1.Deployment');
/** Real time for each test. */
export const TIMEOUT_MS = 120_000;
/** The longest wait for a condition, in simulated time. */
const CONDITION_TIMEOUT_MS = 1_800_000;

export class SimulatedWorkloads {
  constructor(
    private readonly runningCluster: () => SimulatedCluster,
    private readonly clusterClient: () => RestClient,
  ) {}

  get cluster(): SimulatedCluster {
    return this.runningCluster();
  }

  get client(): RestClient {
    return this.clusterClient();
  }

  /** Waits in simulated time until `read` returns something other than `undefined` or `false`. */
  async waitFor<T>(condition: string, read: () => Promise<T | undefined | false>): Promise<T> {
    const { clock, log } = this.cluster;
    const end = clock.now() + CONDITION_TIMEOUT_MS;
    for (;;) {
      const value = await read();
      if (value !== undefined && value !== false) return value;
      if (clock.now() > end) throw new Error(`gave up waiting for ${condition}; the log ends with:\n${log.slice(-10).join('')}`);
      await clock.sleep(1_000);
    }
  }

  /** The objects of a kind in the namespace `default`. */
  objects<Body extends JsonObject>(resource: Resource<Body>) {
    return this.client.of(resource).namespace(NAMESPACE);
  }

  /** The pods with the label `app`. */
  async podsOf(app: string): Promise<readonly ApiObject<CoreV1Pod>[]> {
    const { items } = await this.objects(PODS).list();
    return items.filter((pod) => labelsOf(pod)['app'] === app);
  }

  /** Waits until exactly `count` pods have the label and all are ready; returns them. */
  readyPods(app: string, count: number): Promise<readonly ApiObject<CoreV1Pod>[]> {
    return this.waitFor(`${count} ready pods of ${app}`, async () => {
      const pods = await this.podsOf(app);
      return pods.length === count && pods.every(isPodReady) ? pods : undefined;
    });
  }

  /** Waits until no pod has the label. */
  async noPods(app: string): Promise<void> {
    await this.waitFor(`the end of the pods of ${app}`, async () => (await this.podsOf(app)).length === 0);
  }

  /** Creates a pod with the label `app: name`, by default with one container. */
  async createPod(name: string, spec: CoreV1PodSpec, annotations: Record<string, string> = {}): Promise<void> {
    await this.objects(PODS).create({
      metadata: { name, labels: { app: name }, annotations },
      spec: { ...spec, containers: spec.containers ?? [container()] },
    });
  }

  /** Deletes the object in the foreground, after its dependents, and waits for the end of the pods with this label. */
  async deleteOwner(resource: Resource, name: string): Promise<void> {
    await this.objects(resource).delete(name, { propagationPolicy: 'Foreground' });
    await this.noPods(name);
  }

  async deletePod(name: string): Promise<void> {
    await this.objects(PODS).delete(name);
    await this.noPods(name);
  }

  async deleteDeployment(name: string): Promise<void> {
    await this.objects(DEPLOYMENTS).delete(name, { propagationPolicy: 'Background' });
    await this.noPods(name);
  }
}

/** A container with these resource requests. */
export const container = (requests: Record<string, string> = {}) => ({ name: 'c', image: 'i', resources: { requests } });

/** Selector and template of a workload; its pods have the label `app`. */
export const selectedTemplate = (
  app: string,
  spec: CoreV1PodSpec = { containers: [container()] },
  annotations: Record<string, string> = {},
) => ({
  selector: { matchLabels: { app } },
  template: { metadata: { labels: { app }, annotations }, spec },
});

/** A Deployment of pods with the label `app: name`. */
export const deployment = (name: string, replicas: number, requests: Record<string, string> = {}): ObjectTypes['apps.v1.Deployment'] => ({
  metadata: { name },
  spec: { replicas, ...selectedTemplate(name, { containers: [container(requests)] }) },
});

/** A test with a simulated cluster. */
export const itSimulated = (title: string, run: () => Promise<void>): void => it(title, run, TIMEOUT_MS);

/** Starts the cluster before the tests of the file. `args`: flags of the simulation. */
export function useSimulatedWorkloads(args: readonly string[]): SimulatedWorkloads {
  const { cluster, client } = useSimulatedCluster(() => ({ simulationArgs: args }));
  return new SimulatedWorkloads(cluster, client);
}
