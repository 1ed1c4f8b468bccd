/** A Lease as leader election reads and writes it. Knows neither clocks nor servers. */
import { formatFence, parseFence, type Fence } from '../../api/identity/fencing';
import { LEASE_WITHIN_ANNOTATION, type Dialect } from '../../names/dialect';
import { isObject, objectAt, own, stringAt, type JsonObject } from '../../values/json';
import { microTimeAt } from '../../values/time';
import type { ApiObject } from '../rest/api-object';

export interface LeaseRecord {
  /** '' = nobody leads. */
  readonly holder: string;
  readonly transitions: number;
  /** For how long after a renewal the holder may be taken to lead. Milliseconds. */
  readonly durationMs: number;
  /** The term of another Lease without which this one's is over as well. */
  readonly within: Fence | undefined;
}

export function leaseRecord(lease: ApiObject): LeaseRecord {
  const spec = objectAt(lease.body, 'spec');
  const [seconds, transitions] = spec === undefined ? [] : [own(spec, 'leaseDurationSeconds'), own(spec, 'leaseTransitions')];
  const holder = stringAt(spec, 'holderIdentity') ?? '';
  const outer = outerTermOf(lease);
  return {
    holder,
    transitions: typeof transitions === 'number' ? transitions : 0,
    durationMs: typeof seconds === 'number' ? seconds * 1000 : 0,
    // Whoever knows nothing of such terms leaves the annotation of the holder before him.
    within: outer?.holder === holder ? outer : undefined,
  };
}

function outerTermOf({ body }: ApiObject): Fence | undefined {
  const annotations = objectAt(objectAt(body, 'metadata'), 'annotations');
  const text = stringAt(annotations, LEASE_WITHIN_ANNOTATION.platform) ?? stringAt(annotations, LEASE_WITHIN_ANNOTATION.kubernetes);
  return text === undefined ? undefined : parseFence(text);
}

export interface LeaseTimes {
  /** Wall-clock time in milliseconds. */
  readonly now: number;
  readonly durationMs: number;
}

/** The term that begins, and the one that it lies within, if any. */
export interface AcquiredTerm {
  readonly fence: Fence;
  readonly within: Fence | undefined;
  readonly dialect: Dialect;
}

/** The Lease that begins the term: `previous` is what there was, if anything. */
export function acquiredLease(
  { fence, within, dialect }: AcquiredTerm,
  { now, durationMs }: LeaseTimes,
  previous: ApiObject | undefined,
): JsonObject {
  const spec = {
    holderIdentity: fence.holder,
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    acquireTime: microTimeAt(now),
    renewTime: microTimeAt(now),
    leaseTransitions: fence.transitions,
  };
  const {
    [LEASE_WITHIN_ANNOTATION.platform]: _one,
    [LEASE_WITHIN_ANNOTATION.kubernetes]: _other,
    ...others
  } = previousAnnotations(previous);
  const annotations = within === undefined ? others : { ...others, [LEASE_WITHIN_ANNOTATION[dialect]]: formatFence(within) };
  if (previous === undefined) return { metadata: { namespace: fence.namespace, name: fence.name, annotations }, spec };
  const metadata = { ...objectAt(previous.body, 'metadata'), annotations };
  return { ...previous.body, metadata, spec: { ...objectAt(previous.body, 'spec'), ...spec } };
}

function previousAnnotations(previous: ApiObject | undefined): JsonObject {
  return previous === undefined ? {} : (objectAt(objectAt(previous.body, 'metadata'), 'annotations') ?? {});
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
