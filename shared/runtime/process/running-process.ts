/**
 * A child process as its supervisor sees it. The child reports over its IPC channel that it listens, with the message
 * `listening`, and that it is ready, with `ready`.
 */
import type { ChildProcess } from 'node:child_process';

/** How a process ended: with a code, by a signal, or because it could not be started. */
export interface Exit {
  /** `null` unless the process has exited by itself. */
  readonly code: number | null;
  /** `null` unless a signal has ended the process. */
  readonly signal: string | null;
  /** Set when the process could not be started. */
  readonly error?: Error;
}

/** A started child process. */
export interface RunningProcess {
  /** Undefined when the process could not be started. */
  readonly pid: number | undefined;
  /** Never rejects. */
  readonly exited: Promise<Exit>;
  /** Resolves when the process reports that it listens, or that it is ready; stays pending when it exits before. */
  readonly listening: Promise<void>;
  /** Resolves when the process reports that it is ready; stays pending when it exits before. */
  readonly ready: Promise<void>;
  /** Has no effect on a process that has exited. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** To be called synchronously after the start of `child`, so that no event is missed. */
export function observeProcess(child: ChildProcess): RunningProcess {
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ code: null, signal: null, error });
    });
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const reported = (...reports: readonly unknown[]): Promise<void> =>
    new Promise((resolve) => {
      child.on('message', (message) => {
        if (reports.includes(message)) resolve();
      });
    });
  const listening = reported('listening', 'ready');
  const ready = reported('ready');
  return { pid: child.pid, exited, listening, ready, kill: (signal) => void child.kill(signal) };
}
