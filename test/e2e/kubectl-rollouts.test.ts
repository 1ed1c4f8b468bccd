/**
 * Deployments, StatefulSets, DaemonSets and Jobs as a person with kubectl knows them: made, rolled out, scaled, taken back; waited for, and made at their times. The test plays the kubelet: pods
 * serve as soon as they are there, and those of Jobs have done their work.
 */
import type { RestClient } from '../../shared/client/rest-client';
import { Informer } from '../../shared/client/informer';
import { knownResource } from '../../shared/client/resource';
import { silentLogger } from '../../shared/runtime/logger';
import { systemClock } from '../../shared/runtime/clock';
import { systemRandom } from '../../shared/runtime/random';
import { isReady, labelsOf } from '../../controllers/runtime/pods';
import { adminClient, startControllers } from '../support/control-plane';
import { packagedProgram } from '../support/kubectl';
import { freePort } from '../support/ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer, type ProgramProcess } from '../support/programs';
import { skipLoudly } from '../support/skipped';
import { KubectlSession, table } from '../support/kubectl-session';

const PODS = knownResource('pods');
const kubectl = packagedProgram('kubectl');

/** Follows the pods, and lets each of them serve, until it is told to end. */
async function serve(client: RestClient, signal: AbortSignal): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: new Date().toISOString() }];
  const pods = new Informer({ client, resource: PODS, clock: systemClock, random: systemRandom, logger: silentLogger });
  pods.handle({
    added(pod) {
      if (isReady(pod)) return;
      const place = { namespace: pod.namespace, name: pod.name, subresource: 'status' };
      const status = labelsOf(pod)['job-name'] === undefined ? { phase: 'Running', conditions } : { phase: 'Succeeded' };
      client.patch(PODS, place, 'merge', { status }, { signal }).catch(() => undefined);
    },
  });
  await pods.run(signal);
}

function rollouts(binary: string): void {
  const folder = temporaryFolder('e2e-rollouts');
  const end = new AbortController();
  let server: ApiServer;
  let controllers: ProgramProcess;
  let client: RestClient;
  let served: Promise<void>;
  let session: KubectlSession;

  beforeAll(async () => {
    server = await startApiServer({ folder, securePort: await freePort() });
    controllers = startControllers(server);
    client = adminClient([server.address], server.certificates);
    served = serve(client, end.signal);
    session = new KubectlSession(binary, server.kubeconfig, 'default');
  }, 60_000);

  afterAll(async () => {
    end.abort();
    await controllers.stop();
    await served;
    client.close();
    await server.process.stop();
    removeFolder(folder);
  }, 60_000);

  const images = async (): Promise<string> => session.ok('get pods -l app=web -o jsonpath={.items[*].spec.containers[0].image}');
  const rolledOut = 'deployment "web" successfully rolled out\n';

  it('does what is told, and goes back', async () => {
    await session.ok('create deployment web --image=registry.example.com/web:1 --replicas=3');
    expect(await session.ok('rollout status deployment/web --timeout=60s')).toMatch(rolledOut);
    expect(table(await session.ok('get deployment web'))[1]?.slice(0, 4)).toEqual(['web', '3/3', '3', '3']);

    await session.ok('set image deployment/web web=registry.example.com/web:2');
    expect(await session.ok('rollout status deployment/web --timeout=60s')).toMatch(rolledOut);
    expect(new Set((await images()).split(' '))).toEqual(new Set(['registry.example.com/web:2']));
    expect(table(await session.ok('rollout history deployment/web')).slice(1)).toEqual([
      ['REVISION', 'CHANGE-CAUSE'],
      ['1', '<none>'],
      ['2', '<none>'],
    ]);

    expect(await session.ok('rollout undo deployment/web')).toBe('deployment.apps/web rolled back\n');
    expect(await session.ok('rollout status deployment/web --timeout=60s')).toMatch(rolledOut);
    expect(new Set((await images()).split(' '))).toEqual(new Set(['registry.example.com/web:1']));

    await session.ok('scale deployment/web --replicas=5');
    expect(await session.ok('rollout status deployment/web --timeout=60s')).toMatch(rolledOut);
    expect((await images()).split(' ')).toHaveLength(5);
    expect(await session.ok('describe deployment web')).toMatch(/Normal +ScalingReplicaSet .* Scaled up replica set web-\w+ to 5 from 3/);

    await session.ok('rollout restart deployment/web');
    expect(await session.ok('rollout status deployment/web --timeout=60s')).toMatch(rolledOut);
    await session.ok('delete deployment web --cascade=foreground --timeout=60s');
    expect(await session.ok('get pods,replicasets -l app=web -o name')).toBe('');
  }, 240_000);

  it('keeps pods by their names, and takes those back, too', async () => {
    const template = (image: string): object => ({
      metadata: { labels: { app: 'db' } },
      spec: { containers: [{ name: 'c', image: `registry.example.com/db:${image}` }] },
    });
    const spec = { replicas: 3, serviceName: 'db', selector: { matchLabels: { app: 'db' } } };
    const manifest = (image: string): string =>
      JSON.stringify({
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 'db' },
        spec: { ...spec, template: template(image) },
      });
    const settled = async (image: string): Promise<void> => {
      await session.ok('rollout status statefulset/db --timeout=60s');
      const line = `registry.example.com/db:${image}`;
      const shown = await session.ok('get pods -l app=db -o jsonpath={.items[*].spec.containers[0].image}');
      expect(shown).toBe([line, line, line].join(' '));
    };
    await session.ok('apply -f -', manifest('1'));
    await settled('1');
    expect(await session.ok('get pods -l app=db -o name')).toBe('pod/db-0\npod/db-1\npod/db-2\n');
    await session.ok('apply -f -', manifest('2'));
    await settled('2');
    expect(table(await session.ok('rollout history statefulset/db')).slice(1)).toEqual([
      ['REVISION', 'CHANGE-CAUSE'],
      ['1', '<none>'],
      ['2', '<none>'],
    ]);
    expect(await session.ok('rollout undo statefulset/db')).toBe('statefulset.apps/db rolled back\n');
    await settled('1');
    await session.ok('scale statefulset/db --replicas=1');
    await session.ok('wait --for=delete pod/db-1 --timeout=60s');
    await session.ok('delete statefulset/db --cascade=foreground --timeout=60s');
    expect(await session.ok('get pods,controllerrevisions -l app=db -o name')).toBe('');
  }, 240_000);

  it('keeps one pod on each node', async () => {
    const node = (name: string): string =>
      JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { pool: 'agents' } } });
    const says = JSON.stringify({ status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Said', message: 'by hand' }] } });
    for (const name of ['one', 'two']) {
      await session.ok('apply -f -', node(name));
      await session.ok(['patch', 'node', name, '--subresource=status', '--type=merge', '-p', says]);
    }
    const containers = (image: string): object[] => [{ name: 'c', image: `registry.example.com/agent:${image}` }];
    const manifest = (image: string): string =>
      JSON.stringify({
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'agent' },
        spec: {
          selector: { matchLabels: { app: 'agent' } },
          template: { metadata: { labels: { app: 'agent' } }, spec: { nodeSelector: { pool: 'agents' }, containers: containers(image) } },
        },
      });
    const settled = async (image: string): Promise<void> => {
      expect(await session.ok('rollout status daemonset/agent --timeout=60s')).toMatch('daemon set "agent" successfully rolled out\n');
      const line = `registry.example.com/agent:${image}`;
      const shown = await session.ok('get pods -l app=agent -o jsonpath={.items[*].spec.containers[0].image}');
      expect(shown).toBe([line, line].join(' '));
    };
    await session.ok('apply -f -', manifest('1'));
    await settled('1');
    await session.ok('apply -f -', manifest('2'));
    await settled('2');
    expect(await session.ok('rollout undo daemonset/agent')).toBe('daemonset.apps/agent rolled back\n');
    await settled('1');
    expect(table(await session.ok('get daemonset agent'))[1]?.slice(0, 6)).toEqual(['agent', '2', '2', '2', '2', '2']);
    await session.ok('delete node two');
    await session.ok('wait --for=jsonpath={.status.desiredNumberScheduled}=1 daemonset/agent --timeout=60s');
    await session.ok('delete daemonset/agent --cascade=foreground --timeout=60s');
    await session.ok('delete node one');
  }, 240_000);

  it('does a piece of work, and says when it is done', async () => {
    await session.ok('create job hello --image=registry.example.com/busybox -- echo hello');
    await session.ok('wait --for=condition=complete job/hello --timeout=60s');
    expect(table(await session.ok('get job hello'))[1]?.slice(0, 3)).toEqual(['hello', 'Complete', '1/1']);
    expect(await session.ok('describe job hello')).toMatch(/Normal +Completed .* Job completed/);
    await session.ok('delete job hello --cascade=foreground --timeout=60s');
    expect(await session.ok('get pods -l job-name=hello -o name')).toBe('');
  }, 120_000);

  it('does it at its times, and between them', async () => {
    await session.ok(['create', 'cronjob', 'tick', '--image=registry.example.com/busybox', '--schedule=0 0 1 1 *', '--', 'date']);
    await session.ok('create job by-hand --from=cronjob/tick');
    await session.ok('wait --for=condition=complete job/by-hand --timeout=60s');
    expect(table(await session.ok('get cronjob tick'))[1]?.slice(0, 6)).toEqual(['tick', '0 0 1 1 *', '<none>', 'False', '0', '<none>']);

    // As if the last one had been long ago.
    const status = { status: { lastScheduleTime: '2020-06-01T00:00:00Z' } };
    await session.ok(['patch', 'cronjob', 'tick', '--subresource=status', '--type=merge', '-p', JSON.stringify(status)]);
    const minute = Date.UTC(new Date().getUTCFullYear(), 0, 1) / 60_000;
    await session.ok(`wait --for=create job/tick-${minute} --timeout=60s`);
    await session.ok(`wait --for=condition=complete job/tick-${minute} --timeout=60s`);
    expect(await session.ok('describe cronjob tick')).toMatch(new RegExp(`Normal +SuccessfulCreate .* Created job tick-${minute}`));
    await session.ok('delete cronjob tick --cascade=foreground --timeout=60s');
    expect(await session.ok('get jobs -o name')).toBe('');
  }, 120_000);
}

if (kubectl === undefined) skipLoudly('roll-outs with kubectl', 'the packaged one exists for linux-x64 only');
else describe('roll-outs', () => rollouts(kubectl));
