/** What is told of a finding of the audit: the words, reasons and counters are upstream's. */
import type { JsonObject } from '../../shared/values/json';
import { formatMicroTime } from '../../shared/values/time';
import type { Finding } from '../allocation/check-allocations';
import { isPortId, shownIn } from '../allocation/pool';
import type { FaultSubject, FaultType } from '../allocation/fault-counts';
import type { AllocationOwner, Ledger } from '../allocation/service-allocator';

export interface AllocationFault {
  readonly subject: FaultSubject;
  readonly type: FaultType;
  readonly note: string;
  /** Undefined = nobody is to be told. */
  readonly owner: AllocationOwner | undefined;
}

interface Telling {
  readonly reason: string;
  readonly action: string;
}

const REPORTERS: Readonly<Record<FaultSubject, string>> = {
  ips: 'ipallocator-repair-controller',
  ports: 'portallocator-repair-controller',
};

const TELLINGS: Readonly<Record<FaultSubject, Partial<Record<FaultType, Telling>>>> = {
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

export function faultOf(finding: Finding, ledger: Pick<Ledger, 'pools' | 'ports'>): AllocationFault {
  if (finding.type === 'unreadable') {
    const note = `Cluster IP ${finding.text} is not a valid IP; please recreate service`;
    return { subject: 'ips', type: 'invalid', note, owner: finding.owner };
  }
  const subject: FaultSubject = isPortId(finding.id) ? 'ports' : 'ips';
  const what = subject === 'ports' ? `Port ${shownIn(finding.id)}` : `Cluster IP [${familyOf(finding.id)}]:${shownIn(finding.id)}`;
  switch (finding.type) {
    case 'outside':
      return {
        subject,
        type: 'outOfRange',
        note: `${what} is not within the ${rangeText(subject, finding.id, ledger)}; please recreate service`,
        owner: finding.owner,
      };
    case 'duplicate':
      return {
        subject,
        type: 'duplicate',
        note: `${what} was assigned to multiple services; please recreate service`,
        owner: finding.owner,
      };
    case 'missing':
      return { subject, type: 'repair', note: `${what} is not allocated; repairing`, owner: finding.owner };
    case 'leaked':
      return { subject, type: 'leak', note: `${what} was allocated to nobody and is given back`, owner: undefined };
  }
}

const familyOf = (id: string): string => (shownIn(id).includes(':') ? 'IPv6' : 'IPv4');

function rangeText(subject: FaultSubject, id: string, { pools, ports }: Pick<Ledger, 'pools' | 'ports'>): string {
  if (subject === 'ports') return `port range ${ports.text}`;
  const ranges = pools.filter((pool) => pool !== ports).map(({ text }) => text);
  const own = ranges.find((text) => text.includes(':') === shownIn(id).includes(':'));
  return `service CIDR ${own ?? ranges.join(',')}`;
}

/** When and by whom something is told. */
export interface Occasion {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Tells Events of one moment apart. */
  readonly number: number;
  readonly hostname: string;
}

/** The Event on the Service. */
export function eventOf(
  fault: AllocationFault,
  { now, number, hostname }: Occasion,
): { readonly namespace: string; readonly object: JsonObject } | undefined {
  const telling = TELLINGS[fault.subject][fault.type];
  const { owner, note } = fault;
  if (telling === undefined || owner === undefined) return undefined;
  const { namespace, name, uid } = owner;
  const reporter = REPORTERS[fault.subject];
  const eventTime = formatMicroTime({ seconds: Math.floor(now / 1000), nanos: (now % 1000) * 1_000_000 });
  const moment = BigInt(now) * 1_000_000n + BigInt(number);
  return {
    namespace,
    object: {
      metadata: { namespace, name: `${name.slice(0, 200)}.${moment.toString(16)}` },
      eventTime,
      type: 'Warning',
      ...telling,
      note,
      regarding: { apiVersion: 'v1', kind: 'Service', namespace, name, uid },
      reportingController: reporter,
      reportingInstance: `${reporter}-${hostname}`.slice(0, 128),
    },
  };
}
