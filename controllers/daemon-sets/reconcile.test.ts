import fc from 'fast-check';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type {
  AppsV1DaemonSet,
  AppsV1DaemonSetSpec,
  AppsV1RollingUpdateDaemonSet,
  CoreV1Node,
  CoreV1Pod,
} from '../../shared/api/types/generated/members';
import { apiObject, isBeingDeleted } from '../../shared/client/rest/api-object';
import type { Node } from '../runtime/nodes';
import { isPodReady } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { targetNodeOf } from './daemon-pod';
import type { DaemonSet } from './daemon-set';
import { planDaemonSet, type DaemonSetView } from './reconcile';
import { calculateStatus } from './status';

const NOW = Date.UTC(2026, 0, 2);
const NODES = ['a', 'b', 'c', 'd', 'e'];

type State = 'ready' | 'unready' | 'failed' | 'succeeded' | 'terminating';

interface PodRow {
  readonly name: string;
  readonly node: string;
  readonly revision?: 'new' | 'old';
  readonly state?: State;
  readonly isUnscheduled?: boolean;
}

function pod({ name, node, revision = 'new', state = 'ready', isUnscheduled = false }: PodRow): Pod {
  const phase = { ready: 'Running', unready: 'Pending', failed: 'Failed', succeeded: 'Succeeded', terminating: 'Running' }[state];
  const isReady = state === 'ready' || state === 'terminating';
  const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }];
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return apiObject<CoreV1Pod>({
    metadata: {
      namespace: 'n',
      name,
      uid: name,
      labels: { 'controller-revision-hash': revision },
      ...(state === 'terminating' ? { deletionTimestamp: formatTimestamp(NOW) } : {}),
    },
    spec: isUnscheduled ? { affinity: { nodeAffinity } } : { nodeName: node },
    status: { phase, conditions: isReady ? [{ type: 'Ready', status: 'True', lastTransitionTime: formatTimestamp(NOW - 60_000) }] : [] },
  });
}

const node = (name: string): Node => apiObject<CoreV1Node>({ metadata: { name } });
const daemonSet = (spec: AppsV1DaemonSetSpec = {}): DaemonSet =>
  apiObject<AppsV1DaemonSet>({ metadata: { namespace: 'n', name: 'web', generation: 2 }, spec });
const rolling = (rollingUpdate: AppsV1RollingUpdateDaemonSet): AppsV1DaemonSetSpec => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate },
});

const view = (spec: AppsV1DaemonSetSpec, rows: readonly PodRow[], overrides: Partial<DaemonSetView> = {}): DaemonSetView => ({
  set: daemonSet(spec),
  pods: rows.map(pod),
  nodes: NODES.slice(0, 3).map(node),
  eligibilityOf: () => ({ shouldRun: true, shouldContinueRunning: true }),
  hash: 'new',
  backoffMs: () => 0,
  now: NOW,
  ...overrides,
});

/** Names of nodes and of pods. */
interface Changes {
  readonly create: readonly string[];
  readonly delete: readonly string[];
}

function changesOf(observed: DaemonSetView): Changes {
  const { nodesNeedingPods, podsToDelete } = planDaemonSet(observed);
  return { create: nodesNeedingPods, delete: podsToDelete.map(({ name }) => name) };
}

const onEachNode = (revision: 'new' | 'old', state: State = 'ready'): readonly PodRow[] =>
  ['a', 'b', 'c'].map((name) => ({ name: `${revision}-${name}`, node: name, revision, state }));
const NOTHING: Changes = { create: [], delete: [] };

describe('planDaemonSet for the pods on nodes', () => {
  test.each<[string, DaemonSetView, Changes]>([
    ['creates a pod on each node', view({}, []), { create: ['a', 'b', 'c'], delete: [] }],
    [
      'counts a pod that is not scheduled yet',
      view(
        {},
        onEachNode('new').map((row) => ({ ...row, isUnscheduled: true })),
      ),
      NOTHING,
    ],
    [
      'deletes pods from nodes on which they may not run',
      view({}, onEachNode('new'), { eligibilityOf: () => ({ shouldRun: false, shouldContinueRunning: false }) }),
      { create: [], delete: ['new-a', 'new-b', 'new-c'] },
    ],
    [
      'keeps running pods on nodes that accept no new ones',
      view({}, onEachNode('new'), { eligibilityOf: () => ({ shouldRun: false, shouldContinueRunning: true }) }),
      NOTHING,
    ],
    ['deletes the second pod on a node', view({}, [...onEachNode('new'), { name: 'z', node: 'a' }]), { create: [], delete: ['z'] }],
    [
      'deletes an unscheduled pod whose node is deleted',
      view({}, [...onEachNode('new'), { name: 'z', node: 'deleted', isUnscheduled: true }]),
      { create: [], delete: ['z'] },
    ],
    ['keeps a scheduled pod whose node is deleted', view({}, [...onEachNode('new'), { name: 'z', node: 'deleted' }]), NOTHING],
    [
      'deletes a failed pod',
      view({}, [...onEachNode('new').slice(1), { name: 'z', node: 'a', state: 'failed' }]),
      { create: [], delete: ['z'] },
    ],
  ])('%s', (_title, observed, changes) => expect(changesOf(observed)).toEqual(changes));

  test('delays the replacement of a failed pod by the back-off', () => {
    const rows: readonly PodRow[] = [...onEachNode('new').slice(1), { name: 'z', node: 'a', state: 'failed' }];
    expect(planDaemonSet(view({}, rows, { backoffMs: () => 700 }))).toMatchObject({ podsToDelete: [], requeueAfterMs: 700 });
  });
});

describe('planDaemonSet during a rollout', () => {
  test.each<[string, DaemonSetView, Changes]>([
    ['deletes one old pod at a time by default', view({}, onEachNode('old')), { create: [], delete: ['old-a'] }],
    [
      'deletes two old pods with maxUnavailable 2',
      view(rolling({ maxUnavailable: 2 }), onEachNode('old')),
      { create: [], delete: ['old-a', 'old-b'] },
    ],
    [
      'rounds a percentage of maxUnavailable up',
      view(rolling({ maxUnavailable: '34%' }), onEachNode('old')),
      { create: [], delete: ['old-a', 'old-b'] },
    ],
    [
      'deletes no old pod while another pod is unavailable',
      view({}, [...onEachNode('new', 'unready').slice(0, 1), ...onEachNode('old').slice(1)]),
      NOTHING,
    ],
    ['deletes all unavailable old pods', view({}, onEachNode('old', 'unready')), { create: [], delete: ['old-a', 'old-b', 'old-c'] }],
    ['deletes no pod with OnDelete', view({ updateStrategy: { type: 'OnDelete' } }, onEachNode('old')), NOTHING],
    [
      'creates the new pod first with maxSurge',
      view(rolling({ maxSurge: 1, maxUnavailable: 0 }), onEachNode('old')),
      { create: ['a'], delete: [] },
    ],
    [
      'deletes the old pod when the new one is available',
      view(rolling({ maxSurge: 1, maxUnavailable: 0 }), [...onEachNode('old'), { name: 'new-a', node: 'a' }]),
      { create: [], delete: ['old-a'] },
    ],
    [
      'deletes the unavailable one of two old pods on a node',
      view(rolling({ maxSurge: 1, maxUnavailable: 0 }), [
        ...onEachNode('old'),
        { name: 'a-first', node: 'a', revision: 'old', state: 'unready' },
      ]),
      { create: [], delete: ['a-first'] },
    ],
    [
      'keeps the old pod while the new one is unavailable',
      view(rolling({ maxSurge: 1, maxUnavailable: 0 }), [...onEachNode('old'), { name: 'new-a', node: 'a', state: 'unready' }]),
      NOTHING,
    ],
  ])('%s', (_title, observed, changes) => expect(changesOf(observed)).toEqual(changes));

  const states = fc.constantFrom<State>('ready', 'unready', 'terminating');
  const row = fc.record({ node: fc.constantFrom(...NODES), revision: fc.constantFrom('new' as const, 'old' as const), state: states });
  const withNames = (rows: readonly Omit<PodRow, 'name'>[]): readonly PodRow[] =>
    rows.map((properties, index) => ({ ...properties, name: `p${index}` }));
  // With two pods of the same revision on a node, one is deleted before the rolling update proceeds.
  const onePerNode = fc.uniqueArray(row, { selector: (properties) => properties.node }).map(withNames);
  const onePerRevision = fc.uniqueArray(row, { selector: (properties) => `${properties.node} ${properties.revision}` }).map(withNames);
  const nodes = NODES.map(node);
  /** Nodes with a ready pod that is not being deleted. */
  const availableNodes = (pods: readonly Pod[]): number =>
    new Set(pods.filter((candidate) => isPodReady(candidate) && !isBeingDeleted(candidate)).map(targetNodeOf)).size;

  test('leaves no more than maxUnavailable nodes without an available pod', () => {
    fc.assert(
      fc.property(onePerNode, fc.integer({ min: 1, max: 3 }), (rows, maxUnavailable) => {
        const observed = view(rolling({ maxUnavailable }), rows, { nodes });
        const { podsToDelete } = planDaemonSet(observed);
        const remaining = observed.pods.filter((candidate) => !podsToDelete.includes(candidate));
        const minAvailable = Math.min(availableNodes(observed.pods), NODES.length - maxUnavailable);
        expect(availableNodes(remaining)).toBeGreaterThanOrEqual(minAvailable);
      }),
    );
  });

  test('with maxSurge leaves no node without an available pod', () => {
    fc.assert(
      fc.property(onePerRevision, (rows) => {
        const observed = view(rolling({ maxSurge: 2, maxUnavailable: 0 }), rows, { nodes });
        const { podsToDelete } = planDaemonSet(observed);
        const remaining = observed.pods.filter((candidate) => !podsToDelete.includes(candidate));
        expect(availableNodes(remaining)).toBe(availableNodes(observed.pods));
      }),
    );
  });
});

test('calculateStatus counts nodes and returns nothing when the status is unchanged', () => {
  const rows: readonly PodRow[] = [
    { name: 'p', node: 'a' },
    { name: 'q', node: 'b', revision: 'old', state: 'unready' },
  ];
  const observed = view({}, rows, { eligibilityOf: ({ name }) => ({ shouldRun: name !== 'b', shouldContinueRunning: true }) });
  const status = calculateStatus(observed, 0);
  expect(status).toEqual({
    currentNumberScheduled: 1,
    desiredNumberScheduled: 2,
    numberMisscheduled: 1,
    numberReady: 1,
    observedGeneration: 2,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 1,
  });
  const set = apiObject<AppsV1DaemonSet>({ ...observed.set.body, status: status ?? {} });
  expect(calculateStatus({ ...observed, set }, 0)).toBeUndefined();
});
