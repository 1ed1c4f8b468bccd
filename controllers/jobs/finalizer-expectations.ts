/**
 * Pods whose finalizer was taken off here, and which are not seen without it yet: they have been counted, whatever their followed copies say. One that is not
 * followed yet may still come as it was.
 */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { isTracked } from './names';

const NONE: ReadonlySet<string> = new Set();

export class Untracked {
  /** Uids by the Job's key. */
  private readonly jobs = new Map<string, Set<string>>();

  get size(): number {
    return this.jobs.size;
  }

  /** `isFree` = false where the finalizer could not be taken off. */
  freeing(key: string, { uid }: ApiObject, isFree: boolean): void {
    if (!isFree) return this.gone(key, uid);
    const uids = this.jobs.get(key) ?? new Set<string>();
    this.jobs.set(key, uids.add(uid));
  }

  /** Those that are left when the pods have been seen as they are followed. */
  left(key: string, followed: readonly ApiObject[]): ReadonlySet<string> {
    const uids = this.jobs.get(key);
    if (uids === undefined) return NONE;
    for (const pod of followed) if (!isTracked(pod)) uids.delete(pod.uid);
    if (uids.size === 0) this.jobs.delete(key);
    return uids;
  }

  /** The pod is not followed any more. */
  gone(key: string, uid: string): void {
    const uids = this.jobs.get(key);
    if (uids?.delete(uid) === true && uids.size === 0) this.jobs.delete(key);
  }

  forget(key: string): void {
    this.jobs.delete(key);
  }
}
