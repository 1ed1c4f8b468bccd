/** Counts the errors that allocation repair has found since the start of the server, for metrics. Repairs nothing. */

/** What is allocated: addresses and node ports. */
export const ALLOCATION_SUBJECTS = ['ips', 'ports'] as const;
/** One of {@link ALLOCATION_SUBJECTS}. */
export type AllocationSubject = (typeof ALLOCATION_SUBJECTS)[number];

/** Values of the label `type` in upstream's metrics. */
export type AllocationErrorType = 'invalid' | 'outOfRange' | 'duplicate' | 'repair' | 'leak';

/** The counts of one server, which only grow. */
export class AllocationErrorCounts {
  /** Repair passes that failed. */
  failures = 0;
  private readonly counts: Readonly<Record<AllocationSubject, Map<AllocationErrorType, number>>> = { ips: new Map(), ports: new Map() };

  count(subject: AllocationSubject, type: AllocationErrorType): void {
    this.counts[subject].set(type, (this.counts[subject].get(type) ?? 0) + 1);
  }

  /** Types without an error are absent. */
  countsOf(subject: AllocationSubject): ReadonlyMap<AllocationErrorType, number> {
    return this.counts[subject];
  }
}
