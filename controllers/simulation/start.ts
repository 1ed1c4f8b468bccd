/** The entry point of the simulation: parses the command line, starts it, and stops it in order on a signal. */
import { flagsOrExit, USAGE_EXIT_CODE, UsageError } from '../../shared/cli/flags';
import { systemClock as clock } from '../../shared/runtime/clock';
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
  void lifecycle.stayAlive();
}

main().catch((error: unknown) => {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${PROGRAM.name}: ${error.message}\nSee '${PROGRAM.name} --help' for the flags it knows.\n`);
  process.exit(USAGE_EXIT_CODE);
});
