/**
 * CPU time and anonymous memory of a process, as the kernel counts them (Linux only). Comparable on a noisy machine,
 * where rates are not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { errorCode } from '../../../shared/runtime/error-code';

/** Seconds of user and system time since the process started; resolution 10 ms. */
export const cpuSeconds = (pid: number): number => secondsIn(`/proc/${pid}/stat`);

/** The same for the thread of the event loop, without the threads of the store, garbage collection and the compiler. */
export const loopSeconds = (pid: number): number => secondsIn(`/proc/${pid}/task/${pid}/stat`);

function secondsIn(file: string): number {
  const stat = readFileSync(file, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Seconds of CPU of the process since `start`; more precise than {@link cpuSeconds} unless one of its threads has ended. */
export function cpuSince(pid: number, start: CpuStart): number {
  const now = startCpu(pid);
  let nanos = 0;
  for (const [thread, time] of start.threads) {
    const later = now.threads.get(thread);
    if (later === undefined) return now.seconds - start.seconds;
    nanos -= time;
  }
  for (const time of now.threads.values()) nanos += time;
  return nanos / 1e9;
}

export interface CpuStart {
  readonly seconds: number;
  /** Nanoseconds, by thread. */
  readonly threads: ReadonlyMap<string, number>;
}

export function startCpu(pid: number): CpuStart {
  const threads = new Map<string, number>();
  const folder = `/proc/${pid}/task`;
  for (const thread of readdirSync(folder)) {
    const time = threadNanos(`${folder}/${thread}/schedstat`);
    if (time !== undefined) threads.set(thread, time);
  }
  return { seconds: cpuSeconds(pid), threads };
}

/** Undefined when the thread has ended. */
function threadNanos(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'latin1').split(' ', 1)[0]);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return undefined;
    throw error;
  }
}

/** Megabytes of anonymous memory: allocated by the process, without mapped files. */
export function anonymousMegabytes(pid: number): number {
  const line = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  return Number(line?.[1] ?? Number.NaN) / 1024;
}

/** Megabytes of memory in use, mapped files included. */
export function residentMegabytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  return Number(line?.[1] ?? Number.NaN) / 1024;
}

export interface Cost {
  readonly requests: number;
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
  let done = 0;
  const worker = async (id: number): Promise<void> => {
    while (next < limit && performance.now() < end) {
      const index = next++;
      await request(index, id);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: bounds.workers }, (_, id) => worker(id)));
  const seconds = (performance.now() - start) / 1000;
  return { requests: done, seconds, cpuMicros: (cpuSince(pid, cpu) * 1e6) / done };
}
