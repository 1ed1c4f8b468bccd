/** The spec of a Job with its defaults. */
import type { Job } from '../../shared/client/rest/typed-objects';

/**
 * Members with a name of `batch/v1` have the meaning that they have there; the others are derived from members of the Job
 * and of its pod template.
 */
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

/** The API's default of `backoffLimit` beside `backoffLimitPerIndex`: the largest 32-bit integer. */
const UNLIMITED_BACKOFF = 2_147_483_647;

/**
 * The defaults are those of the API, for Jobs that were stored without them. `completions` gets none: the API sets it to 1
 * only for a Job without `parallelism`.
 */
export function jobSpecOf({ body: { spec = {} } }: Job): JobSpec {
  const { activeDeadlineSeconds, backoffLimitPerIndex } = spec;
  const hasPodFailurePolicy = spec.podFailurePolicy !== undefined;
  return {
    parallelism: spec.parallelism ?? 1,
    completions: spec.completions,
    isIndexed: spec.completionMode === 'Indexed',
    isSuspended: spec.suspend === true,
    backoffLimit: spec.backoffLimit ?? (backoffLimitPerIndex === undefined ? 6 : UNLIMITED_BACKOFF),
    backoffLimitPerIndex,
    maxFailedIndexes: spec.maxFailedIndexes,
    // An int64: it is a bigint beyond 2^53.
    activeDeadlineMs: activeDeadlineSeconds === undefined ? undefined : Number(activeDeadlineSeconds) * 1_000,
    onlyReplacesFailedPods: hasPodFailurePolicy || spec.podReplacementPolicy === 'Failed',
    hasPodFailurePolicy,
    restartsContainers: spec.template?.spec?.restartPolicy === 'OnFailure',
  };
}
