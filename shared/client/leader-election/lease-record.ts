/**
 * Reads the fields of a Lease that leader election uses, and computes the Lease of an acquired, renewed or released term.
 * Other fields and annotations of an existing Lease are kept. Pure functions: leader-election.ts decides when a term
 * begins and ends.
 */
import { formatFence, parseFence, type Fence } from '../../api/identity/fencing';
import { LEASE_WITHIN_ANNOTATION, type Dialect } from '../../names/dialect';
import { isObject, objectAt, ownMember, stringAt, type JsonObject } from '../../values/json';
import { microTimeAt } from '../../values/time/time';
import type { ApiObject } from '../rest/api-object';

/** The state of leadership in a Lease. */
export interface LeaseRecord {
  /** `''` when the Lease is free. */
  readonly holder: string;
  /** The number of the term. It grows with each acquisition, also by the same holder. */
  readonly transitions: number;
  /** The Lease expires this long after a renewal. Milliseconds. */
  readonly durationMs: number;
  /** The term of another Lease that this term is nested in: when the outer term is over, so is this one. */
  readonly within: Fence | undefined;
}

/** Reads the record. Missing or invalid fields have the values of a free Lease. */
export function leaseRecord(lease: ApiObject): LeaseRecord {
  const spec = objectAt(lease.body, 'spec') ?? {};
  const seconds = ownMember(spec, 'leaseDurationSeconds');
  const transitions = ownMember(spec, 'leaseTransitions');
  const holder = stringAt(spec, 'holderIdentity') ?? '';
  const outer = outerTermOf(lease);
  return {
    holder,
    transitions: typeof transitions === 'number' ? transitions : 0,
    durationMs: typeof seconds === 'number' ? seconds * 1000 : 0,
    // A holder that does not support nested terms leaves the annotation of its predecessor, which names the predecessor.
    within: outer?.holder === holder ? outer : undefined,
  };
}

function outerTermOf({ body }: ApiObject): Fence | undefined {
  const annotations = objectAt(objectAt(body, 'metadata'), 'annotations');
  const text = stringAt(annotations, LEASE_WITHIN_ANNOTATION.platform) ?? stringAt(annotations, LEASE_WITHIN_ANNOTATION.kubernetes);
  return text === undefined ? undefined : parseFence(text);
}

/** When a Lease is written, and how long it is valid from then on. */
export interface LeaseTimes {
  /** Wall-clock time in milliseconds. */
  readonly now: number;
  readonly durationMs: number;
}

/** A new term. */
export interface AcquiredTerm {
  readonly fence: Fence;
  /** The outer term; `undefined` when the new term is not nested. */
  readonly within: Fence | undefined;
  /** The spelling of the annotation that names the outer term (shared/names/dialect.ts). */
  readonly dialect: Dialect;
}

/** The Lease that begins the term. `previous` is the existing Lease; `undefined` when there is none. */
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
    [LEASE_WITHIN_ANNOTATION.platform]: _canonical,
    [LEASE_WITHIN_ANNOTATION.kubernetes]: _upstream,
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

/** `lease`, which its holder stored last, with a new renew time. `now` is wall-clock milliseconds. */
export function renewedLease(lease: ApiObject, now: number): JsonObject {
  return withSpec(lease, { renewTime: microTimeAt(now) });
}

/**
 * `lease` without a holder, so that the next candidate need not wait for expiry. `now` is wall-clock milliseconds. The
 * duration of a second is client-go's for a released Lease.
 */
export function releasedLease(lease: ApiObject, now: number): JsonObject {
  return withSpec(lease, { holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTimeAt(now) });
}

function withSpec({ body }: ApiObject, changes: JsonObject): JsonObject {
  const spec = ownMember(body, 'spec');
  return { ...body, spec: { ...(isObject(spec) ? spec : {}), ...changes } };
}
