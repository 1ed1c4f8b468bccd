/** The metrics of the CronJob controller, under upstream's names. */
import type { MetricMaker } from '../runtime/controller';

/** Upstream's buckets in seconds: from 1, each twice the previous one. */
const SKEW_BUCKETS: readonly number[] = Array.from({ length: 10 }, (_, power) => 2 ** power);

/** Returns a function that observes the seconds between the scheduled time of a run and the creation of its Job. */
export function newCreationSkewHistogram(metrics: MetricMaker): (seconds: number) => void {
  return metrics.histogram(
    'cronjob_controller_job_creation_skew_duration_seconds',
    'Time between when a cronjob is scheduled to be run, and when the corresponding job is created',
    SKEW_BUCKETS,
  );
}
