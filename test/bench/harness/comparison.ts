/**
 * Compares what a request costs two processes. They alternate in short rounds, because the load of a machine varies;
 * the ratio is the median of those of the rounds, which are repeated until its error is small.
 */
import { setPriority } from 'node:os';
import { errorCode } from '../../../shared/runtime/error-code';
import { measureLoop, type Cost } from './measure';
import { estimate, median, type Estimate } from './statistics';

/** One of the two that are compared. */
export interface Side {
  /** The process with the CPU that counts. */
  readonly pid: number;
  /** Sends the request with number `index` from loop `worker`. */
  send(index: number, worker: number): Promise<unknown>;
}

/** The ratios over all rounds, and the costs behind them. */
export interface Comparison {
  /** The ratio of the subject's CPU per request to the baseline's. */
  readonly ratio: Estimate;
  /** The ratio of the times from a request to its response, as a client with this many requests at a time sees them. */
  readonly latencyRatio: Estimate;
  /** Microseconds of CPU per request; the median of the rounds. */
  readonly subjectMicros: number;
  /** The same of the baseline. */
  readonly baselineMicros: number;
  readonly rounds: number;
  /** The number of requests to the subject in all rounds. */
  readonly requests: number;
}

/** Fewer rounds give no reliable error; more than the maximum do not reduce it on a busy machine. */
const MIN_ROUNDS = 9;
const MAX_ROUNDS = 40;
/** The relative error of the ratio with which no more rounds are needed. */
const SUFFICIENT_ERROR = 0.01;
/** Rounds after which V8 has compiled what the requests run, and the heap has its size. */
const WARM_UP_ROUNDS = 6;

/**
 * Repeats rounds until the ratio's error is small or there are {@link MAX_ROUNDS}. `workers`: requests in flight;
 * `requests`: the requests of each side in a round. They are counted instead of timed, because a fixed time may be too
 * short to warm up on a busy machine.
 */
export async function compareCosts(
  subject: Side,
  baseline: Side,
  { workers, requests }: { readonly workers: number; readonly requests: number },
): Promise<Comparison> {
  let index = 0;
  const measure = async (side: Side): Promise<Cost> => {
    const start = index;
    index += requests;
    return measureLoop(side.pid, { workers, count: requests }, async (offset, worker) => void (await side.send(start + offset, worker)));
  };
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) for (const side of [baseline, subject]) await measure(side);
  const costs: { readonly subject: Cost; readonly baseline: Cost }[] = [];
  const ratioOf = (key: 'cpuMicros' | 'seconds'): Estimate => estimate(costs.map((round) => round.subject[key] / round.baseline[key]));
  const isSufficient = (): boolean => {
    const { value, error } = ratioOf('cpuMicros');
    return costs.length >= MIN_ROUNDS && error <= SUFFICIENT_ERROR * value;
  };
  while (costs.length < MAX_ROUNDS && !isSufficient()) {
    // The order changes from round to round.
    if (costs.length % 2 === 0) costs.push({ baseline: await measure(baseline), subject: await measure(subject) });
    else costs.push({ subject: await measure(subject), baseline: await measure(baseline) });
  }
  return {
    ratio: ratioOf('cpuMicros'),
    latencyRatio: ratioOf('seconds'),
    subjectMicros: median(costs.map((round) => round.subject.cpuMicros)),
    baselineMicros: median(costs.map((round) => round.baseline.cpuMicros)),
    rounds: costs.length,
    requests: costs.reduce((sum, round) => sum + round.subject.requests, 0),
  };
}

/** Niceness: measured processes precede the others of the machine. */
const MEASURED_PRIORITY = -10;
/** `setPriority` throws ERR_SYSTEM_ERROR for what the operating system refuses. */
const PERMISSION_ERRORS: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ERR_SYSTEM_ERROR']);

/**
 * Lets the measured processes run before those of others, because other work empties the caches of the processor. Without
 * the permission they keep their priority.
 */
export function raisePriority(...pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      setPriority(pid, MEASURED_PRIORITY);
    } catch (error) {
      if (!PERMISSION_ERRORS.has(errorCode(error) ?? '')) throw error;
    }
  }
}
