/**
 * Starts a compiled program as a child process. Over the IPC channel the child reports that it is ready, and detects the
 * end of this process (the event `disconnect`). The child has a process group of its own, so that Ctrl-C in a terminal
 * reaches it only through this process.
 */
import { spawn } from 'node:child_process';
import { observeProcess, type RunningProcess } from '../../shared/runtime/process/running-process';
import { NODE_ARGUMENTS } from '../cluster/node-arguments';

/** Receives the output of a program. */
export interface OutputSink {
  write(chunk: Buffer): void;
}

/** `program` is the path of a JavaScript file. Without a sink its output is that of this process. */
export function startProgram(program: string, args: readonly string[], sink?: OutputSink): RunningProcess {
  const output = sink === undefined ? 'inherit' : 'pipe';
  const child = spawn(process.execPath, [...NODE_ARGUMENTS, program, ...args], {
    stdio: ['ignore', output, output, 'ipc'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => sink?.write(chunk));
  return observeProcess(child);
}
