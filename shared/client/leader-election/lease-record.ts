/**
 * Reads the fields of a Lease that leader election uses, and computes the Lease of an acquired, renewed or released term.
 * Other fields and annotations of an existing Lease are kept. Pure; when a term is acquired is left to
 * leader-election.ts.
 */
import { formatFence, parseFence, type Fence } from '../../api/identity/fencing';
import { LEASE_WITHIN_ANNOTATION, type Dialect } from '../../names/dialect';
import { isObject, objectAt, ownMember, stringAt, type JsonObject } from '../../values/json';
import { microTimeAt } from '../../values/time/time';
import type { ApiObject } from '../rest/api-object';

/** The state of leadership in a Lease. */
export interface LeaseRecord {
  /** '' when the Lease is free. */
  readonly holder: string;
  /** The number of the term: it grows with each acquisition, also by the same holder. */
  readonly transitions: number;
  /** The Lease expires this long after a renewal. Milliseconds. */
  readonly durationMs: number;
  /** The outer term: when it is over, this term is over too. */
  readonly within: Fence | undefined;
}

/** Missing or invalid fields are those of a free Lease. */
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
    // Holders without support for nested terms leave the annotation of their predecessor.
    within: outer?.holder === holder ? outer : undefined,
  };
}

function outerTermOf({ body }: ApiObject): Fence | undefined {
  const annotations = objectAt(objectAt(body, 'metadata'), 'annotations');
  const text = stringAt(annotations, LEASE_WITHIN_ANNOTATION.platform) ?? stringAt(annotations, LEASE_WITHIN_ANNOTATION.kubernetes);
  return text === undefined ? undefined : parseFence(text);
}

/** The time at which a Lease is written, and for how long it is valid then. */
export interface LeaseTimes {
  /** Wall-clock time in milliseconds. */
  readonly now: number;
  readonly durationMs: number;
}

/** The new term, and its outer term if it is nested. */
export interface AcquiredTerm {
  readonly fence: Fence;
  readonly within: Fence | undefined;
  readonly dialect: Dialect;
}

/** The Lease that starts the term. `previous` is the existing Lease. */
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

/** `lease`, the holder's last write, with a new renew time. */
export function renewedLease(lease: ApiObject, { now }: LeaseTimes): JsonObject {
  return withSpec(lease, { renewTime: microTimeAt(now) });
}

/** `lease` without a holder, so that the next candidate need not wait for expiry. */
export function releasedLease(lease: ApiObject, { now }: LeaseTimes): JsonObject {
  return withSpec(lease, { holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTimeAt(now) });
}

function withSpec({ body }: ApiObject, changes: JsonObject): JsonObject {
  const spec = ownMember(body, 'spec');
  return { ...body, spec: { ...(isObject(spec) ? spec : {}), ...changes } };
}
