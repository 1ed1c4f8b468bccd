/**
 * One end of the IPC channel between a worker and the supervisor, for metrics pages: sends requests, matches their
 * responses, and responds to the requests of the other end. The other end may exit or stop responding at any time, so a
 * request ends after a timeout.
 */
import type { Clock } from '../../shared/runtime/clock';
import { withTimeout } from '../../shared/runtime/with-timeout';
import { parseWorkerMessage, type MetricsPage, type WorkerMessage } from './worker-message';

/** The channel, and the pages of this end. */
export interface ScrapeChannelOptions {
  readonly clock: Clock;
  /** Milliseconds that a request may take. */
  readonly timeoutMs: number;
  /** Sends a message to the other end; drops it when the channel is closed. */
  readonly send: (message: WorkerMessage) => void;
  /** Renders a page for the other end. A rejection is sent as a page that could not be rendered. */
  readonly render: (page: MetricsPage) => Promise<string>;
}

/** One end of a channel: the supervisor has an instance for each worker, a worker one for the supervisor. */
export class ScrapeChannel {
  private readonly pending = new Map<number, (text: string | undefined) => void>();
  private lastId = 0;

  constructor(private readonly options: ScrapeChannelOptions) {}

  /** Requests a page of the other end; `undefined` when it could not render the page, or not in time. */
  async request(page: MetricsPage): Promise<string | undefined> {
    const { clock, timeoutMs, send } = this.options;
    this.lastId += 1;
    const id = this.lastId;
    const response = new Promise<string | undefined>((resolve) => this.pending.set(id, resolve));
    send({ kind: 'request', id, page });
    try {
      return await withTimeout(response, clock, timeoutMs, () => undefined);
    } finally {
      this.pending.delete(id);
    }
  }

  /** Handles a message of the other end; ignores those of other kinds. */
  receive(value: unknown): void {
    const message = parseWorkerMessage(value);
    if (message?.kind === 'request') void this.respond(message.id, message.page);
    else if (message?.kind === 'response') this.pending.get(message.id)?.(message.text);
  }

  private async respond(id: number, page: MetricsPage): Promise<void> {
    const { send, render } = this.options;
    const text = await render(page).catch(() => undefined);
    send({ kind: 'response', id, ...(text === undefined ? {} : { text }) });
  }
}
