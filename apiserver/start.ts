/** The program of the API server: parses its flags and runs the server until a signal ends it. */
import { systemClock as clock } from '../shared/runtime/clock';
import { flagsOrExit, USAGE_EXIT_CODE } from '../shared/cli/flags';
import { exitCodeOf } from '../shared/cli/permanent-error';
import { Lifecycle } from '../shared/runtime/process/lifecycle';
import { createLogger, effectiveLogLevel } from '../shared/runtime/logger';
import { systemRandom as random } from '../shared/runtime/random';
import { errorMessage } from '../shared/runtime/error-message';
import { FLAGS } from './options/flags/flags';
import { PROGRAM, runServer } from './program';

async function main(): Promise<void> {
  const flags = flagsOrExit(PROGRAM, FLAGS, process.argv.slice(2), USAGE_EXIT_CODE);
  const logger = createLogger({ level: effectiveLogLevel(flags.values), clock });
  const lifecycle = new Lifecycle({ clock, logger, process });
  lifecycle.listenForSignals();
  const server = await runServer(flags, { clock, random, logger, lifecycle });
  logger.info('ready', { port: server.port, localPort: server.localPort });
  process.send?.('ready');
}

main().catch((error: unknown) => {
  process.stderr.write(`${PROGRAM.name}: ${errorMessage(error)}\n`);
  process.exit(exitCodeOf(error));
});
