/** Collects distinct faults of the fields of a body in order of appearance, up to a limit. */

const MAX_FAULTS = 100;
/** Limits the additions, repeated faults included, because clients choose how many there are. */
const MAX_ADDITIONS = 1000;

export class FaultList {
  private readonly faults = new Set<string>();
  private additions = 0;

  get texts(): string[] {
    return [...this.faults];
  }

  /** Returns `'stop'` when the limit is reached. */
  add(fault: string): 'stop' | undefined {
    this.faults.add(fault);
    this.additions += 1;
    return this.faults.size >= MAX_FAULTS || this.additions >= MAX_ADDITIONS ? 'stop' : undefined;
  }
}
