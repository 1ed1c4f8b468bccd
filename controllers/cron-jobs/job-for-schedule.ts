/** What a CronJob's Jobs are called, and what they are made of. Knows no server. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import type { Dialect } from '../../shared/names/dialect';
import { qualifiedNameIn } from '../../shared/names/dialect';
import { cloneJson, objectAt, type JsonObject } from '../../shared/values/json';
import { zonedTimestamp } from '../../shared/values/wall-clock';
import { controllerReference } from '../workload/references';

export const CRON_JOBS = resourceOf('batch.v1.CronJob');
export const JOBS = resourceOf('batch.v1.Job');

/** When the Job was due, as the clocks of the schedule's zone show it. */
const SCHEDULED = 'batch.platform.io/cronjob-scheduled-timestamp';
const MINUTE_MS = 60_000;

/** The same for the same time, so that no run begins twice. */
export const jobName = ({ name }: ApiObject, scheduledAt: number): string => `${name}-${Math.floor(scheduledAt / MINUTE_MS)}`;

export function jobFor(dialect: Dialect, cron: ApiObject, scheduledAt: number, zone: string | undefined): JsonObject {
  const template = objectAt(objectAt(cron.body, 'spec'), 'jobTemplate') ?? {};
  const shown = objectAt(template, 'metadata');
  const copied = (member: string): JsonObject => ({ ...objectAt(shown, member) });
  const annotations = { ...copied('annotations'), [qualifiedNameIn(dialect, SCHEDULED)]: zonedTimestamp(zone, scheduledAt) };
  return {
    metadata: {
      namespace: cron.namespace,
      name: jobName(cron, scheduledAt),
      labels: copied('labels'),
      annotations,
      ownerReferences: [controllerReference(dialect, CRON_JOBS, cron)],
    },
    spec: cloneJson(objectAt(template, 'spec') ?? {}),
  };
}
