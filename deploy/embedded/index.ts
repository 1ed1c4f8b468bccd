/**
 * The entry point of the package: runs each control plane in a child process. Test runners replace the module loader,
 * the timers and the globals of the process that runs the tests; none of that reaches the child. The child is bound to
 * this process by an IPC channel and shuts down when the channel closes, so that it ends soon after this process.
 */
import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { NODE_ARGUMENTS } from '../cluster/node-arguments';
import type { ControlPlane, ControlPlaneOptions } from './api';
import { isStartMessage, type StartMessage } from './start-message';

export type { ControlPlane, ControlPlaneConnection, ControlPlaneOptions } from './api';

const PROGRAM = path.join(__dirname, 'start.js');

/** Options of Node that concern the code of this process: module hooks, debuggers, coverage. */
const NOT_INHERITED = new Set(['NODE_OPTIONS', 'NODE_V8_COVERAGE']);

/**
 * Starts a control plane and resolves when it is ready. Any number may run side by side. Rejects when it cannot start,
 * for example with an error about the options or the folder.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const child = fork(PROGRAM, [JSON.stringify(options)], {
    execArgv: [...NODE_ARGUMENTS],
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_INHERITED.has(name))),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = waitForExit(child);
  const message = await receiveStartMessage(child);
  if (message?.type === 'ready') {
    let stopped: Promise<void> | undefined;
    return { ...message.connection, stop: () => (stopped ??= stop(child, exited)) };
  }
  // The child ends by itself after it has sent `failed`. Waiting for that leaves no process behind when this rejects, and
  // states how the child ended when it sent no message.
  const { description } = await exited;
  throw new Error(message?.message ?? `the control plane ended before it was ready (${description})`);
}

/** How the child ended, or why it could not be started. */
interface Exit {
  readonly isSuccess: boolean;
  readonly description: string;
}

function waitForExit(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ isSuccess: false, description: error.message }));
    child.once('exit', (code, signal) =>
      resolve({ isSuccess: code === 0, description: signal === null ? `exit code ${code}` : `signal ${signal}` }),
    );
  });
}

/** The first message of the child; `undefined` when it is not a start message, or the child ends without one. */
function receiveStartMessage(child: ChildProcess): Promise<StartMessage | undefined> {
  return new Promise((resolve) => {
    child.once('message', (value) => resolve(isStartMessage(value) ? value : undefined));
    // Not `exit`, which may be emitted before the last message of the child.
    child.once('close', () => resolve(undefined));
    child.once('error', () => resolve(undefined));
  });
}

async function stop(child: ChildProcess, exited: Promise<Exit>): Promise<void> {
  if (child.connected) child.disconnect();
  const { isSuccess, description } = await exited;
  if (!isSuccess) throw new Error(`the control plane did not shut down cleanly (${description}); see its log (logLevel)`);
}
