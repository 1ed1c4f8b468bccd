/**
 * Reads a started Job and its pods from the server when this process syncs the Job for the first time. The informers
 * may be behind the writes of the process that ran the controller before, so pods would be created or counted twice.
 * The differences become expectations, and later syncs use the informers.
 */
import { undefinedIfNotFound } from '../../shared/client/rest/api-error';
import { keyOf } from '../../shared/client/rest/api-object';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { controllerOf } from '../runtime/pods';
import type { Pod, Job } from '../../shared/client/rest/typed-objects';
import type { Expectations } from '../workload/expectations';
import type { FinalizerExpectations } from './finalizer-expectations';
import { hasTrackingFinalizer, JOBS, PODS } from './job';
import { hasStatus } from './status';

/** The reader adds the differences that it finds to both kinds of expectations. */
export interface LiveJobReaderOptions {
  readonly client: RestClient;
  readonly expectations: Expectations;
  readonly finalizerExpectations: FinalizerExpectations;
  readonly signal: AbortSignal;
}

/** A Job and its pods as the server has them. */
export interface LiveJob {
  readonly job: Job;
  /** The pods that the Job controls. */
  readonly pods: readonly Pod[];
}

/** A new instance is created each time the controller starts, that is, when its process has become the leader. */
export class LiveJobReader {
  /** Uids of Jobs that were read, or needed no read. */
  private readonly checked = new Set<string>();

  constructor(private readonly options: LiveJobReaderOptions) {}

  /**
   * Returns undefined when the informers suffice: the Job was read before, or is new, or the server has no such Job.
   * Rejects when a request fails; the next call then reads again.
   *
   * @param observedPods the Job's pods in the informer at the time of the call
   */
  async readOnce(job: Job, observedPods: () => readonly Pod[]): Promise<LiveJob | undefined> {
    if (this.checked.has(job.uid)) return undefined;
    const liveJob = hasStatus(job) || observedPods().length > 0 ? await this.read(job, observedPods) : undefined;
    this.checked.add(job.uid);
    return liveJob;
  }

  /** Call it when the Job was deleted. */
  forget({ uid }: Job): void {
    this.checked.delete(uid);
  }

  private async read(job: Job, observedPods: () => readonly Pod[]): Promise<LiveJob | undefined> {
    const { client, expectations, finalizerExpectations, signal } = this.options;
    const { namespace, name, uid } = job;
    const liveJob = await undefinedIfNotFound(client.of(JOBS).namespace(namespace).get(name, { signal }));
    if (liveJob?.uid !== uid) return undefined;
    const { items } = await client
      .of(PODS)
      .namespace(namespace)
      .list({ labelSelector: matchLabelsSelector(job), signal });
    const livePods = new Map(items.filter((pod) => controllerOf(pod)?.uid === uid).map((pod) => [pod.uid, pod]));
    const observed = observedPods();
    const observedUids = new Set(observed.map((pod) => pod.uid));
    expectations.expectCreations(keyOf(job), [...livePods.keys()].filter((podUid) => !observedUids.has(podUid)).length);
    expectations.expectDeletions(keyOf(job), observed.filter((pod) => !livePods.has(pod.uid)).map(keyOf));
    for (const pod of observed) {
      const live = livePods.get(pod.uid);
      if (live !== undefined && hasTrackingFinalizer(pod) && !hasTrackingFinalizer(live)) {
        finalizerExpectations.expectRemoved(keyOf(job), pod.uid);
      }
    }
    return { job: liveJob, pods: [...livePods.values()] };
  }
}

/**
 * The `matchLabels` of the Job's selector. Pods that the Job controls and that lack these labels are found in the
 * informer once it has caught up.
 */
function matchLabelsSelector({ body }: Job): string {
  return Object.entries(body.spec?.selector?.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
