/**
 * Messages between the supervisor of an API server's workers and each worker, over their IPC channel. Besides these a
 * worker sends `ready`, as every program does to its parent.
 */

/** A metrics page: `/metrics` or `/metrics/slis`. */
const METRICS_PAGES = ['metrics', 'slis'] as const;
export type MetricsPage = (typeof METRICS_PAGES)[number];

export type WorkerMessage =
  /** To a worker: render your own page. To the supervisor: render the page of all workers. */
  | { readonly kind: 'scrape'; readonly id: number; readonly page: MetricsPage }
  /** The response; without `text` the page could not be rendered. */
  | { readonly kind: 'scraped'; readonly id: number; readonly text?: string };

/** `undefined` for messages of other kinds. */
export function parseWorkerMessage(message: unknown): WorkerMessage | undefined {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return undefined;
  if (!('id' in message) || typeof message.id !== 'number') return undefined;
  const { id } = message;
  if (message.kind === 'scrape' && 'page' in message) {
    const page = METRICS_PAGES.find((name) => name === message.page);
    return page === undefined ? undefined : { kind: 'scrape', id, page };
  }
  if (message.kind !== 'scraped') return undefined;
  return 'text' in message && typeof message.text === 'string' ? { kind: 'scraped', id, text: message.text } : { kind: 'scraped', id };
}
