import type {
  PolicyV1PodDisruptionBudget,
  PolicyV1PodDisruptionBudgetSpec,
  PolicyV1PodDisruptionBudgetStatus,
} from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type { PodDisruptionBudget, SelectedPod } from './budget-pod-index';
import { constraintOf, failSafeStatus, needsExpectedScale, reconcileBudget } from './reconcile';

const NOW = Date.UTC(2026, 0, 1);
const budget = (spec: PolicyV1PodDisruptionBudgetSpec, status: PolicyV1PodDisruptionBudgetStatus = {}): PodDisruptionBudget =>
  apiObject<PolicyV1PodDisruptionBudget>({ metadata: { namespace: 'n', name: 'b', generation: 3 }, spec, status });
const pods = (ready: number, unready = 0): readonly SelectedPod[] =>
  Array.from({ length: ready + unready }, (_, index) => ({
    name: `p${index}`,
    controller: undefined,
    isReady: index < ready,
    isBeingDeleted: false,
  }));

test.each<[PolicyV1PodDisruptionBudgetSpec, boolean]>([
  [{ minAvailable: 2 }, false],
  [{}, false],
  [{ minAvailable: '20%' }, true],
  [{ maxUnavailable: 0 }, true],
  [{ maxUnavailable: '20%' }, true],
])('needsExpectedScale for the budget %j returns %s', (spec, expected) =>
  expect(needsExpectedScale(constraintOf(budget(spec)))).toBe(expected),
);

type BudgetRow = [
  spec: PolicyV1PodDisruptionBudgetSpec,
  expectedPods: number,
  ready: number,
  desiredHealthy: number,
  disruptionsAllowed: number,
];

test.each<BudgetRow>([
  [{ minAvailable: 2 }, 3, 3, 2, 1],
  [{ minAvailable: 4 }, 3, 3, 4, 0],
  [{ minAvailable: '50%' }, 7, 6, 4, 2],
  [{ minAvailable: '0%' }, 7, 6, 0, 6],
  [{ maxUnavailable: 1 }, 3, 3, 2, 1],
  [{ maxUnavailable: 9 }, 3, 2, 0, 2],
  [{ maxUnavailable: '34%' }, 3, 3, 1, 2],
  [{ maxUnavailable: 1 }, 0, 3, 0, 0],
  [{}, 0, 1, 0, 0],
])(
  'reconcileBudget for %j with %i expected and %i ready pods sets desiredHealthy %i and disruptionsAllowed %i',
  (spec, expectedPods, ready, desiredHealthy, disruptionsAllowed) => {
    const { status } = reconcileBudget({ budget: budget(spec), pods: pods(ready, 1), expectedPods, now: NOW });
    expect(status).toEqual({
      currentHealthy: ready,
      desiredHealthy,
      expectedPods,
      disruptionsAllowed,
      observedGeneration: 3,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: disruptionsAllowed > 0 ? 'True' : 'False',
          reason: disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods',
          message: '',
          observedGeneration: 3,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    });
  },
);

test('reconcileBudget returns no unchanged status and keeps lastTransitionTime while the condition keeps its status', () => {
  const spec = { minAvailable: 1 };
  const first = reconcileBudget({ budget: budget(spec), pods: pods(3), expectedPods: 3, now: NOW }).status ?? {};
  expect(reconcileBudget({ budget: budget(spec, first), pods: pods(3), expectedPods: 3, now: NOW + 60_000 }).status).toBeUndefined();
  const statusWith = (ready: number) =>
    reconcileBudget({ budget: budget(spec, first), pods: pods(ready), expectedPods: 3, now: NOW + 60_000 }).status;
  expect(statusWith(2)).toMatchObject({ conditions: [{ status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] });
  expect(statusWith(1)).toMatchObject({ conditions: [{ status: 'False', lastTransitionTime: '2026-01-01T00:01:00Z' }] });
});

test('reconcileBudget does not count disrupted pods as healthy for two minutes, and then reports them as not deleted', () => {
  const disruptedPods = {
    p0: formatTimestamp(NOW - 30_000),
    p1: formatTimestamp(NOW - 120_000),
    // Is being deleted below.
    p2: formatTimestamp(NOW - 60_000),
    // Does not exist any more.
    deleted: formatTimestamp(NOW),
  };
  const observed = pods(4).map((pod) => (pod.name === 'p2' ? { ...pod, isBeingDeleted: true } : pod));
  const actions = reconcileBudget({ budget: budget({ minAvailable: 1 }, { disruptedPods }), pods: observed, expectedPods: 4, now: NOW });
  expect(actions).toMatchObject({ requeueAfterMs: 90_000, notDeleted: ['p1'] });
  expect(actions.status).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1, disruptedPods: { p0: disruptedPods.p0 } });
  expect(Object.keys(actions.status?.disruptedPods ?? {})).toEqual(['p0']);
});

test('failSafeStatus allows no disruptions and keeps the numbers of the last status', () => {
  const status = { currentHealthy: 3, disruptionsAllowed: 2, observedGeneration: 2 };
  const failed = failSafeStatus(budget({}, status), 'why', NOW);
  expect(failed).toEqual({
    ...status,
    disruptionsAllowed: 0,
    conditions: [
      { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'why', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
  });
  expect(failSafeStatus(budget({}, failed), 'why', NOW + 1_000)).toBeUndefined();
});
