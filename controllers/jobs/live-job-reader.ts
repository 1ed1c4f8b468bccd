/**
 * The first look that this process takes at a Job that another one has begun. What is followed may be older than what that one did: a pod would be made or counted
 * twice. So the server is asked once, and what is followed counts again when it has caught up.
 */
import { isNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { objectAt } from '../../shared/values/json';
import { controllerOf } from '../runtime/pods';
import type { Expectations } from '../workload/expectations';
import { isTracked, JOBS, PODS } from './names';
import { hasStatus } from './status';

export interface BegunOptions {
  readonly client: RestClient;
  readonly expectations: Expectations;
  /** Told of pods that are still seen with a finalizer that is gone. */
  readonly onFreeing: (job: ApiObject, pod: ApiObject, isFree: boolean) => void;
  readonly signal: AbortSignal;
}

export interface FirstLook {
  readonly job: ApiObject;
  /** Those that it controls. */
  readonly pods: readonly ApiObject[];
}

export class Begun {
  /** Uids of Jobs. */
  private readonly known = new Set<string>();

  constructor(private readonly options: BegunOptions) {}

  /** Undefined = what is followed will do. `follow` = the Job's pods as they are followed at the moment. */
  async lookAt(job: ApiObject, follow: () => readonly ApiObject[]): Promise<FirstLook | undefined> {
    if (this.known.has(job.uid)) return undefined;
    const first = hasStatus(job) || follow().length > 0 ? await this.ask(job, follow) : undefined;
    this.known.add(job.uid);
    return first;
  }

  forget({ uid }: ApiObject): void {
    this.known.delete(uid);
  }

  private async ask(job: ApiObject, follow: () => readonly ApiObject[]): Promise<FirstLook | undefined> {
    const { client, expectations, onFreeing, signal } = this.options;
    const { namespace, name, uid } = job;
    const found = await client.get(JOBS, { namespace, name }, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (found?.uid !== uid) return undefined;
    const { items } = await client.list(PODS, { namespace, labelSelector: labelsText(job), signal });
    const pods = new Map(items.filter((pod) => controllerOf(pod)?.uid === uid).map((pod) => [pod.uid, pod]));
    const seen = follow();
    const known = new Set(seen.map((pod) => pod.uid));
    expectations.expectCreations(keyOf(job), [...pods.keys()].filter((one) => !known.has(one)).length);
    expectations.expectDeletions(keyOf(job), seen.filter((pod) => !pods.has(pod.uid)).map(keyOf));
    for (const pod of seen) {
      const live = pods.get(pod.uid);
      if (live !== undefined && isTracked(pod) && !isTracked(live)) onFreeing(job, pod, true);
    }
    return { job: found, pods: [...pods.values()] };
  }
}

/** Of what the Job selects by, that which every selector may say; others of its own pods it finds when it has caught up. */
function labelsText({ body }: ApiObject): string {
  const labels = objectAt(objectAt(objectAt(body, 'spec'), 'selector'), 'matchLabels') ?? {};
  return Object.entries(labels)
    .flatMap(([key, value]) => (typeof value === 'string' ? [`${key}=${value}`] : []))
    .join(',');
}
