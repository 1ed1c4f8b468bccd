/**
 * Starts a compiled program as a child process. Through the IPC channel the child reports that it is ready, and detects
 * the end of this process (its `disconnect` event); its own process group ensures that Ctrl-C reaches it only through the supervisor.
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
  const ready = new Promise<void>((resolve) => {
    child.on('message', (message) => {
      if (message === 'ready') resolve();
    });
  });
  return { pid: child.pid, exited, ready, kill: (signal) => void child.kill(signal) };
}
