/**
 * The workload of a scenario, in a namespace of its own: a Deployment with two pods on each node, which tolerate an
 * unreachable node for {@link TOLERATION_SECONDS}, a Service of them, and a DaemonSet.
 */
import type { CoreV1Toleration } from '../../../shared/api/types/generated/members';
import { isNotFound } from '../../../shared/client/rest/api-error';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { WORKLOAD_LABEL } from './object-changes';

const NAMESPACES = resourceOf('core.v1.Namespace');
const DEPLOYMENTS = resourceOf('apps.v1.Deployment');
const DAEMON_SETS = resourceOf('apps.v1.DaemonSet');
const SERVICES = resourceOf('core.v1.Service');
const CONFIG_MAPS = resourceOf('core.v1.ConfigMap');

/** Two pods for each of the two nodes. */
export const REPLICAS = 4;
/** Shorter than the default of five minutes, so that a scenario takes minutes. */
export const TOLERATION_SECONDS = 15;
export const DEPLOYMENT = 'web';
const DAEMON_SET = 'agent';
/** The object that the requests of a scenario change. */
const COUNTER = 'counter';
const PORT = 8080;
/** An image that the tool's nodes have: an HTTP server. */
const IMAGE = 'registry.k8s.io/e2e-test-images/agnhost:2.52';
const PAUSE_IMAGE = 'registry.k8s.io/pause:3.10';
const GRACE_SECONDS = 2;

const tolerations: CoreV1Toleration[] = ['not-ready', 'unreachable'].map((state) => ({
  key: `node.kubernetes.io/${state}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: TOLERATION_SECONDS,
}));

export class Workload {
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
    const service = { selector: { [WORKLOAD_LABEL]: DEPLOYMENT }, ports: [{ port: 80, targetPort: PORT }] };
    const { body } = await client
      .of(SERVICES)
      .namespace(namespace)
      .create({ metadata: { name: DEPLOYMENT }, spec: service });
    await client
      .of(CONFIG_MAPS)
      .namespace(namespace)
      .create({ metadata: { name: COUNTER } });
    await createDeployment(client, namespace);
    await createDaemonSet(client, namespace);
    return new Workload(client, namespace, `http://${body.spec?.clusterIP ?? ''}/hostname`);
  }

  /** Changes an object. */
  async write(timeoutMs: number): Promise<void> {
    this.count += 1;
    const maps = this.client.of(CONFIG_MAPS).namespace(this.namespace);
    await maps.patch(COUNTER, 'merge', { data: { count: String(this.count) } }, { timeoutMs });
  }

  async delete(): Promise<void> {
    await this.client.of(NAMESPACES).delete(this.namespace);
  }

  /** Whether the namespace is still being deleted. */
  async exists(): Promise<boolean> {
    try {
      await this.client.of(NAMESPACES).get(this.namespace);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }
}

async function createDeployment(client: RestClient, namespace: string): Promise<void> {
  const labels = { [WORKLOAD_LABEL]: DEPLOYMENT };
  const container = {
    name: 'web',
    image: IMAGE,
    args: ['netexec', `--http-port=${PORT}`],
    ports: [{ containerPort: PORT }],
    readinessProbe: { httpGet: { path: '/healthz', port: PORT }, periodSeconds: 2 },
  };
  const spread = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: labels },
  };
  const spec = {
    containers: [container],
    tolerations,
    topologySpreadConstraints: [spread],
    terminationGracePeriodSeconds: GRACE_SECONDS,
    automountServiceAccountToken: false,
  };
  await client
    .of(DEPLOYMENTS)
    .namespace(namespace)
    .create({
      metadata: { name: DEPLOYMENT },
      spec: { replicas: REPLICAS, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
}

async function createDaemonSet(client: RestClient, namespace: string): Promise<void> {
  const labels = { [WORKLOAD_LABEL]: DAEMON_SET };
  const spec = {
    containers: [{ name: 'agent', image: PAUSE_IMAGE }],
    terminationGracePeriodSeconds: GRACE_SECONDS,
    automountServiceAccountToken: false,
  };
  await client
    .of(DAEMON_SETS)
    .namespace(namespace)
    .create({ metadata: { name: DAEMON_SET }, spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } } });
}
