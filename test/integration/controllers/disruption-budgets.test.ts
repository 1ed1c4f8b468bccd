/** Disruption budgets, as the reference's controllers keep them. */
import { stringifyJson } from '../../../shared/values/json';
import { isBody, type Json } from '../../replay/reference';
import type { Observed } from '../../replay/scenarios/scenario';
import { replayControllers } from '../../support/replay-controllers';

const BUDGETS = '/apis/policy/v1/namespaces/$NS/poddisruptionbudgets';

/** What is said of a selector is JSON here. */
const plainSelector = (state: Observed): Observed => {
  const shown = stringifyJson({ matchLabels: { app: 'a' } });
  const text = JSON.stringify(state).replaceAll(
    /&LabelSelector\{MatchLabels:.*?MatchExpressions:\[\]LabelSelectorRequirement\{\},\}/g,
    () => JSON.stringify(shown).slice(1, -1),
  );
  const made: Observed = JSON.parse(text);
  return made;
};

function replaced(state: Observed, text: string, other: string): Observed {
  const made: Observed = JSON.parse(JSON.stringify(state).replaceAll(text, other));
  return made;
}

/** The budget's status with other numbers. */
const counted =
  (name: string, numbers: Readonly<Record<string, number>>, allowed: boolean) =>
  (state: Observed): Observed => ({
    ...state,
    [BUDGETS]: (state[BUDGETS] ?? []).map((budget) =>
      isBody(budget) && nameOf(budget) === name ? withNumbers(budget, numbers, allowed) : budget,
    ),
  });

function nameOf(object: { readonly [member: string]: Json }): Json | undefined {
  const metadata = object['metadata'];
  return isBody(metadata) ? metadata['name'] : undefined;
}

function withNumbers(budget: { [member: string]: Json }, numbers: Readonly<Record<string, number>>, allowed: boolean): Json {
  const status = isBody(budget['status']) ? budget['status'] : {};
  const conditions = Array.isArray(status['conditions']) ? status['conditions'].filter(isBody) : [];
  const said = { reason: allowed ? 'SufficientPods' : 'InsufficientPods', status: allowed ? 'True' : 'False' };
  return { ...budget, status: { ...status, ...numbers, conditions: conditions.map((condition) => ({ ...condition, ...said })) } };
}

replayControllers('disruption-budgets', {
  controllerArgs: ['--controllers=-*,disruption,serviceaccount,namespace'],
  deviations: {
    ...Object.fromEntries(
      ['a share of pods without owner', 'most of them', 'one has an owner', 'a number'].map((title) => [
        `budget-unmanaged: ${title}`,
        plainSelector,
      ]),
    ),
    // The budget's own name.
    'budget-disrupted: one is on its way, one was, one is gone': (state) => replaced(state, 'PDB $NS/$NS', 'PDB $NS/b'),
    // A pod counts out as soon as its labels say so, not with the next change of another pod.
    'budget-number: a pod leaves by its labels': counted('b', { currentHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 }, false),
    // Both budgets count the pod, not one that chance chooses.
    'budget-twice: a pod of both': (state) => counted('b1', { expectedPods: 1 }, false)(counted('b2', { expectedPods: 1 }, false)(state)),
  },
});
