/**
 * What an autoscaler has wanted and done lately: its wishes, for the windows over which they are looked back at, and its changes, for the policies that allow so many in a
 * time. Of wishes only those are kept that can be the highest or lowest of some window; of changes the oldest become one when there are too many.
 */

/** As far as the API lets anybody look back. Milliseconds. */
const LONGEST_WINDOW_MS = 3_600_000;
const LONGEST_PERIOD_MS = 1_800_000;
const MOST_CHANGES = 1_000;

interface Entry {
  readonly at: number;
  readonly amount: number;
}

/** Times are those of one clock, in milliseconds. */
export class ScalingHistory {
  /** Each is higher (lower) than all that came after it. */
  private highest: Entry[] = [];
  private lowest: Entry[] = [];
  private added: Entry[] = [];
  private removed: Entry[] = [];

  /** No wish is older than so long; one that can be looked back at longer by a flag. */
  constructor(private readonly keptMs = LONGEST_WINDOW_MS) {}

  get isEmpty(): boolean {
    return this.highest.length === 0;
  }

  /** Entries, for the bound that is tested. */
  get size(): number {
    return this.highest.length + this.lowest.length + this.added.length + this.removed.length;
  }

  wished(replicas: number, at: number): void {
    const since = at - Math.max(this.keptMs, LONGEST_WINDOW_MS);
    const entry = { at, amount: replicas };
    this.highest = [...this.highest.filter((then) => then.amount > replicas && then.at > since), entry];
    this.lowest = [...this.lowest.filter((then) => then.amount < replicas && then.at > since), entry];
  }

  /** Of the wishes within the window; undefined = there were none. */
  highestWish(windowMs: number, now: number): number | undefined {
    return this.highest.find(({ at }) => at > now - windowMs)?.amount;
  }

  lowestWish(windowMs: number, now: number): number | undefined {
    return this.lowest.find(({ at }) => at > now - windowMs)?.amount;
  }

  changed(from: number, to: number, at: number): void {
    const since = at - LONGEST_PERIOD_MS;
    const entry = { at, amount: Math.abs(to - from) };
    if (to > from) this.added = bounded([...this.added.filter((then) => then.at > since), entry]);
    else this.removed = bounded([...this.removed.filter((then) => then.at > since), entry]);
  }

  /** Pods within the period. */
  addedIn(periodMs: number, now: number): number {
    return sumSince(this.added, now - periodMs);
  }

  removedIn(periodMs: number, now: number): number {
    return sumSince(this.removed, now - periodMs);
  }
}

function sumSince(entries: readonly Entry[], since: number): number {
  return entries.reduce((sum, { at, amount }) => (at > since ? sum + amount : sum), 0);
}

/** The two oldest become one, of the later time. */
function bounded(entries: readonly Entry[]): Entry[] {
  const [first, second, ...rest] = entries;
  if (entries.length <= MOST_CHANGES || first === undefined || second === undefined) return [...entries];
  return [{ at: second.at, amount: first.amount + second.amount }, ...rest];
}
