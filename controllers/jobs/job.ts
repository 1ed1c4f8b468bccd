/**
 * The resources of the Job controller, and the finalizer, label and annotations that it puts on pods. Names are recognised
 * in both dialects and written in the one of the process. The labels of a Job's selector are not among them: the API server
 * adds these to the Job's pod template.
 */
import { finalizersOf, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { canonicalQualifiedName } from '../../shared/names/dialect';

export const JOBS = resourceOf('batch.v1.Job');
export const PODS = resourceOf('core.v1.Pod');

/** Names in canonical spelling. */
export const JOB_NAMES = {
  /** The finalizer that retains a pod until it has been counted. */
  tracking: 'batch.platform.io/job-tracking',
  /** The completion index of a pod, as a label and an annotation. */
  index: 'batch.platform.io/job-completion-index',
  /** Annotations with the failures of a pod's index before this pod: those that count, and those that are ignored. */
  failures: 'batch.platform.io/job-index-failure-count',
  ignored: 'batch.platform.io/job-index-ignored-failure-count',
} as const;

/** The environment variable in which a container finds its completion index. */
export const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';

/** Whether the name, in either spelling, is the finalizer that retains a pod until it has been counted. */
export const isTrackingFinalizer = (finalizer: string): boolean => canonicalQualifiedName(finalizer) === JOB_NAMES.tracking;

export const hasTrackingFinalizer = (pod: Pick<ApiObject, 'metadata'>): boolean => finalizersOf(pod).some(isTrackingFinalizer);

/** Up to ten digits, such as `0` or `1024`. */
const DECIMAL = /^\d{1,10}$/;

/**
 * The number in an annotation of a pod: its completion index, or a count of failures. Undefined where the annotation is
 * absent or no number.
 */
export function numberAnnotation({ metadata }: Pick<ApiObject, 'metadata'>, name: 'index' | 'failures' | 'ignored'): number | undefined {
  for (const [key, value] of Object.entries(metadata.annotations ?? {})) {
    if (canonicalQualifiedName(key) === JOB_NAMES[name] && DECIMAL.test(value)) return Number(value);
  }
  return undefined;
}
