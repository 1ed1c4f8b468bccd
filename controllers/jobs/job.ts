/** What Jobs and their pods know each other by. Labels of the selector are the server's to make. Read in either spelling, written in the one of the process. */
import { finalizersOf, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { objectAt } from '../../shared/values/json';

export const JOBS = resourceOf('batch.v1.Job');
export const PODS = resourceOf('core.v1.Pod');

export const JOB_NAMES = {
  /** Holds a pod until it has been counted. */
  tracking: 'batch.platform.io/job-tracking',
  index: 'batch.platform.io/job-completion-index',
  failures: 'batch.platform.io/job-index-failure-count',
  ignored: 'batch.platform.io/job-index-ignored-failure-count',
} as const;

export const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';

export const isTracking = (finalizer: string): boolean => canonicalQualifiedName(finalizer) === JOB_NAMES.tracking;

export const isTracked = (pod: ApiObject): boolean => finalizersOf(pod).some(isTracking);

/** Undefined where the pod says nothing that is a number. */
export function annotatedCount({ body }: ApiObject, name: 'index' | 'failures' | 'ignored'): number | undefined {
  for (const [key, value] of Object.entries(objectAt(objectAt(body, 'metadata'), 'annotations') ?? {})) {
    if (typeof value === 'string' && canonicalQualifiedName(key) === JOB_NAMES[name] && /^\d{1,10}$/.test(value)) return Number(value);
  }
  return undefined;
}
