/** Autoscalers, as the reference's controller keeps them: where nobody measures anything, and where metrics are measured. */
import type { Observed } from '../../replay/scenarios/scenario';
import { replayControllers } from '../../support/replay-controllers';

const controllerArgs = [
  '--controllers=-*,horizontal-pod-autoscaler,serviceaccount,namespace',
  '--horizontal-pod-autoscaler-sync-period=1s',
];

function replaced(state: Observed, text: string, other: string): Observed {
  const made: Observed = JSON.parse(JSON.stringify(state).replaceAll(text, other));
  return made;
}

/** The reference names rivals in an order that changes from look to look. */
const inOrder = (state: Observed): Observed => replaced(state, '[$NS/i $NS/h]', '[$NS/h $NS/i]');

describe('unmeasured', () =>
  replayControllers('autoscalers', {
    controllerArgs,
    deviations: Object.fromEntries(
      ['two on one target', 'another one on the same pods'].map((title) => [`scaler-ambiguous: ${title}`, inOrder]),
    ),
  }));

describe('measured', () =>
  replayControllers('measured-autoscalers', {
    controllerArgs,
    deviations: {
      // Where there are no pods, what they share is said as a whole; the reference divides by none.
      'scaler-object-without-pods: for each of none': (state) => replaced(state, '"-9223372036854775808m"', '"20"'),
    },
  }));
