/** A Job's writes: its pods, their finalizers, and its status. Each rests on the version that was seen. Never decides anything. */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { finalizersOf, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { withConcurrencyLimit } from '../../shared/scheduling/concurrency-limit';
import { equalJson, objectAt, type JsonObject } from '../../shared/values/json';
import type { Expectations } from '../workload/expectations';
import { NamespaceTerminatingError, type PodControl } from '../workload/pod-control';
import { slowStartBatch } from '../workload/slow-start';
import { eventReference } from '../workload/references';
import type { JobCounts } from './counts';
import { isTracked, isTracking, JOBS, PODS } from './names';
import { podOf } from './pod-template';
import type { JobPlan } from './reconcile';
import { recordOf, statusAfter, type JobEvent } from './status';

const AT_A_TIME = 16;

export interface JobWritesOptions {
  readonly client: RestClient;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly keeper: PodControl;
  readonly expectations: Expectations;
  readonly counts: JobCounts;
  /** Told before a finalizer is taken off, and again where it was not. */
  readonly onFreeing: (job: ApiObject, pod: ApiObject, isFree: boolean) => void;
  /** Told of each version that was written. */
  readonly onWritten: (job: ApiObject) => void;
  readonly signal: AbortSignal;
}

export class JobWrites {
  constructor(private readonly options: JobWritesOptions) {}

  /** Throws the first failure once everything has been tried; what could be done is in the status then. */
  async carryOut(job: ApiObject, plan: JobPlan): Promise<void> {
    const failures: unknown[] = [];
    const recorded = plan.isRecorded ? await this.writeStatus(job, recordOf(plan)) : job;
    if (recorded === undefined) return;
    const freed = await this.freeAll(job, plan.freed, failures);
    const removable = plan.removed.filter((pod) => freed.has(pod.uid) || !plan.freed.includes(pod));
    const removed = await this.removeAll(job, removable, failures);
    const made = await this.makeAll(job, plan, failures);
    const { status, told, isOver } = statusAfter(plan, { freed, removed, made });
    if ((await this.writeStatus(recorded, status)) !== undefined) {
      for (const event of told) this.tell(job, event);
      this.options.counts.wrote(job, status, isOver ? plan.ending : undefined);
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Uids of those that bear it no more. */
  private async freeAll(job: ApiObject, pods: readonly ApiObject[], failures: unknown[]): Promise<ReadonlySet<string>> {
    const freed = new Set<string>();
    await withConcurrencyLimit(AT_A_TIME, pods, async (pod) => {
      this.options.onFreeing(job, pod, true);
      try {
        await freePod(this.options.client, pod, this.options.signal);
        freed.add(pod.uid);
      } catch (error) {
        this.options.onFreeing(job, pod, false);
        failures.push(error);
      }
    });
    return freed;
  }

  private async removeAll(job: ApiObject, pods: readonly ApiObject[], failures: unknown[]): Promise<ReadonlySet<string>> {
    const { keeper, expectations } = this.options;
    const removed = new Set<string>();
    expectations.expectDeletions(keyOf(job), pods.map(keyOf));
    await withConcurrencyLimit(AT_A_TIME, pods, async (pod) => {
      try {
        if (!(await keeper.delete(job, pod))) expectations.deletionObserved(keyOf(job), keyOf(pod));
        removed.add(pod.uid);
      } catch (error) {
        expectations.deletionObserved(keyOf(job), keyOf(pod));
        failures.push(error);
      }
    });
    return removed;
  }

  private async makeAll(job: ApiObject, { made }: JobPlan, failures: unknown[]): Promise<number> {
    const { client, keeper, expectations } = this.options;
    expectations.expectCreations(keyOf(job), made.length);
    const { succeeded, error } = await slowStartBatch(made.length, async (index) => {
      const wish = made[index];
      if (wish !== undefined) await keeper.create(job, podOf(client.dialect, job, wish));
    });
    expectations.creationObserved(keyOf(job), made.length - succeeded);
    if (succeeded < made.length && !(error instanceof NamespaceTerminatingError)) failures.push(error);
    return succeeded;
  }

  /** The Job as it stands then; undefined = it is gone. Whoever loses a race looks again. */
  private async writeStatus(job: ApiObject, status: JsonObject): Promise<ApiObject | undefined> {
    const { client, onWritten, signal } = this.options;
    if (equalJson(objectAt(job.body, 'status') ?? {}, status)) return job;
    try {
      const written = await client.update(JOBS, { ...job.body, status }, { subresource: 'status', signal });
      onWritten(written);
      return written;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  private tell(job: ApiObject, { type, reason, message }: JobEvent): void {
    const { client, events } = this.options;
    events.record({ about: eventReference(client.dialect, JOBS, job), type, reason, message });
  }
}

/** Takes the finalizer off, unless the pod has changed since it was seen. */
export async function freePod(client: RestClient, pod: ApiObject, signal: AbortSignal): Promise<void> {
  if (!isTracked(pod)) return;
  const { namespace, name, uid, resourceVersion } = pod;
  const finalizers = finalizersOf(pod).filter((finalizer) => !isTracking(finalizer));
  try {
    await client.patch(PODS, { namespace, name }, 'merge', { metadata: { uid, resourceVersion, finalizers } }, { signal });
  } catch (error) {
    // Another one has its name by now.
    if (!isNotFound(error) && !(isConflict(error) && error instanceof Error && error.message.includes('uid mismatch'))) throw error;
  }
}
