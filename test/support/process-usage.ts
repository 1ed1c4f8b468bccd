/**
 * CPU time and memory of a process, as the kernel counts them (Linux only). Comparable on a noisy machine, where rates are
 * not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { errorCode } from '../../shared/runtime/error-code';

/** Seconds of user and system time since the process started; resolution 10 ms. */
export const cpuSeconds = (pid: number): number => secondsIn(`/proc/${pid}/stat`);

/** Like {@link cpuSeconds} for the event loop's thread alone, without the threads of the store and of V8's collector and compiler. */
export const loopSeconds = (pid: number): number => secondsIn(`/proc/${pid}/task/${pid}/stat`);

/** Clock ticks of 10 ms, in which the kernel reports CPU time. */
const TICKS_PER_SECOND = 100;
/** The positions of `utime` and `stime`, fields 14 and 15 of proc(5), after the name, which is field 2. */
const UTIME = 11;
const STIME = 12;

/** User and system time in a file `stat` of proc(5). The name of the program, in parentheses, may contain blanks. */
function secondsIn(file: string): number {
  const stat = readFileSync(file, 'latin1');
  const fieldsAfterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fieldsAfterName[UTIME]) + Number(fieldsAfterName[STIME])) / TICKS_PER_SECOND;
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

/** The state at the beginning of a measurement, for {@link cpuSince}. */
export function startCpu(pid: number): CpuStart {
  const threads = new Map<string, number>();
  const folder = `/proc/${pid}/task`;
  for (const thread of readdirSync(folder)) {
    const time = threadNanos(`${folder}/${thread}/schedstat`);
    if (time !== undefined) threads.set(thread, time);
  }
  return { seconds: cpuSeconds(pid), threads };
}

/** `undefined` when the thread has ended. */
function threadNanos(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'latin1').split(' ', 1)[0]);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return undefined;
    throw error;
  }
}

/** Megabytes of anonymous memory: allocated by the process, without mapped files. NaN when the process has ended. */
export const anonymousMegabytes = (pid: number): number => megabytesIn(pid, /^RssAnon:\s+(\d+) kB$/m);

/** Megabytes of memory in use, mapped files included. NaN when the process has ended. */
export const residentMegabytes = (pid: number): number => megabytesIn(pid, /^VmRSS:\s+(\d+) kB$/m);

function megabytesIn(pid: number, line: RegExp): number {
  const [, kilobytes] = line.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kilobytes ?? Number.NaN) / 1024;
}
