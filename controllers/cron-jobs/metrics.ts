/** The metrics of the CronJob controller, under upstream's names. */
import type { MetricMaker } from '../runtime/controller';

/** Seconds. */
const SKEW_BUCKETS: readonly number[] = Array.from({ length: 10 }, (_, power) => 2 ** power);

/** Returns a function that observes a delay in seconds. */
export function newCreationSkewHistogram(metrics: MetricMaker): (seconds: number) => void {
  return metrics.histogram(
    'cronjob_controller_job_creation_skew_duration_seconds',
    'Time between when a cronjob is scheduled to be run, and when the corresponding job is created',
    SKEW_BUCKETS,
  );
}
