/** An admission webhook for tests and recorders. The path of a request names a behaviour of `replay/webhooks/behaviours.ts`. */
import type { Body } from '../../replay/json-response';
import { BEHAVIOURS } from '../../replay/webhooks/behaviours';
import { startWebhookServer, type WebhookCall, type WebhookServer } from './webhook-server';

export interface ReviewServer extends WebhookServer {
  /** The reviews received so far, in order. */
  readonly calls: WebhookCall[];
}

/** `names` are those of the certificate; `localhost` and 127.0.0.1 by default. */
export async function startReviewServer(names?: readonly string[]): Promise<ReviewServer> {
  const calls: WebhookCall[] = [];
  const server = await startWebhookServer({
    ...(names === undefined ? {} : { names }),
    reply({ url, headers, text }) {
      // A client that follows a redirect sends no body.
      const review: unknown = text === '' ? { request: {} } : JSON.parse(text);
      if (!isReview(review)) throw new Error('no review');
      calls.push({ url, headers, review });
      const name = url.split('?', 1)[0]?.slice(1) ?? '';
      return BEHAVIOURS[name]?.(review['request']) ?? { status: 404, body: 'no such behaviour' };
    },
  });
  return { ...server, calls };
}

function isReview(value: unknown): value is Body & { readonly request: Body } {
  return typeof value === 'object' && value !== null && 'request' in value && typeof value.request === 'object' && value.request !== null;
}
