/**
 * Simulated nodes in a whole cluster in this process: the API server, the controllers and the simulation on a simulated
 * clock, so that back-offs, grace periods and autoscalers take no time.
 */
import type { CoreV1Pod, CoreV1PodSpec, ObjectTypes } from '../../../shared/api/types/generated/members';
import type { ApiObject } from '../../../shared/client/rest/api-object';
import { isNotFound } from '../../../shared/client/rest/api-error';
import { resourceOf } from '../../../shared/client/rest/resource';
import { isPodReady, labelsOf, nodeNameOf } from '../../../controllers/runtime/pods';
import { conditionOf } from '../../../controllers/runtime/conditions';
import { adminClient } from '../../support/control-plane';
import { startSimulatedCluster } from '../../support/scenarios/simulated-cluster';
import { useClosable, useResource } from '../../support/use-resource';

const NAMESPACE = 'default';
const NODES = resourceOf('core.v1.Node');
const PODS = resourceOf('core.v1.Pod');
const EVENTS = resourceOf('core.v1.Event');
const DEPLOYMENTS = resourceOf('apps.v1.Deployment');
const TIMEOUT_MS = 120_000;
/** Simulated time. */
const LIMIT_MS = 1_800_000;

const cluster = useResource(
  () => startSimulatedCluster({ simulationArgs: ['--nodes=3', '--node-capacity=cpu=4,memory=8Gi'] }),
  (running) => running.stop(),
  TIMEOUT_MS,
);
const client = useClosable(() => adminClient([cluster().address], cluster().certificates));

/** Waits in simulated time. */
async function waitFor<T>(condition: string, read: () => Promise<T | undefined>): Promise<T> {
  const { clock, log } = cluster();
  const end = clock.now() + LIMIT_MS;
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    if (clock.now() > end) throw new Error(`gave up waiting for ${condition}; the log ends with:\n${log.slice(-10).join('')}`);
    await clock.sleep(1_000);
  }
}

const podsOf = async (app: string): Promise<readonly ApiObject<CoreV1Pod>[]> =>
  (await client().of(PODS).namespace(NAMESPACE).list()).items.filter((pod) => labelsOf(pod)['app'] === app);

const readyPods = (app: string, count: number): Promise<readonly ApiObject<CoreV1Pod>[]> =>
  waitFor(`${count} ready pods of ${app}`, async () => {
    const pods = await podsOf(app);
    return pods.length === count && pods.every(isPodReady) ? pods : undefined;
  });

const container = (requests: Record<string, string> = {}) => ({ name: 'c', image: 'i', resources: { requests } });

async function createPod(name: string, spec: CoreV1PodSpec, annotations: Record<string, string> = {}): Promise<void> {
  await client()
    .of(PODS)
    .namespace(NAMESPACE)
    .create({
      metadata: { name, labels: { app: name }, annotations },
      spec: { ...spec, containers: spec.containers ?? [container()] },
    });
}

const deployment = (name: string, replicas: number, requests: Record<string, string> = {}): ObjectTypes['apps.v1.Deployment'] => ({
  metadata: { namespace: NAMESPACE, name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [container(requests)] } },
  },
});

const deleteDeployment = async (name: string): Promise<void> => {
  await client().of(DEPLOYMENTS).namespace(NAMESPACE).delete(name, { propagationPolicy: 'Background' });
  await waitFor(`the end of ${name}`, async () => ((await podsOf(name)).length === 0 ? true : undefined));
};

describe('simulated nodes', () => {
  it(
    'become Ready',
    async () => {
      const nodes = await waitFor('three ready nodes', async () => {
        const { items } = await client().of(NODES).list();
        return items.length === 3 &&
          items.every(({ body }) => conditionOf(body.status === undefined ? {} : { status: body.status }, 'Ready')?.status === 'True')
          ? items
          : undefined;
      });
      expect(nodes.map(({ body }) => body.status?.allocatable?.['cpu'])).toEqual(['4', '4', '4']);
      expect(nodes.map(({ metadata }) => metadata.labels?.['topology.platform.io/zone'])).toEqual(['zone-a', 'zone-b', 'zone-c']);
    },
    TIMEOUT_MS,
  );

  it(
    'run the pods of a Deployment, spread over the nodes',
    async () => {
      await client().of(DEPLOYMENTS).namespace(NAMESPACE).create(deployment('web', 3));
      const pods = await readyPods('web', 3);
      expect(new Set(pods.map(nodeNameOf)).size).toBe(3);
      expect(new Set(pods.map(({ body }) => body.status?.podIP)).size).toBe(3);
      await deleteDeployment('web');
    },
    TIMEOUT_MS,
  );

  it(
    'leave a pod pending that fits no node, and run it when a pod has ended',
    async () => {
      for (const name of ['full-1', 'full-2', 'full-3']) await createPod(name, { containers: [container({ cpu: '3' })] });
      for (const name of ['full-1', 'full-2', 'full-3']) await readyPods(name, 1);
      await createPod('waiting', { containers: [container({ cpu: '2' })] });
      const condition = await waitFor('the condition', async () => {
        const [pod] = await podsOf('waiting');
        return pod === undefined ? undefined : conditionOf(pod.body, 'PodScheduled');
      });
      expect(condition).toMatchObject({
        status: 'False',
        reason: 'Unschedulable',
        message:
          '0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.',
      });
      const events = await waitFor('the event', async () => {
        const { items } = await client().of(EVENTS).namespace(NAMESPACE).list();
        const matches = items.filter(({ body }) => body.involvedObject?.name === 'waiting' && body.reason === 'FailedScheduling');
        return matches.length > 0 ? matches : undefined;
      });
      expect(events[0]?.body).toMatchObject({ type: 'Warning', message: condition.message });
      await client().of(PODS).namespace(NAMESPACE).delete('full-2');
      const [pod] = await readyPods('waiting', 1);
      expect(pod?.body.spec?.nodeName).toBeDefined();
      for (const name of ['full-1', 'full-3', 'waiting']) await client().of(PODS).namespace(NAMESPACE).delete(name);
    },
    TIMEOUT_MS,
  );

  it(
    'preempt pods of lower priority',
    async () => {
      await client()
        .of(resourceOf('scheduling.v1.PriorityClass'))
        .create({ metadata: { name: 'high' }, value: 1_000 });
      await client()
        .of(DEPLOYMENTS)
        .namespace(NAMESPACE)
        .create(deployment('low', 3, { cpu: '3' }));
      await readyPods('low', 3);
      await createPod('important', { priorityClassName: 'high', containers: [container({ cpu: '2' })] });
      await readyPods('important', 1);
      expect((await podsOf('low')).filter((pod) => !isPodReady(pod))).toHaveLength(1);
      await client().of(PODS).namespace(NAMESPACE).delete('important');
      await readyPods('low', 3);
      await deleteDeployment('low');
    },
    TIMEOUT_MS,
  );

  it(
    'complete the pods of a Job, failures included',
    async () => {
      const template = {
        metadata: { annotations: { 'simulation.platform.io/exit-code': '1', 'simulation.platform.io/failing-runs': '2' } },
        spec: { restartPolicy: 'OnFailure', containers: [container()] },
      };
      const jobs = resourceOf('batch.v1.Job');
      await client()
        .of(jobs)
        .namespace(NAMESPACE)
        .create({ metadata: { name: 'job' }, spec: { completions: 3, parallelism: 2, template } });
      const job = await waitFor('the end of the job', async () => {
        const present = await client().of(jobs).namespace(NAMESPACE).get('job');
        return present.body.status?.completionTime === undefined ? undefined : present;
      });
      expect(job.body.status).toMatchObject({ succeeded: 3 });
    },
    TIMEOUT_MS,
  );

  it(
    'move an autoscaler by the load of a Deployment',
    async () => {
      await client()
        .of(DEPLOYMENTS)
        .namespace(NAMESPACE)
        .create({
          ...deployment('busy', 1, { cpu: '100m' }),
          metadata: { name: 'busy', annotations: { 'simulation.platform.io/cpu-load': '300m' } },
        });
      await client()
        .of(resourceOf('autoscaling.v2.HorizontalPodAutoscaler'))
        .namespace(NAMESPACE)
        .create({
          metadata: { name: 'busy' },
          spec: {
            scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'busy' },
            minReplicas: 1,
            maxReplicas: 10,
            metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
          },
        });
      await readyPods('busy', 6);
      const patch = { metadata: { annotations: { 'simulation.platform.io/cpu-load': '50m' } } };
      await client().of(DEPLOYMENTS).namespace(NAMESPACE).patch('busy', 'merge', patch);
      await readyPods('busy', 1);
      await deleteDeployment('busy');
    },
    TIMEOUT_MS,
  );

  it(
    'have their pods evicted when their heartbeat is stopped',
    async () => {
      await client().of(DEPLOYMENTS).namespace(NAMESPACE).create(deployment('moved', 1));
      const [before] = await readyPods('moved', 1);
      const name = before === undefined ? '' : nodeNameOf(before);
      await client()
        .of(NODES)
        .patchMetadata(name, { annotations: { 'simulation.platform.io/heartbeat': 'stopped' } });
      await waitFor('a ready pod on another node', async () => {
        const pods = await podsOf('moved');
        return pods.some((pod) => isPodReady(pod) && nodeNameOf(pod) !== name) ? true : undefined;
      });
      // The kubelet of the stopped node does not end its pod until it runs again.
      expect((await podsOf('moved')).some(({ uid }) => uid === before?.uid)).toBe(true);
      await client()
        .of(NODES)
        .patchMetadata(name, { annotations: { 'simulation.platform.io/heartbeat': null } });
      await readyPods('moved', 1);
      await deleteDeployment('moved');
    },
    TIMEOUT_MS,
  );

  it(
    'bind no pod while a real scheduler holds its Lease',
    async () => {
      const leases = client().of(resourceOf('coordination.v1.Lease')).namespace('platform-system');
      await leases.create({ metadata: { name: 'kube-scheduler' }, spec: { holderIdentity: 'real', leaseDurationSeconds: 60 } });
      await cluster().clock.sleep(5_000);
      await createPod('unbound', {});
      await cluster().clock.sleep(20_000);
      expect((await podsOf('unbound')).map(nodeNameOf)).toEqual(['']);
      await readyPods('unbound', 1);
      await leases.delete('kube-scheduler');
    },
    TIMEOUT_MS,
  );

  it(
    'run a pod on the node of a local volume, which its claim waits for',
    async () => {
      const storageClassName = 'local';
      await client()
        .of(resourceOf('storage.v1.StorageClass'))
        .create({
          metadata: { name: storageClassName },
          provisioner: 'platform.io/no-provisioner',
          volumeBindingMode: 'WaitForFirstConsumer',
        });
      const onNode = { key: 'platform.io/hostname', operator: 'In', values: ['simulated-2'] };
      await client()
        .of(resourceOf('core.v1.PersistentVolume'))
        .create({
          metadata: { name: 'disk' },
          spec: {
            storageClassName,
            capacity: { storage: '10Gi' },
            accessModes: ['ReadWriteOnce'],
            local: { path: '/disk' },
            nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [onNode] }] } },
          },
        });
      await client()
        .of(resourceOf('core.v1.PersistentVolumeClaim'))
        .namespace(NAMESPACE)
        .create({
          metadata: { name: 'data' },
          spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        });
      await createPod('stateful', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] });
      expect((await readyPods('stateful', 1)).map(nodeNameOf)).toEqual(['simulated-2']);
      const claim = await client().of(resourceOf('core.v1.PersistentVolumeClaim')).namespace(NAMESPACE).get('data');
      expect(claim.body).toMatchObject({ spec: { volumeName: 'disk' }, status: { phase: 'Bound' } });
      await client().of(PODS).namespace(NAMESPACE).delete('stateful');
    },
    TIMEOUT_MS,
  );

  it(
    'are simulated when another client creates the Node',
    async () => {
      await client()
        .of(NODES)
        .create({
          metadata: { name: 'gpu', labels: { 'simulation.platform.io/node': 'true' } },
          status: { capacity: { cpu: '1', pods: '5', 'example.com/gpu': '2' } },
        });
      const resources = { limits: { 'example.com/gpu': '2' } };
      await createPod('trainer', { containers: [{ name: 'c', image: 'i', resources }] });
      expect((await readyPods('trainer', 1)).map(nodeNameOf)).toEqual(['gpu']);
      await client().of(PODS).namespace(NAMESPACE).delete('trainer');
      await waitFor('the end of the pod', async () => {
        try {
          await client().of(PODS).namespace(NAMESPACE).get('trainer');
          return undefined;
        } catch (error) {
          if (isNotFound(error)) return true;
          throw error;
        }
      });
    },
    TIMEOUT_MS,
  );
});
