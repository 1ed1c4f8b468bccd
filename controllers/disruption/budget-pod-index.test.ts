import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { Coverage } from './budget-pod-index';

const pod = (name: string, labels: JsonObject, status = 'True', more: JsonObject = {}): ApiObject =>
  apiObject({ metadata: { namespace: 'n', name, labels, ...more }, status: { conditions: [{ type: 'Ready', status }] } });
const budget = (name: string, selector: JsonObject | null, namespace = 'n'): ApiObject =>
  apiObject({ metadata: { namespace, name }, spec: { selector } });
const A = { matchLabels: { app: 'a' } };

function coverage(): Coverage {
  const made = new Coverage();
  made.setPod(pod('p1', { app: 'a' }));
  made.setPod(pod('p2', { app: 'b' }));
  return made;
}

const namesOf = (covering: Coverage, found: ApiObject): readonly string[] => covering.podsOf(found).map(({ name }) => name);

test.each<[string, JsonObject | null, readonly string[]]>([
  ['the pods that its selector matches', A, ['p1']],
  ['all pods with an empty selector', {}, ['p1', 'p2']],
  ['no pods without a selector', null, []],
])('a PodDisruptionBudget covers %s', (_, selector, names) => {
  const covering = coverage();
  covering.setBudget(budget('b', selector));
  expect(namesOf(covering, budget('b', selector))).toEqual(names);
});

test('Coverage returns the budgets that a relevant change of a pod affects, before and after its labels changed', () => {
  const covering = coverage();
  for (const found of [budget('b', A), budget('c', {}), budget('d', { matchLabels: { app: 'd' } }), budget('e', {}, 'other')])
    covering.setBudget(found);
  expect(covering.setPod(pod('p1', { app: 'a', more: 'x' }))).toEqual([]);
  expect(covering.setPod(pod('p1', { app: 'a' }, 'False'))).toEqual(['n/b', 'n/c']);
  expect(covering.setPod(pod('p1', { app: 'a' }, 'False', { deletionTimestamp: 'now' }))).toEqual(['n/b', 'n/c']);
  expect(covering.setPod(pod('p1', { app: 'b' }, 'False', { deletionTimestamp: 'now' }))).toEqual(['n/b']);
  expect(namesOf(covering, budget('b', A))).toEqual([]);
  expect(covering.setPod(pod('p3', { app: 'd' }))).toEqual(['n/c', 'n/d']);
  expect(covering.removePod(pod('p3', {}))).toEqual(['n/c', 'n/d']);
  expect(covering.removePod(pod('p3', {}))).toEqual([]);
});

test('Coverage applies a changed selector and forgets a removed budget', () => {
  const covering = coverage();
  covering.setBudget(budget('b', A));
  covering.setBudget(budget('b', { matchLabels: { app: 'b' } }));
  expect(namesOf(covering, budget('b', A))).toEqual(['p2']);
  covering.removeBudget(budget('b', A));
  expect(namesOf(covering, budget('b', A))).toEqual([]);
  expect(covering.setPod(pod('p2', { app: 'a' }))).toEqual([]);
});
