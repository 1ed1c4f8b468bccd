/**
 * Removes the tracking finalizer from pods without a controller and from those of Jobs that were deleted or have finished:
 * no sync counts them any more, and the finalizer would block their deletion. Which pods lose it is as in upstream's
 * syncOrphanPod.
 */
import type { BatchV1Job, CoreV1Pod } from '../../shared/api/types/generated/members';
import { undefinedIfNotFound } from '../../shared/client/rest/api-error';
import { keyOf } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { DONE, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { controllerOf } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { ownerOf } from '../workload/dependent-events';
import { finishedConditionOf } from '../workload/finished-jobs';
import { hasTrackingFinalizer, JOBS } from './job';
import { removeTrackingFinalizer } from './job-writer';

/** The informers of the Job controller, and the client that removes finalizers. */
export interface OrphanPodOptions {
  readonly client: RestClient;
  readonly jobs: Informer<BatchV1Job>;
  readonly pods: Informer<CoreV1Pod>;
  readonly signal: AbortSignal;
}

/** Adds the keys of orphan pods to the queue. Returns a function that ends this. */
export function watchOrphanPods({ jobs, pods }: Pick<OrphanPodOptions, 'jobs' | 'pods'>, queue: WorkQueue): () => void {
  const enqueueOrphanPod = (pod: Pod): void => {
    if (hasTrackingFinalizer(pod) && !isCountedByOwner(jobs, pod)) queue.add(keyOf(pod));
  };
  return pods.handle({ added: enqueueOrphanPod, updated: (_, pod) => enqueueOrphanPod(pod), deleted: () => undefined });
}

/** Whether the pod's Job has not finished, or its controller is of another kind. */
function isCountedByOwner(jobs: Informer<BatchV1Job>, pod: Pod): boolean {
  const controller = controllerOf(pod);
  if (controller !== undefined && controller.kind !== JOBS.kind) return true;
  const job = ownerOf({ owners: jobs, ownerResource: JOBS }, pod);
  return job !== undefined && finishedConditionOf(job) === undefined;
}

/**
 * The work of the queue. Does nothing for a pod that a sync of its Job still counts. Throws the errors of requests,
 * except that an object is missing.
 */
export async function syncOrphanPod({ client, jobs, pods, signal }: OrphanPodOptions, podKey: string): Promise<WorkOutcome> {
  const pod = pods.byKey(podKey);
  if (pod === undefined || !hasTrackingFinalizer(pod) || isCountedByOwner(jobs, pod)) return DONE;
  const controller = controllerOf(pod);
  if (controller !== undefined) {
    // The informer of Jobs may be behind that of pods.
    const job = await undefinedIfNotFound(client.of(JOBS).namespace(pod.namespace).get(controller.name, { signal }));
    if (job?.uid === controller.uid && finishedConditionOf(job) === undefined) return DONE;
  }
  await removeTrackingFinalizer(client, pod, signal);
  return DONE;
}
