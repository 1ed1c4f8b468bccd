/** The metrics of the ephemeral volume controller, under upstream's names. */
import type { MetricMaker } from '../runtime/controller';

/** `countAttempt` is called once for each creation of a claim, and `countFailure` for those that fail. */
export interface CreationMetrics {
  readonly countAttempt: () => void;
  readonly countFailure: () => void;
}

/** Registers the metrics. Called each time the controller starts, which happens when its process becomes the leader. */
export function creationMetrics(metrics: Pick<MetricMaker, 'counter'>): CreationMetrics {
  return {
    countAttempt: metrics.counter('ephemeral_volume_controller_create_total', 'Claims that were to be created for ephemeral volumes.'),
    countFailure: metrics.counter('ephemeral_volume_controller_create_failures_total', 'Failed creations of claims for ephemeral volumes.'),
  };
}
