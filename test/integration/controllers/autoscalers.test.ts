/** HorizontalPodAutoscalers, compared with the reference: without any metrics API, and with one. */
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

/** The reference lists the autoscalers that select the same pods in random order. */
const inOrder = (state: Observed): Observed => replaced(state, '[$NS/i $NS/h]', '[$NS/h $NS/i]');

describe('autoscalers without a metrics API match the recording', () =>
  replayControllers('autoscalers', {
    controllerArgs,
    deviations: Object.fromEntries(
      ['two on one target', 'another one on the same pods'].map((title) => [`scaler-ambiguous: ${title}`, inOrder]),
    ),
  }));

describe('autoscalers with a metrics API match the recording', () =>
  replayControllers('measured-autoscalers', {
    controllerArgs,
    deviations: {
      // Without pods the message shows the total instead of an average; the reference divides by zero.
      'scaler-object-without-pods: for each of none': (state) => replaced(state, '"-9223372036854775808m"', '"20"'),
    },
  }));
