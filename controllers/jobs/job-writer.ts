/**
 * Carries out the actions of a sync: deletes and creates pods, removes their tracking finalizers, and writes the status.
 * The status and the finalizers are written only onto the resourceVersion that was observed or just written; a deletion
 * requires the observed uid. Makes no decisions.
 */
import type { BatchV1JobStatus } from '../../shared/api/types/generated/members';
import { ignoreNotFound, undefinedIfNotFound } from '../../shared/client/rest/api-error';
import { finalizersOf, keyOf } from '../../shared/client/rest/api-object';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { withConcurrencyLimit } from '../../shared/scheduling/concurrency-limit';
import { equalJson } from '../../shared/values/json';
import type { Pod, Job } from '../../shared/client/rest/typed-objects';
import type { Expectations } from '../workload/expectations';
import { NamespaceTerminatingError, type PodControl } from '../workload/pod-control';
import { eventReference } from '../workload/references';
import { slowStartBatch } from '../workload/slow-start';
import type { FinalizerExpectations } from './finalizer-expectations';
import { hasTrackingFinalizer, isTrackingFinalizer, JOBS, PODS } from './job';
import type { JobMetrics } from './metrics';
import { podForJob } from './pod-template';
import type { JobActions } from './reconcile';
import { statusAfter, statusBeforeUntracking, type JobEvent } from './status';

/** Requests of one sync that are in flight at the same time. */
const MAX_CONCURRENT_REQUESTS = 16;

/** What the writer writes to, and what it informs of its writes. */
export interface JobWriterOptions {
  readonly client: RestClient;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly podControl: PodControl;
  /** The creations and deletions of pods that the informer does not show yet. */
  readonly expectations: Expectations;
  /** Pods without their finalizer that the informer still shows with it. */
  readonly finalizerExpectations: FinalizerExpectations;
  readonly metrics: JobMetrics;
  /** Called with each version of a Job that was written. */
  readonly onStatusWritten: (job: Job) => void;
  readonly signal: AbortSignal;
}

/** A failed action does not prevent those that do not depend on it; see {@link execute}. */
export class JobWriter {
  constructor(private readonly options: JobWriterOptions) {}

  /**
   * Writes the status that lists finished pods, if one is needed; throws at once when this fails. Then tries every other
   * action, writes the status after those that succeeded, and throws the first failure. A pod from which the finalizer
   * could not be removed is not deleted. Ends without an error when the Job does not exist any more.
   */
  async execute(job: Job, actions: JobActions): Promise<void> {
    const failures: unknown[] = [];
    const current = actions.needsStatusFirst ? await this.writeStatus(job, statusBeforeUntracking(actions)) : job;
    if (current === undefined) return;
    const { podsToUntrack, podsToDelete } = actions;
    const untracked = await this.untrackPods(job, podsToUntrack, failures);
    const deletable = podsToDelete.filter((pod) => untracked.has(pod.uid) || !podsToUntrack.includes(pod));
    const deleted = await this.deletePods(job, deletable, failures);
    const created = await this.createPods(job, actions, failures);
    const { status, events, isFinished } = statusAfter(actions, { untracked, deleted, created });
    if ((await this.writeStatus(current, status)) !== undefined) {
      for (const event of events) this.recordEvent(job, event);
      this.options.metrics.statusWritten(job, status, isFinished ? actions.outcome : undefined);
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Returns the uids of the pods without the finalizer. */
  private async untrackPods(job: Job, pods: readonly Pod[], failures: unknown[]): Promise<ReadonlySet<string>> {
    const { client, finalizerExpectations, signal } = this.options;
    const untracked = new Set<string>();
    await withConcurrencyLimit(MAX_CONCURRENT_REQUESTS, pods, async (pod) => {
      finalizerExpectations.expectRemoved(keyOf(job), pod.uid);
      try {
        await removeTrackingFinalizer(client, pod, signal);
        untracked.add(pod.uid);
      } catch (error) {
        finalizerExpectations.removalObserved(keyOf(job), pod.uid);
        failures.push(error);
      }
    });
    return untracked;
  }

  /** Returns the uids of the pods that were deleted or did not exist any more. */
  private async deletePods(job: Job, pods: readonly Pod[], failures: unknown[]): Promise<ReadonlySet<string>> {
    const { podControl, expectations } = this.options;
    const deleted = new Set<string>();
    expectations.expectDeletions(keyOf(job), pods.map(keyOf));
    await withConcurrencyLimit(MAX_CONCURRENT_REQUESTS, pods, async (pod) => {
      try {
        if (!(await podControl.delete(job, pod))) expectations.deletionObserved(keyOf(job), keyOf(pod));
        deleted.add(pod.uid);
      } catch (error) {
        expectations.deletionObserved(keyOf(job), keyOf(pod));
        failures.push(error);
      }
    });
    return deleted;
  }

  /** Returns how many pods were created. Creates fewer, without a failure, when the namespace is being deleted. */
  private async createPods(job: Job, { podsToCreate }: JobActions, failures: unknown[]): Promise<number> {
    const { client, podControl, expectations } = this.options;
    expectations.expectCreations(keyOf(job), podsToCreate.length);
    const { succeeded, error } = await slowStartBatch(podsToCreate.length, async (index) => {
      const newPod = podsToCreate[index];
      if (newPod !== undefined) await podControl.create(job, podForJob(client.dialect, job, newPod));
    });
    // No event will follow from the creations that failed or were not tried.
    expectations.creationObserved(keyOf(job), podsToCreate.length - succeeded);
    if (succeeded < podsToCreate.length && !(error instanceof NamespaceTerminatingError)) failures.push(error);
    return succeeded;
  }

  /**
   * Returns the Job with the status; undefined when the Job does not exist any more. A conflict is thrown, and the sync
   * is retried.
   */
  private async writeStatus(job: Job, status: BatchV1JobStatus): Promise<Job | undefined> {
    const { client, onStatusWritten, signal } = this.options;
    if (equalJson(job.body.status ?? {}, status)) return job;
    const updated = await undefinedIfNotFound(
      client
        .of(JOBS)
        .namespace(job.namespace)
        .updateStatus({ ...job.body, status }, { signal }),
    );
    if (updated !== undefined) onStatusWritten(updated);
    return updated;
  }

  private recordEvent(job: Job, { type, reason, message }: JobEvent): void {
    const { client, events } = this.options;
    events.record({ about: eventReference(client.dialect, JOBS, job), type, reason, message });
  }
}

/**
 * Does nothing for a pod that lacks the finalizer or does not exist any more. Throws a conflict when the pod has
 * changed since it was observed, or another pod has its name.
 */
export async function removeTrackingFinalizer(client: RestClient, pod: Pod, signal: AbortSignal): Promise<void> {
  if (!hasTrackingFinalizer(pod)) return;
  const { namespace, name, uid, resourceVersion } = pod;
  const finalizers = finalizersOf(pod).filter((finalizer) => !isTrackingFinalizer(finalizer));
  await client.of(PODS).namespace(namespace).patchMetadata(name, { uid, resourceVersion, finalizers }, { signal }).catch(ignoreNotFound);
}
