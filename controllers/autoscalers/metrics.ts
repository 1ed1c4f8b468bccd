/** Metrics of the autoscaler controller, under upstream's names. */
import type { MetricMaker } from '../runtime/controller';

/** The direction of a change of replicas, as the value of the label `action`. */
export type ScaleAction = 'scale_up' | 'scale_down' | 'none';
/** The value of the label `error`. `spec`: the autoscaler's own spec is at fault. */
export type ErrorType = 'spec' | 'internal' | 'none';

/** Records durations in milliseconds; the metrics are in seconds. */
export interface AutoscalerMetrics {
  readonly observeReconciliation: (action: ScaleAction, error: ErrorType, ms: number) => void;
  readonly observeMetricComputation: (action: ScaleAction, error: ErrorType, metricType: string, ms: number) => void;
}

/** Upstream's buckets in seconds: from a millisecond, each twice the previous one. */
const BUCKETS: readonly number[] = Array.from({ length: 15 }, (_, power) => 0.001 * 2 ** power);
const PREFIX = 'horizontal_pod_autoscaler_controller';

/** Registers the metrics. Called each time the controller starts, which happens when its process becomes the leader. */
export function autoscalerMetrics(metrics: MetricMaker): AutoscalerMetrics {
  const labels = ['action', 'error'];
  const reconciliations = metrics.counter(`${PREFIX}_reconciliations_total`, 'Reconciliations of HorizontalPodAutoscalers.', labels);
  const reconciliationSeconds = metrics.histogram(
    `${PREFIX}_reconciliation_duration_seconds`,
    'Duration of a reconciliation.',
    BUCKETS,
    labels,
  );
  const metricLabels = [...labels, 'metric_type'];
  const computations = metrics.counter(`${PREFIX}_metric_computation_total`, 'Computations of a metric.', metricLabels);
  const computationSeconds = metrics.histogram(
    `${PREFIX}_metric_computation_duration_seconds`,
    'Duration of the computation of a metric.',
    BUCKETS,
    metricLabels,
  );
  return {
    observeReconciliation(action, error, ms) {
      reconciliations({ action, error });
      reconciliationSeconds(ms / 1000, { action, error });
    },
    observeMetricComputation(action, error, metricType, ms) {
      computations({ action, error, metric_type: metricType });
      computationSeconds(ms / 1000, { action, error, metric_type: metricType });
    },
  };
}

/** The action that changes the replicas of a target from one number to the other. */
export function scaleActionOf(from: number, to: number): ScaleAction {
  if (to === from) return 'none';
  return to > from ? 'scale_up' : 'scale_down';
}
