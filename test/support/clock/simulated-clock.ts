/**
 * Simulated time for programs in the test's own process: the clock advances to its next timer as soon as the process is
 * idle, so that waiting for an hour takes milliseconds. The process is idle when several turns of the event loop in a
 * row handled no I/O event and left no immediate, file system request or connection attempt pending. Work in other
 * threads (worker threads, libuv's crypto jobs) is not seen; time may pass while it runs.
 */
import { performance } from 'node:perf_hooks';
import { ManualClock } from './manual-clock';

/** Turns of the event loop without work, after which nothing more is expected before the next timer. */
const IDLE_TURNS = 3;
/** Interval of checks while no timer is set. Real milliseconds. */
const NO_TIMER_MS = 1;
/**
 * Resources of Node that will continue without a timer: immediates, libuv requests, connections and writes in progress.
 */
const PENDING = /^Immediate$|Req|^(?:TCPConnect|PipeConnect|Write|Shutdown)Wrap$/;

export class SimulatedClock extends ManualClock {
  /** Advances from timer to timer until the returned function is called. */
  run(): () => Promise<void> {
    let isEnded = false;
    const loop = async (): Promise<void> => {
      while (!isEnded) {
        await untilIdle();
        if (!isEnded && !this.advanceToNext()) await new Promise((resolve) => setTimeout(resolve, NO_TIMER_MS));
      }
    };
    const running = loop();
    return () => {
      isEnded = true;
      return running;
    };
  }
}

/** Resolves when the event loop has nothing left to do without a timer. */
async function untilIdle(): Promise<void> {
  let events = handledEvents();
  for (let idle = 0; idle < IDLE_TURNS;) {
    await new Promise((resolve) => setImmediate(resolve));
    const present = handledEvents();
    idle = present === events && !process.getActiveResourcesInfo().some((resource) => PENDING.test(resource)) ? idle + 1 : 0;
    events = present;
  }
}

/** The number of I/O events that the event loop has handled so far. */
const handledEvents = (): number => performance.nodeTiming.uvMetricsInfo.events;
