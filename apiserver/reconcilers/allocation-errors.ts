/**
 * Describes errors of allocations for Events, logs and metrics, with the texts, reasons and labels of upstream, except
 * for the text about a leaked allocation. Pure functions: recording them is up to allocation-repair.ts.
 */
import type { JsonObject } from '../../shared/values/json';
import { formatMicroTime } from '../../shared/values/time/time';
import type { AllocationFinding } from '../allocation/check-allocations';
import { isPortId, addressOrPortIn } from '../allocation/pool';
import type { AllocationSubject, AllocationErrorType } from '../allocation/allocation-error-counts';
import type { AllocationOwner, ServiceAllocator } from '../allocation/service-allocator';

/** An inconsistent allocation, described for a report. */
export interface AllocationError {
  readonly subject: AllocationSubject;
  readonly type: AllocationErrorType;
  /** The text of the Event and the log line. */
  readonly note: string;
  /** The object of the Event; `undefined` when no Event is recorded. */
  readonly owner: AllocationOwner | undefined;
}

interface EventReason {
  readonly reason: string;
  readonly action: string;
}

const REPORTERS: Readonly<Record<AllocationSubject, string>> = {
  ips: 'ipallocator-repair-controller',
  ports: 'portallocator-repair-controller',
};

const EVENT_REASONS: Readonly<Record<AllocationSubject, Partial<Record<AllocationErrorType, EventReason>>>> = {
  ips: {
    invalid: { reason: 'ClusterIPNotValid', action: 'ClusterIPValidation' },
    outOfRange: { reason: 'ClusterIPOutOfRange', action: 'ClusterIPAllocation' },
    duplicate: { reason: 'ClusterIPAlreadyAllocated', action: 'ClusterIPAllocation' },
    repair: { reason: 'ClusterIPNotAllocated', action: 'ClusterIPAllocation' },
  },
  ports: {
    outOfRange: { reason: 'PortOutOfRange', action: 'PortAllocation' },
    duplicate: { reason: 'PortAlreadyAllocated', action: 'PortAllocation' },
    repair: { reason: 'PortNotAllocated', action: 'PortAllocation' },
  },
};

/** Describes a finding. `allocator` supplies the ranges that a message names. */
export function allocationErrorOf(finding: AllocationFinding, allocator: Pick<ServiceAllocator, 'pools' | 'ports'>): AllocationError {
  if (finding.type === 'unreadable') {
    const note = `Cluster IP ${finding.text} is not a valid IP; please recreate service`;
    return { subject: 'ips', type: 'invalid', note, owner: finding.owner };
  }
  const { id } = finding;
  const subject: AllocationSubject = isPortId(id) ? 'ports' : 'ips';
  const addressOrPort = addressOrPortIn(id);
  const text = subject === 'ports' ? `Port ${addressOrPort}` : `Cluster IP [${familyOf(addressOrPort)}]:${addressOrPort}`;
  switch (finding.type) {
    case 'outside': {
      const note = `${text} is not within the ${rangeText(subject, id, allocator)}; please recreate service`;
      return { subject, type: 'outOfRange', note, owner: finding.owner };
    }
    case 'duplicate': {
      const note = `${text} was assigned to multiple services; please recreate service`;
      return { subject, type: 'duplicate', note, owner: finding.owner };
    }
    case 'missing':
      return { subject, type: 'repair', note: `${text} is not allocated; repairing`, owner: finding.owner };
    case 'leaked':
      return { subject, type: 'leak', note: `${text} is allocated without an owner and is released`, owner: undefined };
  }
}

/** `text`: an address, or a range in CIDR notation. */
const familyOf = (text: string): string => (text.includes(':') ? 'IPv6' : 'IPv4');

/** Names the range of ports, or the range of addresses of the same family; all address ranges when no family matches. */
function rangeText(subject: AllocationSubject, id: string, { pools, ports }: Pick<ServiceAllocator, 'pools' | 'ports'>): string {
  if (subject === 'ports') return `port range ${ports.text}`;
  const addressRanges = pools.filter((pool) => pool !== ports).map(({ text }) => text);
  const range = addressRanges.find((text) => familyOf(text) === familyOf(addressOrPortIn(id)));
  return `service CIDR ${range ?? addressRanges.join(',')}`;
}

/** The time and the reporter of an Event. */
export interface EventContext {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Distinguishes Events of the same time. */
  readonly sequence: number;
  readonly hostname: string;
}

/** Lengths to which names in Events are cut, so that they stay within the limits of the fields. */
const MAX_NAME_LENGTH = 200;
const MAX_INSTANCE_LENGTH = 128;

/** The Event for an error; `undefined` for errors without a reason of an Event, and for allocations without an owner. */
export function allocationEventOf(
  error: AllocationError,
  { now, sequence, hostname }: EventContext,
): { readonly namespace: string; readonly object: JsonObject } | undefined {
  const eventReason = EVENT_REASONS[error.subject][error.type];
  const { owner, note } = error;
  if (eventReason === undefined || owner === undefined) return undefined;
  const { namespace, name, uid } = owner;
  const reporter = REPORTERS[error.subject];
  const eventTime = formatMicroTime({ seconds: Math.floor(now / 1000), nanos: (now % 1000) * 1_000_000 });
  // Upstream names an Event after its object and the time in nanoseconds, in hexadecimal. The clock has milliseconds, so
  // the sequence number takes the place of the nanoseconds.
  const timestampNs = BigInt(now) * 1_000_000n + BigInt(sequence);
  return {
    namespace,
    object: {
      metadata: { namespace, name: `${name.slice(0, MAX_NAME_LENGTH)}.${timestampNs.toString(16)}` },
      eventTime,
      type: 'Warning',
      ...eventReason,
      note,
      regarding: { apiVersion: 'v1', kind: 'Service', namespace, name, uid },
      reportingController: reporter,
      reportingInstance: `${reporter}-${hostname}`.slice(0, MAX_INSTANCE_LENGTH),
    },
  };
}
