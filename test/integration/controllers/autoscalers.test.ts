/** HorizontalPodAutoscalers, compared with upstream: without any metrics API, and with one. */
import type { ObservedState } from '../../replay/scenarios/scenario';
import { replaceText } from '../../support/scenarios/observed-state';
import { replayControllers } from '../../support/scenarios/replay-controllers';

const controllerArgs = [
  '--controllers=-*,horizontal-pod-autoscaler,serviceaccount,namespace',
  '--horizontal-pod-autoscaler-sync-period=1s',
];

/** The reference lists the autoscalers that select the same pods in random order. */
const withSortedAutoscalers = (state: ObservedState): ObservedState => replaceText(state, '[$NS/i $NS/h]', '[$NS/h $NS/i]');

describe('autoscalers without a metrics API match the recording', () =>
  replayControllers('autoscalers', {
    controllerArgs,
    deviations: Object.fromEntries(
      ['two on one target', 'another one on the same pods'].map((title) => [`scaler-ambiguous: ${title}`, withSortedAutoscalers]),
    ),
  }));

describe('autoscalers with a metrics API match the recording', () =>
  replayControllers('measured-autoscalers', {
    controllerArgs,
    deviations: {
      // Without pods the message shows the total instead of an average; upstream divides by zero.
      'scaler-object-without-pods: for each of none': (state) => replaceText(state, '"-9223372036854775808m"', '"20"'),
    },
  }));
