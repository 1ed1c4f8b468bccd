/** A conversion webhook for tests and recorders: what it does can be changed at any time. */
import { REVIEWS } from '../replay/conversions/reviews';
import { CONVERSIONS } from '../replay/conversions/behaviours';
import { isBody, type Body, type Json } from '../replay/reference';
import type { Reply } from '../replay/webhooks/behaviours';
import { startWebhookServer, type Called, type WebhookServer } from './webhook-server';

export interface ConversionServer extends WebhookServer {
  /** One of the behaviours; `hang` = it never answers. */
  does: string;
  /** The resource version that was last told to whoever asks with it. */
  lastVersion: string;
  /** What has been asked, in order; of the headers those of the content. */
  readonly calls: Called[];
  /** What the webhooks of admission below `/admission/` have been asked. */
  readonly reviews: Called[];
}

const ADMISSION = '/admission/';

export async function startConversionServer(names: readonly string[] = ['localhost', '127.0.0.1']): Promise<ConversionServer> {
  const calls: Called[] = [];
  const reviews: Called[] = [];
  const state = { does: 'good', lastVersion: '' };
  const server = await startWebhookServer({
    names,
    host: '127.0.0.1',
    reply({ url, headers: { accept = '', 'content-type': type = '' }, text }) {
      const review: Json = text === '' ? {} : JSON.parse(text);
      if (!isBody(review)) throw new Error('no review');
      const called = { url, headers: { accept, 'content-type': type }, review };
      if (url.startsWith(ADMISSION)) return admitted(called, reviews);
      calls.push(called);
      return conversionReply(state.does, review);
    },
  });
  return Object.assign(state, { ...server, calls, reviews });
}

/** Those that only say that they are there are not counted. */
function admitted(called: Called, reviews: Called[]): Reply {
  const does = called.url.slice(ADMISSION.length).replace(/\?.*/, '');
  if (!does.startsWith('ready/')) reviews.push(called);
  const { request } = called.review;
  const behaviour = REVIEWS[does];
  return behaviour === undefined ? { status: 404, body: 'no such behaviour' } : behaviour(isBody(request) ? request : {});
}

/** What a conversion webhook with this behaviour answers to a review. */
export function conversionReply(does: string, review: Body): Reply {
  if (does === 'hang') return 'hang';
  const { request, apiVersion } = review;
  const conversion = CONVERSIONS[does];
  if (conversion === undefined) return { status: 404, body: 'no such behaviour' };
  return conversion(isBody(request) ? request : {}, typeof apiVersion === 'string' ? apiVersion : '');
}
