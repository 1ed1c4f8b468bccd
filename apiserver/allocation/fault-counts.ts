/** What audits of allocations have found so far, as metrics count it. */

export const FAULT_SUBJECTS = ['ips', 'ports'] as const;
export type FaultSubject = (typeof FAULT_SUBJECTS)[number];

/** As in upstream's metrics. */
export type FaultType = 'invalid' | 'outOfRange' | 'duplicate' | 'repair' | 'leak';

export class AllocationFaults {
  /** Audits that could not be made. */
  failures = 0;
  private readonly counts: Readonly<Record<FaultSubject, Map<FaultType, number>>> = { ips: new Map(), ports: new Map() };

  count(subject: FaultSubject, type: FaultType): void {
    this.counts[subject].set(type, (this.counts[subject].get(type) ?? 0) + 1);
  }

  of(subject: FaultSubject): ReadonlyMap<FaultType, number> {
    return this.counts[subject];
  }
}
