/** The spec of a Job with its defaults. */
import type { Job } from '../../shared/client/rest/typed-objects';

/** Members have the meaning that they have in `batch/v1`. */
export interface JobSpec {
  readonly parallelism: number;
  /** `undefined` when one success is enough: the Job then completes as soon as none of its pods is active. */
  readonly completions: number | undefined;
  readonly isIndexed: boolean;
  readonly isSuspended: boolean;
  readonly backoffLimit: number;
  /** `undefined` when the failures of all indexes are counted together. */
  readonly backoffLimitPerIndex: number | undefined;
  /** `undefined` without a limit. */
  readonly maxFailedIndexes: number | undefined;
  /** `undefined` without a deadline. */
  readonly activeDeadlineMs: number | undefined;
  /** Pods are replaced when they have failed, not as soon as they are terminating. */
  readonly onlyReplacesFailedPods: boolean;
  readonly hasPodFailurePolicy: boolean;
  /** The kubelet restarts failed containers (`restartPolicy: OnFailure`). */
  readonly restartsContainers: boolean;
}

/** The default of `backoffLimit` beside `backoffLimitPerIndex`: no limit of all failures. */
const MAX_INT32 = 2_147_483_647;

/** The defaults are those of the API, for Jobs that were stored without them. */
export function jobSpecOf({ body: { spec = {} } }: Job): JobSpec {
  const { activeDeadlineSeconds, backoffLimitPerIndex } = spec;
  const hasPodFailurePolicy = spec.podFailurePolicy !== undefined;
  return {
    parallelism: spec.parallelism ?? 1,
    completions: spec.completions,
    isIndexed: spec.completionMode === 'Indexed',
    isSuspended: spec.suspend === true,
    backoffLimit: spec.backoffLimit ?? (backoffLimitPerIndex === undefined ? 6 : MAX_INT32),
    backoffLimitPerIndex,
    maxFailedIndexes: spec.maxFailedIndexes,
    activeDeadlineMs: activeDeadlineSeconds === undefined ? undefined : Number(activeDeadlineSeconds) * 1_000,
    onlyReplacesFailedPods: hasPodFailurePolicy || spec.podReplacementPolicy === 'Failed',
    hasPodFailurePolicy,
    restartsContainers: spec.template?.spec?.restartPolicy === 'OnFailure',
  };
}
