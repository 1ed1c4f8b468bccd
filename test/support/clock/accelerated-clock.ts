/**
 * A module that is loaded before a program (`node --require`) and makes the program's system clock run eight times as
 * fast, so that waits of a length that upstream prescribes end within a test. Loading it changes `systemClock` itself,
 * because the program imports that object later. `now()` still returns the true wall-clock time. Not for a program that
 * holds a Lease for which other programs wait: they measure its duration at normal speed.
 */
import { systemClock, type Clock } from '../../../shared/runtime/clock';

/** How much faster than real time the clock runs. */
const SPEED = 8;

function accelerate({ now, monotonic, after, sleep }: Clock): Clock {
  return {
    now,
    monotonic: () => monotonic() * SPEED,
    after: (ms, task) => after(ms / SPEED, task),
    sleep: (ms, signal) => sleep(ms / SPEED, signal),
  };
}

Object.assign(systemClock, accelerate({ ...systemClock }));
