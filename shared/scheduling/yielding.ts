/**
 * Yielding: all requests share one event loop, so a long computation yields to it between its steps. A step is the code
 * between two calls of `yieldIfDue()` of a {@link Yielder}; a computation that is a generator yields through `runSteps`
 * (see steps.ts).
 */
import type { Clock } from '../runtime/clock';

/**
 * Decides when a computation yields:
 *
 * - {@link slotYielder} is for the work of a request: due when the turn of the event loop is over (see
 *   event-loop-scheduler.ts).
 * - {@link TimeSlice} is for a loop of its own, or for steps of a request that also waits for I/O: due after some
 *   milliseconds.
 *
 * {@link ItemYielder} is for many short items of a request, where a check after each item would cost too much.
 */
export interface Yielder {
  /**
   * Call it between two steps. Returns `undefined` when the computation may continue at once; otherwise it continues when
   * the promise resolves. Awaiting only a promise keeps short computations synchronous:
   *
   *     const pause = yielder.yieldIfDue();
   *     if (pause !== undefined) await pause;
   */
  yieldIfDue(): Promise<void> | undefined;
}

/** For computations that are short or run in a worker thread. */
export const NEVER_YIELDS: Yielder = { yieldIfDue: () => undefined };

/** Resolves after other work that is ready has run. */
export type YieldNow = () => Promise<void>;

/** Resolves in the next turn of the event loop, after its I/O. */
export const yieldToEventLoop: YieldNow = () => new Promise((resolve) => setImmediate(resolve));

/** The slot on the event loop that a request holds. Both members are absent where no scheduler runs. */
export interface EventLoopSlot {
  /** Whether the time of this turn of the event loop is used up. */
  readonly isTurnOver?: boolean;
  /** Resolves with the next slot. */
  requeue?(): Promise<void>;
}

/** Requeues the slot when the turn of the event loop is over; otherwise returns `undefined`. */
export function yieldIfDue(slot: EventLoopSlot): Promise<void> | undefined {
  return slot.isTurnOver === true ? slot.requeue?.() : undefined;
}

/** {@link yieldIfDue} as a {@link Yielder}. */
export const slotYielder = (slot: EventLoopSlot): Yielder => ({ yieldIfDue: () => yieldIfDue(slot) });

/** Requeues the slot, or yields to the event loop where no scheduler runs. */
export const yieldSlot = (slot: EventLoopSlot): Promise<void> => slot.requeue?.() ?? yieldToEventLoop();

/** The computation yields at the first check after this time. */
const SLICE_MS = 5;
/** Steps between two readings of the clock, because a reading costs more than a short step. */
const STEPS_PER_CHECK = 16;

/** When a {@link TimeSlice} reads the clock, and how it yields. */
export interface TimeSliceOptions {
  /** Steps between two readings of the clock: 1 where a step may be long. Default: 16. */
  readonly stepsPerCheck?: number;
  /** The slot to yield. Absent: the computation holds none, and yields to the event loop. */
  readonly slot?: EventLoopSlot;
  /**
   * Whether the slot is kept until the turn of the event loop is over, even if the slice ends before: when a slice ends
   * while the request waits for I/O, the computation has delayed no other request.
   */
  readonly isKeptUntilTurnIsOver?: boolean;
  /** How the computation yields; replaces the requeueing of {@link slot} and {@link yieldToEventLoop}. */
  readonly yieldNow?: YieldNow | undefined;
}

/**
 * Yields when the computation has run for {@link SLICE_MS} since it last yielded, so that a request waits little longer
 * than that for it.
 */
export class TimeSlice implements Yielder {
  private steps = 0;
  private isOver = false;
  private startedAt: number;
  private readonly stepsPerCheck: number;
  private readonly yieldSlice: YieldNow;
  /** The slot that is kept until its turn is over. */
  private readonly keptSlot: EventLoopSlot | undefined;

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    { stepsPerCheck = STEPS_PER_CHECK, slot, isKeptUntilTurnIsOver = false, yieldNow }: TimeSliceOptions = {},
  ) {
    this.startedAt = clock.monotonic();
    this.stepsPerCheck = stepsPerCheck;
    this.yieldSlice = yieldNow ?? (slot === undefined ? yieldToEventLoop : () => yieldSlot(slot));
    this.keptSlot = isKeptUntilTurnIsOver ? slot : undefined;
  }

  yieldIfDue(): Promise<void> | undefined {
    return this.isDue() ? this.yieldNow() : undefined;
  }

  /**
   * Counts a step and returns whether the computation should yield; stays true until {@link yieldNow}. For synchronous
   * steps, which cannot yield themselves: their caller does.
   */
  isDue(): boolean {
    if (this.keptSlot?.isTurnOver === false) return false;
    this.steps += 1;
    if (this.steps % this.stepsPerCheck === 0) this.isOver ||= this.clock.monotonic() - this.startedAt >= SLICE_MS;
    return this.isOver;
  }

  /** Yields whether it is due or not, and starts a new slice. */
  async yieldNow(): Promise<void> {
    await this.yieldSlice();
    this.isOver = false;
    this.startedAt = this.clock.monotonic();
  }
}

/** For the steps of a request that runs for long and also waits for I/O, as a write does. */
export const slotTimeSlice = (clock: Pick<Clock, 'monotonic'>, slot: EventLoopSlot): TimeSlice =>
  new TimeSlice(clock, { slot, stepsPerCheck: 1, isKeptUntilTurnIsOver: true });

/** The most items, and bytes of items, between two checks of an {@link ItemYielder}. */
const MAX_ITEMS_PER_CHECK = 16;
const MAX_BYTES_PER_CHECK = 64 * 1024;

/**
 * Yields a request's slot between the items of a long list. Checks after a number of items whether the turn is over.
 * The first check after each yield adapts that number: it is halved if the turn is over already, as with items that
 * take long, and doubled, up to {@link MAX_ITEMS_PER_CHECK}, if the turn is not over.
 */
export class ItemYielder {
  private items = 0;
  private bytes = 0;
  private itemsPerCheck = MAX_ITEMS_PER_CHECK;
  private isFirstCheckAfterYield = true;

  constructor(private readonly slot: EventLoopSlot) {}

  /** To be called after each item, except for those of {@link yieldAfterLongItem}. */
  yieldIfDue(itemBytes: number): Promise<void> | undefined {
    this.items += 1;
    this.bytes += itemBytes;
    return this.items < this.itemsPerCheck && this.bytes < MAX_BYTES_PER_CHECK ? undefined : this.check();
  }

  /** To be called after an item that may have taken long: checks at once. */
  yieldAfterLongItem(): Promise<void> | undefined {
    return this.check();
  }

  private check(): Promise<void> | undefined {
    this.items = 0;
    this.bytes = 0;
    const pause = yieldIfDue(this.slot);
    this.adapt(pause !== undefined);
    return pause;
  }

  private adapt(isTurnOver: boolean): void {
    if (this.isFirstCheckAfterYield)
      this.itemsPerCheck = isTurnOver ? Math.max(1, this.itemsPerCheck / 2) : Math.min(MAX_ITEMS_PER_CHECK, this.itemsPerCheck * 2);
    this.isFirstCheckAfterYield = isTurnOver;
  }
}
