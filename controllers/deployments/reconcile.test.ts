import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { qualifiedNameInDialect } from '../../shared/names/dialect';
import { arrayAt, isObject, objectAt, type JsonObject } from '../../shared/values/json';
import { planDeployment, type DeploymentPlan } from './reconcile';

const NOW = Date.UTC(2026, 0, 2);
const PREFIX = qualifiedNameInDialect('kubernetes', 'deployment.platform.io/');
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
    metadata: {
      namespace: 'n',
      name,
      uid: name,
      generation: 2,
      annotations,
      creationTimestamp: formatTimestamp(NOW - age * 1000),
      ...metadata,
    },
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

test('planDeployment increments a revision beyond the safe integers of JavaScript exactly', () => {
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

test('planDeployment ignores a revision annotation that exceeds 64 bits', () => {
  const next = plan(deployment({ replicas: 1, ...rolling(1, 0) }), [set('old', { of: TWO, replicas: 1, revision: 2n ** 63n })]);
  expect(next.sets).toMatchObject([{ annotations: { [`${PREFIX}revision`]: '1' } }]);
});

test('planDeployment creates the first ReplicaSet with all replicas and with the annotations of the Deployment', () => {
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

test('planDeployment chooses another ReplicaSet name when collisionCount changes', () => {
  const names = [{}, { collisionCount: 1 }].map((status) => plan(deployment({ replicas: 1 }, status), []).sets[0]?.name);
  expect(new Set(names).size).toBe(2);
});

test.each<[string, JsonObject, readonly ApiObject[], readonly unknown[]]>([
  [
    'scales the new ReplicaSet up as far as maxSurge allows',
    rolling(1, 0),
    [set('old', { of: TWO, replicas: 3, desired: 3, max: 4 }), set('new', { replicas: 0, desired: 3, max: 4, revision: 2 })],
    [['new', 1]],
  ],
  [
    'does not scale up before surplus pods have terminated',
    rolling(1, 0),
    [
      set('old', { of: TWO, replicas: 2, available: 3, desired: 3, max: 4, status: { replicas: 3 } }),
      set('new', { replicas: 1, desired: 3, max: 4, revision: 2 }),
    ],
    [],
  ],
  [
    'does not scale up while the status of an old ReplicaSet is outdated',
    rolling(1, 0),
    [
      set('old', { of: TWO, replicas: 2, desired: 3, max: 4, status: { observedGeneration: 1 } }),
      set('new', { replicas: 1, desired: 3, max: 4, revision: 2 }),
    ],
    [],
  ],
  [
    'scales the old ReplicaSet down when a new pod is available',
    rolling(1, 0),
    [set('old', { of: TWO, replicas: 3, desired: 3, max: 4 }), set('new', { replicas: 1, desired: 3, max: 4, revision: 2 })],
    [['old', 2]],
  ],
  [
    'does not scale the old ReplicaSet down while the new pod is unavailable',
    rolling(1, 0),
    [set('old', { of: TWO, replicas: 3, desired: 3, max: 4 }), set('new', { replicas: 1, available: 0, desired: 3, max: 4, revision: 2 })],
    [],
  ],
  [
    'scales down the old ReplicaSet with unavailable pods first',
    rolling(0, 1),
    [
      set('older', { of: template('x'), replicas: 1, available: 0, desired: 3, max: 3, age: 9 }),
      set('old', { of: TWO, replicas: 2, desired: 3, max: 3, age: 5, revision: 2 }),
      set('new', { replicas: 0, desired: 3, max: 3, revision: 3 }),
    ],
    [['older', 0]],
  ],
])('planDeployment during a rolling update %s', (_, strategy, sets, expected) => {
  expect(sizes(plan(deployment({ replicas: 3, ...strategy }), sets))).toEqual(expected);
});

test('planDeployment scales ReplicaSets in proportion during a rollout', () => {
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
      'of a complete ReplicaSet when the image changes',
      { replicas: 3, ...rolling(0, 1), template: template('three') },
      [set('old', { replicas: 3, desired: 7, max: 7 })],
      [['old', 3, '3']],
    ],
    [
      'after scaling to the replicas that the old ReplicaSet has',
      { replicas: 2, ...rolling(0, 1) },
      [set('old', { of: TWO, replicas: 2, desired: 3, max: 3 }), set('new', { replicas: 0, desired: 3, max: 3, revision: 2 })],
      [['old', 2, '2']],
    ],
    [
      'after scaling a paused Deployment to the replicas that exist',
      { replicas: 2, paused: true },
      [set('new', { replicas: 2, desired: 3, max: 4 })],
      [['new', 2, '2']],
    ],
    [
      'after scaling during a rollout whose strategy changed to Recreate',
      { replicas: 2, strategy: { type: 'Recreate' } },
      [set('old', { of: TWO, replicas: 2, desired: 3, max: 4 }), set('new', { replicas: 1, desired: 3, max: 4, revision: 2 })],
      [
        ['old', 2, '2'],
        ['new', 1, '2'],
      ],
    ],
  ])('updates the annotation %s', (_, spec, sets, expected) => {
    expect(annotated(sets, spec)).toEqual(expected);
  });
});

test('planDeployment for a paused Deployment scales but starts no rollout', () => {
  const made = plan(deployment({ replicas: 4, paused: true }), [set('old', { of: TWO, replicas: 2, desired: 2, max: 3 })]);
  expect(sizes(made)).toEqual([['old', 4]]);
  expect(conditions(made)).toContainEqual(['Progressing', 'Unknown', 'DeploymentPaused']);
  const resumed = plan(deployment({ replicas: 2 }, { ...made.status, updatedReplicas: 2 }), [
    set('new', { replicas: 2, desired: 2, max: 3, available: 0 }),
  ]);
  expect(conditions(resumed)).toContainEqual(['Progressing', 'Unknown', 'DeploymentResumed']);
});

test('planDeployment on a rollback gives the old ReplicaSet the next revision and keeps the former one in its revision history', () => {
  const made = plan(deployment({ replicas: 1, ...rolling(1, 0) }, {}, { annotations: { [`${PREFIX}revision`]: '2' } }), [
    set('old', { replicas: 0, revision: 1 }),
    set('new', { of: TWO, replicas: 1, revision: 2, desired: 1, max: 2 }),
  ]);
  expect(made.revision).toBe('3');
  expect(made.sets[0]).toMatchObject({ name: 'old', annotations: { [`${PREFIX}revision`]: '3', [`${PREFIX}revision-history`]: '1' } });
});

describe('planDeployment with the Recreate strategy', () => {
  const strategy = { strategy: { type: 'Recreate' } };
  const going = apiObject({ metadata: { name: 'p', deletionTimestamp: formatTimestamp(NOW) }, status: { phase: 'Running' } });

  it.each<[string, readonly ApiObject[], readonly ApiObject[], readonly unknown[]]>([
    ['scales the old ReplicaSets to zero', [set('old', { of: TWO, replicas: 2, desired: 2, max: 2 })], [], [['old', 0]]],
    ['waits while an old ReplicaSet has pods', [set('old', { of: TWO, replicas: 0, status: { replicas: 1 } })], [], []],
    ['waits while old pods are terminating', [set('old', { of: TWO, replicas: 0 })], [going], []],
  ])('%s', (_, sets, pods, expected) => {
    expect(sizes(plan(deployment({ replicas: 2, ...strategy }), sets, pods))).toEqual(expected);
  });

  it('creates the new ReplicaSet once the old pods are gone', () => {
    const made = plan(deployment({ replicas: 2, ...strategy }), [set('old', { of: TWO, replicas: 0 })]);
    expect(made.sets).toMatchObject([{ seen: undefined, replicas: 2 }]);
  });
});

describe('the Progressing condition of a Deployment', () => {
  const counts = { observedGeneration: 3, replicas: 2, updatedReplicas: 2 };
  const since = (ms: number, reason = 'ReplicaSetUpdated'): JsonObject => ({
    type: 'Progressing',
    status: 'True',
    reason,
    lastUpdateTime: formatTimestamp(NOW - ms),
    lastTransitionTime: formatTimestamp(NOW - ms),
  });
  const stuck = [set('new', { replicas: 2, available: 0, desired: 2, max: 3 })];

  it('becomes False after the progress deadline, for which the Deployment is requeued', () => {
    const waiting = plan(deployment({ replicas: 2 }, { ...counts, conditions: [since(100_000)] }), stuck);
    expect(waiting.againMs).toBe(501_000);
    const late = plan(deployment({ replicas: 2 }, { ...counts, conditions: [since(600_001)] }), stuck);
    expect(conditions(late)).toContainEqual(['Progressing', 'False', 'ProgressDeadlineExceeded']);
    expect(late.againMs).toBeUndefined();
  });

  it('is absent without a progress deadline', () => {
    const made = plan(deployment({ replicas: 2, progressDeadlineSeconds: 2_147_483_647 }, { ...counts, conditions: [since(1)] }), stuck);
    expect(conditions(made)).toEqual([['Available', 'False', 'MinimumReplicasUnavailable']]);
  });

  it('reports NewReplicaSetAvailable; a failing ReplicaSet adds ReplicaFailure', () => {
    const done = plan(deployment({ replicas: 2 }, { ...counts, conditions: [since(1)] }), [
      set('new', { replicas: 2, desired: 2, max: 3 }),
    ]);
    expect(conditions(done)).toEqual([
      ['Available', 'True', 'MinimumReplicasAvailable'],
      ['Progressing', 'True', 'NewReplicaSetAvailable'],
    ]);
    const failure = {
      type: 'ReplicaFailure',
      status: 'True',
      reason: 'FailedCreate',
      message: 'm',
      lastTransitionTime: formatTimestamp(NOW),
    };
    const failing = [set('new', { replicas: 2, available: 0, desired: 2, max: 3, status: { conditions: [failure] } })];
    expect(conditions(plan(deployment({ replicas: 2 }, counts), failing))).toContainEqual(['ReplicaFailure', 'True', 'FailedCreate']);
  });
});

test('planDeployment deletes the oldest ReplicaSets beyond revisionHistoryLimit once the rollout is complete', () => {
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

test('planDeployment changes only the status of a Deployment that is being deleted', () => {
  const gone = deployment({ replicas: 3, template: TWO }, {}, { deletionTimestamp: formatTimestamp(NOW) });
  expect(plan(gone, [set('old', { replicas: 2 })])).toMatchObject({
    sets: [],
    forgotten: [],
    revision: undefined,
    status: { replicas: 2 },
  });
});

test('planDeployment returns no changes when the state matches the spec', () => {
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
