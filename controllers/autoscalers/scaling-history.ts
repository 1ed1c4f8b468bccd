/**
 * The recent recommendations of an autoscaler, for stabilization windows, and its recent scale events, for the periods
 * of scaling policies. Bounded: of the recommendations only those remain that are the highest or lowest of some window;
 * beyond a limit the oldest scale events are merged.
 */

/** The longest stabilization window that the API accepts. Milliseconds. */
const LONGEST_WINDOW_MS = 3_600_000;
/** The longest period of a scaling policy that the API accepts. Milliseconds. */
const LONGEST_PERIOD_MS = 1_800_000;
/** Events of one direction; beyond it the two oldest are merged. */
const MAX_SCALE_EVENTS = 1_000;

/** A recommendation, or the size of a change. */
interface Entry {
  readonly at: number;
  readonly replicas: number;
}

/** All times are of one clock, in milliseconds. */
export class ScalingHistory {
  /** Recommendations that are higher than all later ones, the oldest first. */
  private highest: Entry[] = [];
  /** Recommendations that are lower than all later ones, the oldest first. */
  private lowest: Entry[] = [];
  private scaleUpEvents: Entry[] = [];
  private scaleDownEvents: Entry[] = [];

  /** `retentionMs`: how long recommendations are retained, if that is longer than the longest window of the API. */
  constructor(private readonly retentionMs = LONGEST_WINDOW_MS) {}

  /** Whether no recommendation was recorded. */
  get isEmpty(): boolean {
    return this.highest.length === 0;
  }

  /** Number of entries, for the test of the bound. */
  get size(): number {
    return this.highest.length + this.lowest.length + this.scaleUpEvents.length + this.scaleDownEvents.length;
  }

  /** Times must not decrease from call to call. */
  recordRecommendation(replicas: number, at: number): void {
    const since = at - Math.max(this.retentionMs, LONGEST_WINDOW_MS);
    const latest = { at, replicas };
    this.highest = [...this.highest.filter((entry) => entry.replicas > replicas && entry.at > since), latest];
    this.lowest = [...this.lowest.filter((entry) => entry.replicas < replicas && entry.at > since), latest];
  }

  /** Undefined when no recommendation was recorded within the window. */
  highestRecommendation(windowMs: number, now: number): number | undefined {
    return this.highest.find(({ at }) => at > now - windowMs)?.replicas;
  }

  /** Undefined when no recommendation was recorded within the window. */
  lowestRecommendation(windowMs: number, now: number): number | undefined {
    return this.lowest.find(({ at }) => at > now - windowMs)?.replicas;
  }

  /** `from` and `to`: the replicas of the target before and after. */
  recordScaleEvent({ from, to, at }: { readonly from: number; readonly to: number; readonly at: number }): void {
    const since = at - LONGEST_PERIOD_MS;
    const latest = { at, replicas: Math.abs(to - from) };
    if (to > from) this.scaleUpEvents = mergeOldest([...this.scaleUpEvents.filter((event) => event.at > since), latest]);
    else this.scaleDownEvents = mergeOldest([...this.scaleDownEvents.filter((event) => event.at > since), latest]);
  }

  /** Pods that scale events added within the period. */
  replicasAdded(periodMs: number, now: number): number {
    return sumSince(this.scaleUpEvents, now - periodMs);
  }

  /** Pods that scale events removed within the period. */
  replicasRemoved(periodMs: number, now: number): number {
    return sumSince(this.scaleDownEvents, now - periodMs);
  }
}

function sumSince(entries: readonly Entry[], since: number): number {
  return entries.reduce((sum, { at, replicas }) => (at > since ? sum + replicas : sum), 0);
}

/** Over the limit, merges the two oldest entries into one at the later time. */
function mergeOldest(entries: readonly Entry[]): Entry[] {
  const [first, second, ...rest] = entries;
  if (entries.length <= MAX_SCALE_EVENTS || first === undefined || second === undefined) return [...entries];
  return [{ at: second.at, replicas: first.replicas + second.replicas }, ...rest];
}
