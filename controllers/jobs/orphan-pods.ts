/** Lets pods go whose Job is gone or has ended without them: nobody will count them any more, and their finalizer would keep them for ever. */
import { isNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { DONE, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { finishedConditionOf } from '../workload/finished-jobs';
import { ownerOf } from '../workload/dependent-events';
import { controllerOf } from '../runtime/pods';
import { isTracked, JOBS } from './names';
import { freePod } from './writes';

/** Returns what ends it. */
export function followOrphans(jobs: Informer, pods: Informer, queue: WorkQueue): () => void {
  const look = (pod: ApiObject): void => {
    if (isTracked(pod) && !isCounted(jobs, pod)) queue.add(keyOf(pod));
  };
  return pods.handle({ added: look, updated: (_, pod) => look(pod), deleted: () => undefined });
}

/** Its Job goes on, or something else keeps it. */
function isCounted(jobs: Informer, pod: ApiObject): boolean {
  const controller = controllerOf(pod);
  if (controller !== undefined && controller.kind !== JOBS.kind) return true;
  const job = ownerOf({ owners: jobs, resource: JOBS }, pod);
  return job !== undefined && finishedConditionOf(job) === undefined;
}

export async function freeOrphan(
  client: RestClient,
  jobs: Informer,
  pods: Informer,
  key: string,
  signal: AbortSignal,
): Promise<WorkOutcome> {
  const pod = pods.byKey(key);
  if (pod === undefined || !isTracked(pod) || isCounted(jobs, pod)) return DONE;
  const controller = controllerOf(pod);
  if (controller !== undefined) {
    // What is followed of Jobs may be behind what is followed of pods.
    const job = await client.get(JOBS, { namespace: pod.namespace, name: controller.name }, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (job?.uid === controller.uid && finishedConditionOf(job) === undefined) return DONE;
  }
  await freePod(client, pod, signal);
  return DONE;
}
