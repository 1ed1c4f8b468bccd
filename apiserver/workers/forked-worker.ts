/**
 * Forks workers with node:cluster: the supervisor accepts the connections and hands each to one worker in turn, so that
 * long-lived HTTP/2 connections spread evenly.
 */
import cluster from 'node:cluster';
import type { Exit } from '../../shared/runtime/process/supervisor';
import type { WorkerProcess } from './worker-pool';

/** The environment variable with a worker's number, which stays the same when the worker is restarted. */
export const WORKER_VARIABLE = 'APISERVER_WORKER';

export function forkWorker(worker: number): WorkerProcess {
  const forked = cluster.fork({ [WORKER_VARIABLE]: String(worker) });
  const exited = new Promise<Exit>((resolve) => {
    forked.once('exit', (code: number | null, signal: string | null) => resolve({ code, signal }));
    forked.on('error', (error) => {
      if (forked.process.pid === undefined) resolve({ code: null, signal: null, error });
    });
  });
  const ready = new Promise<void>((resolve) => {
    forked.on('message', (message: unknown) => {
      if (message === 'ready') resolve();
    });
  });
  return {
    pid: forked.process.pid,
    exited,
    ready,
    send(message) {
      // When this fails the worker has exited, which `exited` reports.
      if (forked.isConnected()) forked.process.send(message, () => undefined);
    },
    onMessage: (listener) => void forked.on('message', listener),
    kill: (signal) => void forked.process.kill(signal),
  };
}
