/**
 * API server replicas are restarted one by one while controllers work: after every restart the controllers reach the
 * desired state, with exactly the desired number of pods.
 */
import { isConflict, isNotFound } from '../../../shared/client/rest/api-error';
import type { ApiObject } from '../../../shared/client/rest/api-object';
import { resourceOf, type Resource } from '../../../shared/client/rest/resource';
import { ConnectionError } from '../../../shared/client/transport/transport';
import { arrayAt, isObject, objectAt, type JsonObject } from '../../../shared/values/json';
import { adminClient, startControllers } from '../../support/control-plane';
import { describeWithEtcd } from '../../support/external/etcd';
import { waitUntil } from '../../support/programs';
import { replicaAt, useReplicas } from '../../support/use-replicas';
import { useClosable, useResource } from '../../support/use-resource';

const DEPLOYMENTS = resourceOf('apps.v1.Deployment');
const PODS = resourceOf('core.v1.Pod');
const SERVICES = resourceOf('core.v1.Service');
const SLICES = resourceOf('discovery.v1.EndpointSlice');
const MAPS = resourceOf('core.v1.ConfigMap');
const NODES = resourceOf('core.v1.Node');
const NAMESPACE = 'default';
const NODE = 'n';
const LABELS = { app: 'web' };
/** The time limit for controllers to reconnect and to reach the desired state. */
const CONVERGENCE_TIMEOUT_MS = 45_000;
/** In each round one replica is restarted, and the Deployment gets another pod and another image. */
const ROUNDS = 4;
const INITIAL_PODS = 3;
/** The controllers that run. There is no node lifecycle controller, because the test acts as the kubelet. */
const CONTROLLERS = ['deployment', 'replicaset', 'endpointslice', 'garbage-collector', 'serviceaccount', 'namespace'];

describeWithEtcd('controllers over two replicas', () => {
  const replicas = useReplicas('restarted', [{ accounts: true }, { accounts: true }]);
  useResource(
    () => {
      const { addresses } = replicas();
      return startControllers(replicaAt(replicas(), 0), `--master=${addresses.join()}`, `--controllers=${CONTROLLERS.join()}`);
    },
    (controllers) => controllers.kill(),
  );
  const client = useClosable(() =>
    adminClient(replicas().addresses, replicaAt(replicas(), 0).certificates, {
      settings: { pingEveryMs: 2_000, pingTimeoutMs: 3_000, connectTimeoutMs: 3_000 },
    }),
  );
  /** The client of a resource in the namespace of the test. */
  const objects = (resource: Resource) => client().of(resource).namespace(NAMESPACE);

  test('reach the desired state after every restart of a replica', async () => {
    await client()
      .of(NODES)
      .create({ metadata: { name: NODE } });
    await objects(SERVICES).create({ metadata: { name: 'web' }, spec: { selector: LABELS, ports: [{ port: 80 }] } });
    await objects(DEPLOYMENTS).create({ metadata: { name: 'web' }, spec: deploymentSpec(INITIAL_PODS, 'image-0') });
    await expectConvergence(INITIAL_PODS, 'image-0');
    for (let round = 1; round <= ROUNDS; round += 1) {
      const index = round % replicas().servers.length;
      await replicaAt(replicas(), index).process.stop();
      const count = INITIAL_PODS + round;
      const image = `image-${round}`;
      const spec = deploymentSpec(count, image);
      await writeWithRetries(() => objects(DEPLOYMENTS).patch('web', 'merge', { spec }));
      await objects(MAPS).create({ metadata: { name: `owned-${round}`, ownerReferences: [missingOwner(round)] } });
      // In the other rounds the replica returns while the controllers still work.
      if (round % 2 === 0) await expectConvergence(count, image);
      await replicas().restart(index);
      await expectConvergence(count, image);
      await waitUntil(
        'objects without an owner to be deleted',
        async () => (await objects(MAPS).list()).items.every(({ name }) => !name.startsWith('owned-')),
        CONVERGENCE_TIMEOUT_MS,
      );
    }
  }, 300_000);

  /**
   * Waits until there are exactly `count` pods, all with this image, running and in the EndpointSlices of the Service.
   */
  async function expectConvergence(count: number, image: string): Promise<void> {
    await waitUntil(
      `${count} pods of ${image}`,
      async () => {
        const { items } = await objects(PODS).list();
        await Promise.all(items.filter((pod) => !isRunning(pod)).map(setRunning));
        const updated = items.filter((pod) => imageOf(pod) === image && isRunning(pod));
        if (items.length !== count || updated.length !== count) return false;
        const slices = await objects(SLICES).list();
        const addresses = slices.items.flatMap(({ body, name }) => (name.startsWith('web-') ? addressesOf(body) : []));
        return addresses.sort().join() === updated.map(addressOf).sort().join();
      },
      CONVERGENCE_TIMEOUT_MS,
    );
  }

  /** Sets the status that the kubelet of the node would set. */
  async function setRunning(pod: ApiObject): Promise<void> {
    const status = {
      phase: 'Running',
      podIP: addressOf(pod),
      podIPs: [{ ip: addressOf(pod) }],
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: new Date().toISOString() }],
    };
    // The caller lists the pods again, so a conflict needs no retry.
    const ignoreConflict = (error: unknown): void => {
      if (!isConflict(error)) throw error;
    };
    await writeWithRetries(() =>
      objects(PODS)
        .updateStatus({ ...pod.body, status })
        .catch(ignoreConflict),
    );
  }
});

const deploymentSpec = (replicas: number, image: string): JsonObject => ({
  replicas,
  selector: { matchLabels: LABELS },
  template: {
    metadata: { labels: LABELS },
    spec: { nodeName: NODE, terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image }] },
  },
});

const missingOwner = (round: number): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: `no-such-uid-${round}` });

/** An address derived from the uid, so that pods have different ones. */
function addressOf({ uid }: ApiObject): string {
  const bytes = Buffer.from(uid.slice(0, 6), 'hex');
  return `10.${bytes.join('.')}`;
}

const isRunning = ({ body }: ApiObject): boolean => objectAt(body, 'status')?.['phase'] === 'Running';

function imageOf({ body }: ApiObject): unknown {
  const [container] = (arrayAt(objectAt(body, 'spec'), 'containers') ?? []).filter(isObject);
  return container?.['image'];
}

const addressesOf = (body: JsonObject): readonly string[] =>
  (arrayAt(body, 'endpoints') ?? []).filter(isObject).flatMap((endpoint) => (arrayAt(endpoint, 'addresses') ?? []).map(String));

/** Retries a write when its connection breaks or it conflicts. Ignores an object that no longer exists. */
async function writeWithRetries(write: () => Promise<unknown>): Promise<void> {
  for (let attemptsLeft = 10; ; attemptsLeft -= 1) {
    try {
      await write();
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (attemptsLeft === 0 || !(error instanceof ConnectionError || isConflict(error))) throw error;
    }
  }
}
