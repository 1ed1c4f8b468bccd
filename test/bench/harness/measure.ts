/** Costs of requests: the CPU time of a server process divided by the requests that loops of this process send to it. */
import { cpuSince, startCpu } from '../../support/process-usage';

/** What a number of requests cost a server. */
export interface Cost {
  readonly requests: number;
  /** The duration of the measurement. */
  readonly seconds: number;
  /** Microseconds of the server's CPU per request. */
  readonly cpuMicros: number;
}

/** Like {@link measureLoop}, after a warm-up of a third of the time that is not counted. */
export async function measureWarmLoop(
  pid: number,
  bounds: { readonly workers: number; readonly seconds: number },
  request: (index: number, worker: number) => Promise<void>,
): Promise<Cost> {
  const warmUp = await measureLoop(pid, { workers: bounds.workers, seconds: bounds.seconds / 3 }, request);
  return measureLoop(pid, bounds, (index, worker) => request(index + warmUp.requests, worker));
}

/**
 * Runs `request` from `workers` loops for `seconds` (or `count` times in all) and divides the CPU time of `pid` by the
 * requests.
 */
export async function measureLoop(
  pid: number,
  bounds: { readonly workers: number; readonly seconds?: number; readonly count?: number },
  request: (index: number, worker: number) => Promise<void>,
): Promise<Cost> {
  const end = bounds.seconds === undefined ? Infinity : performance.now() + bounds.seconds * 1000;
  const limit = bounds.count ?? Infinity;
  const cpu = startCpu(pid);
  const start = performance.now();
  let next = 0;
  let completed = 0;
  const worker = async (id: number): Promise<void> => {
    while (next < limit && performance.now() < end) {
      const index = next++;
      await request(index, id);
      completed += 1;
    }
  };
  await Promise.all(Array.from({ length: bounds.workers }, (_, id) => worker(id)));
  const seconds = (performance.now() - start) / 1000;
  return { requests: completed, seconds, cpuMicros: (cpuSince(pid, cpu) * 1e6) / completed };
}
