/**
 * Generates names of Events in client-go's form: the object's name and the time in nanoseconds, as in
 * `web-0.17f3a2c4d5e6f708`. Clients show the Events of one second in the order of their names, so the names of the Events
 * about an object must increase. The clock's resolution is a millisecond; within one, a counter orders the names. The
 * digits below the counter are random, because other clients may report the same object at the same time.
 */
import type { Clock } from '../../runtime/clock';
import type { Random } from '../../runtime/random';

const NANOSECONDS_PER_MS = 1_000_000n;
/** A millisecond has a thousand steps, one for each name. The random digits choose a nanosecond within the step. */
const STEP_NANOSECONDS = 1_000;
/** The last step of a millisecond, counted from 0. All further names of the millisecond share it. */
const LAST_STEP = 999;
/** Hexadecimal digits of a 64-bit time, as in client-go's names. */
const DIGITS = 16;

/** One per recorder, so that the names of its Events increase. */
export class EventNames {
  /** The millisecond (since 1970) of the last name. */
  private lastTime = 0;
  /** The step of the last name within that millisecond. */
  private step = 0;

  constructor(private readonly options: { readonly clock: Pick<Clock, 'now'>; readonly random: Pick<Random, 'float'> }) {}

  /**
   * A name for a new Event about the object `objectName`. It is probably unique, and greater than earlier names for this
   * object unless the clock was set back or more than a thousand names were created in the same millisecond.
   */
  create(objectName: string): string {
    const now = Math.trunc(this.options.clock.now());
    this.step = now === this.lastTime ? Math.min(this.step + 1, LAST_STEP) : 0;
    this.lastTime = now;
    const nanosInMs = this.step * STEP_NANOSECONDS + Math.floor(this.options.random.float() * STEP_NANOSECONDS);
    const time = BigInt(now) * NANOSECONDS_PER_MS + BigInt(nanosInMs);
    return `${objectName}.${time.toString(16).padStart(DIGITS, '0')}`;
  }
}
