/**
 * Behaviour of upstream's conformance tests that need nodes and no containers (rows `simulated nodes` of the ledger), in
 * a cluster with simulated nodes.
 */
import { conditionOf } from '../../../controllers/runtime/conditions';
import { isPodReady, nodeNameOf } from '../../../controllers/runtime/pods';
import type { CoreV1PodSpec } from '../../../shared/api/types/generated/members';
import { undefinedIfNotFound } from '../../../shared/client/rest/api-error';
import { resourceOf } from '../../../shared/client/rest/resource';
import {
  container,
  deployment,
  DEPLOYMENTS,
  itSimulated,
  NAMESPACE,
  NODES,
  PODS,
  selectedTemplate,
  TIMEOUT_MS,
  useSimulatedWorkloads,
} from '../../support/scenarios/simulated-workloads';

const FIRST = 'simulated-1';
const SECOND = 'simulated-2';
const HOSTNAME = 'platform.io/hostname';

const workloads = useSimulatedWorkloads(['--nodes=2', '--node-capacity=cpu=4,memory=8Gi']);

beforeAll(
  () =>
    workloads.waitFor('nodes without taints', async () => {
      const { items } = await workloads.client.of(NODES).list();
      return items.length === 2 && items.every(({ body }) => (body.spec?.taints ?? []).length === 0);
    }),
  TIMEOUT_MS,
);

const metadataFor = (name: string) => ({ namespace: NAMESPACE, name });
const onNode = (name: string): CoreV1PodSpec => ({ nodeSelector: { [HOSTNAME]: name } });

/** Resolves with the message of the condition when the pod cannot be scheduled. */
const unschedulable = (name: string): Promise<string> =>
  workloads.waitFor(`the condition of ${name}`, async () => {
    const [pod] = await workloads.podsOf(name);
    const condition = pod === undefined ? undefined : conditionOf(pod.body, 'PodScheduled');
    return condition?.reason === 'Unschedulable' ? (condition.message ?? '') : undefined;
  });

const setTaints = (name: string, taints: readonly object[]): Promise<unknown> =>
  workloads.client.of(NODES).patch(name, 'merge', { spec: { taints: [...taints] } });

describe('the scheduler of simulated nodes', () => {
  itSimulated('runs a pod with a node selector once a node has the label', async () => {
    await workloads.createPod('selects', { nodeSelector: { disk: 'fast' } });
    expect(await unschedulable('selects')).toContain("0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.");
    await workloads.client.of(NODES).patchMetadata(SECOND, { labels: { disk: 'fast' } });
    expect((await workloads.readyPods('selects', 1)).map(nodeNameOf)).toEqual([SECOND]);
    await workloads.deletePod('selects');
  });

  itSimulated('binds pods with one host port to a node when their protocols or addresses differ, and none for all addresses', async () => {
    const spec = (hostIP: string, protocol: string): CoreV1PodSpec => ({
      ...onNode(FIRST),
      containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 80, hostPort: 54_321, hostIP, protocol }] }],
    });
    await workloads.createPod('port-a', spec('127.0.0.1', 'TCP'));
    await workloads.createPod('port-b', spec('127.0.0.2', 'TCP'));
    await workloads.createPod('port-c', spec('127.0.0.1', 'UDP'));
    for (const name of ['port-a', 'port-b', 'port-c']) await workloads.readyPods(name, 1);
    await workloads.createPod('port-d', spec('0.0.0.0', 'TCP'));
    expect(await unschedulable('port-d')).toContain("didn't have free ports for the requested pod ports");
    for (const name of ['port-a', 'port-b', 'port-c', 'port-d']) await workloads.deletePod(name);
  });

  itSimulated('counts the overhead of a RuntimeClass as requested by the pod', async () => {
    await workloads.client.of(resourceOf('node.v1.RuntimeClass')).create({
      metadata: { name: 'heavy' },
      handler: 'h',
      overhead: { podFixed: { cpu: '3' } },
      scheduling: onNode(FIRST),
    });
    await workloads.createPod('first', { runtimeClassName: 'heavy', containers: [container({ cpu: '1' })] });
    const [pod] = await workloads.readyPods('first', 1);
    expect(pod?.body.spec).toMatchObject({ overhead: { cpu: '3' }, nodeName: FIRST });
    await workloads.createPod('other', { runtimeClassName: 'heavy', containers: [container({ cpu: '1' })] });
    expect(await unschedulable('other')).toContain('1 Insufficient cpu');
    await workloads.deletePod('other');
    await workloads.deletePod('first');
  });

  itSimulated('adds the condition DisruptionTarget to a preempted pod', async () => {
    await workloads.client.of(resourceOf('scheduling.v1.PriorityClass')).create({ metadata: { name: 'preempting' }, value: 1_000 });
    // The finalizer keeps the object of the preempted pod.
    await workloads.objects(PODS).create({
      metadata: { ...metadataFor('victim'), labels: { app: 'victim' }, finalizers: ['example.com/keep'] },
      spec: { ...onNode(FIRST), containers: [container({ cpu: '3' })] },
    });
    await workloads.readyPods('victim', 1);
    await workloads.createPod('preemptor', { ...onNode(FIRST), priorityClassName: 'preempting', containers: [container({ cpu: '3' })] });
    const victim = await workloads.waitFor('the deletion of the victim', async () => {
      const pod = await workloads.objects(PODS).get('victim');
      return pod.metadata.deletionTimestamp === undefined ? undefined : pod;
    });
    expect(conditionOf(victim.body, 'DisruptionTarget')).toMatchObject({ status: 'True', reason: 'PreemptionByScheduler' });
    await workloads.objects(PODS).patchMetadata('victim', { finalizers: null });
    await workloads.readyPods('preemptor', 1);
    await workloads.deletePod('preemptor');
  });
});

describe('a taint with the effect NoExecute', () => {
  const taint = { key: 'example.com/maintenance', value: 'yes', effect: 'NoExecute' };
  const tolerating = (seconds: number): CoreV1PodSpec => ({
    ...onNode(FIRST),
    tolerations: [{ key: taint.key, operator: 'Exists', effect: taint.effect, tolerationSeconds: seconds }],
  });
  afterEach(() => setTaints(FIRST, []));

  itSimulated('evicts each pod after the seconds that it tolerates', async () => {
    await workloads.createPod('short', tolerating(10));
    await workloads.createPod('long', tolerating(200));
    for (const name of ['short', 'long']) await workloads.readyPods(name, 1);
    await setTaints(FIRST, [taint]);
    await workloads.noPods('short');
    expect(await workloads.readyPods('long', 1)).toHaveLength(1);
    await workloads.noPods('long');
  });

  itSimulated('evicts no pod that still tolerates it when it is removed', async () => {
    await workloads.createPod('spared', tolerating(60));
    await workloads.readyPods('spared', 1);
    await setTaints(FIRST, [taint]);
    // Removed after a third of the tolerated minute, and observed for twice as long as that.
    await workloads.cluster.clock.sleep(20_000);
    await setTaints(FIRST, []);
    await workloads.cluster.clock.sleep(120_000);
    const [pod] = await workloads.readyPods('spared', 1);
    expect(pod?.metadata.deletionTimestamp).toBeUndefined();
    await workloads.deletePod('spared');
  });
});

describe('a workload on simulated nodes', () => {
  itSimulated('runs a pod of a DaemonSet on a node only while its labels match', async () => {
    const sets = resourceOf('apps.v1.DaemonSet');
    const template = selectedTemplate('agent', { nodeSelector: { color: 'blue' }, containers: [container()] });
    await workloads.objects(sets).create({ metadata: metadataFor('agent'), spec: template });
    const label = (color: string): Promise<unknown> => workloads.client.of(NODES).patchMetadata(FIRST, { labels: { color } });
    await label('blue');
    expect((await workloads.readyPods('agent', 1)).map(nodeNameOf)).toEqual([FIRST]);
    await label('green');
    await workloads.noPods('agent');
    const selector = { spec: { template: { spec: { nodeSelector: { color: 'green' } } }, updateStrategy: { type: 'RollingUpdate' } } };
    await workloads.objects(sets).patch('agent', 'merge', selector);
    expect((await workloads.readyPods('agent', 1)).map(nodeNameOf)).toEqual([FIRST]);
    await workloads.deleteOwner(sets, 'agent');
  });

  itSimulated('updates the pods of a StatefulSet from its partition on, the last first', async () => {
    const sets = resourceOf('apps.v1.StatefulSet');
    const rollingUpdate = (partition: number) => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } });
    await workloads.objects(sets).create({
      metadata: metadataFor('db'),
      spec: { replicas: 3, serviceName: 'db', ...rollingUpdate(2), ...selectedTemplate('db') },
    });
    await workloads.readyPods('db', 3);
    /** The images of the pods by their ordinal, once so many are updated. */
    const imagesAfterUpdates = async (count: number): Promise<readonly unknown[]> =>
      workloads.waitFor(`${count} updated pods`, async () => {
        const pods = await workloads.readyPods('db', 3);
        const images = pods.map(({ body }) => body.spec?.containers?.[0]?.image);
        return images.filter((image) => image === 'new').length === count ? images : undefined;
      });
    await workloads.objects(sets).patch('db', 'merge', {
      spec: { template: { spec: { containers: [{ name: 'c', image: 'new' }] } } },
    });
    expect(await imagesAfterUpdates(1)).toEqual(['i', 'i', 'new']);
    await workloads.objects(sets).patch('db', 'merge', { spec: rollingUpdate(0) });
    expect(await imagesAfterUpdates(3)).toEqual(['new', 'new', 'new']);
    await workloads.deleteOwner(sets, 'db');
  });

  itSimulated('scales the ReplicaSets of a Deployment in proportion while an update does not progress', async () => {
    const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 };
    const initial = deployment('rolling', 10);
    await workloads
      .objects(DEPLOYMENTS)
      .create({ ...initial, spec: { ...initial.spec, strategy: { type: 'RollingUpdate', rollingUpdate } } });
    await workloads.readyPods('rolling', 10);
    const broken = { metadata: { annotations: { 'simulation.platform.io/waiting-reason': 'ImagePullBackOff' } } };
    await workloads.objects(DEPLOYMENTS).patch('rolling', 'merge', { spec: { template: broken } });
    const waitForReplicas = (...expected: readonly number[]): Promise<true> =>
      workloads.waitFor(`ReplicaSets with ${expected.join(' and ')} replicas`, async () => {
        const { items } = await workloads.objects(resourceOf('apps.v1.ReplicaSet')).list();
        const counts = items
          .filter(({ metadata }) => metadata.labels?.['app'] === 'rolling')
          .map(({ body }) => body.spec?.replicas ?? 0)
          .sort((a, b) => b - a);
        return JSON.stringify(counts) === JSON.stringify(expected);
      });
    // At most 2 of 10 pods are unavailable and 3 are surplus: 8 old ones, and 5 new ones that do not start.
    await waitForReplicas(8, 5);
    await workloads.objects(DEPLOYMENTS).patch('rolling', 'merge', { spec: { replicas: 30 } });
    // 33 pods, with the surplus, in proportion to 8 and 5.
    await waitForReplicas(20, 13);
    await workloads.deleteDeployment('rolling');
  });

  itSimulated('keeps a ReplicationController that is deleted in the foreground until its pods are deleted', async () => {
    const controllers = resourceOf('core.v1.ReplicationController');
    const { template } = selectedTemplate(
      'kept',
      { containers: [container()], terminationGracePeriodSeconds: 30 },
      {
        'simulation.platform.io/termination-delay': '20s',
      },
    );
    await workloads
      .objects(controllers)
      .create({ metadata: metadataFor('kept'), spec: { replicas: 2, selector: { app: 'kept' }, template } });
    await workloads.readyPods('kept', 2);
    await workloads.objects(controllers).delete('kept', { propagationPolicy: 'Foreground' });
    const terminating = await workloads.waitFor('terminating pods', async () => {
      const pods = await workloads.podsOf('kept');
      return pods.every(({ metadata }) => metadata.deletionTimestamp !== undefined) ? pods : undefined;
    });
    expect(terminating).toHaveLength(2);
    expect((await workloads.objects(controllers).get('kept')).metadata.finalizers).toEqual(['foregroundDeletion']);
    await workloads.noPods('kept');
    await workloads.waitFor(
      'the end of the controller',
      async () => (await undefinedIfNotFound(workloads.objects(controllers).get('kept'))) === undefined,
    );
  });

  itSimulated('runs the pods of an Indexed Job with an index and a host name each', async () => {
    const jobs = resourceOf('batch.v1.Job');
    const { template } = selectedTemplate('indexed', { restartPolicy: 'Never', containers: [container()] });
    await workloads.objects(jobs).create({
      metadata: metadataFor('indexed'),
      spec: { completions: 3, parallelism: 2, completionMode: 'Indexed', template },
    });
    const job = await workloads.waitFor('the end of the job', async () => {
      const current = await workloads.objects(jobs).get('indexed');
      return current.body.status?.completionTime === undefined ? undefined : current;
    });
    expect(job.body.status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
    const pods = await workloads.podsOf('indexed');
    expect(pods.map(({ body }) => body.spec?.hostname).sort()).toEqual(['indexed-0', 'indexed-1', 'indexed-2']);
    await workloads.deleteOwner(jobs, 'indexed');
  });

  itSimulated('replaces the running Job of a CronJob whose concurrency policy is Replace', async () => {
    const cronJobs = resourceOf('batch.v1.CronJob');
    const jobs = resourceOf('batch.v1.Job');
    const { template } = selectedTemplate(
      'replaced',
      { restartPolicy: 'OnFailure', containers: [container()] },
      {
        'simulation.platform.io/run-duration': '30m',
      },
    );
    await workloads.objects(cronJobs).create({
      metadata: metadataFor('replaced'),
      spec: { schedule: '*/1 * * * *', concurrencyPolicy: 'Replace', jobTemplate: { spec: { template } } },
    });
    /** The name of the only Job that is not being deleted, once it is another one. */
    const waitForOtherJob = (other: string): Promise<string> =>
      workloads.waitFor('a job', async () => {
        const { items } = await workloads.objects(jobs).list();
        const [job, ...more] = items.filter(
          ({ metadata }) => metadata.deletionTimestamp === undefined && metadata.name?.startsWith('replaced-') === true,
        );
        return job === undefined || more.length > 0 || job.metadata.name === other ? undefined : job.metadata.name;
      });
    const first = await waitForOtherJob('');
    expect(await waitForOtherJob(first)).not.toBe(first);
    await workloads.deleteOwner(cronJobs, 'replaced');
  });
});

describe('a pod on a simulated node', () => {
  itSimulated('runs its init containers one after the other before its containers', async () => {
    await workloads.createPod(
      'initialized',
      {
        initContainers: [
          { name: 'one', image: 'i' },
          { name: 'two', image: 'i' },
        ],
        containers: [container()],
      },
      { 'simulation.platform.io/init-duration': '5s' },
    );
    const [pod] = await workloads.readyPods('initialized', 1);
    const status = pod?.body.status;
    expect(conditionOf(pod?.body ?? {}, 'Initialized')).toMatchObject({ status: 'True' });
    expect(status?.initContainerStatuses?.map(({ ready, state }) => [ready, state?.terminated?.exitCode])).toEqual([
      [true, 0],
      [true, 0],
    ]);
    const [first, second] = status?.initContainerStatuses ?? [];
    expect(String(first?.state?.terminated?.finishedAt) <= String(second?.state?.terminated?.startedAt)).toBe(true);
    await workloads.deletePod('initialized');
  });

  itSimulated('is evicted only when a budget allows it', async () => {
    const budgets = resourceOf('policy.v1.PodDisruptionBudget');
    await workloads.objects(DEPLOYMENTS).create(deployment('guarded', 2));
    await workloads.objects(budgets).create({
      metadata: metadataFor('guarded'),
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'guarded' } } },
    });
    await workloads.waitFor(
      'the budget to count both pods',
      async () => (await workloads.objects(budgets).get('guarded')).body.status?.currentHealthy === 2,
    );
    const [pod] = await workloads.readyPods('guarded', 2);
    const name = pod?.metadata.name ?? '';
    const evict = (): Promise<unknown> =>
      workloads
        .objects(PODS)
        .createSubresource(name, 'eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: metadataFor(name) });
    await expect(evict()).rejects.toMatchObject({ code: 429 });
    await workloads.objects(budgets).patch('guarded', 'merge', { spec: { minAvailable: 1 } });
    await workloads.waitFor(
      'an allowed disruption',
      async () => ((await workloads.objects(budgets).get('guarded')).body.status?.disruptionsAllowed ?? 0) > 0,
    );
    await evict();
    await workloads.waitFor('another pod', async () => {
      const pods = await workloads.podsOf('guarded');
      return pods.length === 2 && pods.every(isPodReady) && pods.every(({ metadata }) => metadata.name !== name);
    });
    await workloads.objects(budgets).delete('guarded');
    await workloads.deleteDeployment('guarded');
  });
});
