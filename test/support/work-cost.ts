/**
 * Measures of work that depend little on how busy the machine is: the calls of the product's functions, counted with V8's
 * precise coverage, and CPU time.
 */
import { Session } from 'node:inspector';
import path from 'node:path';
import { repository } from './repository';

/**
 * The number of calls of functions in the sources of `folder` (such as `shared/patch`) while `work` runs. `work` must
 * be synchronous.
 */
export function countCalls(folder: string, work: () => unknown): number {
  const sources = path.join(repository, folder, path.sep);
  const session = new Session();
  session.connect();
  try {
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    work();
    let calls: number | undefined;
    // A session on its own thread responds before `post` returns.
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error;
      const functions = result.filter(({ url }) => url.includes(sources)).flatMap((script) => script.functions);
      // The first range of a function is its whole body, with the number of its calls.
      calls = functions.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
    });
    if (calls === undefined) throw new Error('the inspector has not responded');
    return calls;
  } finally {
    session.disconnect();
  }
}

/** The least CPU time of `times` runs, in milliseconds. */
export function leastCpuMs(work: () => unknown, times: number): number {
  const runs = Array.from({ length: times }, () => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  return Math.min(...runs);
}
