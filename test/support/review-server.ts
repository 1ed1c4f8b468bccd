/** A webhook that reviews, for tests and recorders: what it answers stands in the path that it is asked under. */
import type { Body } from '../replay/json-response';
import { BEHAVIOURS } from '../replay/webhooks/behaviours';
import { startWebhookServer, type WebhookCall, type WebhookServer } from './webhook-server';

export interface ReviewServer extends WebhookServer {
  /** What has been asked, in order. */
  readonly calls: WebhookCall[];
}

/** `names`: whom its certificate is for. */
export async function startReviewServer(names: readonly string[] = ['localhost', '127.0.0.1'], host = '127.0.0.1'): Promise<ReviewServer> {
  const calls: WebhookCall[] = [];
  const server = await startWebhookServer({
    names,
    host,
    reply({ url, headers, text }) {
      // Who follows a redirect comes back with nothing.
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
