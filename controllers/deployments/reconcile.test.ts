import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type {
  AppsV1Deployment,
  AppsV1DeploymentCondition,
  AppsV1DeploymentSpec,
  AppsV1DeploymentStatus,
  AppsV1ReplicaSet,
  AppsV1ReplicaSetStatus,
  CoreV1Pod,
  CoreV1PodTemplateSpec,
  MetaV1ObjectMeta,
} from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { qualifiedNameInDialect } from '../../shared/names/dialect';
import type { Pod } from '../../shared/client/rest/typed-objects';
import type { Deployment, ReplicaSet } from './deployment';
import { planDeployment, type DeploymentPlan } from './reconcile';

const NOW = Date.UTC(2026, 0, 2);
const PREFIX = qualifiedNameInDialect('kubernetes', 'deployment.platform.io/');
/** The template of the Deployment, and of ReplicaSets without `podTemplate`. */
const ONE = template('one');
const TWO = template('two');

function template(image: string): CoreV1PodTemplateSpec {
  return { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image }] } };
}

function deployment(spec: AppsV1DeploymentSpec, status: AppsV1DeploymentStatus = {}, metadata: MetaV1ObjectMeta = {}): Deployment {
  return apiObject<AppsV1Deployment>({
    metadata: { namespace: 'n', name: 'web', uid: 'u', generation: 3, ...metadata },
    spec: { selector: { matchLabels: { app: 'a' } }, template: ONE, progressDeadlineSeconds: 600, revisionHistoryLimit: 10, ...spec },
    status,
  });
}

interface ReplicaSetOptions {
  readonly podTemplate?: CoreV1PodTemplateSpec;
  readonly replicas: number;
  /** Default: all replicas. */
  readonly available?: number;
  readonly revision?: number | bigint;
  /** The values of the annotations `desired-replicas` (here) and `max-replicas` (in `max`). */
  readonly desired?: number;
  readonly max?: number;
  readonly status?: AppsV1ReplicaSetStatus;
  readonly metadata?: MetaV1ObjectMeta;
  /** Seconds. */
  readonly age?: number;
}

function replicaSet(name: string, options: ReplicaSetOptions): ReplicaSet {
  const { podTemplate = ONE, replicas, available = replicas, revision = 1, desired, max, status = {}, metadata = {}, age = 0 } = options;
  const annotations: Record<string, string> = { [`${PREFIX}revision`]: String(revision) };
  if (desired !== undefined) annotations[`${PREFIX}desired-replicas`] = String(desired);
  if (max !== undefined) annotations[`${PREFIX}max-replicas`] = String(max);
  const labels = { app: 'a', 'pod-template-hash': name };
  return apiObject<AppsV1ReplicaSet>({
    metadata: {
      namespace: 'n',
      name,
      uid: name,
      generation: 2,
      annotations,
      creationTimestamp: formatTimestamp(NOW - age * 1000),
      ...metadata,
    },
    spec: { replicas, template: { ...podTemplate, metadata: { labels } } },
    status: { observedGeneration: 2, replicas, readyReplicas: available, availableReplicas: available, ...status },
  });
}

const plan = (object: Deployment, replicaSets: readonly ReplicaSet[], pods: readonly Pod[] = []): DeploymentPlan =>
  planDeployment({ deployment: object, replicaSets, podsOf: () => pods, now: NOW });
const sizes = ({ replicaSets }: DeploymentPlan): readonly unknown[] => replicaSets.map(({ name, replicas }) => [name, replicas]);
const conditions = ({ status }: DeploymentPlan): readonly unknown[] =>
  (status?.conditions ?? []).map((condition) => [condition.type, condition.status, condition.reason]);
const rolling = (maxSurge: number, maxUnavailable: number): AppsV1DeploymentSpec => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});

test('planDeployment increments a revision beyond the safe integers of JavaScript exactly', () => {
  const old = replicaSet('old', { podTemplate: TWO, replicas: 1, revision: 3546343826724305832n });
  const next = plan(deployment({ replicas: 1, ...rolling(1, 0) }), [old]);
  expect(next.replicaSets).toMatchObject([{ annotations: { [`${PREFIX}revision`]: '3546343826724305833' } }]);
  const later = replicaSet('later', { podTemplate: TWO, replicas: 1, revision: 3546343826724305833n });
  const again = plan(deployment({ replicas: 1 }), [later, replicaSet('new', { replicas: 1, revision: 3546343826724305832n })]);
  expect(again.replicaSets.find(({ name }) => name === 'new')?.annotations).toMatchObject({
    [`${PREFIX}revision`]: '3546343826724305834',
    [`${PREFIX}revision-history`]: '3546343826724305832',
  });
});

test('planDeployment ignores a revision annotation that exceeds 64 bits', () => {
  const next = plan(deployment({ replicas: 1, ...rolling(1, 0) }), [
    replicaSet('old', { podTemplate: TWO, replicas: 1, revision: 2n ** 63n }),
  ]);
  expect(next.replicaSets).toMatchObject([{ annotations: { [`${PREFIX}revision`]: '1' } }]);
});

test('planDeployment creates the first ReplicaSet with all replicas and with the annotations of the Deployment', () => {
  const result = plan(deployment({ replicas: 3, ...rolling(1, 0) }, {}, { annotations: { note: 'n' } }), []);
  expect(result.replicaSets).toMatchObject([
    {
      observed: undefined,
      replicas: 3,
      annotations: { note: 'n', [`${PREFIX}revision`]: '1', [`${PREFIX}desired-replicas`]: '3', [`${PREFIX}max-replicas`]: '4' },
    },
  ]);
  const [created] = result.replicaSets;
  expect(created?.name).toMatch(/^web-[a-z0-9]{10}$/);
  expect(created?.template.metadata).toEqual({ labels: { app: 'a', 'pod-template-hash': created?.name.slice(4) } });
  expect(result).toMatchObject({ revision: '1', scalingEvents: [{ replicaSet: created?.name, from: undefined, to: 3 }] });
  expect(conditions(result)).toEqual([
    ['Available', 'False', 'MinimumReplicasUnavailable'],
    ['Progressing', 'True', 'NewReplicaSetCreated'],
  ]);
});

test('planDeployment chooses another ReplicaSet name when collisionCount changes', () => {
  const names = [{}, { collisionCount: 1 }].map((status) => plan(deployment({ replicas: 1 }, status), []).replicaSets[0]?.name);
  expect(new Set(names).size).toBe(2);
});

test.each<[string, AppsV1DeploymentSpec, readonly ReplicaSet[], readonly unknown[]]>([
  [
    'scales the new ReplicaSet up as far as maxSurge allows',
    rolling(1, 0),
    [
      replicaSet('old', { podTemplate: TWO, replicas: 3, desired: 3, max: 4 }),
      replicaSet('new', { replicas: 0, desired: 3, max: 4, revision: 2 }),
    ],
    [['new', 1]],
  ],
  [
    'does not scale up before surplus pods have terminated',
    rolling(1, 0),
    [
      replicaSet('old', { podTemplate: TWO, replicas: 2, available: 3, desired: 3, max: 4, status: { replicas: 3 } }),
      replicaSet('new', { replicas: 1, desired: 3, max: 4, revision: 2 }),
    ],
    [],
  ],
  [
    'does not scale up while the status of an old ReplicaSet is outdated',
    rolling(1, 0),
    [
      replicaSet('old', { podTemplate: TWO, replicas: 2, desired: 3, max: 4, status: { observedGeneration: 1 } }),
      replicaSet('new', { replicas: 1, desired: 3, max: 4, revision: 2 }),
    ],
    [],
  ],
  [
    'scales the old ReplicaSet down when a new pod is available',
    rolling(1, 0),
    [
      replicaSet('old', { podTemplate: TWO, replicas: 3, desired: 3, max: 4 }),
      replicaSet('new', { replicas: 1, desired: 3, max: 4, revision: 2 }),
    ],
    [['old', 2]],
  ],
  [
    'does not scale the old ReplicaSet down while the new pod is unavailable',
    rolling(1, 0),
    [
      replicaSet('old', { podTemplate: TWO, replicas: 3, desired: 3, max: 4 }),
      replicaSet('new', { replicas: 1, available: 0, desired: 3, max: 4, revision: 2 }),
    ],
    [],
  ],
  [
    'scales down the old ReplicaSet with unavailable pods first',
    rolling(0, 1),
    [
      replicaSet('older', { podTemplate: template('x'), replicas: 1, available: 0, desired: 3, max: 3, age: 9 }),
      replicaSet('old', { podTemplate: TWO, replicas: 2, desired: 3, max: 3, age: 5, revision: 2 }),
      replicaSet('new', { replicas: 0, desired: 3, max: 3, revision: 3 }),
    ],
    [['older', 0]],
  ],
])('planDeployment during a rolling update %s', (_, strategy, sets, expected) => {
  expect(sizes(plan(deployment({ replicas: 3, ...strategy }), sets))).toEqual(expected);
});

test('planDeployment scales ReplicaSets in proportion during a rollout', () => {
  // 8 and 5 of 10 replicas with a surge of 3.
  const sets = [
    replicaSet('old', { podTemplate: TWO, replicas: 8, desired: 10, max: 13 }),
    replicaSet('new', { replicas: 5, desired: 10, max: 13, available: 0, revision: 2 }),
  ];
  // 23 pods in total: 8 * 23 / 13 = 14.2 and 5 * 23 / 13 = 8.8.
  expect(sizes(plan(deployment({ replicas: 20, ...rolling(3, 2) }), sets))).toEqual([
    ['old', 14],
    ['new', 9],
  ]);
  // 8 pods in total: 8 * 8 / 13 = 4.9 and 5 * 8 / 13 = 3.1.
  expect(sizes(plan(deployment({ replicas: 5, ...rolling(3, 2) }), sets))).toEqual([
    ['old', 5],
    ['new', 3],
  ]);
});

describe('a Deployment whose ReplicaSets have another desired-replicas annotation', () => {
  const annotatedReplicas = (
    replicaSets: readonly ReplicaSet[],
    spec: AppsV1DeploymentSpec,
  ): readonly (readonly [unknown, unknown, unknown])[] =>
    plan(deployment(spec), replicaSets).replicaSets.map(({ name, replicas, annotations }) => [
      name,
      replicas,
      annotations[`${PREFIX}desired-replicas`],
    ]);

  it.each<[string, AppsV1DeploymentSpec, readonly ReplicaSet[], readonly (readonly [string, number, string])[]]>([
    [
      'of a complete ReplicaSet when the image changes',
      { replicas: 3, ...rolling(0, 1), template: template('three') },
      [replicaSet('old', { replicas: 3, desired: 7, max: 7 })],
      [['old', 3, '3']],
    ],
    [
      'after scaling to the replicas that the old ReplicaSet has',
      { replicas: 2, ...rolling(0, 1) },
      [
        replicaSet('old', { podTemplate: TWO, replicas: 2, desired: 3, max: 3 }),
        replicaSet('new', { replicas: 0, desired: 3, max: 3, revision: 2 }),
      ],
      [['old', 2, '2']],
    ],
    [
      'after scaling a paused Deployment to the replicas that exist',
      { replicas: 2, paused: true },
      [replicaSet('new', { replicas: 2, desired: 3, max: 4 })],
      [['new', 2, '2']],
    ],
    [
      'after scaling during a rollout whose strategy changed to Recreate',
      { replicas: 2, strategy: { type: 'Recreate' } },
      [
        replicaSet('old', { podTemplate: TWO, replicas: 2, desired: 3, max: 4 }),
        replicaSet('new', { replicas: 1, desired: 3, max: 4, revision: 2 }),
      ],
      [
        ['old', 2, '2'],
        ['new', 1, '2'],
      ],
    ],
  ])('updates the annotation %s', (_, spec, sets, expected) => {
    expect(annotatedReplicas(sets, spec)).toEqual(expected);
  });
});

test('planDeployment for a paused Deployment scales but starts no rollout', () => {
  const result = plan(deployment({ replicas: 4, paused: true }), [
    replicaSet('old', { podTemplate: TWO, replicas: 2, desired: 2, max: 3 }),
  ]);
  expect(sizes(result)).toEqual([['old', 4]]);
  expect(conditions(result)).toContainEqual(['Progressing', 'Unknown', 'DeploymentPaused']);
});

test('planDeployment on a rollback gives the old ReplicaSet the next revision and keeps the former one in its revision history', () => {
  const result = plan(deployment({ replicas: 1, ...rolling(1, 0) }, {}, { annotations: { [`${PREFIX}revision`]: '2' } }), [
    replicaSet('old', { replicas: 0, revision: 1 }),
    replicaSet('new', { podTemplate: TWO, replicas: 1, revision: 2, desired: 1, max: 2 }),
  ]);
  expect(result.revision).toBe('3');
  expect(result.replicaSets[0]).toMatchObject({
    name: 'old',
    annotations: { [`${PREFIX}revision`]: '3', [`${PREFIX}revision-history`]: '1' },
  });
});

describe('planDeployment with the Recreate strategy', () => {
  const strategy = { strategy: { type: 'Recreate' } };
  const terminatingPod = apiObject<CoreV1Pod>({
    metadata: { name: 'p', deletionTimestamp: formatTimestamp(NOW) },
    status: { phase: 'Running' },
  });

  it.each<[string, readonly ReplicaSet[], readonly Pod[], readonly unknown[]]>([
    ['scales the old ReplicaSets to zero', [replicaSet('old', { podTemplate: TWO, replicas: 2, desired: 2, max: 2 })], [], [['old', 0]]],
    ['waits while an old ReplicaSet has pods', [replicaSet('old', { podTemplate: TWO, replicas: 0, status: { replicas: 1 } })], [], []],
    ['waits while old pods are terminating', [replicaSet('old', { podTemplate: TWO, replicas: 0 })], [terminatingPod], []],
  ])('%s', (_, sets, pods, expected) => {
    expect(sizes(plan(deployment({ replicas: 2, ...strategy }), sets, pods))).toEqual(expected);
  });

  it('creates the new ReplicaSet once the old pods are deleted', () => {
    const result = plan(deployment({ replicas: 2, ...strategy }), [replicaSet('old', { podTemplate: TWO, replicas: 0 })]);
    expect(result.replicaSets).toMatchObject([{ observed: undefined, replicas: 2 }]);
  });
});

describe('the Progressing condition of a Deployment', () => {
  const counts = { observedGeneration: 3, replicas: 2, updatedReplicas: 2 };
  const since = (ms: number, reason = 'ReplicaSetUpdated'): AppsV1DeploymentCondition => ({
    type: 'Progressing',
    status: 'True',
    reason,
    lastUpdateTime: formatTimestamp(NOW - ms),
    lastTransitionTime: formatTimestamp(NOW - ms),
  });
  const stuck = [replicaSet('new', { replicas: 2, available: 0, desired: 2, max: 3 })];

  it('becomes False after the progress deadline, for which the Deployment is requeued', () => {
    const waiting = plan(deployment({ replicas: 2 }, { ...counts, conditions: [since(100_000)] }), stuck);
    // One second after the deadline of 600 s, of which 100 s have passed.
    expect(waiting.requeueAfterMs).toBe(501_000);
    const late = plan(deployment({ replicas: 2 }, { ...counts, conditions: [since(600_001)] }), stuck);
    expect(conditions(late)).toContainEqual(['Progressing', 'False', 'ProgressDeadlineExceeded']);
    expect(late.requeueAfterMs).toBeUndefined();
  });

  it('becomes Unknown when the Deployment is resumed', () => {
    const { status } = plan(deployment({ replicas: 2, paused: true }), stuck);
    const resumed = plan(deployment({ replicas: 2 }, { ...status, updatedReplicas: 2 }), stuck);
    expect(conditions(resumed)).toContainEqual(['Progressing', 'Unknown', 'DeploymentResumed']);
  });

  it('is absent without a progress deadline', () => {
    const result = plan(deployment({ replicas: 2, progressDeadlineSeconds: 2_147_483_647 }, { ...counts, conditions: [since(1)] }), stuck);
    expect(conditions(result)).toEqual([['Available', 'False', 'MinimumReplicasUnavailable']]);
  });

  it('reports NewReplicaSetAvailable when the rollout is complete', () => {
    const done = plan(deployment({ replicas: 2 }, { ...counts, conditions: [since(1)] }), [
      replicaSet('new', { replicas: 2, desired: 2, max: 3 }),
    ]);
    expect(conditions(done)).toEqual([
      ['Available', 'True', 'MinimumReplicasAvailable'],
      ['Progressing', 'True', 'NewReplicaSetAvailable'],
    ]);
  });
});

test('planDeployment copies the condition ReplicaFailure of the new ReplicaSet to the Deployment', () => {
  const failure = {
    type: 'ReplicaFailure',
    status: 'True',
    reason: 'FailedCreate',
    message: 'm',
    lastTransitionTime: formatTimestamp(NOW),
  };
  const failing = replicaSet('new', { replicas: 2, available: 0, desired: 2, max: 3, status: { conditions: [failure] } });
  expect(conditions(plan(deployment({ replicas: 2 }), [failing]))).toContainEqual(['ReplicaFailure', 'True', 'FailedCreate']);
});

test('planDeployment deletes the ReplicaSets of the lowest revisions beyond revisionHistoryLimit once the rollout is complete', () => {
  const done = { observedGeneration: 3, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  const sets = [
    replicaSet('b', { podTemplate: TWO, replicas: 0, revision: 2 }),
    replicaSet('a', { podTemplate: template('x'), replicas: 0, revision: 1 }),
    replicaSet('held', { podTemplate: template('y'), replicas: 0, revision: 1, status: { replicas: 1 } }),
    replicaSet('new', { replicas: 1, revision: 3, desired: 1, max: 2 }),
  ];
  const spec = { replicas: 1, revisionHistoryLimit: 1, ...rolling(1, 0) };
  expect(plan(deployment(spec, done), sets).deletions.map(({ name }) => name)).toEqual(['a']);
  expect(plan(deployment(spec, { ...done, observedGeneration: 2 }), sets).deletions).toEqual([]);
});

test('planDeployment changes only the status of a Deployment that is being deleted', () => {
  const beingDeleted = deployment({ replicas: 3, template: TWO }, {}, { deletionTimestamp: formatTimestamp(NOW) });
  expect(plan(beingDeleted, [replicaSet('old', { replicas: 2 })])).toMatchObject({
    replicaSets: [],
    deletions: [],
    revision: undefined,
    status: { replicas: 2 },
  });
});

test('planDeployment returns no changes when the state matches the spec', () => {
  const complete = [replicaSet('new', { replicas: 2, desired: 2, max: 3 })];
  const spec = { replicas: 2, ...rolling(1, 0) };
  const revised = { annotations: { [`${PREFIX}revision`]: '1' } };
  const { status } = plan(deployment(spec, {}, revised), complete);
  expect(plan(deployment(spec, status, revised), complete)).toEqual({
    replicaSets: [],
    deletions: [],
    scalingEvents: [],
    revision: undefined,
    status: undefined,
    requeueAfterMs: undefined,
  });
});
