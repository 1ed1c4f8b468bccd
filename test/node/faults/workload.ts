/**
 * The workload of a scenario: the objects of workload.yaml in a namespace of their own. A Deployment has two pods on each
 * node, which tolerate an unreachable node for 15 seconds. A Service has these pods as endpoints. There are also a DaemonSet
 * and a ConfigMap that requests change.
 */
import { undefinedIfNotFound } from '../../../shared/client/rest/api-error';
import { resourceOf, type Resource } from '../../../shared/client/rest/resource';
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { stringAt } from '../../../shared/values/json';
import { manifestObjects } from '../../support/objects/manifest-objects';
import { readRepositoryFile } from '../../support/repository';

const NAMESPACES = resourceOf('core.v1.Namespace');
const SERVICES = resourceOf('core.v1.Service');
const CONFIG_MAPS = resourceOf('core.v1.ConfigMap');
/** The resources of the objects in workload.yaml, by kind. */
const RESOURCES: Readonly<Record<string, Resource>> = {
  Service: SERVICES,
  ConfigMap: CONFIG_MAPS,
  Deployment: resourceOf('apps.v1.Deployment'),
  DaemonSet: resourceOf('apps.v1.DaemonSet'),
};

/** The number of the Deployment's pods in workload.yaml. */
export const REPLICAS = 4;
/** The name of the Deployment and of its Service, and the label `app` of its pods. */
export const DEPLOYMENT = 'web';
/** The name of the ConfigMap. */
const COUNTER = 'counter';

export class Workload {
  /** The number of writes so far. */
  private count = 0;

  private constructor(
    private readonly client: RestClient,
    readonly namespace: string,
    /** The URL of the Service. */
    readonly url: string,
  ) {}

  /** Resolves when the objects are stored; the pods start later. */
  static async create(client: RestClient, namespace: string): Promise<Workload> {
    await client.of(NAMESPACES).create({ metadata: { name: namespace } });
    for (const object of manifestObjects(readRepositoryFile('test/node/faults/workload.yaml'))) {
      const resource = RESOURCES[stringAt(object, 'kind') ?? ''];
      if (resource === undefined) throw new Error(`workload.yaml has an object of another kind: ${JSON.stringify(object)}`);
      await client.of(resource).namespace(namespace).create(object);
    }
    const { body } = await client.of(SERVICES).namespace(namespace).get(DEPLOYMENT);
    return new Workload(client, namespace, `http://${body.spec?.clusterIP ?? ''}/hostname`);
  }

  /** Changes the ConfigMap. */
  async write(timeoutMs: number): Promise<void> {
    this.count += 1;
    const maps = this.client.of(CONFIG_MAPS).namespace(this.namespace);
    await maps.patch(COUNTER, 'merge', { data: { count: String(this.count) } }, { timeoutMs });
  }

  /** Deletes the namespace. Does not wait until it is deleted. */
  async delete(): Promise<void> {
    await this.client.of(NAMESPACES).delete(this.namespace);
  }

  /** Whether the namespace exists; it does while it is being deleted. */
  async exists(): Promise<boolean> {
    return (await undefinedIfNotFound(this.client.of(NAMESPACES).get(this.namespace))) !== undefined;
  }
}
