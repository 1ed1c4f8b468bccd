import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { Coverage } from './coverage';

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
  ['those that it selects', A, ['p1']],
  ['all with an empty selector', {}, ['p1', 'p2']],
  ['none without one', null, []],
])('a budget speaks of %s', (_, selector, names) => {
  const covering = coverage();
  covering.setBudget(budget('b', selector));
  expect(namesOf(covering, budget('b', selector))).toEqual(names);
});

test('a change matters to the budgets that the pod was or is in, and only if it can matter', () => {
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

test('another selector counts anew, and a budget that is gone counts nothing', () => {
  const covering = coverage();
  covering.setBudget(budget('b', A));
  covering.setBudget(budget('b', { matchLabels: { app: 'b' } }));
  expect(namesOf(covering, budget('b', A))).toEqual(['p2']);
  covering.removeBudget(budget('b', A));
  expect(namesOf(covering, budget('b', A))).toEqual([]);
  expect(covering.setPod(pod('p2', { app: 'a' }))).toEqual([]);
});
