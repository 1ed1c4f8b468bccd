import fc from 'fast-check';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { ManualClock } from '../../test/support/manual-clock';
import { Failures } from './failures';
import { daemonStatus, planDaemons, type DaemonView } from './plan';
import { nodeOf } from './pod';

const NOW = Date.UTC(2026, 0, 2);
const NODES = ['a', 'b', 'c', 'd', 'e'];

type State = 'ready' | 'waiting' | 'failed' | 'done' | 'going';

interface Made {
  readonly name: string;
  readonly on: string;
  readonly revision?: 'new' | 'old';
  readonly state?: State;
  /** The scheduler has not put it there yet. */
  readonly isWaiting?: boolean;
}

function pod({ name, on, revision = 'new', state = 'ready', isWaiting = false }: Made): ApiObject {
  const phase = { ready: 'Running', waiting: 'Pending', failed: 'Failed', done: 'Succeeded', going: 'Running' }[state];
  const isReady = state === 'ready' || state === 'going';
  const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [on] }] }];
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return apiObject({
    metadata: {
      namespace: 'n',
      name,
      uid: name,
      labels: { 'controller-revision-hash': revision },
      ...(state === 'going' ? { deletionTimestamp: formatTimestamp(NOW) } : {}),
    },
    spec: isWaiting ? { affinity: { nodeAffinity } } : { nodeName: on },
    status: { phase, conditions: isReady ? [{ type: 'Ready', status: 'True', lastTransitionTime: formatTimestamp(NOW - 60_000) }] : [] },
  });
}

const set = (spec: JsonObject = {}): ApiObject => apiObject({ metadata: { namespace: 'n', name: 'web', generation: 2 }, spec });
const rolling = (rollingUpdate: JsonObject): JsonObject => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });

const view = (spec: JsonObject, made: readonly Made[], more: Partial<DaemonView> = {}): DaemonView => ({
  set: set(spec),
  pods: made.map(pod),
  nodes: NODES.slice(0, 3).map((name) => apiObject({ metadata: { name } })),
  place: () => ({ runs: true, stays: true }),
  hash: 'new',
  patience: () => 0,
  now: NOW,
  ...more,
});

function planned(of: DaemonView): { readonly create: readonly string[]; readonly delete: readonly string[] } {
  const { create, delete: deleted } = planDaemons(of);
  return { create, delete: deleted.map(({ name }) => name) };
}

const each = (revision: 'new' | 'old', state: State = 'ready'): readonly Made[] =>
  ['a', 'b', 'c'].map((on) => ({ name: `${revision}-${on}`, on, revision, state }));
const NOTHING = { create: [], delete: [] };

describe('planDaemons for the pods on nodes', () => {
  test.each<[string, DaemonView, object]>([
    ['creates a pod on each node', view({}, []), { create: ['a', 'b', 'c'], delete: [] }],
    [
      'counts a pod that is not scheduled yet',
      view(
        {},
        each('new').map((one) => ({ ...one, isWaiting: true })),
      ),
      NOTHING,
    ],
    [
      'deletes pods from nodes on which they may not run',
      view({}, each('new'), { place: () => ({ runs: false, stays: false }) }),
      { create: [], delete: ['new-a', 'new-b', 'new-c'] },
    ],
    [
      'keeps running pods on nodes that accept no new ones',
      view({}, each('new'), { place: () => ({ runs: false, stays: true }) }),
      NOTHING,
    ],
    ['deletes the second pod on a node', view({}, [...each('new'), { name: 'z', on: 'a' }]), { create: [], delete: ['z'] }],
    [
      'deletes an unscheduled pod whose node is deleted',
      view({}, [...each('new'), { name: 'z', on: 'gone', isWaiting: true }]),
      { create: [], delete: ['z'] },
    ],
    ['keeps a scheduled pod whose node is deleted', view({}, [...each('new'), { name: 'z', on: 'gone' }]), NOTHING],
    ['deletes a failed pod', view({}, [...each('new').slice(1), { name: 'z', on: 'a', state: 'failed' }]), { create: [], delete: ['z'] }],
  ])('%s', (_title, of, wanted) => expect(planned(of)).toEqual(wanted));

  test('delays the replacement of a failed pod by the back-off', () => {
    const of = view({}, [...each('new').slice(1), { name: 'z', on: 'a', state: 'failed' }], { patience: () => 700 });
    expect(planDaemons(of)).toMatchObject({ delete: [], againMs: 700 });
  });
});

describe('planDaemons during a rollout', () => {
  test.each<[string, DaemonView, object]>([
    ['deletes one old pod at a time by default', view({}, each('old')), { create: [], delete: ['old-a'] }],
    [
      'deletes two old pods with maxUnavailable 2',
      view(rolling({ maxUnavailable: 2 }), each('old')),
      { create: [], delete: ['old-a', 'old-b'] },
    ],
    [
      'rounds a percentage of maxUnavailable up',
      view(rolling({ maxUnavailable: '34%' }), each('old')),
      { create: [], delete: ['old-a', 'old-b'] },
    ],
    [
      'deletes no old pod while another pod is unavailable',
      view({}, [...each('new', 'waiting').slice(0, 1), ...each('old').slice(1)]),
      NOTHING,
    ],
    ['deletes all unavailable old pods', view({}, each('old', 'waiting')), { create: [], delete: ['old-a', 'old-b', 'old-c'] }],
    ['deletes no pod with OnDelete', view({ updateStrategy: { type: 'OnDelete' } }, each('old')), NOTHING],
    [
      'creates the new pod first with maxSurge',
      view(rolling({ maxSurge: 1, maxUnavailable: 0 }), each('old')),
      { create: ['a'], delete: [] },
    ],
    [
      'deletes the old pod when the new one is available',
      view(rolling({ maxSurge: 1, maxUnavailable: 0 }), [...each('old'), { name: 'new-a', on: 'a' }]),
      { create: [], delete: ['old-a'] },
    ],
    [
      'deletes the unavailable one of two old pods on a node',
      view(rolling({ maxSurge: 1, maxUnavailable: 0 }), [...each('old'), { name: 'a-first', on: 'a', revision: 'old', state: 'waiting' }]),
      { create: [], delete: ['a-first'] },
    ],
    [
      'keeps the old pod while the new one is unavailable',
      view(rolling({ maxSurge: 1, maxUnavailable: 0 }), [...each('old'), { name: 'new-a', on: 'a', state: 'waiting' }]),
      NOTHING,
    ],
  ])('%s', (_title, of, wanted) => expect(planned(of)).toEqual(wanted));

  const states = fc.constantFrom<State>('ready', 'waiting', 'going');
  const made = fc.record({ on: fc.constantFrom(...NODES), revision: fc.constantFrom('new' as const, 'old' as const), state: states });
  const named = (all: readonly Omit<Made, 'name'>[]): readonly Made[] => all.map((one, index) => ({ ...one, name: `p${index}` }));
  // Where there are two of a kind on a node, one goes before anything is rolled out.
  const onePerNode = fc.uniqueArray(made, { selector: ({ on }) => on }).map(named);
  const oneOfEach = fc.uniqueArray(made, { selector: ({ on, revision }) => `${on} ${revision}` }).map(named);
  const nodes = NODES.map((name) => apiObject({ metadata: { name } }));
  const serving = (pods: readonly ApiObject[]): number =>
    NODES.filter((name) =>
      pods.some(
        (one) =>
          nodeOf(one) === name && !JSON.stringify(one.body).includes('deletionTimestamp') && JSON.stringify(one.body).includes('Ready'),
      ),
    ).length;

  test('leaves no more than maxUnavailable nodes without an available pod', () => {
    fc.assert(
      fc.property(onePerNode, fc.integer({ min: 1, max: 3 }), (pods, most) => {
        const of = view(rolling({ maxUnavailable: most }), pods, { nodes });
        const { delete: deleted } = planDaemons(of);
        const left = of.pods.filter((one) => !deleted.includes(one));
        expect(serving(left)).toBeGreaterThanOrEqual(Math.min(serving(of.pods), NODES.length - most));
      }),
    );
  });

  test('with maxSurge leaves no node without an available pod', () => {
    fc.assert(
      fc.property(oneOfEach, (pods) => {
        const of = view(rolling({ maxSurge: 2, maxUnavailable: 0 }), pods, { nodes });
        const { delete: deleted } = planDaemons(of);
        expect(serving(of.pods.filter((one) => !deleted.includes(one)))).toBe(serving(of.pods));
      }),
    );
  });
});

test('daemonStatus counts nodes and returns nothing when the status is unchanged', () => {
  const made: readonly Made[] = [
    { name: 'p', on: 'a' },
    { name: 'q', on: 'b', revision: 'old', state: 'waiting' },
  ];
  const of = view({}, made, { place: ({ name }) => ({ runs: name !== 'b', stays: true }) });
  const status = daemonStatus(of, 0);
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
  const { body } = of.set;
  expect(daemonStatus({ ...of, set: apiObject({ ...body, status: status ?? {} }) }, 0)).toBeUndefined();
});

test('Failures doubles the back-off for each failed pod of a node', () => {
  const clock = new ManualClock();
  const failures = new Failures(clock);
  expect(failures.patience('n/web', 'a')).toBe(0);
  failures.replaced('n/web', 'a');
  expect([failures.patience('n/web', 'a'), failures.patience('n/web', 'b')]).toEqual([1_000, 0]);
  failures.replaced('n/web', 'a');
  expect(failures.patience('n/web', 'a')).toBe(2_000);
});
