/**
 * Generates scenarios of user actions on workloads in random order: create, roll out, scale during a roll-out, roll
 * back, pause, delete with every propagation policy; pods fail and finish by request. After each step the cluster comes
 * to rest in a state that does not depend on how fast controllers are or how often they are interrupted: roll-outs
 * replace one pod at a time, and where a step needs a half-finished roll-out, no new pod becomes ready.
 */
import type { Body } from '../json-response';
import { createSeededRandom, type SeededRandom } from '../seeded-random';
import { create, patch, remove, type ScenarioRequest, type ComparedCollection, type Scenario, type ScenarioStep } from './scenario';

const APPS = '/apis/apps/v1/namespaces/$NS';
const EVENTS: ComparedCollection = { path: 'events', members: ['involvedObject', 'type', 'reason', 'message', 'source'] };
const PODS: ComparedCollection = { path: 'pods', members: [], omitted: ['pod-template-generation'] };
const REVISIONS: ComparedCollection = { path: `${APPS}/controllerrevisions` };
const LABELS = { app: 'a' };
const NODE_LABELS = { own: '$NS' };
const PROPAGATION_POLICIES = ['Foreground', 'Background', 'Orphan'];
/** Steps of a scenario: enough for several moves of each kind, and each step waits until the cluster is at rest. */
const STEPS = 7;
const IMAGES = ['one', 'two', 'three', 'four'];

const template = (image = 'one', spec: Body = {}): Body => ({
  metadata: { labels: LABELS },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image }], ...spec },
});

/** The member of a step that lets pending pods become ready. */
const servingPods = (servesPods: boolean): Pick<ScenarioStep, 'servesPods'> => (servesPods ? { servesPods } : {});

/** One of the possible next steps. A step that selects one of several pods is used only where they are all alike. */
type Move = (random: SeededRandom) => readonly ScenarioStep[];

interface Workload {
  /** The path of the object. */
  readonly path: string;
  /** The collections that are compared, besides Events. */
  readonly collections: readonly ComparedCollection[];
  /** The first step. */
  readonly creation: ScenarioStep;
  /** A move that occurs twice is chosen twice as often. */
  readonly moves: readonly Move[];
}

const patchSpec = (path: string, spec: Body): ScenarioRequest => patch(path, { spec });
const setImage = (path: string, image: string): ScenarioRequest =>
  patchSpec(path, { template: { spec: { containers: [{ name: 'c', image }] } } });

/** Sets another image; the pods of the roll-out become ready in a share of the cases. */
const rollOutMove =
  (path: string, share = 0.6): Move =>
  (random) => {
    const image = random.pick(IMAGES);
    const servesPods = random.withProbability(share);
    return [
      { title: `${image}${servesPods ? '' : ', of which none serves'}`, requests: [setImage(path, image)], ...servingPods(servesPods) },
    ];
  };
const scaleMove =
  (path: string): Move =>
  (random) => {
    const replicas = random.integerBelow(6);
    const servesPods = random.withProbability(0.6);
    return [
      {
        title: `${replicas} of them${servesPods ? '' : ', of which no new one serves'}`,
        requests: [patchSpec(path, { replicas })],
        ...servingPods(servesPods),
      },
    ];
  };
/** All pods are ready, so that they are alike. */
const PODS_SERVE: ScenarioStep = { title: 'they serve', requests: [], servesPods: true };
const podsServe: Move = () => [PODS_SERVE];
const deletePod: Move = () => [PODS_SERVE, { title: 'a pod is deleted', requests: [remove('pods/*!1')], servesPods: true }];
const failed = patch('pods/*!1/status', { status: { phase: 'Failed' } });
const failPod: Move = () => [PODS_SERVE, { title: 'a pod fails', requests: [failed], servesPods: true }];

/** Pauses a Deployment, changes its image meanwhile, and resumes it. */
function pauseMove(path: string): Move {
  return (random) => {
    const image = random.pick(IMAGES);
    const paused = patchSpec(path, { paused: true });
    const resumed = patchSpec(path, { paused: false });
    return [
      { title: `paused, and ${image}`, requests: [paused, setImage(path, image)], servesPods: true },
      { title: 'resumed', requests: [resumed], ...servingPods(random.withProbability(0.6)) },
    ];
  };
}

/** Creates the workload, adds random moves, and deletes it. */
function randomScenario(name: string, random: SeededRandom, { path, collections, creation, moves }: Workload): Scenario {
  const steps = [creation];
  while (steps.length < STEPS) {
    for (const step of random.pick(moves)(random)) steps.push({ ...step, title: `${steps.length + 1}: ${step.title}` });
  }
  const propagationPolicy = random.pick(PROPAGATION_POLICIES);
  steps.push({ title: `deleted, ${propagationPolicy}`, requests: [remove(path, { propagationPolicy })] });
  return { name, collections: [...collections, EVENTS], steps };
}

function deploymentScenario(name: string, random: SeededRandom): Scenario {
  const path = `${APPS}/deployments/web`;
  const strategy = random.withProbability(0.7)
    ? { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
    : { type: 'Recreate' };
  const replicas = 1 + random.integerBelow(4);
  const requests = [
    create(`${APPS}/deployments`, {
      metadata: { name: 'web' },
      spec: { replicas, selector: { matchLabels: LABELS }, template: template(), strategy },
    }),
  ];
  const collections: readonly ComparedCollection[] = [
    { path: `${APPS}/deployments`, members: ['status'], unordered: ['conditions'] },
    { path: `${APPS}/replicasets`, members: ['status'] },
    PODS,
  ];
  const rollOut = rollOutMove(path);
  const moves = [rollOut, rollOut, scaleMove(path), podsServe, deletePod, failPod, pauseMove(path)];
  const creation = { title: `1: ${strategy.type} of ${replicas}`, requests, servesPods: true };
  return randomScenario(name, random, { path, collections, creation, moves });
}

function replicaSetScenario(name: string, random: SeededRandom): Scenario {
  const isReplicationController = random.withProbability(0.5);
  const folder = isReplicationController ? 'replicationcontrollers' : `${APPS}/replicasets`;
  const replicas = 1 + random.integerBelow(4);
  const selector = isReplicationController ? LABELS : { matchLabels: LABELS };
  const creation = {
    title: `1: ${replicas}`,
    requests: [create(folder, { metadata: { name: 'set' }, spec: { replicas, selector, template: template() } })],
  };
  const path = `${folder}/set`;
  const moves = [scaleMove(path), scaleMove(path), podsServe, deletePod, failPod];
  const collections: readonly ComparedCollection[] = [{ path: folder, members: ['status'] }, PODS];
  return randomScenario(name, random, { path, collections, creation, moves });
}

function statefulSetScenario(name: string, random: SeededRandom): Scenario {
  const path = `${APPS}/statefulsets/web`;
  const podManagementPolicy = random.pick(['OrderedReady', 'Parallel']);
  const replicas = 1 + random.integerBelow(3);
  const requests = [
    create(`${APPS}/statefulsets`, {
      metadata: { name: 'web' },
      spec: { replicas, serviceName: 'svc', podManagementPolicy, selector: { matchLabels: LABELS }, template: template() },
    }),
  ];
  const partitionMove: Move = (random) => {
    const partition = random.integerBelow(3);
    const image = random.pick(IMAGES);
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition } };
    const spec = { updateStrategy, template: { spec: { containers: [{ name: 'c', image }] } } };
    return [{ title: `${image} down to ${partition}`, requests: [patchSpec(path, spec)], servesPods: true }];
  };
  const deleteFirstPod: Move = () => [{ title: 'the first is deleted', requests: [remove('pods/web-0')], servesPods: true }];
  const rollOut = rollOutMove(path, 1);
  const collections: readonly ComparedCollection[] = [{ path: `${APPS}/statefulsets`, members: ['status'] }, REVISIONS, PODS];
  const creation = { title: `1: ${podManagementPolicy} of ${replicas}`, requests, servesPods: true };
  const moves = [rollOut, rollOut, partitionMove, scaleMove(path), podsServe, deleteFirstPod];
  return randomScenario(name, random, { path, collections, creation, moves });
}

const NODES = ['a', 'b', 'c'];

function daemonSetScenario(name: string, random: SeededRandom): Scenario {
  const path = `${APPS}/daemonsets/web`;
  const nodes = NODES.flatMap((node) => [
    create('/api/v1/nodes', { metadata: { name: `$NS-${node}`, labels: NODE_LABELS } }),
    patch(`/api/v1/nodes/$NS-${node}/status`, {
      status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Said', message: 'by hand', lastHeartbeatTime: '$NOW' }] },
    }),
  ]);
  const spec = { nodeSelector: NODE_LABELS, automountServiceAccountToken: false, serviceAccountName: 'default' };
  const set = create(`${APPS}/daemonsets`, {
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: LABELS }, template: template('one', spec) },
  });
  const rollOut = rollOutMove(path, 1);
  const relabelNode: Move = (random) => {
    const node = random.pick(NODES);
    return [false, true].map((isSelected) => ({
      title: `${node} is ${isSelected ? 'taken again' : 'left'}`,
      requests: [patch(`/api/v1/nodes/$NS-${node}`, { metadata: { labels: { own: isSelected ? '$NS' : null } } })],
      servesPods: true,
    }));
  };
  const collections: readonly ComparedCollection[] = [{ path: `${APPS}/daemonsets`, members: ['status'] }, REVISIONS, PODS];
  const creation = { title: '1: on three nodes', requests: [...nodes, set], servesPods: true };
  const moves = [rollOut, rollOut, podsServe, deletePod, relabelNode];
  const scenario = randomScenario(name, random, { path, collections, creation, moves });
  return {
    ...scenario,
    steps: scenario.steps.map((step) => ({ ...step, heartbeats: NODES })),
    leftovers: NODES.flatMap((node) => [
      `/api/v1/nodes/$NS-${node}`,
      `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/$NS-${node}`,
    ]),
  };
}

const JOBS = '/apis/batch/v1/namespaces/$NS/jobs';
const JOB = `${JOBS}/j`;
/** The times of ended containers, so that the Job controller does not wait. */
const LONG_AGO = '$NOW-3600s';
/** Ends the selected pods with this phase. */
const endPods = (pods: string, phase: string, exitCode: number): ScenarioRequest => {
  const terminated = { exitCode, startedAt: LONG_AGO, finishedAt: LONG_AGO };
  const container = { name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0, state: { terminated } };
  return patch(`pods/${pods}/status`, { status: { phase, conditions: [], containerStatuses: [container] } });
};

function jobScenario(name: string, random: SeededRandom): Scenario {
  const completions = 2 + random.integerBelow(4);
  const parallelism = 1 + random.integerBelow(3);
  const completionMode = random.pick(['Indexed', 'NonIndexed']);
  const creation = {
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
  const changeParallelism: Move = (random) => [
    { title: 'others at a time', requests: [patchSpec(JOB, { parallelism: random.integerBelow(4) })] },
  ];
  const finishPod: Move = () => [{ title: 'one has done its work', requests: [endPods('*!1', 'Succeeded', 0)] }];
  const moves: readonly Move[] = [
    finishPod,
    finishPod,
    () => [{ title: 'one fails', requests: [endPods('*!1', 'Failed', 1)] }],
    () => [{ title: 'it rests', requests: [patchSpec(JOB, { suspend: true })] }],
    () => [{ title: 'it goes on', requests: [patchSpec(JOB, { suspend: false })] }],
    // Which index would be removed is random.
    ...(completionMode === 'Indexed' ? [] : [changeParallelism]),
  ];
  const collections: readonly ComparedCollection[] = [
    { path: JOBS, members: ['status'] },
    { path: 'pods', members: [] },
  ];
  const scenario = randomScenario(name, random, { path: JOB, collections, creation, moves });
  const resume = { title: 'all may begin', requests: [patchSpec(JOB, { suspend: false, parallelism: completions })] };
  const finishAll = [1, 2].map((time) => ({ title: `all do their work, time ${time}`, requests: [endPods('*!', 'Succeeded', 0)] }));
  return {
    ...scenario,
    quietMs: 4_000,
    steps: [...scenario.steps.slice(0, -1), resume, ...finishAll, ...scenario.steps.slice(-1)],
  };
}

/** The generator of each kind of workload, by the name of its scenario. */
const KINDS: Readonly<Record<string, (name: string, random: SeededRandom) => Scenario>> = {
  deployment: deploymentScenario,
  set: replicaSetScenario,
  stateful: statefulSetScenario,
  daemon: daemonSetScenario,
  job: jobScenario,
};

/** Seeds with a recording. */
export const RECORDED_SEEDS: readonly number[] = [1, 2, 3, 4];
/** The name of a seed's recording. */
export const killedRecordingName = (seed: number): string => `killed-${seed}`;

/** One scenario for each kind of workload, to be played concurrently. */
export const randomScenarios = (seed: number): readonly Scenario[] =>
  Object.entries(KINDS).map(([kind, generate], index) => generate(`killed-${kind}`, createSeededRandom(seed * 100 + index)));
