/**
 * A priority level: its limits, its queues, and the measurement of its demand and usage, which follows every change of
 * the queues. Which limits it has is decided by the caller; which request is next, by the queue set.
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
 * Applies the defaults of the kind to absent members, except in `queuing`, where they count as 1: decoding has already
 * set the defaults of stored objects.
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
  /** Waiting requests as a fraction of the places in queues. */
  readonly waiting: TimingHistogram;
}

/** More than the seats of all requests together. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** A level with its queues and its present seats. */
export class PriorityLevel {
  limits: LevelLimits = { nominal: 0, lower: 0, upper: 0 };
  /** The current limit. */
  currentSeats = 0;
  /** The target of the last allocation, before limits and the fair fraction apply. */
  targetSeats = 0;
  readonly queueSet: QueueSet;
  readonly demand: DemandMeter;
  readonly usage: LevelUsage;

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
    const { demand, usage, queueSet, now, limits, spec } = this;
    const at = now();
    const demanded = queueSet.executingSeats + queueSet.waitingSeats;
    const seats = Math.max(1, limits.nominal);
    demand.set(demanded, at);
    usage.demanded.set(demanded / seats, at);
    usage.seats.set(queueSet.executingSeats / seats, at);
    usage.executing.set(queueSet.executing / seats, at);
    if (spec.queuing !== undefined) usage.waiting.set(queueSet.waiting / (spec.queuing.queues * spec.queuing.lengthLimit), at);
  }

  /** Leaves the limits as they are: the caller recomputes them for all levels. */
  applySpec(spec: PriorityLevelSpec): void {
    this.spec = spec;
    this.queueSet.configure(spec.queuing);
  }

  /** Requests of an exempt level never wait, whatever its allocation. */
  setSeats(seats: number): void {
    this.currentSeats = seats;
    this.queueSet.setLimit(this.spec.isExempt ? UNLIMITED : seats);
  }
}
