/**
 * What people do to workloads, in an order that a seed chooses: they make, roll, scale while it rolls, go back, pause, delete in every cascade; pods fail and finish by
 * hand. After each step the cluster comes to rest in a state that does not depend on how fast, or how often interrupted, controllers are: bounds of roll-outs let one pod
 * go or come at a time, and where a roll-out is to be met half-way, nobody serves.
 */
import type { Body } from '../reference';
import { createChance, type Chance } from '../chance';
import { create, patch, remove, type ScenarioRequest, type ComparedCollection, type Scenario, type ScenarioStep } from './scenario';

const APPS = '/apis/apps/v1/namespaces/$NS';
const EVENTS: ComparedCollection = { path: 'events', members: ['involvedObject', 'type', 'reason', 'message', 'source'] };
const PODS: ComparedCollection = { path: 'pods', members: [], omitted: ['pod-template-generation'] };
const REVISIONS: ComparedCollection = { path: `${APPS}/controllerrevisions` };
const A = { app: 'a' };
const OWN = { own: '$NS' };
const CASCADES = ['Foreground', 'Background', 'Orphan'];
const STEPS = 7;
const IMAGES = ['one', 'two', 'three', 'four'];

const template = (image = 'one', spec: Body = {}): Body => ({
  metadata: { labels: A },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image }], ...spec },
});

const serves = (servesPods: boolean): Pick<ScenarioStep, 'servesPods'> => (servesPods ? { servesPods } : {});

/** What may come next. Where one pod of several is meant, they are all alike. */
type Move = (chance: Chance) => readonly ScenarioStep[];

interface Workload {
  readonly path: string;
  readonly moves: readonly Move[];
}

const changed = (path: string, spec: Body): ScenarioRequest => patch(path, { spec });
const imaged = (path: string, image: string): ScenarioRequest =>
  changed(path, { template: { spec: { containers: [{ name: 'c', image }] } } });

const rolled =
  (path: string, share = 0.6): Move =>
  (chance) => {
    const [image, servesPods] = [chance.pick(IMAGES), chance.often(share)];
    return [{ title: `${image}${servesPods ? '' : ', of which none serves'}`, requests: [imaged(path, image)], ...serves(servesPods) }];
  };
const scaled =
  (path: string): Move =>
  (chance) => {
    const [replicas, servesPods] = [chance.below(6), chance.often(0.6)];
    return [
      {
        title: `${replicas} of them${servesPods ? '' : ', of which no new one serves'}`,
        requests: [changed(path, { replicas })],
        ...serves(servesPods),
      },
    ];
  };
const SERVING: ScenarioStep = { title: 'they serve', requests: [], servesPods: true };
const serving: Move = () => [SERVING];
const podGone: Move = () => [SERVING, { title: 'a pod is deleted', requests: [remove('pods/*!1')], servesPods: true }];
const failed = patch('pods/*!1/status', { status: { phase: 'Failed' } });
const podFailed: Move = () => [SERVING, { title: 'a pod fails', requests: [failed], servesPods: true }];

function pausedMove(path: string): Move {
  return (chance) => {
    const image = chance.pick(IMAGES);
    const [paused, resumed] = [changed(path, { paused: true }), changed(path, { paused: false })];
    return [
      { title: `paused, and ${image}`, requests: [paused, imaged(path, image)], servesPods: true },
      { title: 'resumed', requests: [resumed], ...serves(chance.often(0.6)) },
    ];
  };
}

/** So many moves, then it goes. */
function script(
  name: string,
  chance: Chance,
  collections: readonly ComparedCollection[],
  made: ScenarioStep,
  { path, moves }: Workload,
): Scenario {
  const steps = [made];
  while (steps.length < STEPS) {
    for (const step of chance.pick(moves)(chance)) steps.push({ ...step, title: `${steps.length + 1}: ${step.title}` });
  }
  const propagationPolicy = chance.pick(CASCADES);
  steps.push({ title: `deleted, ${propagationPolicy}`, requests: [remove(path, { propagationPolicy })] });
  return { name, collections: [...collections, EVENTS], steps };
}

function deployment(name: string, chance: Chance): Scenario {
  const path = `${APPS}/deployments/web`;
  const strategy = chance.often(0.7) ? { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } : { type: 'Recreate' };
  const replicas = 1 + chance.below(4);
  const requests = [
    create(`${APPS}/deployments`, {
      metadata: { name: 'web' },
      spec: { replicas, selector: { matchLabels: A }, template: template(), strategy },
    }),
  ];
  const collections: readonly ComparedCollection[] = [
    { path: `${APPS}/deployments`, members: ['status'], unordered: ['conditions'] },
    { path: `${APPS}/replicasets`, members: ['status'] },
    PODS,
  ];
  const roll = rolled(path);
  const moves = [roll, roll, scaled(path), serving, podGone, podFailed, pausedMove(path)];
  return script(name, chance, collections, { title: `1: ${strategy.type} of ${replicas}`, requests, servesPods: true }, { path, moves });
}

function replicaSet(name: string, chance: Chance): Scenario {
  const isOld = chance.often(0.5);
  const folder = isOld ? 'replicationcontrollers' : `${APPS}/replicasets`;
  const replicas = 1 + chance.below(4);
  const selector = isOld ? A : { matchLabels: A };
  const made = {
    title: `1: ${replicas}`,
    requests: [create(folder, { metadata: { name: 'set' }, spec: { replicas, selector, template: template() } })],
  };
  const path = `${folder}/set`;
  const moves = [scaled(path), scaled(path), serving, podGone, podFailed];
  return script(name, chance, [{ path: folder, members: ['status'] }, PODS], made, { path, moves });
}

function statefulSet(name: string, chance: Chance): Scenario {
  const path = `${APPS}/statefulsets/web`;
  const podManagementPolicy = chance.pick(['OrderedReady', 'Parallel']);
  const replicas = 1 + chance.below(3);
  const requests = [
    create(`${APPS}/statefulsets`, {
      metadata: { name: 'web' },
      spec: { replicas, serviceName: 'svc', podManagementPolicy, selector: { matchLabels: A }, template: template() },
    }),
  ];
  const part: Move = (one) => {
    const [partition, image] = [one.below(3), one.pick(IMAGES)];
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition } };
    const spec = { updateStrategy, template: { spec: { containers: [{ name: 'c', image }] } } };
    return [{ title: `${image} down to ${partition}`, requests: [changed(path, spec)], servesPods: true }];
  };
  const gone: Move = () => [{ title: 'the first is deleted', requests: [remove('pods/web-0')], servesPods: true }];
  const roll = rolled(path, 1);
  const collections: readonly ComparedCollection[] = [{ path: `${APPS}/statefulsets`, members: ['status'] }, REVISIONS, PODS];
  const made = { title: `1: ${podManagementPolicy} of ${replicas}`, requests, servesPods: true };
  return script(name, chance, collections, made, { path, moves: [roll, roll, part, scaled(path), serving, gone] });
}

const NODES = ['a', 'b', 'c'];

function daemonSet(name: string, chance: Chance): Scenario {
  const path = `${APPS}/daemonsets/web`;
  const nodes = NODES.flatMap((node) => [
    create('/api/v1/nodes', { metadata: { name: `$NS-${node}`, labels: OWN } }),
    patch(`/api/v1/nodes/$NS-${node}/status`, {
      status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Said', message: 'by hand', lastHeartbeatTime: '$NOW' }] },
    }),
  ]);
  const spec = { nodeSelector: OWN, automountServiceAccountToken: false, serviceAccountName: 'default' };
  const set = create(`${APPS}/daemonsets`, {
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: A }, template: template('one', spec) },
  });
  const roll = rolled(path, 1);
  const left: Move = (one) => {
    const node = one.pick(NODES);
    return [false, true].map((own) => ({
      title: `${node} is ${own ? 'taken again' : 'left'}`,
      requests: [patch(`/api/v1/nodes/$NS-${node}`, { metadata: { labels: { own: own ? '$NS' : null } } })],
      servesPods: true,
    }));
  };
  const collections: readonly ComparedCollection[] = [{ path: `${APPS}/daemonsets`, members: ['status'] }, REVISIONS, PODS];
  const made = { title: '1: on three nodes', requests: [...nodes, set], servesPods: true };
  const played = script(name, chance, collections, made, { path, moves: [roll, roll, serving, podGone, left] });
  return {
    ...played,
    steps: played.steps.map((step) => ({ ...step, heartbeats: NODES })),
    leftovers: NODES.flatMap((node) => [
      `/api/v1/nodes/$NS-${node}`,
      `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/$NS-${node}`,
    ]),
  };
}

const JOBS = '/apis/batch/v1/namespaces/$NS/jobs';
const JOB = `${JOBS}/j`;
const LONG_AGO = '$NOW-3600s';
const ended = (pods: string, phase: string, exitCode: number): ScenarioRequest => {
  const terminated = { exitCode, startedAt: LONG_AGO, finishedAt: LONG_AGO };
  const container = { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, state: { terminated } };
  return patch(`pods/${pods}/status`, { status: { phase, conditions: [], containerStatuses: [container] } });
};

function jobScript(name: string, chance: Chance): Scenario {
  const completions = 2 + chance.below(4);
  const parallelism = 1 + chance.below(3);
  const completionMode = chance.pick(['Indexed', 'NonIndexed']);
  const made = {
    title: `1: ${completionMode}, ${parallelism} at a time of ${completions}`,
    requests: [
      create(JOBS, {
        metadata: { name: 'j' },
        spec: {
          template: { metadata: {}, spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          completions,
          parallelism,
          completionMode,
          backoffLimit: 50,
        },
      }),
    ],
  };
  const others: Move = (one) => [{ title: 'others at a time', requests: [changed(JOB, { parallelism: one.below(4) })] }];
  const done: Move = () => [{ title: 'one has done its work', requests: [ended('*!1', 'Succeeded', 0)] }];
  const moves: readonly Move[] = [
    done,
    done,
    () => [{ title: 'one fails', requests: [ended('*!1', 'Failed', 1)] }],
    () => [{ title: 'it rests', requests: [changed(JOB, { suspend: true })] }],
    () => [{ title: 'it goes on', requests: [changed(JOB, { suspend: false })] }],
    // Which index would have to go is chance.
    ...(completionMode === 'Indexed' ? [] : [others]),
  ];
  const played = script(
    name,
    chance,
    [
      { path: JOBS, members: ['status'] },
      { path: 'pods', members: [] },
    ],
    made,
    { path: JOB, moves },
  );
  const all = { title: 'all may begin', requests: [changed(JOB, { suspend: false, parallelism: completions })] };
  const finished = [1, 2].map((time) => ({ title: `all do their work, time ${time}`, requests: [ended('*!', 'Succeeded', 0)] }));
  return {
    ...played,
    quietMs: 4_000,
    steps: [...played.steps.slice(0, -1), all, ...finished, ...played.steps.slice(-1)],
  };
}

const KINDS: Readonly<Record<string, (name: string, chance: Chance) => Scenario>> = {
  deployment,
  set: replicaSet,
  stateful: statefulSet,
  daemon: daemonSet,
  job: jobScript,
};

/** Seeds that are recorded. */
export const SEEDS: readonly number[] = [1, 2, 3, 4];
/** The recording of a seed. */
export const killedName = (seed: number): string => `killed-${seed}`;

/** One of each kind of workload, to be played side by side. */
export const randomScripts = (seed: number): readonly Scenario[] =>
  Object.entries(KINDS).map(([kind, make], at) => make(`killed-${kind}`, createChance(seed * 100 + at)));
