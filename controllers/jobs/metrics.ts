/** The metrics of the Job controller, under upstream's names. */
import type { BatchV1JobStatus } from '../../shared/api/types/generated/members';
import type { MetricMaker } from '../runtime/controller';
import type { Job } from '../../shared/client/rest/typed-objects';
import type { JobOutcome } from './job-outcome';
import { jobSpecOf } from './job-spec';

/** Counts Jobs and pods from the difference between two statuses of a Job. */
export class JobMetrics {
  private readonly jobsFinished: ReturnType<MetricMaker['counter']>;
  private readonly podsFinished: ReturnType<MetricMaker['counter']>;

  constructor(metrics: MetricMaker) {
    const mode = 'completion_mode';
    this.jobsFinished = metrics.counter('job_controller_jobs_finished_total', 'Finished Jobs.', [mode, 'result', 'reason']);
    this.podsFinished = metrics.counter('job_controller_job_pods_finished_total', 'Finished pods that have been counted.', [
      mode,
      'result',
    ]);
  }

  /**
   * Call it once for each sync, after its last status. `job`: before the sync. `outcome`: undefined unless this status
   * finishes the Job.
   */
  statusWritten(job: Job, status: BatchV1JobStatus, outcome: JobOutcome | undefined): void {
    const completion_mode = jobSpecOf(job).isIndexed ? 'Indexed' : 'NonIndexed';
    for (const result of ['succeeded', 'failed'] as const) {
      const increase = (status[result] ?? 0) - (job.body.status?.[result] ?? 0);
      if (increase > 0) this.podsFinished({ completion_mode, result }, increase);
    }
    if (outcome === undefined) return;
    this.jobsFinished({ completion_mode, result: outcome.condition === 'Complete' ? 'succeeded' : 'failed', reason: outcome.reason });
  }
}
