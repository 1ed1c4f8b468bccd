/**
 * How many of a Job's pods have ended, and how. A pod that has ended is first written down as uncounted, then its finalizer is taken off, and then it is counted:
 * whatever is lost in between, it is counted once. Knows no server.
 */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { arrayAt, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { numberAt } from '../workload/spec';

export interface Tally {
  readonly succeeded: number;
  readonly failed: number;
  /** Uids of pods. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
}

/** As the Job's status says, with those counted whose finalizer is gone. `tracked` = uids of the pods that still bear it. */
export function tallyOf({ body }: ApiObject, tracked: ReadonlySet<string>): Tally {
  const status = objectAt(body, 'status');
  const waiting = objectAt(status, 'uncountedTerminatedPods');
  const uids = (member: string): readonly string[] => (arrayAt(waiting, member) ?? []).filter((uid) => typeof uid === 'string');
  const known = {
    succeeded: numberAt(status, 'succeeded') ?? 0,
    failed: numberAt(status, 'failed') ?? 0,
    uncounted: { succeeded: uids('succeeded'), failed: uids('failed') },
  };
  return counted(known, (uid) => !tracked.has(uid));
}

/** The tally when those are counted that the predicate names. */
export function counted({ succeeded, failed, uncounted }: Tally, isFree: (uid: string) => boolean): Tally {
  const left = (uids: readonly string[]): readonly string[] => uids.filter((uid) => !isFree(uid));
  const [succeededLeft, failedLeft] = [left(uncounted.succeeded), left(uncounted.failed)];
  return {
    succeeded: succeeded + uncounted.succeeded.length - succeededLeft.length,
    failed: failed + uncounted.failed.length - failedLeft.length,
    uncounted: { succeeded: succeededLeft, failed: failedLeft },
  };
}

export function withUncounted({ uncounted, ...counts }: Tally, succeeded: readonly string[], failed: readonly string[]): Tally {
  return { ...counts, uncounted: { succeeded: [...uncounted.succeeded, ...succeeded], failed: [...uncounted.failed, ...failed] } };
}

export function uncountedBody({ uncounted }: Tally): JsonObject {
  const { succeeded, failed } = uncounted;
  return { ...(succeeded.length === 0 ? {} : { succeeded: [...succeeded] }), ...(failed.length === 0 ? {} : { failed: [...failed] }) };
}

export const uncountedSize = ({ uncounted }: Tally): number => uncounted.succeeded.length + uncounted.failed.length;

export const startTimeOf = ({ body }: ApiObject): string | undefined => stringAt(objectAt(body, 'status'), 'startTime');
