import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { timestamp } from '../../shared/api/metadata/object-meta';
import type { JsonObject, JsonValue } from '../../shared/values/json';
import type { CoveredPod } from './budget-pod-index';
import { asksOwners, boundOf, budgetOutcome, failedStatus } from './reconcile';

const NOW = Date.UTC(2026, 0, 1);
const budget = (spec: JsonObject, status: JsonObject = {}): ApiObject =>
  apiObject({ metadata: { namespace: 'n', name: 'b', generation: 3 }, spec, status });
const pods = (ready: number, unready = 0): readonly CoveredPod[] =>
  Array.from({ length: ready + unready }, (_, index) => ({ name: `p${index}`, owner: undefined, isReady: index < ready, isGoing: false }));

test.each<[JsonObject, boolean]>([
  [{ minAvailable: 2 }, false],
  [{}, false],
  [{ minAvailable: '20%' }, true],
  [{ maxUnavailable: 0 }, true],
  [{ maxUnavailable: '20%' }, true],
])('asksOwners for the budget %j returns %s', (spec, expected) => expect(asksOwners(boundOf(budget(spec)))).toBe(expected));

test.each<[JsonObject, number, number, number, number]>([
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
  'budgetOutcome for %j with %i expected and %i ready pods sets desiredHealthy %i and disruptionsAllowed %i',
  (spec, expectedPods, ready, desiredHealthy, disruptionsAllowed) => {
    const { status } = budgetOutcome({ budget: budget(spec), pods: pods(ready, 1), expectedPods, now: NOW });
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

test('budgetOutcome returns no unchanged status and keeps lastTransitionTime while the condition keeps its status', () => {
  const spec = { minAvailable: 1 };
  const first = budgetOutcome({ budget: budget(spec), pods: pods(3), expectedPods: 3, now: NOW }).status ?? {};
  expect(budgetOutcome({ budget: budget(spec, first), pods: pods(3), expectedPods: 3, now: NOW + 60_000 }).status).toBeUndefined();
  const [fewer, none] = [2, 1].map(
    (ready) => budgetOutcome({ budget: budget(spec, first), pods: pods(ready), expectedPods: 3, now: NOW + 60_000 }).status,
  );
  expect(fewer).toMatchObject({ conditions: [{ status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] });
  expect(none).toMatchObject({ conditions: [{ status: 'False', lastTransitionTime: '2026-01-01T00:01:00Z' }] });
});

test('budgetOutcome does not count disrupted pods as healthy for two minutes, and then reports them as not deleted', () => {
  const disruptedPods: Record<string, JsonValue> = {
    p0: timestamp(NOW - 30_000),
    p1: timestamp(NOW - 120_000),
    p2: timestamp(NOW - 60_000),
    gone: timestamp(NOW),
  };
  const seen = pods(4).map((pod) => (pod.name === 'p2' ? { ...pod, isGoing: true } : pod));
  const found = budgetOutcome({ budget: budget({ minAvailable: 1 }, { disruptedPods }), pods: seen, expectedPods: 4, now: NOW });
  expect(found).toMatchObject({ againMs: 90_000, notDeleted: ['p1'] });
  expect(found.status).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1, disruptedPods: { p0: disruptedPods['p0'] } });
  expect(Object.keys(found.status?.['disruptedPods'] ?? {})).toEqual(['p0']);
});

test('failedStatus allows no disruptions and keeps the numbers of the last status', () => {
  const status = { currentHealthy: 3, disruptionsAllowed: 2, observedGeneration: 2 };
  const failed = failedStatus(budget({}, status), 'why', NOW);
  expect(failed).toEqual({
    ...status,
    disruptionsAllowed: 0,
    conditions: [
      { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'why', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
  });
  expect(failedStatus(budget({}, failed), 'why', NOW + 1_000)).toBeUndefined();
});
