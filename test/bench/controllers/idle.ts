/** Memory and CPU of all controllers in one process without work. */
import { anonymousMegabytes, cpuSeconds } from '../../support/process-usage';
import { withControllers } from '../harness/bench-server';
import { numberOption } from '../harness/settings';
import { pause } from '../harness/timing';

/** Time until all controllers have started and lead. Milliseconds. */
const STARTUP_MS = 15_000;

/** Prints the use of `--idle` seconds. With `--server`, `--pid` names the process of its controllers. */
export const idle = (): Promise<void> =>
  withControllers(async (_, pid = numberOption('pid', process.pid)) => {
    const idleSeconds = numberOption('idle', 60);
    await pause(STARTUP_MS);
    const cpuBefore = cpuSeconds(pid);
    const startedAt = performance.now();
    await pause(idleSeconds * 1000);
    const elapsedSeconds = (performance.now() - startedAt) / 1000;
    const percent = (((cpuSeconds(pid) - cpuBefore) / elapsedSeconds) * 100).toFixed(2);
    console.log(`\n${'all controllers, nothing to do'.padEnd(46)} ${percent} % of a core, ${anonymousMegabytes(pid).toFixed(0)} MB`);
  });
