/**
 * Runs a control plane with the options in the program's only argument, as JSON. Sends the parent one start message,
 * and stops when the IPC channel closes or on SIGTERM. SIGINT and SIGHUP are left to the parent: a terminal sends them
 * to the whole process group while tests may still need the server.
 */
import { systemClock as clock } from '../../shared/runtime/clock';
import { errorMessage } from '../../shared/runtime/error-message';
import { Lifecycle } from '../../shared/runtime/process/lifecycle';
import { sendToParent } from '../../shared/runtime/process/parent-message';
import { createLogger } from '../../shared/runtime/logger';
import type { ControlPlaneOptions } from './api';
import { openControlPlane } from './control-plane';
import type { StartMessage } from './start-message';

async function main(options: ControlPlaneOptions): Promise<void> {
  const logger = createLogger({ level: options.logLevel ?? 'silent', clock });
  const lifecycle = new Lifecycle({ clock, logger, process });
  process.on('disconnect', () => void lifecycle.stop('the parent closed the channel'));
  process.on('SIGTERM', () => void lifecycle.stop('SIGTERM'));
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
  try {
    await send({ type: 'ready', connection: await openControlPlane(options, { clock, logger, lifecycle }) });
  } catch (error) {
    await send({ type: 'failed', message: errorMessage(error) });
    await lifecycle.stop('could not start', 1);
  }
}

const send = (message: StartMessage): Promise<void> => sendToParent(process, message);

// The text is written by index.ts of the same package.
void main(JSON.parse(process.argv[2] ?? '{}') as ControlPlaneOptions);
