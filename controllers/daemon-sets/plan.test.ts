import fc from 'fast-check';
import { timestamp } from '../../shared/api/metadata/object-meta';
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
      ...(state === 'going' ? { deletionTimestamp: timestamp(NOW) } : {}),
    },
    spec: isWaiting ? { affinity: { nodeAffinity } } : { nodeName: on },
    status: { phase, conditions: isReady ? [{ type: 'Ready', status: 'True', lastTransitionTime: timestamp(NOW - 60_000) }] : [] },
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

describe('pods on nodes', () => {
  test.each<[string, DaemonView, object]>([
    ['one on each', view({}, []), { create: ['a', 'b', 'c'], delete: [] }],
    [
      'one that waits counts',
      view(
        {},
        each('new').map((one) => ({ ...one, isWaiting: true })),
      ),
      NOTHING,
    ],
    [
      'none where none may be',
      view({}, each('new'), { place: () => ({ runs: false, stays: false }) }),
      { create: [], delete: ['new-a', 'new-b', 'new-c'] },
    ],
    ['those that may stay do', view({}, each('new'), { place: () => ({ runs: false, stays: true }) }), NOTHING],
    ['a second one goes', view({}, [...each('new'), { name: 'z', on: 'a' }]), { create: [], delete: ['z'] }],
    [
      'one that waits for a node that is gone goes',
      view({}, [...each('new'), { name: 'z', on: 'gone', isWaiting: true }]),
      { create: [], delete: ['z'] },
    ],
    ['one that is on it is not ours to delete', view({}, [...each('new'), { name: 'z', on: 'gone' }]), NOTHING],
    [
      'one that has ended goes',
      view({}, [...each('new').slice(1), { name: 'z', on: 'a', state: 'failed' }]),
      { create: [], delete: ['z'] },
    ],
  ])('%s', (_title, of, wanted) => expect(planned(of)).toEqual(wanted));

  test('one that fails again and again is waited for', () => {
    const of = view({}, [...each('new').slice(1), { name: 'z', on: 'a', state: 'failed' }], { patience: () => 700 });
    expect(planDaemons(of)).toMatchObject({ delete: [], againMs: 700 });
  });
});

describe('the roll-out', () => {
  test.each<[string, DaemonView, object]>([
    ['one at a time', view({}, each('old')), { create: [], delete: ['old-a'] }],
    ['two', view(rolling({ maxUnavailable: 2 }), each('old')), { create: [], delete: ['old-a', 'old-b'] }],
    ['a part of a node is a node', view(rolling({ maxUnavailable: '34%' }), each('old')), { create: [], delete: ['old-a', 'old-b'] }],
    ['none while another does not serve', view({}, [...each('new', 'waiting').slice(0, 1), ...each('old').slice(1)]), NOTHING],
    ['one that does not serve in any case', view({}, each('old', 'waiting')), { create: [], delete: ['old-a', 'old-b', 'old-c'] }],
    ['none by itself', view({ updateStrategy: { type: 'OnDelete' } }, each('old')), NOTHING],
    ['the new one first', view(rolling({ maxSurge: 1, maxUnavailable: 0 }), each('old')), { create: ['a'], delete: [] }],
    [
      'the old one when the new one serves',
      view(rolling({ maxSurge: 1, maxUnavailable: 0 }), [...each('old'), { name: 'new-a', on: 'a' }]),
      { create: [], delete: ['old-a'] },
    ],
    [
      'of two old ones that which does not serve',
      view(rolling({ maxSurge: 1, maxUnavailable: 0 }), [...each('old'), { name: 'a-first', on: 'a', revision: 'old', state: 'waiting' }]),
      { create: [], delete: ['a-first'] },
    ],
    [
      'neither while the new one does not',
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

  test('never takes away more nodes that serve than may be without', () => {
    fc.assert(
      fc.property(onePerNode, fc.integer({ min: 1, max: 3 }), (pods, most) => {
        const of = view(rolling({ maxUnavailable: most }), pods, { nodes });
        const { delete: deleted } = planDaemons(of);
        const left = of.pods.filter((one) => !deleted.includes(one));
        expect(serving(left)).toBeGreaterThanOrEqual(Math.min(serving(of.pods), NODES.length - most));
      }),
    );
  });

  test('never takes away a node that serves where the new pod comes first', () => {
    fc.assert(
      fc.property(oneOfEach, (pods) => {
        const of = view(rolling({ maxSurge: 2, maxUnavailable: 0 }), pods, { nodes });
        const { delete: deleted } = planDaemons(of);
        expect(serving(of.pods.filter((one) => !deleted.includes(one)))).toBe(serving(of.pods));
      }),
    );
  });
});

test('the status counts nodes, and is not written twice', () => {
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

test('the pods of a node that fail are replaced more and more seldom', () => {
  const clock = new ManualClock();
  const failures = new Failures(clock);
  expect(failures.patience('n/web', 'a')).toBe(0);
  failures.replaced('n/web', 'a');
  expect([failures.patience('n/web', 'a'), failures.patience('n/web', 'b')]).toEqual([1_000, 0]);
  failures.replaced('n/web', 'a');
  expect(failures.patience('n/web', 'a')).toBe(2_000);
});
