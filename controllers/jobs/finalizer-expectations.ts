/**
 * Remembers the pods from which this process has removed the tracking finalizer, until the informer shows them without
 * it or deleted. They have been counted, whatever the informer shows. Does the work of upstream's
 * uidTrackingExpectations.
 */
import type { Pod } from '../../shared/client/rest/typed-objects';
import { hasTrackingFinalizer } from './job';

const NO_UIDS: ReadonlySet<string> = new Set();

/** Jobs are named by their keys, pods by their uids. */
export class FinalizerExpectations {
  /** Uids of pods by the Job's key. */
  private readonly uidsByJob = new Map<string, Set<string>>();

  /** The number of Jobs with outstanding expectations. */
  get size(): number {
    return this.uidsByJob.size;
  }

  /** Call it before the finalizer is removed. */
  expectRemoved(jobKey: string, podUid: string): void {
    const uids = this.uidsByJob.get(jobKey) ?? new Set<string>();
    this.uidsByJob.set(jobKey, uids.add(podUid));
  }

  /** Call it when the informer shows that the pod was deleted, and when the finalizer could not be removed. */
  removalObserved(jobKey: string, podUid: string): void {
    const uids = this.uidsByJob.get(jobKey);
    if (uids?.delete(podUid) === true && uids.size === 0) this.uidsByJob.delete(jobKey);
  }

  /**
   * Drops the pods that the informer shows without the finalizer, and returns the uids of the rest. A pod that it does
   * not show yet may still appear with the finalizer.
   */
  outstanding(jobKey: string, observed: readonly Pod[]): ReadonlySet<string> {
    const uids = this.uidsByJob.get(jobKey);
    if (uids === undefined) return NO_UIDS;
    for (const pod of observed) if (!hasTrackingFinalizer(pod)) uids.delete(pod.uid);
    if (uids.size === 0) this.uidsByJob.delete(jobKey);
    return uids;
  }

  /** Call it when the Job has finished or was deleted. */
  delete(jobKey: string): void {
    this.uidsByJob.delete(jobKey);
  }
}
