/** Which budgets select which pods, and which budgets a change affects. */
import type {
  CoreV1Pod,
  MetaV1LabelSelector,
  MetaV1ObjectMeta,
  PolicyV1PodDisruptionBudget,
} from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { BudgetPodIndex, type PodDisruptionBudget } from './budget-pod-index';

interface PodOptions {
  readonly isReady?: boolean;
  readonly metadata?: MetaV1ObjectMeta;
}

const pod = (name: string, labels: Record<string, string>, { isReady = true, metadata = {} }: PodOptions = {}): Pod =>
  apiObject<CoreV1Pod>({
    metadata: { namespace: 'n', name, labels, ...metadata },
    status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  });
const budget = (name: string, selector: MetaV1LabelSelector | undefined, namespace = 'n'): PodDisruptionBudget =>
  apiObject<PolicyV1PodDisruptionBudget>({ metadata: { namespace, name }, spec: selector === undefined ? {} : { selector } });
const CONTROLLER = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'r', controller: true };
const SELECTS_APP_A = { matchLabels: { app: 'a' } };

function newIndex(): BudgetPodIndex {
  const index = new BudgetPodIndex();
  index.setPod(pod('p1', { app: 'a' }));
  index.setPod(pod('p2', { app: 'b' }));
  return index;
}

/** The names of the pods that the budget selects. */
const namesOf = (index: BudgetPodIndex, indexed: Pick<PodDisruptionBudget, 'namespace' | 'name'>): readonly string[] =>
  index.podsOf(indexed).map(({ name }) => name);

test.each<[string, MetaV1LabelSelector | undefined, readonly string[]]>([
  ['the pods that its selector matches', SELECTS_APP_A, ['p1']],
  ['all pods with an empty selector', {}, ['p1', 'p2']],
  ['no pods without a selector', undefined, []],
])('BudgetPodIndex.podsOf returns %s', (_title, selector, names) => {
  const index = newIndex();
  index.setBudget(budget('b', selector));
  expect(namesOf(index, budget('b', selector))).toEqual(names);
});

describe('BudgetPodIndex with the pods p1 (app a) and p2 (app b)', () => {
  /** Budgets of namespace n that select pods of app a, all pods, and pods of app d; and one of another namespace. */
  function indexWithBudgets(): BudgetPodIndex {
    const index = newIndex();
    index.setBudget(budget('b', SELECTS_APP_A));
    index.setBudget(budget('c', {}));
    index.setBudget(budget('d', { matchLabels: { app: 'd' } }));
    index.setBudget(budget('e', {}, 'other'));
    return index;
  }

  it('affects no budget when a pod gets a label that no selector requires', () => {
    expect(indexWithBudgets().setPod(pod('p1', { app: 'a', more: 'x' }))).toEqual([]);
  });

  it.each<[string, Pod]>([
    ['readiness', pod('p1', { app: 'a' }, { isReady: false })],
    ['deletionTimestamp', pod('p1', { app: 'a' }, { metadata: { deletionTimestamp: 'now' } })],
    ['controller', pod('p1', { app: 'a' }, { metadata: { ownerReferences: [CONTROLLER] } })],
  ])('affects the budgets that select a pod by a change of its %s', (_title, changed) => {
    expect(indexWithBudgets().setPod(changed)).toEqual(['n/b', 'n/c']);
  });

  it('affects only the budget that stops selecting a pod when its labels change', () => {
    const index = indexWithBudgets();
    expect(index.setPod(pod('p1', { app: 'b' }))).toEqual(['n/b']);
    expect(namesOf(index, budget('b', SELECTS_APP_A))).toEqual([]);
  });

  it('affects the budgets that select a pod when the pod is added and when it is removed', () => {
    const index = indexWithBudgets();
    expect(index.setPod(pod('p3', { app: 'd' }))).toEqual(['n/c', 'n/d']);
    expect(index.removePod({ namespace: 'n', name: 'p3' })).toEqual(['n/c', 'n/d']);
  });

  it('affects no budget by the removal of an unknown pod', () => {
    expect(indexWithBudgets().removePod({ namespace: 'n', name: 'p3' })).toEqual([]);
  });

  it('selects other pods when the selector of a budget changes', () => {
    const index = newIndex();
    index.setBudget(budget('b', SELECTS_APP_A));
    index.setBudget(budget('b', { matchLabels: { app: 'b' } }));
    expect(namesOf(index, { namespace: 'n', name: 'b' })).toEqual(['p2']);
  });

  it('returns no pods of a removed budget, and affects it by no change', () => {
    const index = newIndex();
    index.setBudget(budget('b', SELECTS_APP_A));
    index.removeBudget({ namespace: 'n', name: 'b' });
    expect(namesOf(index, { namespace: 'n', name: 'b' })).toEqual([]);
    expect(index.setPod(pod('p2', { app: 'a' }))).toEqual([]);
  });
});
