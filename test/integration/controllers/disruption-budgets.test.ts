/**
 * PodDisruptionBudgets, compared with upstream's controllers. A deviation changes the recorded state of a step (`recording:
 * step`) to what this controller does on purpose.
 */
import { stringifyJson } from '../../../shared/values/json';
import { isBody, type Json } from '../../replay/json-response';
import type { ObservedState } from '../../replay/scenarios/scenario';
import { replayControllers } from '../../support/scenarios/replay-controllers';

const BUDGETS = '/apis/policy/v1/namespaces/$NS/poddisruptionbudgets';

/** Messages print a selector as JSON; upstream prints a Go struct. */
const withJsonSelector = (state: ObservedState): ObservedState => {
  const selectorJson = stringifyJson({ matchLabels: { app: 'a' } });
  const text = JSON.stringify(state).replaceAll(
    /&LabelSelector\{MatchLabels:.*?MatchExpressions:\[\]LabelSelectorRequirement\{\},\}/g,
    () => JSON.stringify(selectorJson).slice(1, -1),
  );
  const changed: ObservedState = JSON.parse(text);
  return changed;
};

function replaceText(state: ObservedState, text: string, replacement: string): ObservedState {
  const changed: ObservedState = JSON.parse(JSON.stringify(state).replaceAll(text, replacement));
  return changed;
}

/** Replaces counts in the status of the budget with the given name, and its condition by one that allows no disruption. */
const withInsufficientPods =
  (name: string, counts: Readonly<Record<string, number>>) =>
  (state: ObservedState): ObservedState => ({
    ...state,
    [BUDGETS]: (state[BUDGETS] ?? []).map((budget) =>
      isBody(budget) && nameOf(budget) === name ? setInsufficientPods(budget, counts) : budget,
    ),
  });

function nameOf(object: { readonly [member: string]: Json }): Json | undefined {
  const metadata = object['metadata'];
  return isBody(metadata) ? metadata['name'] : undefined;
}

function setInsufficientPods(budget: { [member: string]: Json }, counts: Readonly<Record<string, number>>): Json {
  const status = isBody(budget['status']) ? budget['status'] : {};
  const conditions = Array.isArray(status['conditions']) ? status['conditions'].filter(isBody) : [];
  const expectedCondition = { reason: 'InsufficientPods', status: 'False' };
  return {
    ...budget,
    status: { ...status, ...counts, conditions: conditions.map((condition) => ({ ...condition, ...expectedCondition })) },
  };
}

replayControllers('disruption-budgets', {
  controllerArgs: ['--controllers=-*,disruption,serviceaccount,namespace'],
  deviations: {
    ...Object.fromEntries(
      ['a share of pods without owner', 'most of them', 'one has an owner', 'a number'].map((title) => [
        `budget-unmanaged: ${title}`,
        withJsonSelector,
      ]),
    ),
    // The message has the name of the budget; upstream prints the namespace in its place.
    'budget-disrupted: one is on its way, one was, one is gone': (state) => replaceText(state, 'PDB $NS/$NS', 'PDB $NS/b'),
    // A pod stops counting as soon as its labels no longer match; with upstream, when another pod changes.
    'budget-number: a pod leaves by its labels': withInsufficientPods('b', {
      currentHealthy: 1,
      expectedPods: 1,
      disruptionsAllowed: 0,
    }),
    // Both budgets count the pod; upstream counts it in a random one of them.
    'budget-twice: a pod of both': (state) =>
      withInsufficientPods('b1', { expectedPods: 1 })(withInsufficientPods('b2', { expectedPods: 1 })(state)),
  },
});
