/**
 * Counts the finished pods of a Job, each exactly once: the uid of a finished pod is first written to
 * `status.uncountedTerminatedPods`, then the pod's tracking finalizer is removed, then the pod is added to
 * `status.succeeded` or `status.failed`. The functions are pure.
 */
import type { BatchV1UncountedTerminatedPods } from '../../shared/api/types/generated/members';
import type { Job } from '../../shared/client/rest/typed-objects';

/** The counts of finished pods, and the pods that are about to be added to them. */
export interface PodCounters {
  readonly succeeded: number;
  readonly failed: number;
  /** Uids of finished pods that the counts above do not include yet. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
}

/**
 * The counters of the Job's status; uncounted pods without the finalizer are counted. `tracked`: uids of the pods with
 * the finalizer.
 */
export function podCountersOf({ body: { status = {} } }: Job, tracked: ReadonlySet<string>): PodCounters {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const counters = { succeeded: status.succeeded ?? 0, failed: status.failed ?? 0, uncounted: { succeeded, failed } };
  return countUntracked(counters, (uid) => !tracked.has(uid));
}

/** Counts those uncounted pods that have lost the finalizer. */
export function countUntracked({ succeeded, failed, uncounted }: PodCounters, isUntracked: (uid: string) => boolean): PodCounters {
  const remaining = (uids: readonly string[]): readonly string[] => uids.filter((uid) => !isUntracked(uid));
  const succeededLeft = remaining(uncounted.succeeded);
  const failedLeft = remaining(uncounted.failed);
  return {
    succeeded: succeeded + uncounted.succeeded.length - succeededLeft.length,
    failed: failed + uncounted.failed.length - failedLeft.length,
    uncounted: { succeeded: succeededLeft, failed: failedLeft },
  };
}

/** A copy with more uncounted pods. `succeeded` and `failed`: uids that are not in the counters yet. */
export function addUncounted({ uncounted, ...counts }: PodCounters, succeeded: readonly string[], failed: readonly string[]): PodCounters {
  return { ...counts, uncounted: { succeeded: [...uncounted.succeeded, ...succeeded], failed: [...uncounted.failed, ...failed] } };
}

/** `status.uncountedTerminatedPods`; a list without entries is absent. */
export function uncountedTerminatedPods({ uncounted }: PodCounters): BatchV1UncountedTerminatedPods {
  const { succeeded, failed } = uncounted;
  return { ...(succeeded.length === 0 ? {} : { succeeded: [...succeeded] }), ...(failed.length === 0 ? {} : { failed: [...failed] }) };
}

/** The number of uncounted pods. */
export const uncountedSize = ({ uncounted }: PodCounters): number => uncounted.succeeded.length + uncounted.failed.length;
