/**
 * Which pods each budget speaks of, kept up to date change by change, so that a pod's change costs no look at all pods. Knows nothing of
 * bounds, and forgets of pods all that no status is made of.
 */
import { isBeingDeleted, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import { compileLabelSelector, type LabelMatcher } from '../../shared/api/selectors/label-selector';
import { requirementsOf } from '../../shared/api/selectors/object-selector';
import { equalJson, objectAt, type JsonObject } from '../../shared/values/json';
import { controllerOf, isPodReady, labelsOf, type ControllerReference } from '../runtime/pods';

export interface CoveredPod {
  readonly name: string;
  readonly owner: ControllerReference | undefined;
  readonly isReady: boolean;
  readonly isGoing: boolean;
}

interface Covering {
  readonly selector: JsonObject | undefined;
  readonly matches: LabelMatcher;
  /** By name. */
  readonly pods: Map<string, CoveredPod>;
}

export class Coverage {
  /** By namespace, then by name. */
  private readonly budgets = new Map<string, Map<string, Covering>>();
  private readonly pods = new Map<string, Map<string, ApiObject>>();

  setBudget(budget: ApiObject): void {
    const { namespace, name } = budget;
    const selector = objectAt(objectAt(budget.body, 'spec'), 'selector');
    const known = this.budgets.get(namespace)?.get(name);
    if (known !== undefined && equalJson(known.selector, selector)) return;
    const covering: Covering = { selector, matches: matcherOf(selector), pods: new Map() };
    for (const pod of this.pods.get(namespace)?.values() ?? [])
      if (covering.matches(labelsOf(pod))) covering.pods.set(pod.name, covered(pod));
    inMap(this.budgets, namespace).set(name, covering);
  }

  removeBudget({ namespace, name }: ApiObject): void {
    takeFrom(this.budgets, namespace, name);
  }

  /** The keys of the budgets to which the change matters. */
  setPod(pod: ApiObject): readonly string[] {
    const { namespace, name } = pod;
    inMap(this.pods, namespace).set(name, pod);
    const [labels, now] = [labelsOf(pod), covered(pod)];
    const touched: string[] = [];
    for (const [budget, { matches, pods }] of this.budgets.get(namespace) ?? []) {
      const then = pods.get(name);
      if (matches(labels)) pods.set(name, now);
      else if (!pods.delete(name)) continue;
      if (then === undefined || !pods.has(name) || !isSame(then, now)) touched.push(keyOf({ namespace, name: budget }));
    }
    return touched;
  }

  removePod({ namespace, name }: ApiObject): readonly string[] {
    takeFrom(this.pods, namespace, name);
    return [...(this.budgets.get(namespace) ?? [])].flatMap(([budget, { pods }]) =>
      pods.delete(name) ? [keyOf({ namespace, name: budget })] : [],
    );
  }

  /** None for a budget that is not known. */
  podsOf({ namespace, name }: ApiObject): readonly CoveredPod[] {
    return [...(this.budgets.get(namespace)?.get(name)?.pods.values() ?? [])];
  }

  budgetsIn(namespace: string): readonly string[] {
    return [...(this.budgets.get(namespace)?.keys() ?? [])].map((name) => keyOf({ namespace, name }));
  }
}

/** Without a selector nothing is meant, with an empty one everything. */
function matcherOf(selector: JsonObject | undefined): LabelMatcher {
  return selector === undefined ? () => false : compileLabelSelector(requirementsOf(selector));
}

function covered(pod: ApiObject): CoveredPod {
  return { name: pod.name, owner: controllerOf(pod), isReady: isPodReady(pod), isGoing: isBeingDeleted(pod) };
}

const isSame = (a: CoveredPod, b: CoveredPod): boolean =>
  a.isReady === b.isReady && a.isGoing === b.isGoing && a.owner?.uid === b.owner?.uid;

function inMap<T>(maps: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const found = maps.get(key) ?? new Map<string, T>();
  maps.set(key, found);
  return found;
}

function takeFrom<T>(maps: Map<string, Map<string, T>>, outer: string, inner: string): void {
  const found = maps.get(outer);
  found?.delete(inner);
  if (found?.size === 0) maps.delete(outer);
}
