import type {
  CoreV1Pod,
  MetaV1LabelSelector,
  MetaV1ObjectMeta,
  PolicyV1PodDisruptionBudget,
} from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { BudgetPodIndex, type PodDisruptionBudget } from './budget-pod-index';

const pod = (name: string, labels: Record<string, string>, status = 'True', metadata: MetaV1ObjectMeta = {}): Pod =>
  apiObject<CoreV1Pod>({ metadata: { namespace: 'n', name, labels, ...metadata }, status: { conditions: [{ type: 'Ready', status }] } });
const budget = (name: string, selector: MetaV1LabelSelector | undefined, namespace = 'n'): PodDisruptionBudget =>
  apiObject<PolicyV1PodDisruptionBudget>({ metadata: { namespace, name }, spec: selector === undefined ? {} : { selector } });
const A = { matchLabels: { app: 'a' } };

function newIndex(): BudgetPodIndex {
  const index = new BudgetPodIndex();
  index.setPod(pod('p1', { app: 'a' }));
  index.setPod(pod('p2', { app: 'b' }));
  return index;
}

const namesOf = (index: BudgetPodIndex, indexed: PodDisruptionBudget): readonly string[] => index.podsOf(indexed).map(({ name }) => name);

test.each<[string, MetaV1LabelSelector | undefined, readonly string[]]>([
  ['the pods that its selector matches', A, ['p1']],
  ['all pods with an empty selector', {}, ['p1', 'p2']],
  ['no pods without a selector', undefined, []],
])('a PodDisruptionBudget selects %s', (_, selector, names) => {
  const index = newIndex();
  index.setBudget(budget('b', selector));
  expect(namesOf(index, budget('b', selector))).toEqual(names);
});

test('BudgetPodIndex returns the budgets that a relevant change of a pod affects, before and after its labels changed', () => {
  const index = newIndex();
  for (const indexed of [budget('b', A), budget('c', {}), budget('d', { matchLabels: { app: 'd' } }), budget('e', {}, 'other')])
    index.setBudget(indexed);
  expect(index.setPod(pod('p1', { app: 'a', more: 'x' }))).toEqual([]);
  expect(index.setPod(pod('p1', { app: 'a' }, 'False'))).toEqual(['n/b', 'n/c']);
  expect(index.setPod(pod('p1', { app: 'a' }, 'False', { deletionTimestamp: 'now' }))).toEqual(['n/b', 'n/c']);
  expect(index.setPod(pod('p1', { app: 'b' }, 'False', { deletionTimestamp: 'now' }))).toEqual(['n/b']);
  expect(namesOf(index, budget('b', A))).toEqual([]);
  expect(index.setPod(pod('p3', { app: 'd' }))).toEqual(['n/c', 'n/d']);
  expect(index.removePod(pod('p3', {}))).toEqual(['n/c', 'n/d']);
  expect(index.removePod(pod('p3', {}))).toEqual([]);
});

test('BudgetPodIndex applies a changed selector and forgets a removed budget', () => {
  const index = newIndex();
  index.setBudget(budget('b', A));
  index.setBudget(budget('b', { matchLabels: { app: 'b' } }));
  expect(namesOf(index, budget('b', A))).toEqual(['p2']);
  index.removeBudget(budget('b', A));
  expect(namesOf(index, budget('b', A))).toEqual([]);
  expect(index.setPod(pod('p2', { app: 'a' }))).toEqual([]);
});
