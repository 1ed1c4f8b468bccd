/** A Lease as leader election reads and writes it. Knows neither clocks nor servers. */
import type { Fence } from '../api/identity/fencing';
import { isObject, objectAt, own, stringAt, type JsonObject } from '../values/json';
import { microTimeAt } from '../values/time';
import type { ApiObject } from './api-object';

export interface LeaseRecord {
  /** '' = nobody leads. */
  readonly holder: string;
  readonly transitions: number;
  /** For how long after a renewal the holder may be taken to lead. Milliseconds. */
  readonly durationMs: number;
}

export function leaseRecord(lease: ApiObject): LeaseRecord {
  const spec = objectAt(lease.body, 'spec');
  const [seconds, transitions] = spec === undefined ? [] : [own(spec, 'leaseDurationSeconds'), own(spec, 'leaseTransitions')];
  return {
    holder: stringAt(spec, 'holderIdentity') ?? '',
    transitions: typeof transitions === 'number' ? transitions : 0,
    durationMs: typeof seconds === 'number' ? seconds * 1000 : 0,
  };
}

export interface LeaseTimes {
  /** Wall-clock time in milliseconds. */
  readonly now: number;
  readonly durationMs: number;
}

/** The Lease that begins the term: `previous` is what there was, if anything. */
export function takenLease(fence: Fence, { now, durationMs }: LeaseTimes, previous: ApiObject | undefined): JsonObject {
  const spec = {
    holderIdentity: fence.holder,
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    acquireTime: microTimeAt(now),
    renewTime: microTimeAt(now),
    leaseTransitions: fence.transitions,
  };
  if (previous === undefined) return { metadata: { namespace: fence.namespace, name: fence.name }, spec };
  return { ...previous.body, spec: { ...objectAt(previous.body, 'spec'), ...spec } };
}

/** `lease` (the holder's own last write) with its term prolonged. */
export function renewedLease(lease: ApiObject, { now }: LeaseTimes): JsonObject {
  return withSpec(lease, { renewTime: microTimeAt(now) });
}

/** `lease` without a holder, so that the next one need not wait. */
export function releasedLease(lease: ApiObject, { now }: LeaseTimes): JsonObject {
  return withSpec(lease, { holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTimeAt(now) });
}

function withSpec({ body }: ApiObject, changes: JsonObject): JsonObject {
  const spec = own(body, 'spec');
  return { ...body, spec: { ...(isObject(spec) ? spec : {}), ...changes } };
}
