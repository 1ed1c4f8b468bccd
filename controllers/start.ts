/**
 * The entry point of the controllers: parses the command line, starts the controllers, and stops them in order on a
 * signal.
 */
import { systemClock as clock } from '../shared/runtime/clock';
import { flagsOrExit, USAGE_EXIT_CODE, UsageError } from '../shared/cli/flags';
import { exitCodeOf, PermanentError } from '../shared/runtime/process/permanent-error';
import { Lifecycle } from '../shared/runtime/process/lifecycle';
import { sendToParent } from '../shared/runtime/process/parent-message';
import { createLogger, effectiveLogLevel } from '../shared/runtime/logger';
import { systemRandom as random } from '../shared/runtime/random';
import { flags as table } from './flags';
import { PROGRAM, startControllers } from './program';

async function main(): Promise<void> {
  const flags = flagsOrExit(PROGRAM, table, process.argv.slice(2), USAGE_EXIT_CODE);
  const logger = createLogger({ level: effectiveLogLevel(flags.values), clock, fields: { component: 'controllers' } });
  const lifecycle = new Lifecycle({ clock, logger, process });
  lifecycle.listenForSignals();
  await startControllers(flags, { clock, random, logger, lifecycle });
  await sendToParent(process, 'ready');
  void lifecycle.stayAlive();
}

main().catch((error: unknown) => {
  if (!(error instanceof UsageError || error instanceof PermanentError)) throw error;
  const help = error instanceof UsageError ? `See '${PROGRAM.name} --help' for its flags.\n` : '';
  process.stderr.write(`${PROGRAM.name}: ${error.message}\n${help}`);
  process.exit(exitCodeOf(error));
});
