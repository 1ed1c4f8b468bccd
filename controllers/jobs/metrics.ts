/** What is counted of Jobs, under upstream's names. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { objectAt, type JsonObject } from '../../shared/values/json';
import { numberAt } from '../workload/spec';
import type { MetricMaker } from '../runtime/controller';
import type { Ending } from './ending';
import { wishesOf } from './spec';

export class JobCounts {
  private readonly jobs: ReturnType<MetricMaker['counter']>;
  private readonly pods: ReturnType<MetricMaker['counter']>;

  constructor(metrics: MetricMaker) {
    const mode = 'completion_mode';
    this.jobs = metrics.counter('job_controller_jobs_finished_total', 'Jobs that have ended.', [mode, 'result', 'reason']);
    this.pods = metrics.counter('job_controller_job_pods_finished_total', 'Pods that have ended and are counted.', [mode, 'result']);
  }

  /** `ending` = undefined while the Job goes on. */
  wrote(job: ApiObject, status: JsonObject, ending: Ending | undefined): void {
    const completion_mode = wishesOf(job).isIndexed ? 'Indexed' : 'NonIndexed';
    const known = objectAt(job.body, 'status');
    for (const result of ['succeeded', 'failed'] as const) {
      const more = (numberAt(status, result) ?? 0) - (numberAt(known, result) ?? 0);
      if (more > 0) this.pods({ completion_mode, result }, more);
    }
    if (ending === undefined) return;
    this.jobs({ completion_mode, result: ending.end === 'Complete' ? 'succeeded' : 'failed', reason: ending.reason });
  }
}
