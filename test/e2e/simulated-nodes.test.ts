/**
 * Simulated nodes with real kubectl: the demonstration script (rolling update, drain, Job, autoscaler), and an embedded
 * control plane: StatefulSets, DaemonSets, blocked drains, and what a simulated node refuses.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import type { ControlPlane } from '../../deploy/embedded';
import { startControlPlane } from '../support/embedded-module';
import { describeWithKubectlBinary, KubectlSession } from '../support/external/kubectl-session';
import { freePorts } from '../support/ports';
import { ProgramProcess, waitUntil } from '../support/programs';
import { repository } from '../support/repository';
import { useResource } from '../support/use-resource';

const workload = (kind: string, name: string, spec: object): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: {
      ...spec,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });

describeWithKubectlBinary('simulated nodes', (binary) => {
  const plane = useResource<ControlPlane>(
    () => startControlPlane({ naming: 'kubernetes', simulatedNodes: 2, simulatedNodeCapacity: { cpu: '2' } }),
    (running) => running.stop(),
    60_000,
  );
  const session = (): KubectlSession => new KubectlSession(binary, plane().kubeconfigFile, 'default');
  beforeAll(async () => {
    await waitUntil('the nodes to be created', async () => (await session().ok('get nodes -o name')).split('\n').length === 3);
    await session().ok('wait node --all --for=condition=Ready --timeout=60s');
  }, 90_000);

  it('have the configured capacity and say that they are simulated', async () => {
    expect(await session().jsonPath('get node simulated-1', '.status.allocatable')).toMatchObject({ cpu: '2', pods: '110' });
    expect(await session().ok('get nodes -o wide')).toMatch(/simulated-2 +Ready .*\+simulated .*Simulated node/);
    expect(await session().ok('get nodes -l simulation.kubernetes.io/node=true,kubernetes.io/os=linux -o name')).toBe(
      'node/simulated-1\nnode/simulated-2\n',
    );
  }, 60_000);

  it('run a StatefulSet', async () => {
    await session().ok('apply -f -', workload('StatefulSet', 'db', { replicas: 2, serviceName: 'db' }));
    await session().ok('rollout status statefulset/db --timeout=60s');
    await session().ok('delete statefulset/db --cascade=foreground --timeout=60s');
  }, 120_000);

  it('run a DaemonSet on each node', async () => {
    await session().ok('apply -f -', workload('DaemonSet', 'agent', {}));
    await session().ok('rollout status daemonset/agent --timeout=60s');
    const nodes = await session().ok('get pods -l app=agent -o jsonpath={.items[*].spec.nodeName}');
    expect(nodes.split(' ').sort()).toEqual(['simulated-1', 'simulated-2']);
    await session().ok('delete daemonset/agent --cascade=foreground --timeout=60s');
  }, 120_000);

  it('state in the error of logs and exec that the node is simulated', async () => {
    await session().ok('run web --image=nginx');
    await session().ok('wait pod/web --for=condition=Ready --timeout=60s');
    expect(await session().fails('logs web')).toContain('pod default/web runs on a simulated node, without containers: it has no logs');
    expect(await session().fails('exec web -- ls')).toContain(
      'runs on a simulated node, without containers: no command can be executed in it',
    );
    await session().ok('delete pod web --timeout=60s');
  }, 60_000);

  it('keep their pods during a drain while a budget protects them', async () => {
    await session().ok('create deployment guarded --image=i --replicas=2');
    await session().ok('rollout status deployment/guarded --timeout=60s');
    await session().ok('create poddisruptionbudget guarded --selector=app=guarded --min-available=2');
    await waitUntil('the budget to be observed', async () =>
      (await session().ok('get poddisruptionbudget guarded -o jsonpath={.status.expectedPods}')).includes('2'),
    );
    expect(await session().fails('drain simulated-1 --timeout=3s')).toContain("it would violate the pod's disruption budget");
    await session().ok('delete poddisruptionbudget guarded');
    expect(await session().ok('drain simulated-1 --timeout=60s')).toContain('node/simulated-1 drained');
    await session().ok('rollout status deployment/guarded --timeout=60s');
    expect(new Set((await session().ok('get pods -l app=guarded -o jsonpath={.items[*].spec.nodeName}')).split(' '))).toEqual(
      new Set(['simulated-2']),
    );
  }, 120_000);

  it('run the demonstration to its end', async () => {
    const [port = 0] = await freePorts(1);
    const demonstration = new ProgramProcess(
      spawn(path.join(repository, 'deploy/demonstration.sh'), {
        env: { ...process.env, KUBECTL: binary, PORT: String(port) },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    const { code } = await demonstration.exited;
    if (code !== 0) throw new Error(demonstration.output);
    expect(demonstration.output).toMatch(
      /deployment "web" successfully rolled out[\s\S]*node\/simulated-1 drained[\s\S]*job\.batch\/hello condition met/,
    );
  }, 240_000);
});
