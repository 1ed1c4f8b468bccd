/** A priority level: what it may do at a time, who waits for it, and what has been asked of it. */
import type { FlowcontrolV1PriorityLevelConfiguration } from '../../shared/api/types/generated/members';
import { DemandMeter } from './demand-meter';
import type { LevelLimits, LevelShares } from './limits';
import { QueueSet, type Queuing } from './queue-set';
import { TimeShares } from './timing-histogram';

/** What an object of the kind says. */
export interface LevelSpec extends LevelShares {
  readonly uid: string;
  readonly isExempt: boolean;
  /** Undefined = what has no seat is refused. */
  readonly queuing: Queuing | undefined;
}

const DEFAULT_SHARES = 30;

export function readLevel({ metadata, spec = {} }: FlowcontrolV1PriorityLevelConfiguration): LevelSpec {
  const isExempt = spec.type === 'Exempt';
  const { nominalConcurrencyShares, lendablePercent = 0 } = (isExempt ? spec.exempt : spec.limited) ?? {};
  const queuing = spec.limited?.limitResponse?.queuing;
  return {
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    isExempt,
    shares: nominalConcurrencyShares ?? (isExempt ? 0 : DEFAULT_SHARES),
    lendable: lendablePercent,
    borrowing: isExempt ? 0 : spec.limited?.borrowingLimitPercent,
    queuing:
      queuing === undefined
        ? undefined
        : { queues: queuing.queues ?? 1, handSize: queuing.handSize ?? 1, lengthLimit: queuing.queueLengthLimit ?? 1 },
  };
}

const DEMANDED = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6];
const REQUESTS = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1];
const SEATS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];

/** For how long which share of a level was in use. */
export interface LevelTimes {
  /** Seats asked for, of the nominal ones. */
  readonly demanded: TimeShares;
  /** Seats taken, of the nominal ones. */
  readonly seats: TimeShares;
  /** Requests that have seats, of the nominal seats. */
  readonly executing: TimeShares;
  /** Requests that wait, of the places in queues. */
  readonly waiting: TimeShares;
}

/** The wire has no room for more, and nobody is held back by it. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

export class PriorityLevel {
  limits: LevelLimits = { nominal: 0, lower: 0, upper: 0 };
  /** Seats that it may use now. */
  current = 0;
  /** What it was to have at the last look. */
  target = 0;
  readonly requests: QueueSet;
  readonly demand: DemandMeter;
  readonly times: LevelTimes;

  constructor(
    public spec: LevelSpec,
    private readonly now: () => number,
  ) {
    const since = now();
    const times = (bounds: readonly number[]): TimeShares => new TimeShares(bounds, since);
    this.demand = new DemandMeter(since);
    this.times = { demanded: times(DEMANDED), seats: times(SEATS), executing: times(REQUESTS), waiting: times(REQUESTS) };
    this.requests = new QueueSet(() => this.changed());
    this.apply(spec);
  }

  /** Counts what is in use up to now. */
  changed(): void {
    const { demand, times, requests, now, limits, spec } = this;
    const at = now();
    const asked = requests.executingSeats + requests.waitingSeats;
    const seats = Math.max(1, limits.nominal);
    demand.set(asked, at);
    times.demanded.set(asked / seats, at);
    times.seats.set(requests.executingSeats / seats, at);
    times.executing.set(requests.executing / seats, at);
    if (spec.queuing !== undefined) times.waiting.set(requests.waiting / (spec.queuing.queues * spec.queuing.lengthLimit), at);
  }

  apply(spec: LevelSpec): void {
    this.spec = spec;
    this.requests.configure(spec.queuing);
  }

  /** Nobody ever waits for an exempt one, whatever it may use. */
  setSeats(seats: number): void {
    this.current = seats;
    this.requests.setLimit(this.spec.isExempt ? UNLIMITED : seats);
  }
}
