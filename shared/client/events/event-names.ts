/**
 * Generates names of Events: the object's name and the time in nanoseconds (client-go's form). Clients show the Events
 * of one second in the order of names, so the names about an object must increase; below the clock's resolution of a
 * millisecond a counter orders them. Random digits follow it, because other clients may report the same object.
 */
import type { Clock } from '../../runtime/clock';
import type { Random } from '../../runtime/random';

const NANOSECONDS_PER_MS = 1_000_000n;
/** Length of a step within a millisecond. */
const STEP_NANOSECONDS = 1_000;
/** Number of the last step within a millisecond, which further names of that millisecond share. */
const LAST_STEP = 999;
/** Hexadecimal digits of a 64-bit time, as in client-go's names. */
const DIGITS = 16;

/** One per recorder, so that the names of its Events increase. */
export class EventNames {
  private lastTime = 0;
  private step = 0;

  constructor(private readonly options: { readonly clock: Pick<Clock, 'now'>; readonly random: Pick<Random, 'float'> }) {}

  /**
   * A name for a new Event about the object `objectName`, probably unique. Greater than earlier ones about it, unless the
   * clock was set back or the millisecond has more than a thousand names.
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
