/** A conversion webhook for tests and recorders: what it does can be changed at any time. */
import { ADMISSION_BEHAVIOURS } from '../replay/conversions/admission-reviewers';
import { CONVERSIONS } from '../replay/conversions/behaviours';
import { isBody, type Body, type Json } from '../replay/json-response';
import type { Reply } from '../replay/webhooks/behaviours';
import { startWebhookServer, type WebhookCall, type WebhookServer } from './webhook-server';

export interface ConversionServer extends WebhookServer {
  /** One of the behaviours; `hang` = it never answers. */
  behaviour: string;
  /** The resource version that was last told to whoever asks with it. */
  lastResourceVersion: string;
  /** What has been asked, in order; of the headers those of the content. */
  readonly calls: WebhookCall[];
  /** What the webhooks of admission below `/admission/` have been asked. */
  readonly reviews: WebhookCall[];
}

const ADMISSION = '/admission/';

export async function startConversionServer(names: readonly string[] = ['localhost', '127.0.0.1']): Promise<ConversionServer> {
  const calls: WebhookCall[] = [];
  const reviews: WebhookCall[] = [];
  const state = { behaviour: 'good', lastResourceVersion: '' };
  const server = await startWebhookServer({
    names,
    host: '127.0.0.1',
    reply({ url, headers: { accept = '', 'content-type': type = '' }, text }) {
      const review: Json = text === '' ? {} : JSON.parse(text);
      if (!isBody(review)) throw new Error('no review');
      const call = { url, headers: { accept, 'content-type': type }, review };
      if (url.startsWith(ADMISSION)) return respondToAdmission(call, reviews);
      calls.push(call);
      return respondToConversion(state.behaviour, review);
    },
  });
  return Object.assign(state, { ...server, calls, reviews });
}

/** Those that only say that they are there are not counted. */
function respondToAdmission(call: WebhookCall, reviews: WebhookCall[]): Reply {
  const name = call.url.slice(ADMISSION.length).replace(/\?.*/, '');
  if (!name.startsWith('ready/')) reviews.push(call);
  const { request } = call.review;
  const behaviour = ADMISSION_BEHAVIOURS[name];
  return behaviour === undefined ? { status: 404, body: 'no such behaviour' } : behaviour(isBody(request) ? request : {});
}

/** What a conversion webhook with this behaviour answers to a review. */
export function respondToConversion(behaviour: string, review: Body): Reply {
  if (behaviour === 'hang') return 'hang';
  const { request, apiVersion } = review;
  const conversion = CONVERSIONS[behaviour];
  if (conversion === undefined) return { status: 404, body: 'no such behaviour' };
  return conversion(isBody(request) ? request : {}, typeof apiVersion === 'string' ? apiVersion : '');
}
