/**
 * API Priority and Fairness: decides whether a request may execute now. A FlowSchema assigns the request to a
 * priority level, where it occupies seats while it executes, waits for them in a queue of its flow, or is rejected.
 * Seats are reallocated between levels every ten seconds, and when a level changes. Independent of HTTP; the caller sets
 * the schemas and levels.
 */
import type { UserInfo } from '../../shared/api/identity/user';
import type { Clock } from '../../shared/runtime/clock';
import { FlowSchemaClassifier } from './flow-schema-classifier';
import type { RequestAttributes, FlowSchema } from './flow-schema';
import { computeLimits, allocateSeats } from './limits';
import { PriorityLevel, type PriorityLevelSpec } from './priority-level';
import type { ReleaseSeats, StopWaiting, RejectReason } from './queue-set';

/** A request to be classified and admitted. */
export interface FlowRequest {
  readonly user: UserInfo;
  readonly attributes: RequestAttributes;
  /**
   * Number of seats of the request. Not called for an exempt level, where a request counts as one seat: the estimate may
   * be costly.
   */
  readonly seats: () => number;
  /** In the time of Clock.monotonic. */
  readonly deadline: number;
}

/** Counts the requests of one schema at its level. */
export interface FlowMeter {
  /** The request is about to enter a queue. `dispatched` or `rejected` follows, perhaps at once. */
  queued(seats: number): void;
  /**
   * The request may execute. `queueLength` is `undefined` when it found free seats without a queue. Otherwise it is the
   * length of the queue when the request was added, itself included; 0 when it was dispatched while it was added.
   */
  dispatched(seats: number, waitedMs: number, queueLength: number | undefined): void;
  /** `queueLength` is that of the queue when the request was added, itself included; 0 when it was not added. */
  rejected(reason: RejectReason, seats: number, waitedMs: number, queueLength: number): void;
  /** Execution has finished after `ms`. */
  finished(seats: number, ms: number): void;
}

/** The request may run; it must call `done` when it ends. */
export interface Admitted {
  readonly schema: FlowSchema;
  readonly level: PriorityLevel;
  /** Releases the seats. Calls after the first have no effect. */
  readonly done: () => void;
}

/** The request is rejected with 429, without having run. */
export interface Rejected {
  readonly schema: FlowSchema;
  readonly level: PriorityLevel;
  readonly reason: RejectReason;
}

/** A request that waits in a queue until `decision` resolves. */
export interface Queued {
  readonly schema: FlowSchema;
  readonly level: PriorityLevel;
  readonly decision: Promise<Admitted | Rejected>;
  /** Stops waiting; called when the client has disconnected. */
  readonly cancel: () => void;
}

/** The options that are fixed at the start of the server. Schemas and levels are added later. */
export interface FlowControlOptions {
  readonly clock: Clock;
  /** The seats of all levels together. */
  readonly seats: number;
  /** Upper bound for the time in a queue, in milliseconds. */
  readonly maxWaitMs: number;
  /** The meter of a schema and its level. Called when their objects change, not per request. */
  readonly meterFor: (schema: string, level: string) => FlowMeter;
}

/** A schema with an existing priority level. */
interface SchemaWithLevel extends FlowSchema {
  readonly priorityLevel: PriorityLevel;
  readonly meter: FlowMeter;
}

/** Interval at which seats are reallocated between levels, as upstream's. */
const ALLOCATION_PERIOD_MS = 10_000;

/** The schemas and levels of a server, and the requests that they admit. */
export class FlowControl {
  /** `SeatAllocation.fairFraction` of the last allocation; reported by a metric. */
  fairFraction = 1;
  private readonly levels = new Map<string, PriorityLevel>();
  private readonly schemas = new Map<string, FlowSchema>();
  private cachedClassifier: FlowSchemaClassifier<SchemaWithLevel> | undefined;
  private isStopped = false;

  constructor(private readonly options: FlowControlOptions) {
    this.scheduleAllocation();
  }

  /** With `undefined` the schema is removed. */
  setSchema(name: string, schema: FlowSchema | undefined): void {
    if (schema === undefined) this.schemas.delete(name);
    else this.schemas.set(name, schema);
    this.cachedClassifier = undefined;
  }

  /** With `undefined` the level is removed; requests in its queues are still dispatched. */
  setLevel(name: string, spec: PriorityLevelSpec | undefined): void {
    const existing = this.levels.get(name);
    if (spec === undefined) this.levels.delete(name);
    else if (existing === undefined) this.levels.set(name, new PriorityLevel(spec, () => this.options.clock.monotonic()));
    else existing.applySpec(spec);
    this.cachedClassifier = undefined;
    this.updateLimits();
  }

  get priorityLevels(): Iterable<PriorityLevel> {
    return this.levels.values();
  }

  /** Ends the periodic reallocation of seats. Requests are still admitted. */
  stop(): void {
    this.isStopped = true;
  }

  /**
   * Decides on a request. Returns `undefined` when no schema with an existing level matches: such a request is not
   * limited.
   */
  startRequest(request: FlowRequest): Admitted | Queued | Rejected | undefined {
    const schema = this.currentClassifier().classify(request.user, request.attributes);
    if (schema === undefined) return undefined;
    const { priorityLevel: level, meter } = schema;
    const seats = level.spec.isExempt ? 1 : request.seats();
    const releaseSeats = level.queueSet.tryAcquire(seats);
    if (releaseSeats === undefined) return this.enqueue(schema, seats, request);
    meter.dispatched(seats, 0, undefined);
    return { schema, level, done: this.finishOnce(meter, seats, releaseSeats) };
  }

  /** Returns a function that releases the seats and records the execution time, at its first call only. */
  private finishOnce(meter: FlowMeter, seats: number, releaseSeats: ReleaseSeats): () => void {
    const startedAt = this.options.clock.monotonic();
    let isDone = false;
    return () => {
      if (isDone) return;
      isDone = true;
      const ms = this.options.clock.monotonic() - startedAt;
      releaseSeats(ms);
      meter.finished(seats, ms);
    };
  }

  private enqueue(schema: SchemaWithLevel, seats: number, { user, attributes, deadline }: FlowRequest): Queued | Rejected {
    const { clock, maxWaitMs } = this.options;
    const { priorityLevel: level, meter } = schema;
    const arrivedAt = clock.monotonic();
    const timeoutMs = Math.max(0, Math.min(maxWaitMs, deadline - arrivedAt));
    // `onDecision` and the timer refer to what `queueSet.enqueue` returns, and `onDecision` may be called before that.
    let resolveDecision: (outcome: Admitted | Rejected) => void = () => undefined;
    const decision = new Promise<Admitted | Rejected>((resolve) => (resolveDecision = resolve));
    let stopWaiting: StopWaiting = () => undefined;
    const timer = clock.after(timeoutMs, () => stopWaiting('time-out'));
    let queueLength = 0;
    let releaseSeats: ReleaseSeats = () => undefined;
    meter.queued(seats);
    const enqueued = level.queueSet.enqueue(flowOf(schema, user, attributes), {
      seats,
      onDecision: (outcome) => {
        timer.cancel();
        const waitedMs = clock.monotonic() - arrivedAt;
        if (outcome !== 'dispatched') {
          meter.rejected(outcome, seats, waitedMs, queueLength);
          resolveDecision({ schema, level, reason: outcome });
          return;
        }
        meter.dispatched(seats, waitedMs, queueLength);
        // A closure, because `releaseSeats` may not be set yet.
        resolveDecision({ schema, level, done: this.finishOnce(meter, seats, (ms) => releaseSeats(ms)) });
      },
    });
    if (typeof enqueued === 'string') {
      timer.cancel();
      meter.rejected(enqueued, seats, 0, 0);
      return { schema, level, reason: enqueued };
    }
    ({ queueLength, stopWaiting, releaseSeats } = enqueued);
    return { schema, level, decision, cancel: () => stopWaiting('cancelled') };
  }

  private currentClassifier(): FlowSchemaClassifier<SchemaWithLevel> {
    this.cachedClassifier ??= new FlowSchemaClassifier(this.schemasWithLevels());
    return this.cachedClassifier;
  }

  /** The schemas without those that name a level that does not exist. */
  private schemasWithLevels(): readonly SchemaWithLevel[] {
    const schemas: SchemaWithLevel[] = [];
    for (const schema of this.schemas.values()) {
      const priorityLevel = this.levels.get(schema.levelName);
      if (priorityLevel === undefined) continue;
      const meter = this.options.meterFor(schema.name, schema.levelName);
      schemas.push({ priorityLevel, meter, ...schema });
    }
    return schemas;
  }

  /** Recomputes the limits of all levels, which depend on the shares of each, and reallocates the seats. */
  private updateLimits(): void {
    const levels = [...this.levels.values()];
    const specs = levels.map(({ spec }) => spec);
    computeLimits(specs, this.options.seats).forEach((limits, index) => {
      const level = levels[index];
      if (level !== undefined) level.limits = limits;
    });
    this.allocateSeats(levels);
  }

  private scheduleAllocation(): void {
    this.options.clock.after(ALLOCATION_PERIOD_MS, () => {
      if (this.isStopped) return;
      const now = this.options.clock.monotonic();
      for (const level of this.levels.values()) level.demand.reset(now);
      this.allocateSeats([...this.levels.values()]);
      this.scheduleAllocation();
    });
  }

  private allocateSeats(levels: readonly PriorityLevel[]): void {
    const { fairFraction, current, targets } = allocateSeats(
      levels.map(({ limits, demand }) => ({ limits, demand: demand.latest })),
      this.options.seats,
    );
    this.fairFraction = fairFraction;
    levels.forEach((level, index) => {
      level.targetSeats = targets[index] ?? 0;
      level.setSeats(current[index] ?? 0);
    });
  }
}

/**
 * The flow of a request: its schema and, by the schema's distinguisher, its user or namespace. Requests of one flow are
 * dealt the same queues.
 */
function flowOf({ name, distinguisher }: FlowSchema, user: UserInfo, attributes: RequestAttributes): string {
  switch (distinguisher) {
    case 'ByUser':
      return `${name}\n${user.name}`;
    case 'ByNamespace':
      return `${name}\n${attributes.kind === 'resource' ? attributes.namespace : ''}`;
    case undefined:
      return name;
  }
}
