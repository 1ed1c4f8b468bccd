/**
 * Generates scenarios of user actions on workloads in random order: create, roll out, scale during a roll-out, roll
 * back, pause, delete with every propagation policy; pods fail and finish by request. After each step the cluster comes
 * to rest in a state that does not depend on how fast controllers are or how often they are interrupted: roll-outs
 * replace one pod at a time, and where a step needs a half-finished roll-out, no new pod becomes ready. The recordings
 * are named `killed-…` because test/reliability/controllers kills the controllers repeatedly while it plays them.
 *
 * Recordings contain the titles and requests of all steps: the order in which random numbers are drawn must stay.
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
/**
 * Minimum of steps before the deletion, the creation included; a last move of two steps exceeds it by one. Small, because
 * each step waits until the cluster is at rest.
 */
const MIN_STEPS = 7;
/** In place of a name: all pods that have neither succeeded nor failed, and the first of those with a generated name. */
const UNFINISHED_PODS = '*!';
const ONE_UNFINISHED_POD = '*!1';
/** The share of random changes after which new pods become ready; after the others the change stays half-finished. */
const READY_PROBABILITY = 0.6;
const IMAGES = ['one', 'two', 'three', 'four'];

const template = (image = 'one', spec: Body = {}): Body => ({
  metadata: { labels: LABELS },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image }], ...spec },
});

/** The member of a step that lets pending pods become ready. */
const servingPods = (servesPods: boolean): Pick<ScenarioStep, 'servesPods'> => (servesPods ? { servesPods } : {});

/**
 * One user action at random: one step, or several that belong together. A move may select {@link ONE_UNFINISHED_POD} only
 * where the result does not depend on which pod is the first; see {@link PODS_SERVE}.
 */
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
  /** Steps after the moves, before the deletion. */
  readonly lastSteps?: readonly ScenarioStep[];
}

const patchSpec = (path: string, spec: Body): ScenarioRequest => patch(path, { spec });
const setImage = (path: string, image: string): ScenarioRequest =>
  patchSpec(path, { template: { spec: { containers: [{ name: 'c', image }] } } });

/** The user sets a random image, perhaps the current one. */
const rollOutMove =
  (path: string, readyProbability = READY_PROBABILITY): Move =>
  (random) => {
    const image = random.pick(IMAGES);
    const servesPods = random.withProbability(readyProbability);
    return [
      { title: `${image}${servesPods ? '' : ', of which none serves'}`, requests: [setImage(path, image)], ...servingPods(servesPods) },
    ];
  };
/** The user scales the workload to between zero and five replicas. */
const scaleMove =
  (path: string): Move =>
  (random) => {
    const replicas = random.integerBelow(6);
    const servesPods = random.withProbability(READY_PROBABILITY);
    return [
      {
        title: `${replicas} of them${servesPods ? '' : ', of which no new one serves'}`,
        requests: [patchSpec(path, { replicas })],
        ...servingPods(servesPods),
      },
    ];
  };
/**
 * Finishes any roll-out: afterwards all pods are ready and of one revision. Generated names are random, so a step that
 * selects one pod follows this step. Pods of a Job do not need it: without `servesPods` all unfinished ones are pending, and
 * the names of an Indexed Job begin with the index, so that the first pod has the lowest.
 */
const PODS_SERVE: ScenarioStep = { title: 'they serve', requests: [], servesPods: true };
/** The user waits until all pods are ready. */
const podsServe: Move = () => [PODS_SERVE];
/** The user deletes a ready pod. */
const deletePod: Move = () => [
  PODS_SERVE,
  { title: 'a pod is deleted', requests: [remove(`pods/${ONE_UNFINISHED_POD}`)], servesPods: true },
];
/** A ready pod fails, as a kubelet reports it. */
const failPod: Move = () => [
  PODS_SERVE,
  {
    title: 'a pod fails',
    requests: [patch(`pods/${ONE_UNFINISHED_POD}/status`, { status: { phase: 'Failed' } })],
    servesPods: true,
  },
];

/** The user pauses a Deployment, changes its image meanwhile, and resumes it. */
function pauseMove(path: string): Move {
  return (random) => {
    const image = random.pick(IMAGES);
    const paused = patchSpec(path, { paused: true });
    const resumed = patchSpec(path, { paused: false });
    return [
      { title: `paused, and ${image}`, requests: [paused, setImage(path, image)], servesPods: true },
      { title: 'resumed', requests: [resumed], ...servingPods(random.withProbability(READY_PROBABILITY)) },
    ];
  };
}

/** Creates the workload, adds random moves, and deletes it. Numbers make the titles of repeated moves unique. */
function randomScenario(name: string, random: SeededRandom, workload: Workload): Scenario {
  const { path, collections, creation, moves, lastSteps = [] } = workload;
  const steps = [creation];
  while (steps.length < MIN_STEPS) steps.push(...random.pick(moves)(random));
  const numbered = steps.map((step, index) => ({ ...step, title: `${index + 1}: ${step.title}` }));
  const propagationPolicy = random.pick(PROPAGATION_POLICIES);
  const deletion = { title: `deleted, ${propagationPolicy}`, requests: [remove(path, { propagationPolicy })] };
  return { name, collections: [...collections, EVENTS], steps: [...numbered, ...lastSteps, deletion] };
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
  const creation = { title: `${strategy.type} of ${replicas}`, requests, servesPods: true };
  return randomScenario(name, random, { path, collections, creation, moves });
}

/** A ReplicaSet or a ReplicationController, which behave alike. */
function replicaSetOrControllerScenario(name: string, random: SeededRandom): Scenario {
  const isReplicationController = random.withProbability(0.5);
  const folder = isReplicationController ? 'replicationcontrollers' : `${APPS}/replicasets`;
  const replicas = 1 + random.integerBelow(4);
  const selector = isReplicationController ? LABELS : { matchLabels: LABELS };
  const creation = {
    title: `${replicas}`,
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
  /** The user sets an image that only pods from an ordinal on get. */
  const partitionMove: Move = (random) => {
    const partition = random.integerBelow(3);
    const image = random.pick(IMAGES);
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition } };
    const spec = { updateStrategy, template: { spec: { containers: [{ name: 'c', image }] } } };
    return [{ title: `${image} down to ${partition}`, requests: [patchSpec(path, spec)], servesPods: true }];
  };
  /** The user deletes the pod with the ordinal 0. */
  const deleteFirstPod: Move = () => [{ title: 'the first is deleted', requests: [remove('pods/web-0')], servesPods: true }];
  const rollOut = rollOutMove(path, 1);
  const collections: readonly ComparedCollection[] = [{ path: `${APPS}/statefulsets`, members: ['status'] }, REVISIONS, PODS];
  const creation = { title: `${podManagementPolicy} of ${replicas}`, requests, servesPods: true };
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
  /** The user removes the label that the DaemonSet selects from a node, and sets it again. */
  const relabelNode: Move = (random) => {
    const node = random.pick(NODES);
    return [false, true].map((isSelected) => ({
      title: `${node} is ${isSelected ? 'taken again' : 'left'}`,
      requests: [patch(`/api/v1/nodes/$NS-${node}`, { metadata: { labels: { own: isSelected ? '$NS' : null } } })],
      servesPods: true,
    }));
  };
  const collections: readonly ComparedCollection[] = [{ path: `${APPS}/daemonsets`, members: ['status'] }, REVISIONS, PODS];
  const creation = { title: 'on three nodes', requests: [...nodes, set], servesPods: true };
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
/** The times of ended containers: the Job controller delays the replacement of pods that have failed recently. */
const LONG_AGO = '$NOW-3600s';
/** Longer than the default, because the Job controller collects changes of pods for a second before it acts on them. */
const JOB_QUIET_MS = 4_000;
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
    title: `${completionMode}, ${parallelism} at a time of ${completions}`,
    requests: [
      create(JOBS, {
        metadata: { name: 'j' },
        spec: {
          template: { metadata: {}, spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          completions,
          parallelism,
          completionMode,
          // More than pods can fail in one scenario.
          backoffLimit: 50,
        },
      }),
    ],
  };
  /** The user allows between zero and three pods at a time. */
  const changeParallelism: Move = (random) => [
    { title: 'others at a time', requests: [patchSpec(JOB, { parallelism: random.integerBelow(4) })] },
  ];
  /** A pod succeeds. */
  const finishPod: Move = () => [{ title: 'one has done its work', requests: [endPods(ONE_UNFINISHED_POD, 'Succeeded', 0)] }];
  /** A pod fails. */
  const failJobPod: Move = () => [{ title: 'one fails', requests: [endPods(ONE_UNFINISHED_POD, 'Failed', 1)] }];
  /** The user suspends the Job. */
  const suspend: Move = () => [{ title: 'it rests', requests: [patchSpec(JOB, { suspend: true })] }];
  /** The user resumes the Job. */
  const resume: Move = () => [{ title: 'it goes on', requests: [patchSpec(JOB, { suspend: false })] }];
  // A lower parallelism deletes pods at random: those of an Indexed Job would have random indexes.
  const parallelismMoves = completionMode === 'Indexed' ? [] : [changeParallelism];
  const moves: readonly Move[] = [finishPod, finishPod, failJobPod, suspend, resume, ...parallelismMoves];
  // With this parallelism the pods of all open completions run at once, so that one step completes the Job.
  const runAll = { title: 'all may begin', requests: [patchSpec(JOB, { suspend: false, parallelism: completions })] };
  // The second time no pod is unfinished, and the completed Job does not change.
  const finishAll = [1, 2].map((time) => ({
    title: `all do their work, time ${time}`,
    requests: [endPods(UNFINISHED_PODS, 'Succeeded', 0)],
  }));
  const collections: readonly ComparedCollection[] = [
    { path: JOBS, members: ['status'] },
    { path: 'pods', members: [] },
  ];
  const scenario = randomScenario(name, random, { path: JOB, collections, creation, moves, lastSteps: [runAll, ...finishAll] });
  return { ...scenario, quietMs: JOB_QUIET_MS };
}

/** The generator of each kind of workload, by the name of its scenario. */
const KINDS: Readonly<Record<string, (name: string, random: SeededRandom) => Scenario>> = {
  deployment: deploymentScenario,
  set: replicaSetOrControllerScenario,
  stateful: statefulSetScenario,
  daemon: daemonSetScenario,
  job: jobScenario,
};

/** Seeds with a recording. */
export const RECORDED_SEEDS: readonly number[] = [1, 2, 3, 4];
/** The name of a seed's recording. */
export const killedRecordingName = (seed: number): string => `killed-${seed}`;

/** More than there are kinds, so that each scenario of each seed draws other random numbers. */
const MAX_KINDS = 100;

/** One scenario for each kind of workload, to be played concurrently. */
export const randomScenarios = (seed: number): readonly Scenario[] =>
  Object.entries(KINDS).map(([kind, generate], index) => generate(`killed-${kind}`, createSeededRandom(seed * MAX_KINDS + index)));
