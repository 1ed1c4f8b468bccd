/**
 * Indexes pods by the PodDisruptionBudgets that select them, updated with each change, so that a change of a pod costs
 * no search through all pods. A change that no budget's status depends on affects no budget. Enqueuing the affected
 * budgets is left to the controller.
 */
import type { MetaV1LabelSelector, PolicyV1PodDisruptionBudget } from '../../shared/api/types/generated/members';
import { isBeingDeleted, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import { compileLabelSelector, type LabelMatcher } from '../../shared/api/selectors/label-selector';
import { requirementsOfSelector } from '../../shared/api/selectors/object-selector';
import { equalJson } from '../../shared/values/json';
import { controllerOf, isPodReady, labelsOf, type ControllerReference } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';

export type PodDisruptionBudget = ApiObject<PolicyV1PodDisruptionBudget>;

/** The part of a pod that the status of a budget depends on. */
export interface SelectedPod {
  readonly name: string;
  /** Undefined for a pod that no controller replaces. */
  readonly controller: ControllerReference | undefined;
  readonly isReady: boolean;
  readonly isBeingDeleted: boolean;
}

/** A budget with the pods that it selects. */
interface IndexedBudget {
  /** `undefined` when the budget has none. */
  readonly selector: MetaV1LabelSelector | undefined;
  readonly matches: LabelMatcher;
  /** By name. */
  readonly pods: Map<string, SelectedPod>;
}

type ObjectName = Pick<ApiObject, 'namespace' | 'name'>;

/** The caller passes every change of the observed budgets and pods to it. */
export class BudgetPodIndex {
  /** By namespace, then by name. */
  private readonly budgets = new Map<string, Map<string, IndexedBudget>>();
  /** All pods, by namespace and then by name. */
  private readonly pods = new Map<string, Map<string, Pod>>();

  /** Call it for each added or updated budget. A changed selector is matched against all pods of the namespace. */
  setBudget({ namespace, name, body }: PodDisruptionBudget): void {
    const selector = body.spec?.selector;
    const previous = this.budgets.get(namespace)?.get(name);
    if (previous !== undefined && equalJson(previous.selector, selector)) return;
    const budget: IndexedBudget = { selector, matches: matcherOf(selector), pods: new Map() };
    for (const pod of this.pods.get(namespace)?.values() ?? []) {
      if (budget.matches(labelsOf(pod))) budget.pods.set(pod.name, selectedPodOf(pod));
    }
    innerMap(this.budgets, namespace).set(name, budget);
  }

  /** Call it for each deleted budget. */
  removeBudget({ namespace, name }: ObjectName): void {
    deleteInner(this.budgets, namespace, name);
  }

  /** Call it for each added or updated pod. Returns the keys of the budgets that the change affects. */
  setPod(pod: Pod): readonly string[] {
    const { namespace, name } = pod;
    innerMap(this.pods, namespace).set(name, pod);
    const labels = labelsOf(pod);
    const current = selectedPodOf(pod);
    const affected: string[] = [];
    for (const [budgetName, { matches, pods }] of this.budgets.get(namespace) ?? []) {
      const previous = pods.get(name);
      if (matches(labels)) pods.set(name, current);
      else if (!pods.delete(name)) continue;
      const isUnaffected = previous !== undefined && pods.has(name) && isSamePod(previous, current);
      if (!isUnaffected) affected.push(keyOf({ namespace, name: budgetName }));
    }
    return affected;
  }

  /** Call it for each deleted pod. Returns the keys of the budgets that the change affects. */
  removePod({ namespace, name }: ObjectName): readonly string[] {
    deleteInner(this.pods, namespace, name);
    return [...(this.budgets.get(namespace) ?? [])].flatMap(([budgetName, { pods }]) =>
      pods.delete(name) ? [keyOf({ namespace, name: budgetName })] : [],
    );
  }

  /** The pods that the budget selects, in any order; empty for a budget that is not indexed. */
  podsOf({ namespace, name }: ObjectName): readonly SelectedPod[] {
    return [...(this.budgets.get(namespace)?.get(name)?.pods.values() ?? [])];
  }

  /** The keys of the budgets in the namespace. */
  budgetsIn(namespace: string): readonly string[] {
    return [...(this.budgets.get(namespace)?.keys() ?? [])].map((name) => keyOf({ namespace, name }));
  }
}

/** A budget without a selector selects no pods; an empty selector selects all pods. */
function matcherOf(selector: MetaV1LabelSelector | undefined): LabelMatcher {
  return selector === undefined ? () => false : compileLabelSelector(requirementsOfSelector(selector));
}

function selectedPodOf(pod: Pod): SelectedPod {
  return { name: pod.name, controller: controllerOf(pod), isReady: isPodReady(pod), isBeingDeleted: isBeingDeleted(pod) };
}

const isSamePod = (a: SelectedPod, b: SelectedPod): boolean =>
  a.isReady === b.isReady && a.isBeingDeleted === b.isBeingDeleted && a.controller?.uid === b.controller?.uid;

function innerMap<T>(maps: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const map = maps.get(key) ?? new Map<string, T>();
  maps.set(key, map);
  return map;
}

function deleteInner<T>(maps: Map<string, Map<string, T>>, outerKey: string, innerKey: string): void {
  const map = maps.get(outerKey);
  map?.delete(innerKey);
  if (map?.size === 0) maps.delete(outerKey);
}
