/**
 * The program of the API server: parses its flags and runs the server, or the supervisor of several workers, until a
 * signal ends it. Reports errors on standard error; permanent ones have their own exit code.
 */
import { systemClock as clock } from '../shared/runtime/clock';
import { flagsOrExit, USAGE_EXIT_CODE } from '../shared/cli/flags';
import { exitCodeOf, PERMANENT_EXIT_CODE } from '../shared/runtime/process/permanent-error';
import { Lifecycle } from '../shared/runtime/process/lifecycle';
import { sendToParent } from '../shared/runtime/process/parent-message';
import { createLogger, effectiveLogLevel } from '../shared/runtime/logger';
import { systemRandom as random } from '../shared/runtime/random';
import { errorMessage } from '../shared/runtime/error-message';
import { FLAGS } from './options/flags/flags';
import { refuseContradictions } from './options/refuse-contradictions';
import { PROGRAM, runServer, shutdownMs, type ParsedServerFlags, type ServerHost } from './program';
import { StoreError } from './storage/store';
import { WORKER_VARIABLE } from './workers/worker-message';

async function main(): Promise<void> {
  const flags = flagsOrExit(PROGRAM, FLAGS, process.argv.slice(2), USAGE_EXIT_CODE);
  // Servers without workers do not load node:cluster.
  const worker = process.env[WORKER_VARIABLE] === undefined ? undefined : (await import('./workers/worker.js')).currentWorker(clock);
  const fields = worker === undefined ? {} : { worker: worker.number };
  const logger = createLogger({ level: effectiveLogLevel(flags.values), clock, fields });
  const lifecycle = new Lifecycle({ clock, logger, process });
  if (worker === undefined) lifecycle.listenForSignals();
  else worker.listen(lifecycle);
  if (worker === undefined && flags.values.workers > 1) return superviseWorkers(flags, { clock, logger, lifecycle });
  if (flags.values['storage-backend'] === 'embedded') await exitOnDamagedStore(flags.values['storage-dir']);
  const onListening = (): void => void sendToParent(process, 'listening');
  const server = await runServer(flags, { clock, random, logger, lifecycle, worker, onListening });
  logger.info('ready', { port: server.port, localPort: server.localPort });
  await sendToParent(process, 'ready');
}

/** Runs the workers and starts no server in this process. Resolves when all of them are ready. */
async function superviseWorkers(
  { values, given }: ParsedServerFlags,
  host: Pick<ServerHost, 'clock' | 'logger' | 'lifecycle'>,
): Promise<void> {
  refuseContradictions(values, given);
  const { runWorkers } = await import('./workers/run-workers.js');
  await runWorkers({ ...host, size: values.workers, stopMs: shutdownMs(values) });
  host.logger.info('ready', { workers: values.workers });
  await sendToParent(process, 'ready');
}

/**
 * Exits with the code of permanent errors when an uncaught error of lmdb shows that the store is damaged. Other uncaught
 * errors end the process as in any Node program.
 */
async function exitOnDamagedStore(directory: string): Promise<void> {
  const { explainUncaughtDamage } = await import('./storage/embedded/database-files.js');
  process.on('uncaughtException', (error) => {
    const damage = explainUncaughtDamage(error, directory);
    process.stderr.write(
      damage === undefined ? `${error.stack ?? error.message}\n` : `${PROGRAM.name}: --storage-dir=${directory}: ${damage}\n`,
    );
    process.exit(damage === undefined ? 1 : PERMANENT_EXIT_CODE);
  });
}

function isDamage(error: unknown): boolean {
  if (error instanceof StoreError) return error.failure === 'damaged';
  return error instanceof Error && isDamage(error.cause);
}

main().catch((error: unknown) => {
  process.stderr.write(`${PROGRAM.name}: ${errorMessage(error)}\n`);
  process.exit(isDamage(error) ? PERMANENT_EXIT_CODE : exitCodeOf(error));
});
