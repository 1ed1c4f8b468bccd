/** How many pods a Deployment may have more, and how many less, while it goes from one template to another. Decided from its own words only. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { objectAt, own, stringAt, type JsonValue } from '../../shared/values/json';
import { replicasOf } from '../workload/spec';

export const isRolling = ({ body }: ApiObject): boolean =>
  (stringAt(objectAt(objectAt(body, 'spec'), 'strategy'), 'type') ?? 'RollingUpdate') === 'RollingUpdate';

export interface RollingBounds {
  /** Pods beyond the wanted number. */
  readonly surge: number;
  /** Pods of the wanted number that may be missing. */
  readonly unavailable: number;
}

/** Shares of surge are rounded up, of what may be missing down; where both come to nothing one may be missing, or nothing could ever move. */
export function boundsOf(deployment: ApiObject): RollingBounds {
  if (!isRolling(deployment)) return { surge: 0, unavailable: 0 };
  const replicas = replicasOf(deployment);
  const rolling = objectAt(objectAt(objectAt(deployment.body, 'spec'), 'strategy'), 'rollingUpdate') ?? {};
  const surge = part(own(rolling, 'maxSurge'), replicas, Math.ceil);
  const unavailable = part(own(rolling, 'maxUnavailable'), replicas, Math.floor);
  const allowed = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { surge, unavailable: Math.min(allowed, replicas) };
}

/** Counted in hundredths, so that 7 % of 100 are seven. */
function part(value: JsonValue | undefined, of: number, round: (value: number) => number): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || !/^[0-9]+%$/.test(value)) return 0;
  return round((Number(value.slice(0, -1)) * of) / 100);
}
