/** A priority level: what it may do at a time, who waits for it, and what has been asked of it. */
import type { FlowcontrolV1PriorityLevelConfiguration } from '../../shared/api/types/generated/members';
import { DemandMeter } from './demand';
import type { LevelLimits, LevelShares } from './limits';
import { QueueSet, type Queuing } from './queue-set';

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

  constructor(
    public spec: LevelSpec,
    now: () => number,
  ) {
    this.demand = new DemandMeter(now());
    this.requests = new QueueSet(() => this.demand.set(this.requests.executingSeats + this.requests.waitingSeats, now()));
    this.apply(spec);
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
