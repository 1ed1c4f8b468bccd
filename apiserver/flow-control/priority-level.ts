/**
 * A priority level: its limits, its queues, and the measurements of its demand and usage, which are updated at every
 * change of the queues. Computing the limits is left to limits.ts, and choosing the next request to queue-set.ts.
 */
import type { FlowcontrolV1PriorityLevelConfiguration } from '../../shared/api/types/generated/members';
import { DemandMeter } from './demand-meter';
import type { LevelLimits, LevelShares } from './limits';
import { QueueSet, type Queuing } from './queue-set';
import { TimingHistogram } from './timing-histogram';

/** The parsed spec of a PriorityLevelConfiguration. */
export interface PriorityLevelSpec extends LevelShares {
  readonly uid: string;
  readonly isExempt: boolean;
  /** `undefined` when requests beyond the limit are rejected instead of queued. */
  readonly queuing: Queuing | undefined;
}

/** Default of `nominalConcurrencyShares` in the API. */
const DEFAULT_SHARES = 30;

/**
 * Parses a PriorityLevelConfiguration. Absent members get the defaults of the API, except for those of `queuing`, which
 * become 1: a stored object has them all, because decoding sets the defaults.
 */
export function readPriorityLevel({ metadata, spec = {} }: FlowcontrolV1PriorityLevelConfiguration): PriorityLevelSpec {
  const isExempt = spec.type === 'Exempt';
  const { nominalConcurrencyShares, lendablePercent = 0 } = (isExempt ? spec.exempt : spec.limited) ?? {};
  const queuing = spec.limited?.limitResponse?.queuing;
  return {
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    isExempt,
    shares: nominalConcurrencyShares ?? (isExempt ? 0 : DEFAULT_SHARES),
    lendablePercent,
    borrowingLimitPercent: isExempt ? 0 : spec.limited?.borrowingLimitPercent,
    queuing:
      queuing === undefined
        ? undefined
        : { queues: queuing.queues ?? 1, handSize: queuing.handSize ?? 1, lengthLimit: queuing.queueLengthLimit ?? 1 },
  };
}

/** Upper bounds of the buckets of {@link LevelUsage}, as upstream's metrics have them. */
const DEMAND_BOUNDS = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6];
const REQUEST_BOUNDS = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1];
const SEAT_BOUNDS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];

/** Histograms of the time during which a fraction of a level was in use. */
export interface LevelUsage {
  /** Demanded seats (executing and waiting) as a fraction of the nominal seats. */
  readonly demanded: TimingHistogram;
  /** Occupied seats as a fraction of the nominal seats. */
  readonly seats: TimingHistogram;
  /** Executing requests as a fraction of the nominal seats. */
  readonly executing: TimingHistogram;
  /** Waiting requests as a fraction of the requests that all queues of the level may hold. */
  readonly waiting: TimingHistogram;
}

/** The limit of an exempt level: more than the seats of all requests together. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** A level with its queues and its present seats. */
export class PriorityLevel {
  limits: LevelLimits = { nominal: 0, lower: 0, upper: 0 };
  /** The seats that the last allocation gave to the level. They do not limit an exempt level. */
  currentSeats = 0;
  /** The seats that the level needed at the last allocation: its element of `SeatAllocation.targets`. */
  targetSeats = 0;
  readonly queueSet: QueueSet;
  readonly demand: DemandMeter;
  readonly usage: LevelUsage;

  /** `now` returns the monotonic time in milliseconds. */
  constructor(
    public spec: PriorityLevelSpec,
    private readonly now: () => number,
  ) {
    const since = now();
    const histogram = (bounds: readonly number[]): TimingHistogram => new TimingHistogram(bounds, since);
    this.demand = new DemandMeter(since);
    this.usage = {
      demanded: histogram(DEMAND_BOUNDS),
      seats: histogram(SEAT_BOUNDS),
      executing: histogram(REQUEST_BOUNDS),
      waiting: histogram(REQUEST_BOUNDS),
    };
    this.queueSet = new QueueSet(() => this.recordUsage());
    this.applySpec(spec);
  }

  /** Records the present demand and usage. Called on every change of the queues, and before the metrics are rendered. */
  recordUsage(): void {
    const { demand, usage, queueSet, limits } = this;
    const { queuing } = this.spec;
    const now = this.now();
    const demandedSeats = queueSet.executingSeats + queueSet.waitingSeats;
    const nominalSeats = Math.max(1, limits.nominal);
    demand.set(demandedSeats, now);
    usage.demanded.set(demandedSeats / nominalSeats, now);
    usage.seats.set(queueSet.executingSeats / nominalSeats, now);
    usage.executing.set(queueSet.executing / nominalSeats, now);
    if (queuing !== undefined) usage.waiting.set(queueSet.waiting / (queuing.queues * queuing.lengthLimit), now);
  }

  /** Sets the spec and its queues, but no limits: the caller recomputes those for all levels. */
  applySpec(spec: PriorityLevelSpec): void {
    this.spec = spec;
    this.queueSet.configure(spec.queuing);
  }

  /** Sets the allocated seats. They do not limit an exempt level: its requests never wait. */
  setSeats(seats: number): void {
    this.currentSeats = seats;
    this.queueSet.setLimit(this.spec.isExempt ? UNLIMITED : seats);
  }
}
