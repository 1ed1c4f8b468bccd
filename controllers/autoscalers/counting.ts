/** What is counted of autoscalers, under upstream's names. */
import type { MetricMaker } from '../runtime/controller';

/** What a look came to: the change of the number of pods. */
export type ScaleAction = 'scale_up' | 'scale_down' | 'none';
/** Whose fault it was that it came to nothing. */
export type ScaleFault = 'spec' | 'internal' | 'none';

export interface Counting {
  readonly reconciled: (action: ScaleAction, error: ScaleFault, ms: number) => void;
  readonly computed: (action: ScaleAction, error: ScaleFault, metric: string, ms: number) => void;
}

/** Seconds. */
const BUCKETS: readonly number[] = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);
const PREFIX = 'horizontal_pod_autoscaler_controller';

export function countingOf(metrics: MetricMaker): Counting {
  const labels = ['action', 'error'];
  const reconciliations = metrics.counter(`${PREFIX}_reconciliations_total`, 'Looks at autoscalers.', labels);
  const reconciling = metrics.histogram(`${PREFIX}_reconciliation_duration_seconds`, 'Time that a look took.', BUCKETS, labels);
  const ofMetric = [...labels, 'metric_type'];
  const computations = metrics.counter(`${PREFIX}_metric_computation_total`, 'Metrics that were worked out.', ofMetric);
  const computing = metrics.histogram(`${PREFIX}_metric_computation_duration_seconds`, 'Time that one metric took.', BUCKETS, ofMetric);
  return {
    reconciled(action, error, ms) {
      reconciliations({ action, error });
      reconciling(ms / 1000, { action, error });
    },
    computed(action, error, metric, ms) {
      computations({ action, error, metric_type: metric });
      computing(ms / 1000, { action, error, metric_type: metric });
    },
  };
}

export const actionOf = (from: number, to: number): ScaleAction => (to > from ? 'scale_up' : to < from ? 'scale_down' : 'none');
