/** The entry point of the simulation: parses the command line, starts it, and stops it in order on a signal. */
import { flagsOrExit, USAGE_EXIT_CODE, UsageError } from '../../shared/cli/flags';
import { systemClock as clock, type Clock } from '../../shared/runtime/clock';
import { createLogger, effectiveLogLevel } from '../../shared/runtime/logger';
import { Lifecycle } from '../../shared/runtime/process/lifecycle';
import { systemRandom as random } from '../../shared/runtime/random';
import { flags as table } from './flags';
import { PROGRAM, startSimulation } from './program';

async function main(): Promise<void> {
  const { values } = flagsOrExit(PROGRAM, table, process.argv.slice(2), USAGE_EXIT_CODE);
  const logger = createLogger({ level: effectiveLogLevel(values), clock, fields: { component: 'simulation' } });
  const lifecycle = new Lifecycle({ clock, logger, process });
  lifecycle.listenForSignals();
  await startSimulation(values, { clock, random, logger, lifecycle });
  void stayAlive(clock, lifecycle.stopping);
}

/** Any period serves, because the timer only has to exist. */
const KEEP_ALIVE_MS = 60_000;

/** Keeps the process running: other timers are unreferenced. */
async function stayAlive(clock: Clock, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) await clock.sleep(KEEP_ALIVE_MS);
}

main().catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${PROGRAM.name}: ${error.message}\nSee '${PROGRAM.name} --help' for the flags it knows.\n`);
  process.exit(USAGE_EXIT_CODE);
});
