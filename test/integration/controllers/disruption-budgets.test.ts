/**
 * PodDisruptionBudgets, compared with upstream's controllers. A deviation changes the recorded state of a step (`recording:
 * step`) to what this controller does on purpose.
 */
import { stringifyJson } from '../../../shared/values/json';
import { isBody } from '../../replay/json-response';
import type { ObservedState } from '../../replay/scenarios/scenario';
import { changeNamed, replaceText } from '../../support/scenarios/observed-state';
import { replayControllers } from '../../support/scenarios/replay-controllers';

const BUDGETS = '/apis/policy/v1/namespaces/$NS/poddisruptionbudgets';

/** Messages print a selector as JSON; upstream prints a Go struct. */
const withJsonSelector = (state: ObservedState): ObservedState =>
  replaceText(
    state,
    /&LabelSelector\{MatchLabels:.*?MatchExpressions:\[\]LabelSelectorRequirement\{\},\}/g,
    JSON.stringify(stringifyJson({ matchLabels: { app: 'a' } })).slice(1, -1),
  );

/** Replaces counts in the status of the budget with the given name, and its condition by one that allows no disruption. */
const withInsufficientPods =
  (name: string, counts: Readonly<Record<string, number>>) =>
  (state: ObservedState): ObservedState =>
    changeNamed(state, { name, collection: BUDGETS }, (budget) => {
      const status = isBody(budget['status']) ? budget['status'] : {};
      const conditions = Array.isArray(status['conditions']) ? status['conditions'].filter(isBody) : [];
      const expectedCondition = { reason: 'InsufficientPods', status: 'False' };
      return {
        ...budget,
        status: { ...status, ...counts, conditions: conditions.map((condition) => ({ ...condition, ...expectedCondition })) },
      };
    });

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
