/**
 * Who may have work done now. A request falls under a flow schema, which names a priority level; it takes some of the level's seats for as long as it is worked on,
 * waits for them in a queue of its flow, or is refused. What the schemas and levels are is told from outside, and every few seconds the seats are shared out
 * anew. Knows no HTTP.
 */
import type { UserInfo } from '../../shared/api/identity/user';
import type { Clock } from '../../shared/runtime/clock';
import { Classification } from './flow-schema-classifier';
import type { Asked, FlowSchema } from './flow-schema';
import { limitsOf, share } from './limits';
import { PriorityLevel, type LevelSpec } from './priority-level';
import type { GiveBack, GiveUp, SeatRefusal } from './queue-set';

export interface FlowRequest {
  readonly user: UserInfo;
  readonly asked: Asked;
  /** Asked for only where it matters: how many seats it takes. */
  readonly seats: () => number;
  /** Clock.monotonic. */
  readonly deadline: number;
}

/** What has been counted of a schema's requests at its level. */
export interface FlowMeter {
  /** It has a place in a queue. */
  queued(seats: number): void;
  /** `length` = of the queue that it was in; undefined = it was in none. */
  dispatched(seats: number, waitedMs: number, length: number | undefined): void;
  refused(reason: SeatRefusal, seats: number, waitedMs: number, length: number | undefined): void;
  /** The work is over. */
  finished(seats: number, ms: number): void;
}

export interface Admitted {
  readonly schema: FlowSchema;
  readonly level: PriorityLevel;
  /** Gives the seats back, once. */
  readonly done: () => void;
}

export interface Refused {
  readonly schema: FlowSchema;
  readonly level: PriorityLevel;
  readonly reason: SeatRefusal;
}

/** What waits, until it is decided on. */
export interface Queued {
  readonly schema: FlowSchema;
  readonly level: PriorityLevel;
  readonly decision: Promise<Admitted | Refused>;
  /** The client has gone. */
  readonly cancel: () => void;
}

export interface FlowControlOptions {
  readonly clock: Clock;
  /** Of all levels together. */
  readonly seats: number;
  /** Nobody waits longer. Milliseconds. */
  readonly longestWaitMs: number;
  readonly meterOf: (schema: string, level: string) => FlowMeter;
}

/** A schema whose level is there. */
interface Placed extends FlowSchema {
  readonly placed: PriorityLevel;
  readonly meter: FlowMeter;
}

const SHARE_EVERY_MS = 10_000;

export class FlowControl {
  fairFraction = 1;
  private readonly levels = new Map<string, PriorityLevel>();
  private readonly schemas = new Map<string, FlowSchema>();
  private classification: Classification<Placed> | undefined;
  private stopped = false;

  constructor(private readonly options: FlowControlOptions) {
    this.again();
  }

  setSchema(name: string, schema: FlowSchema | undefined): void {
    if (schema === undefined) this.schemas.delete(name);
    else this.schemas.set(name, schema);
    this.classification = undefined;
  }

  /** Without one those who wait for it still get their turn. */
  setLevel(name: string, spec: LevelSpec | undefined): void {
    const known = this.levels.get(name);
    if (spec === undefined) this.levels.delete(name);
    else if (known === undefined) this.levels.set(name, new PriorityLevel(spec, () => this.options.clock.monotonic()));
    else known.apply(spec);
    this.classification = undefined;
    this.limit();
  }

  get all(): Iterable<PriorityLevel> {
    return this.levels.values();
  }

  stop(): void {
    this.stopped = true;
  }

  /** Undefined = no schema that has a level speaks of it: there is nothing to hold it back by. */
  enter(request: FlowRequest): Admitted | Queued | Refused | undefined {
    const schema = this.classified().find(request.user, request.asked);
    if (schema === undefined) return undefined;
    const { placed: level, meter } = schema;
    const seats = level.spec.isExempt ? 1 : request.seats();
    const giveBack = level.requests.enter(seats);
    if (giveBack === undefined) return this.wait(schema, seats, request);
    meter.dispatched(seats, 0, undefined);
    return { schema, level, done: this.ending(meter, seats, giveBack) };
  }

  private ending(meter: FlowMeter, seats: number, giveBack: GiveBack): () => void {
    const since = this.options.clock.monotonic();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const ms = this.options.clock.monotonic() - since;
      giveBack(ms);
      meter.finished(seats, ms);
    };
  }

  private wait(schema: Placed, seats: number, { user, asked, deadline }: FlowRequest): Queued | Refused {
    const { clock, longestWaitMs } = this.options;
    const { placed: level, meter } = schema;
    const since = clock.monotonic();
    let tell: (decided: Admitted | Refused) => void = () => undefined;
    const decision = new Promise<Admitted | Refused>((resolve) => (tell = resolve));
    let giveUp: GiveUp = () => undefined;
    const timer = clock.after(Math.max(0, Math.min(longestWaitMs, deadline - since)), () => giveUp('time-out'));
    let length = 0;
    let leave: GiveBack = () => undefined;
    meter.queued(seats);
    const place = level.requests.enqueue(flowOf(schema, user, asked), {
      seats,
      decided: (outcome) => {
        timer.cancel();
        const waited = clock.monotonic() - since;
        if (outcome !== 'dispatched') {
          meter.refused(outcome, seats, waited, length);
          tell({ schema, level, reason: outcome });
          return;
        }
        meter.dispatched(seats, waited, length);
        // A seat may be given away before the place in the queue is known here.
        tell({ schema, level, done: this.ending(meter, seats, (ms) => leave(ms)) });
      },
    });
    if (typeof place === 'string') {
      timer.cancel();
      meter.refused(place, seats, 0, 0);
      return { schema, level, reason: place };
    }
    ({ length, giveUp, leave } = place);
    return { schema, level, decision, cancel: () => giveUp('cancelled') };
  }

  private classified(): Classification<Placed> {
    this.classification ??= new Classification(
      [...this.schemas.values()].flatMap((schema) => {
        const placed = this.levels.get(schema.level);
        if (placed === undefined) return [];
        return [{ ...schema, of: (user: UserInfo) => schema.of(user), placed, meter: this.options.meterOf(schema.name, schema.level) }];
      }),
    );
    return this.classification;
  }

  private limit(): void {
    const levels = [...this.levels.values()];
    limitsOf(
      levels.map(({ spec }) => spec),
      this.options.seats,
    ).forEach((limits, index) => {
      const level = levels[index];
      if (level !== undefined) level.limits = limits;
    });
    this.share(levels);
  }

  private again(): void {
    this.options.clock.after(SHARE_EVERY_MS, () => {
      if (this.stopped) return;
      const now = this.options.clock.monotonic();
      for (const level of this.levels.values()) level.demand.look(now);
      this.share([...this.levels.values()]);
      this.again();
    });
  }

  private share(levels: readonly PriorityLevel[]): void {
    const { fairFraction, current, targets } = share(
      levels.map(({ limits, demand }) => ({ limits, demand: demand.latest })),
      this.options.seats,
    );
    this.fairFraction = fairFraction;
    levels.forEach((level, index) => {
      level.target = targets[index] ?? 0;
      level.setSeats(current[index] ?? 0);
    });
  }
}

/** Those of one flow wait for each other. */
function flowOf({ name, distinguisher }: FlowSchema, user: UserInfo, asked: Asked): string {
  switch (distinguisher) {
    case 'ByUser':
      return `${name}\n${user.name}`;
    case 'ByNamespace':
      return `${name}\n${asked.kind === 'resource' ? asked.namespace : ''}`;
    case undefined:
      return name;
  }
}
