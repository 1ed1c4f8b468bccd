/**
 * What the supervisor of an API server's workers and each worker exchange: the worker's number in its environment, and
 * messages over their IPC channel. Besides these a worker sends `ready`, as every program does to its parent.
 */
import type { MetricsPages } from '../metrics/registry/exposition';

/** The environment variable with a worker's number, which stays the same when the worker is restarted. */
export const WORKER_VARIABLE = 'APISERVER_WORKER';

/** A page, by the method of `Metrics` that renders it. */
export type MetricsPage = keyof MetricsPages;
const METRICS_PAGES: readonly MetricsPage[] = ['scrape', 'scrapeSlis'];

/** `id` connects a response with its request; each end numbers its own requests. */
export type WorkerMessage =
  /** To a worker: render your own page. To the supervisor: render the page of all workers. */
  | { readonly kind: 'request'; readonly id: number; readonly page: MetricsPage }
  /** Without `text` the page could not be rendered. */
  | { readonly kind: 'response'; readonly id: number; readonly text?: string };

/** `undefined` for messages of other kinds. */
export function parseWorkerMessage(message: unknown): WorkerMessage | undefined {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return undefined;
  if (!('id' in message) || typeof message.id !== 'number') return undefined;
  const { kind, id } = message;
  if (kind === 'request' && 'page' in message) {
    const page = METRICS_PAGES.find((name) => name === message.page);
    return page === undefined ? undefined : { kind, id, page };
  }
  if (kind !== 'response') return undefined;
  return 'text' in message && typeof message.text === 'string' ? { kind, id, text: message.text } : { kind, id };
}
