import { timestamp } from '../../shared/api/metadata/object-meta';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { qualifiedNameIn } from '../../shared/names/dialect';
import { arrayAt, isObject, objectAt, type JsonObject } from '../../shared/values/json';
import { planDeployment, type DeploymentPlan } from './reconcile';

const NOW = Date.UTC(2026, 0, 2);
const PREFIX = qualifiedNameIn('kubernetes', 'deployment.platform.io/');
const ONE = template('one');
const TWO = template('two');

function template(image: string): JsonObject {
  return { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image }] } };
}

function deployment(spec: JsonObject, status: JsonObject = {}, metadata: JsonObject = {}): ApiObject {
  return apiObject({
    metadata: { namespace: 'n', name: 'web', uid: 'u', generation: 3, ...metadata },
    spec: { selector: { matchLabels: { app: 'a' } }, template: ONE, progressDeadlineSeconds: 600, revisionHistoryLimit: 10, ...spec },
    status,
  });
}

interface SetWishes {
  readonly of?: JsonObject;
  readonly replicas: number;
  readonly available?: number;
  readonly revision?: number | bigint;
  readonly desired?: number;
  readonly max?: number;
  readonly status?: JsonObject;
  readonly metadata?: JsonObject;
  readonly age?: number;
}

function set(name: string, wishes: SetWishes): ApiObject {
  const { of = ONE, replicas, available = replicas, revision = 1, desired, max, status = {}, metadata = {}, age = 0 } = wishes;
  const annotations: JsonObject = { [`${PREFIX}revision`]: String(revision) };
  if (desired !== undefined) annotations[`${PREFIX}desired-replicas`] = String(desired);
  if (max !== undefined) annotations[`${PREFIX}max-replicas`] = String(max);
  const labels = { app: 'a', 'pod-template-hash': name };
  return apiObject({
    metadata: { namespace: 'n', name, uid: name, generation: 2, annotations, creationTimestamp: timestamp(NOW - age * 1000), ...metadata },
    spec: { replicas, template: { ...of, metadata: { labels } } },
    status: { observedGeneration: 2, replicas, readyReplicas: available, availableReplicas: available, ...status },
  });
}

const plan = (object: ApiObject, sets: readonly ApiObject[], pods: readonly ApiObject[] = []): DeploymentPlan =>
  planDeployment({ deployment: object, sets, podsOf: () => pods, now: NOW });
const sizes = ({ sets }: DeploymentPlan): readonly unknown[] => sets.map(({ name, replicas }) => [name, replicas]);
const conditions = ({ status }: DeploymentPlan): readonly unknown[] =>
  (arrayAt(status, 'conditions') ?? []).filter(isObject).map(({ type, status: is, reason }) => [type, is, reason]);
const rolling = (maxSurge: number, maxUnavailable: number): JsonObject => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});

test('the next revision is one more, where a number of JavaScript would be another one', () => {
  const old = set('old', { of: TWO, replicas: 1, revision: 3546343826724305832n });
  const next = plan(deployment({ replicas: 1, ...rolling(1, 0) }), [old]);
  expect(next.sets).toMatchObject([{ annotations: { [`${PREFIX}revision`]: '3546343826724305833' } }]);
  const later = set('later', { of: TWO, replicas: 1, revision: 3546343826724305833n });
  const again = plan(deployment({ replicas: 1 }), [later, set('new', { replicas: 1, revision: 3546343826724305832n })]);
  expect(again.sets.find(({ name }) => name === 'new')?.annotations).toMatchObject({
    [`${PREFIX}revision`]: '3546343826724305834',
    [`${PREFIX}revision-history`]: '3546343826724305832',
  });
});

test('a revision that no integer of 64 bits is counts as none', () => {
  const next = plan(deployment({ replicas: 1, ...rolling(1, 0) }), [set('old', { of: TWO, replicas: 1, revision: 2n ** 63n })]);
  expect(next.sets).toMatchObject([{ annotations: { [`${PREFIX}revision`]: '1' } }]);
});

test('the first set has all pods, and says what it was made for', () => {
  const made = plan(deployment({ replicas: 3, ...rolling(1, 0) }, {}, { annotations: { note: 'n' } }), []);
  expect(made.sets).toMatchObject([
    {
      seen: undefined,
      replicas: 3,
      annotations: { note: 'n', [`${PREFIX}revision`]: '1', [`${PREFIX}desired-replicas`]: '3', [`${PREFIX}max-replicas`]: '4' },
    },
  ]);
  const [created] = made.sets;
  expect(created?.name).toMatch(/^web-[a-z0-9]{10}$/);
  expect(objectAt(created?.template, 'metadata')).toEqual({ labels: { app: 'a', 'pod-template-hash': created?.name.slice(4) } });
  expect(made).toMatchObject({ revision: '1', scaled: [{ set: created?.name, from: undefined, to: 3 }] });
  expect(conditions(made)).toEqual([
    ['Available', 'False', 'MinimumReplicasUnavailable'],
    ['Progressing', 'True', 'NewReplicaSetCreated'],
  ]);
});

test('a name that was taken gives way to another one', () => {
  const names = [{}, { collisionCount: 1 }].map((status) => plan(deployment({ replicas: 1 }, status), []).sets[0]?.name);
  expect(new Set(names).size).toBe(2);
});

test.each<[string, JsonObject, readonly ApiObject[], readonly unknown[]]>([
  [
    'grow as far as they may',
    rolling(1, 0),
    [set('old', { of: TWO, replicas: 3, desired: 3, max: 4 }), set('new', { replicas: 0, desired: 3, max: 4, revision: 2 })],
    [['new', 1]],
  ],
  [
    'do not grow into places that are not free yet',
    rolling(1, 0),
    [
      set('old', { of: TWO, replicas: 2, available: 3, desired: 3, max: 4, status: { replicas: 3 } }),
      set('new', { replicas: 1, desired: 3, max: 4, revision: 2 }),
    ],
    [],
  ],
  [
    'do not grow while nobody knows what an old set still has',
    rolling(1, 0),
    [
      set('old', { of: TWO, replicas: 2, desired: 3, max: 4, status: { observedGeneration: 1 } }),
      set('new', { replicas: 1, desired: 3, max: 4, revision: 2 }),
    ],
    [],
  ],
  [
    'make old ones dispensable',
    rolling(1, 0),
    [set('old', { of: TWO, replicas: 3, desired: 3, max: 4 }), set('new', { replicas: 1, desired: 3, max: 4, revision: 2 })],
    [['old', 2]],
  ],
  [
    'wait while they do not serve',
    rolling(1, 0),
    [set('old', { of: TWO, replicas: 3, desired: 3, max: 4 }), set('new', { replicas: 1, available: 0, desired: 3, max: 4, revision: 2 })],
    [],
  ],
  [
    'let old ones go first that do not serve',
    rolling(0, 1),
    [
      set('older', { of: template('x'), replicas: 1, available: 0, desired: 3, max: 3, age: 9 }),
      set('old', { of: TWO, replicas: 2, desired: 3, max: 3, age: 5, revision: 2 }),
      set('new', { replicas: 0, desired: 3, max: 3, revision: 3 }),
    ],
    [['older', 0]],
  ],
])('new pods %s', (_, strategy, sets, expected) => {
  expect(sizes(plan(deployment({ replicas: 3, ...strategy }), sets))).toEqual(expected);
});

test('in the middle of a roll-out sets grow and shrink in proportion', () => {
  const sets = [
    set('old', { of: TWO, replicas: 8, desired: 10, max: 13 }),
    set('new', { replicas: 5, desired: 10, max: 13, available: 0, revision: 2 }),
  ];
  expect(sizes(plan(deployment({ replicas: 20, ...rolling(3, 2) }), sets))).toEqual([
    ['old', 14],
    ['new', 9],
  ]);
  expect(sizes(plan(deployment({ replicas: 5, ...rolling(3, 2) }), sets))).toEqual([
    ['old', 5],
    ['new', 3],
  ]);
});

describe('a Deployment whose ReplicaSets have another desired-replicas annotation', () => {
  const annotated = (sets: readonly ApiObject[], spec: JsonObject): readonly (readonly [unknown, unknown, unknown])[] =>
    plan(deployment(spec), sets).sets.map(({ name, replicas, annotations }) => [name, replicas, annotations[`${PREFIX}desired-replicas`]]);

  it.each<[string, JsonObject, readonly ApiObject[], readonly (readonly [string, number, string])[]]>([
    [
      'a finished set whose annotation was edited, before a change of the image',
      { replicas: 3, ...rolling(0, 1), template: template('three') },
      [set('old', { replicas: 3, desired: 7, max: 7 })],
      [['old', 3, '3']],
    ],
    [
      'scaled to the replicas that the old set has',
      { replicas: 2, ...rolling(0, 1) },
      [set('old', { of: TWO, replicas: 2, desired: 3, max: 3 }), set('new', { replicas: 0, desired: 3, max: 3, revision: 2 })],
      [['old', 2, '2']],
    ],
    [
      'scaled while paused to the replicas that exist',
      { replicas: 2, paused: true },
      [set('new', { replicas: 2, desired: 3, max: 4 })],
      [['new', 2, '2']],
    ],
    [
      'scaled during a rollout after its strategy changed to Recreate',
      { replicas: 2, strategy: { type: 'Recreate' } },
      [set('old', { of: TWO, replicas: 2, desired: 3, max: 4 }), set('new', { replicas: 1, desired: 3, max: 4, revision: 2 })],
      [
        ['old', 2, '2'],
        ['new', 1, '2'],
      ],
    ],
  ])('updates the annotation: %s', (_, spec, sets, expected) => {
    expect(annotated(sets, spec)).toEqual(expected);
  });
});

test('while paused a new template makes nothing, and the number still counts', () => {
  const made = plan(deployment({ replicas: 4, paused: true }), [set('old', { of: TWO, replicas: 2, desired: 2, max: 3 })]);
  expect(sizes(made)).toEqual([['old', 4]]);
  expect(conditions(made)).toContainEqual(['Progressing', 'Unknown', 'DeploymentPaused']);
  const resumed = plan(deployment({ replicas: 2 }, { ...made.status, updatedReplicas: 2 }), [
    set('new', { replicas: 2, desired: 2, max: 3, available: 0 }),
  ]);
  expect(conditions(resumed)).toContainEqual(['Progressing', 'Unknown', 'DeploymentResumed']);
});

test('going back gives the old set the next revision, and it remembers the one that it had', () => {
  const made = plan(deployment({ replicas: 1, ...rolling(1, 0) }, {}, { annotations: { [`${PREFIX}revision`]: '2' } }), [
    set('old', { replicas: 0, revision: 1 }),
    set('new', { of: TWO, replicas: 1, revision: 2, desired: 1, max: 2 }),
  ]);
  expect(made.revision).toBe('3');
  expect(made.sets[0]).toMatchObject({ name: 'old', annotations: { [`${PREFIX}revision`]: '3', [`${PREFIX}revision-history`]: '1' } });
});

describe('who makes all anew', () => {
  const strategy = { strategy: { type: 'Recreate' } };
  const going = apiObject({ metadata: { name: 'p', deletionTimestamp: timestamp(NOW) }, status: { phase: 'Running' } });

  it.each<[string, readonly ApiObject[], readonly ApiObject[], readonly unknown[]]>([
    ['lets the old ones go', [set('old', { of: TWO, replicas: 2, desired: 2, max: 2 })], [], [['old', 0]]],
    ['waits for them', [set('old', { of: TWO, replicas: 0, status: { replicas: 1 } })], [], []],
    ['waits for those on their way out', [set('old', { of: TWO, replicas: 0 })], [going], []],
  ])('%s', (_, sets, pods, expected) => {
    expect(sizes(plan(deployment({ replicas: 2, ...strategy }), sets, pods))).toEqual(expected);
  });

  it('makes new ones then', () => {
    const made = plan(deployment({ replicas: 2, ...strategy }), [set('old', { of: TWO, replicas: 0 })]);
    expect(made.sets).toMatchObject([{ seen: undefined, replicas: 2 }]);
  });
});

describe('what is said of progress', () => {
  const counts = { observedGeneration: 3, replicas: 2, updatedReplicas: 2 };
  const since = (ms: number, reason = 'ReplicaSetUpdated'): JsonObject => ({
    type: 'Progressing',
    status: 'True',
    reason,
    lastUpdateTime: timestamp(NOW - ms),
    lastTransitionTime: timestamp(NOW - ms),
  });
  const stuck = [set('new', { replicas: 2, available: 0, desired: 2, max: 3 })];

  it('is looked at again when it may take no longer', () => {
    const waiting = plan(deployment({ replicas: 2 }, { ...counts, conditions: [since(100_000)] }), stuck);
    expect(waiting.againMs).toBe(501_000);
    const late = plan(deployment({ replicas: 2 }, { ...counts, conditions: [since(600_001)] }), stuck);
    expect(conditions(late)).toContainEqual(['Progressing', 'False', 'ProgressDeadlineExceeded']);
    expect(late.againMs).toBeUndefined();
  });

  it('is nothing where it may take for ever', () => {
    const made = plan(deployment({ replicas: 2, progressDeadlineSeconds: 2_147_483_647 }, { ...counts, conditions: [since(1)] }), stuck);
    expect(conditions(made)).toEqual([['Available', 'False', 'MinimumReplicasUnavailable']]);
  });

  it('tells the success, and what a set fails at', () => {
    const done = plan(deployment({ replicas: 2 }, { ...counts, conditions: [since(1)] }), [
      set('new', { replicas: 2, desired: 2, max: 3 }),
    ]);
    expect(conditions(done)).toEqual([
      ['Available', 'True', 'MinimumReplicasAvailable'],
      ['Progressing', 'True', 'NewReplicaSetAvailable'],
    ]);
    const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'm', lastTransitionTime: timestamp(NOW) };
    const failing = [set('new', { replicas: 2, available: 0, desired: 2, max: 3, status: { conditions: [failure] } })];
    expect(conditions(plan(deployment({ replicas: 2 }, counts), failing))).toContainEqual(['ReplicaFailure', 'True', 'FailedCreate']);
  });
});

test('old sets beyond the limit go once all is done, the oldest revisions first', () => {
  const done = { observedGeneration: 3, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  const sets = [
    set('b', { of: TWO, replicas: 0, revision: 2 }),
    set('a', { of: template('x'), replicas: 0, revision: 1 }),
    set('held', { of: template('y'), replicas: 0, revision: 1, status: { replicas: 1 } }),
    set('new', { replicas: 1, revision: 3, desired: 1, max: 2 }),
  ];
  const spec = { replicas: 1, revisionHistoryLimit: 1, ...rolling(1, 0) };
  expect(plan(deployment(spec, done), sets).forgotten.map(({ name }) => name)).toEqual(['a']);
  expect(plan(deployment(spec, { ...done, observedGeneration: 2 }), sets).forgotten).toEqual([]);
});

test('one that is being deleted changes nothing but its status', () => {
  const gone = deployment({ replicas: 3, template: TWO }, {}, { deletionTimestamp: timestamp(NOW) });
  expect(plan(gone, [set('old', { replicas: 2 })])).toMatchObject({
    sets: [],
    forgotten: [],
    revision: undefined,
    status: { replicas: 2 },
  });
});

test('nothing is to do where all is as it should be', () => {
  const settled = [set('new', { replicas: 2, desired: 2, max: 3 })];
  const spec = { replicas: 2, ...rolling(1, 0) };
  const revised = { annotations: { [`${PREFIX}revision`]: '1' } };
  const { status } = plan(deployment(spec, {}, revised), settled);
  expect(plan(deployment(spec, status, revised), settled)).toEqual({
    sets: [],
    forgotten: [],
    scaled: [],
    revision: undefined,
    status: undefined,
    againMs: undefined,
  });
});
