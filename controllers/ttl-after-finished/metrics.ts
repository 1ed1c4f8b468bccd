/** The metric of the TTL controller, under upstream's name. */
import type { MetricMaker } from '../runtime/controller';

/** Upstream's buckets in seconds: from 0.1, each twice the previous one. */
const DURATION_BUCKETS: readonly number[] = Array.from({ length: 14 }, (_, power) => 0.1 * 2 ** power);

/** Returns a function that observes the seconds between the expiration of a Job and its deletion. */
export function deletionDurationMetric(metrics: Pick<MetricMaker, 'histogram'>): (seconds: number) => void {
  return metrics.histogram(
    'ttl_after_finished_controller_job_deletion_duration_seconds',
    "Delay between the end of a Job's TTL and its deletion.",
    DURATION_BUCKETS,
  );
}
