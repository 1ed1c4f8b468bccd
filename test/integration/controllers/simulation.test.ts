/**
 * Simulated nodes in a whole cluster in this process: the API server, the controllers and the simulation on a simulated
 * clock, so that back-offs, grace periods and autoscalers take no time.
 */
import { undefinedIfNotFound } from '../../../shared/client/rest/api-error';
import { resourceOf } from '../../../shared/client/rest/resource';
import { isPodReady, nodeNameOf } from '../../../controllers/runtime/pods';
import { conditionOf } from '../../../controllers/runtime/conditions';
import {
  container,
  deployment,
  DEPLOYMENTS,
  EVENTS,
  itSimulated,
  NODES,
  PODS,
  useSimulatedWorkloads,
} from '../../support/scenarios/simulated-workloads';

const workloads = useSimulatedWorkloads(['--nodes=3', '--node-capacity=cpu=4,memory=8Gi']);

describe('simulated nodes', () => {
  itSimulated('become Ready', async () => {
    const nodes = await workloads.waitFor('three ready nodes', async () => {
      const { items } = await workloads.client.of(NODES).list();
      return items.length === 3 &&
        items.every(({ body }) => conditionOf(body.status === undefined ? {} : { status: body.status }, 'Ready')?.status === 'True')
        ? items
        : undefined;
    });
    expect(nodes.map(({ body }) => body.status?.allocatable?.['cpu'])).toEqual(['4', '4', '4']);
    expect(nodes.map(({ metadata }) => metadata.labels?.['topology.platform.io/zone'])).toEqual(['zone-a', 'zone-b', 'zone-c']);
  });

  itSimulated('run the pods of a Deployment, spread over the nodes', async () => {
    await workloads.objects(DEPLOYMENTS).create(deployment('web', 3));
    const pods = await workloads.readyPods('web', 3);
    expect(new Set(pods.map(nodeNameOf)).size).toBe(3);
    expect(new Set(pods.map(({ body }) => body.status?.podIP)).size).toBe(3);
    await workloads.deleteDeployment('web');
  });

  itSimulated('leave a pod pending that fits no node, and run it when a pod has ended', async () => {
    for (const name of ['full-1', 'full-2', 'full-3']) await workloads.createPod(name, { containers: [container({ cpu: '3' })] });
    for (const name of ['full-1', 'full-2', 'full-3']) await workloads.readyPods(name, 1);
    await workloads.createPod('waiting', { containers: [container({ cpu: '2' })] });
    const condition = await workloads.waitFor('the condition', async () => {
      const [pod] = await workloads.podsOf('waiting');
      return pod === undefined ? undefined : conditionOf(pod.body, 'PodScheduled');
    });
    expect(condition).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message:
        '0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.',
    });
    const events = await workloads.waitFor('the event', async () => {
      const { items } = await workloads.objects(EVENTS).list();
      const matches = items.filter(({ body }) => body.involvedObject?.name === 'waiting' && body.reason === 'FailedScheduling');
      return matches.length > 0 ? matches : undefined;
    });
    expect(events[0]?.body).toMatchObject({ type: 'Warning', message: condition.message });
    await workloads.objects(PODS).delete('full-2');
    const [pod] = await workloads.readyPods('waiting', 1);
    expect(pod?.body.spec?.nodeName).toBeDefined();
    for (const name of ['full-1', 'full-3', 'waiting']) await workloads.objects(PODS).delete(name);
  });

  itSimulated('preempt pods of lower priority', async () => {
    await workloads.client.of(resourceOf('scheduling.v1.PriorityClass')).create({ metadata: { name: 'high' }, value: 1_000 });
    await workloads.objects(DEPLOYMENTS).create(deployment('low', 3, { cpu: '3' }));
    await workloads.readyPods('low', 3);
    await workloads.createPod('important', { priorityClassName: 'high', containers: [container({ cpu: '2' })] });
    await workloads.readyPods('important', 1);
    expect((await workloads.podsOf('low')).filter((pod) => !isPodReady(pod))).toHaveLength(1);
    await workloads.objects(PODS).delete('important');
    await workloads.readyPods('low', 3);
    await workloads.deleteDeployment('low');
  });

  itSimulated('complete the pods of a Job, failures included', async () => {
    const template = {
      metadata: { annotations: { 'simulation.platform.io/exit-code': '1', 'simulation.platform.io/failing-runs': '2' } },
      spec: { restartPolicy: 'OnFailure', containers: [container()] },
    };
    const jobs = resourceOf('batch.v1.Job');
    await workloads.objects(jobs).create({ metadata: { name: 'job' }, spec: { completions: 3, parallelism: 2, template } });
    const job = await workloads.waitFor('the end of the job', async () => {
      const current = await workloads.objects(jobs).get('job');
      return current.body.status?.completionTime === undefined ? undefined : current;
    });
    expect(job.body.status).toMatchObject({ succeeded: 3 });
  });

  itSimulated('move an autoscaler by the load of a Deployment', async () => {
    await workloads.objects(DEPLOYMENTS).create({
      ...deployment('busy', 1, { cpu: '100m' }),
      metadata: { name: 'busy', annotations: { 'simulation.platform.io/cpu-load': '300m' } },
    });
    await workloads.objects(resourceOf('autoscaling.v2.HorizontalPodAutoscaler')).create({
      metadata: { name: 'busy' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'busy' },
        minReplicas: 1,
        maxReplicas: 10,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
      },
    });
    // Each pod requests 100m CPU and should use half of it, so 300m need six pods.
    await workloads.readyPods('busy', 6);
    const patch = { metadata: { annotations: { 'simulation.platform.io/cpu-load': '50m' } } };
    await workloads.objects(DEPLOYMENTS).patch('busy', 'merge', patch);
    await workloads.readyPods('busy', 1);
    await workloads.deleteDeployment('busy');
  });

  itSimulated('have their pods evicted when their heartbeat is stopped', async () => {
    await workloads.objects(DEPLOYMENTS).create(deployment('moved', 1));
    const [before] = await workloads.readyPods('moved', 1);
    const name = before === undefined ? '' : nodeNameOf(before);
    await workloads.client.of(NODES).patchMetadata(name, { annotations: { 'simulation.platform.io/heartbeat': 'stopped' } });
    await workloads.waitFor('a ready pod on another node', async () => {
      const pods = await workloads.podsOf('moved');
      return pods.some((pod) => isPodReady(pod) && nodeNameOf(pod) !== name);
    });
    // The kubelet of the stopped node does not end its pod until it runs again.
    expect((await workloads.podsOf('moved')).some(({ uid }) => uid === before?.uid)).toBe(true);
    await workloads.client.of(NODES).patchMetadata(name, { annotations: { 'simulation.platform.io/heartbeat': null } });
    await workloads.readyPods('moved', 1);
    await workloads.deleteDeployment('moved');
  });

  itSimulated('bind no pod while a real scheduler holds its Lease', async () => {
    const leases = workloads.client.of(resourceOf('coordination.v1.Lease')).namespace('platform-system');
    await leases.create({ metadata: { name: 'kube-scheduler' }, spec: { holderIdentity: 'real', leaseDurationSeconds: 60 } });
    // The simulation sees the Lease within seconds; without it a pod is bound in less than 20.
    await workloads.cluster.clock.sleep(5_000);
    await workloads.createPod('unbound', {});
    await workloads.cluster.clock.sleep(20_000);
    expect((await workloads.podsOf('unbound')).map(nodeNameOf)).toEqual(['']);
    // The simulation binds pods again when the Lease has expired.
    await workloads.readyPods('unbound', 1);
    await leases.delete('kube-scheduler');
  });

  itSimulated('run a pod on the node of a local volume, which its claim waits for', async () => {
    const storageClassName = 'local';
    await workloads.client.of(resourceOf('storage.v1.StorageClass')).create({
      metadata: { name: storageClassName },
      provisioner: 'platform.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    const onNode = { key: 'platform.io/hostname', operator: 'In', values: ['simulated-2'] };
    await workloads.client.of(resourceOf('core.v1.PersistentVolume')).create({
      metadata: { name: 'disk' },
      spec: {
        storageClassName,
        capacity: { storage: '10Gi' },
        accessModes: ['ReadWriteOnce'],
        local: { path: '/disk' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [onNode] }] } },
      },
    });
    await workloads.objects(resourceOf('core.v1.PersistentVolumeClaim')).create({
      metadata: { name: 'data' },
      spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await workloads.createPod('stateful', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] });
    expect((await workloads.readyPods('stateful', 1)).map(nodeNameOf)).toEqual(['simulated-2']);
    const claim = await workloads.objects(resourceOf('core.v1.PersistentVolumeClaim')).get('data');
    expect(claim.body).toMatchObject({ spec: { volumeName: 'disk' }, status: { phase: 'Bound' } });
    await workloads.objects(PODS).delete('stateful');
  });

  itSimulated('are simulated when another client creates the Node', async () => {
    await workloads.client.of(NODES).create({
      metadata: { name: 'gpu', labels: { 'simulation.platform.io/node': 'true' } },
      status: { capacity: { cpu: '1', pods: '5', 'example.com/gpu': '2' } },
    });
    const resources = { limits: { 'example.com/gpu': '2' } };
    await workloads.createPod('trainer', { containers: [{ name: 'c', image: 'i', resources }] });
    expect((await workloads.readyPods('trainer', 1)).map(nodeNameOf)).toEqual(['gpu']);
    await workloads.objects(PODS).delete('trainer');
    await workloads.waitFor(
      'the end of the pod',
      async () => (await undefinedIfNotFound(workloads.objects(PODS).get('trainer'))) === undefined,
    );
  });
});
