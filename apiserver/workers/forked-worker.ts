/**
 * Forks workers with node:cluster: the supervisor accepts the connections and hands each to one worker in turn, so that
 * long-lived HTTP/2 connections spread evenly.
 */
import cluster from 'node:cluster';
import { observeProcess } from '../../shared/runtime/process/running-process';
import { WORKER_VARIABLE } from './worker-message';
import type { WorkerProcess } from './worker-pool';

/** Must be called in the supervisor. The new process reads its number, `worker`, from {@link WORKER_VARIABLE}. */
export function forkWorker(worker: number): WorkerProcess {
  const forked = cluster.fork({ [WORKER_VARIABLE]: String(worker) });
  const child = forked.process;
  // node:cluster emits the errors of `child` here again, where one without a listener would end the supervisor. They are
  // reported by `exited`.
  forked.on('error', () => undefined);
  return {
    ...observeProcess(child),
    // An error means that the worker has exited, which `exited` reports.
    send: (message) => void child.send(message, () => undefined),
    onMessage: (listener) => void child.on('message', listener),
  };
}
