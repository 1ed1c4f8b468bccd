/** A conversion webhook for tests and recorders. Its behaviour can be changed at any time. */
import { CONVERSIONS } from '../../replay/conversions/behaviours';
import { isBody, type Body, type Json } from '../../replay/json-response';
import { WIDGET_BEHAVIOURS, type Reply } from '../../replay/webhooks/behaviours';
import { startWebhookServer, type WebhookCall, type WebhookServer } from './webhook-server';

export interface ConversionServer extends WebhookServer {
  /** The name of a behaviour in `replay/conversions/behaviours.ts`; `hang` never responds. */
  behaviour: string;
  /** The resource version of the last response, which replaces `<rv>` in later requests. The runner of cases sets it. */
  lastResourceVersion: string;
  /** The conversion reviews received so far, in order, with the headers that concern the content. */
  readonly calls: WebhookCall[];
  /** The admission reviews received so far on paths below `/admission/`. */
  readonly reviews: WebhookCall[];
}

/** The rest of such a path names a behaviour of {@link WIDGET_BEHAVIOURS}. */
const ADMISSION = '/admission/';

/** Resolves when the webhook listens on 127.0.0.1. */
export async function startConversionServer(): Promise<ConversionServer> {
  const calls: WebhookCall[] = [];
  const reviews: WebhookCall[] = [];
  const state = { behaviour: 'good', lastResourceVersion: '' };
  const server = await startWebhookServer({
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

/** Records the review unless it is a readiness check. */
function respondToAdmission(call: WebhookCall, reviews: WebhookCall[]): Reply {
  const name = call.url.slice(ADMISSION.length).replace(/\?.*/, '');
  if (!name.startsWith('ready/')) reviews.push(call);
  const { request } = call.review;
  const behaviour = WIDGET_BEHAVIOURS[name];
  return behaviour === undefined ? { status: 404, body: 'no such behaviour' } : behaviour(isBody(request) ? request : {});
}

/** The response of a conversion webhook with this behaviour to a review. */
export function respondToConversion(behaviour: string, review: Body): Reply {
  if (behaviour === 'hang') return 'hang';
  const { request, apiVersion } = review;
  const conversion = CONVERSIONS[behaviour];
  if (conversion === undefined) return { status: 404, body: 'no such behaviour' };
  return conversion(isBody(request) ? request : {}, typeof apiVersion === 'string' ? apiVersion : '');
}
