/**
 * Starts a compiled program as a child of this process. The child has an IPC channel only so that it notices when this process is gone
 * (its `disconnect` event), and a process group of its own so that Ctrl-C reaches it only through the supervisor, in order.
 */
import { spawn } from 'node:child_process';
import type { Exit, RunningProcess } from './supervisor';
import { NODE_ARGUMENTS } from '../cluster/tuning';

/** `program` is the path of a JavaScript file. */
export function startProgram(program: string, args: readonly string[]): RunningProcess {
  const child = spawn(process.execPath, [...NODE_ARGUMENTS, program, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, error });
    });
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  return { pid: child.pid, exited, kill: (signal) => void child.kill(signal) };
}
