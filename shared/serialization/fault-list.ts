/** What is said about the members of a body, each thing once, in order of appearance. Ends when nobody would read on. */

const MAX_FAULTS = 100;
/** Times that something may be said, the same thing again included. */
const MAX_ADDITIONS = 1000;

export class FaultList {
  private readonly faults = new Set<string>();
  private additions = 0;

  get texts(): string[] {
    return [...this.faults];
  }

  /** 'stop' when that was the last one. */
  add(fault: string): 'stop' | undefined {
    this.faults.add(fault);
    this.additions += 1;
    return this.faults.size >= MAX_FAULTS || this.additions >= MAX_ADDITIONS ? 'stop' : undefined;
  }
}
