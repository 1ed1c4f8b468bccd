/**
 * A table of the faults of a cluster with real nodes: the steps of each scenario. The first step is the fault; times
 * count from it. Every scenario ends some time after the cluster has recovered, so that a later change is recorded too.
 */
import { systemClock as clock } from '../../../shared/runtime/clock';
import { clockAhead } from '../../support/control-plane';
import { waitUntil } from '../../support/programs';
import type { ControlPlane } from './control-plane';
import { FAULTY_NODE, FIRST_NODE, NODES, type NodeTool } from './node-tool';
import type { ClusterObserver } from './observer';

export interface FaultCluster {
  readonly plane: ControlPlane;
  readonly nodes: NodeTool;
  readonly observer: ClusterObserver;
}

export interface Step {
  /** In the timeline; one that begins with `wait` changes nothing. */
  readonly name: string;
  /** Resolves when the next step may begin. */
  run(cluster: FaultCluster): Promise<void>;
}

export interface Scenario {
  readonly name: string;
  readonly description: string;
  /** What precedes the fault; it is not part of the timeline. */
  prepare?(cluster: FaultCluster): Promise<void>;
  readonly steps: readonly Step[];
  /** Called after the timeline, when the cluster has recovered. */
  cleanUp?(cluster: FaultCluster): Promise<void>;
  /** Changes that differ from those of the reference on purpose, and the reason. */
  readonly deviations?: Readonly<Record<string, string>>;
  /** The reason why the reference cannot play it. */
  readonly isOursOnly?: string;
}

const SECOND_MS = 1_000;
/** Well above the times of the reference, which the timeline compares: a longer wait means that nothing happens. */
const RECOVERY_MS = 120_000;
const EVICTION_MS = 120_000;
/** More than every lease and grace period. */
const CLOCK_JUMP_MS = 3_600_000;

const wait = (seconds: number): Step => ({ name: `wait ${seconds} s`, run: () => clock.sleep(seconds * SECOND_MS) });

const recover: Step = {
  name: 'wait until the cluster has recovered',
  run: async ({ observer }) => void (await waitUntil('the cluster to recover', () => observer.isRecovered(), RECOVERY_MS)),
};

/** The wait is longer than the grace period of nodes, after which a missed heartbeat shows. */
const recoverAndStay: readonly Step[] = [recover, wait(50)];

const killApiServer: Step = { name: 'kill the API server', run: ({ plane }) => plane.killApiServer(0) };
const startApiServer: Step = { name: 'start the API server', run: ({ plane }) => plane.startApiServer(0) };
const killControllers: Step = { name: 'kill the controllers', run: ({ plane }) => plane.controllers.kill() };
const startControllers: Step = { name: 'start the controllers', run: ({ plane }) => Promise.resolve(plane.controllers.start()) };

const pauseKubelets = (names: readonly string[]): Step => ({
  name: `pause the kubelet of ${names.join(' and ')}`,
  run: async ({ nodes }) => void (await Promise.all(names.map((name) => nodes.pauseKubelet(name)))),
});
const resumeKubelets = (names: readonly string[]): Step => ({
  name: `resume the kubelet of ${names.join(' and ')}`,
  run: async ({ nodes }) => void (await Promise.all(names.map((name) => nodes.resumeKubelet(name)))),
});

const waitForTaint: Step = {
  name: 'wait until the node is tainted',
  run: async ({ observer }) => void (await waitUntil('the taint', () => observer.isUnreachable(FAULTY_NODE), EVICTION_MS)),
};
const waitForEviction: Step = {
  name: 'wait until the pods of the node are evicted',
  run: async ({ observer }) => void (await waitUntil('the eviction', () => observer.isEvicted(FAULTY_NODE), EVICTION_MS)),
};

/** The time until a node is unreachable counts from its last heartbeat. */
const afterHeartbeat = ({ observer }: FaultCluster): Promise<void> => observer.waitForRenewal(FAULTY_NODE);

/**
 * Makes both kubelets renew their Leases at the same time, so that both nodes become unreachable together: the paused
 * one is overdue after two heartbeats of the other, and renews as soon as it is resumed.
 */
async function alignHeartbeats({ nodes, observer }: FaultCluster): Promise<void> {
  await nodes.pauseKubelet(FIRST_NODE);
  for (let heartbeats = 0; heartbeats < 2; heartbeats++) await observer.waitForRenewal(FAULTY_NODE);
  const renewal = observer.waitForRenewal(FIRST_NODE);
  await nodes.resumeKubelet(FIRST_NODE);
  await renewal;
}

const TAINT_STAYS = 'the reference removes the taint when its controllers start, and adds it again';
const SHORTER_LEASE = 'the Lease of killed controllers expires after 12 s instead of 15 s';

const restartReplica = (index: number): readonly Step[] => [
  { name: `stop API server ${index}`, run: ({ plane }) => plane.stopApiServer(index) },
  { name: `start API server ${index}`, run: ({ plane }) => plane.startApiServer(index) },
  wait(3),
];

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'api-server-killed',
    description: 'the API server is killed and is back after 20 s',
    steps: [killApiServer, wait(20), startApiServer, ...recoverAndStay],
  },
  {
    name: 'api-server-away',
    description: 'the API server is killed and is back after 60 s, longer than the grace period of nodes',
    steps: [killApiServer, wait(60), startApiServer, ...recoverAndStay],
  },
  {
    name: 'etcd-paused',
    description: 'etcd is paused for 20 s, then killed and started again',
    steps: [
      { name: 'pause etcd', run: ({ plane }) => Promise.resolve(plane.etcd.pause()) },
      wait(20),
      { name: 'kill etcd', run: ({ plane }) => plane.etcd.kill() },
      { name: 'start etcd', run: ({ plane }) => plane.etcd.restart() },
      ...recoverAndStay,
    ],
  },
  {
    name: 'replicas-restarted',
    description: 'two API servers behind one address are restarted in turn',
    prepare: ({ plane }) => plane.startApiServer(1),
    steps: [...restartReplica(0), ...restartReplica(1), ...restartReplica(0), ...restartReplica(1), recover, wait(15)],
    cleanUp: ({ plane }) => plane.stopApiServer(1),
  },
  {
    name: 'kubelet-paused',
    description: 'a kubelet is paused until its pods are evicted',
    prepare: afterHeartbeat,
    steps: [pauseKubelets([FAULTY_NODE]), waitForEviction, wait(15), resumeKubelets([FAULTY_NODE]), recover, wait(15)],
  },
  {
    name: 'all-kubelets-paused',
    description: 'all kubelets are paused, so that no pod is evicted',
    prepare: alignHeartbeats,
    steps: [pauseKubelets(NODES), wait(80), resumeKubelets(NODES), ...recoverAndStay],
  },
  {
    name: 'node-killed',
    description: 'a node with its pods is killed, and started after they are evicted',
    prepare: afterHeartbeat,
    steps: [
      { name: 'kill the node', run: ({ nodes }) => Promise.resolve(nodes.killNode(FAULTY_NODE)) },
      waitForEviction,
      wait(15),
      { name: 'start the node', run: ({ nodes, plane }) => nodes.startNode(FAULTY_NODE, plane.credentials) },
      recover,
      wait(15),
    ],
  },
  {
    name: 'controllers-killed',
    description: 'the controllers are killed while a node is unreachable, and are back after 10 s',
    prepare: afterHeartbeat,
    steps: [
      pauseKubelets([FAULTY_NODE]),
      waitForTaint,
      wait(3),
      killControllers,
      wait(10),
      startControllers,
      waitForEviction,
      wait(5),
      resumeKubelets([FAULTY_NODE]),
      recover,
      wait(15),
    ],
    deviations: {
      [`node ${FAULTY_NODE}: taint node.kubernetes.io/unreachable:NoExecute`]: TAINT_STAYS,
      [`node ${FAULTY_NODE}: no taint node.kubernetes.io/unreachable:NoExecute`]: TAINT_STAYS,
      [`pod web on ${FAULTY_NODE}: DisruptionTarget True`]: SHORTER_LEASE,
      [`pod web on ${FAULTY_NODE}: deletion requested`]: SHORTER_LEASE,
    },
  },
  {
    name: 'controllers-clock-ahead',
    description: 'the controllers are started with a clock that is an hour ahead',
    steps: [
      killControllers,
      { name: 'start them an hour ahead', run: ({ plane }) => Promise.resolve(plane.startControllersWith(clockAhead(CLOCK_JUMP_MS))) },
      wait(20),
      ...recoverAndStay,
    ],
    cleanUp: async ({ plane }) => {
      await plane.controllers.kill();
      plane.startControllersWith(undefined);
    },
    isOursOnly: 'the clock of a Go program cannot be replaced',
  },
];
