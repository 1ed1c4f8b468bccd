/** Counts the faults that allocation repair has found, for metrics. */

export const FAULT_SUBJECTS = ['ips', 'ports'] as const;
export type FaultSubject = (typeof FAULT_SUBJECTS)[number];

/** Values of the label `type` in upstream's metrics. */
export type FaultType = 'invalid' | 'outOfRange' | 'duplicate' | 'repair' | 'leak';

export class AllocationFaultCounts {
  /** Repair passes that failed. */
  failures = 0;
  private readonly counts: Readonly<Record<FaultSubject, Map<FaultType, number>>> = { ips: new Map(), ports: new Map() };

  count(subject: FaultSubject, type: FaultType): void {
    this.counts[subject].set(type, (this.counts[subject].get(type) ?? 0) + 1);
  }

  countsOf(subject: FaultSubject): ReadonlyMap<FaultType, number> {
    return this.counts[subject];
  }
}
