/**
 * The requests of the recording `tracing/requests`, and the responses of the webhooks and the aggregated API server
 * that the server calls. Names are upstream's.
 */
import type { ReceivedSpan } from '../../support/servers/trace-receiver';
import type { WebhookRequest } from '../../support/servers/webhook-server';
import { isBody, membersOf, type Body, type Json } from '../json-response';
import { requestSteps, type RequestStep } from './request-step';
import type { Reply } from '../webhooks/behaviours';

/** The trace id that clients send. */
export const CLIENT_TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

const { head, steps } = requestSteps('tracing/requests');
/** The requests, in order. */
export const TRACE_STEPS: readonly RequestStep[] = steps;

const OTHERS = '/apis/others.example.com/v1';
/** Responds with 200 as soon as the aggregated API server is connected. */
export const OTHER_SERVER = `${OTHERS}/others`;

/** Requests that register webhooks at this URL. */
export const traceSetup = (url: string, caBundle: string): readonly RequestStep[] =>
  setup((text) => !text.includes('others'), { $URL: url, $CA: caBundle.replaceAll('\n', '\\n') });

/** Requests that register the aggregated API server, which listens at this port. */
export const otherServerSetup = (port: number): readonly RequestStep[] =>
  setup((text) => text.includes('others'), { '"$PORT"': String(port) });

/** The setup requests with such a body, with `values` in place of the placeholders. */
function setup(isIncluded: (text: string) => boolean, values: Readonly<Record<string, string>>): readonly RequestStep[] {
  return (head.setup ?? []).flatMap(({ body = '', ...step }) => {
    if (!isIncluded(body)) return [];
    return [{ ...step, body: Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), body) }];
  });
}

/** The patch of the mutating webhook. */
const PATCH = {
  patchType: 'JSONPatch',
  patch: Buffer.from('[{"op":"add","path":"/data/patched","value":"yes"}]').toString('base64'),
};

/** The trace context in a call. The parent span is given by its name. */
export function traceContextOf(
  { url, headers }: WebhookRequest,
  spans: readonly ReceivedSpan[],
): { readonly url: string; readonly [member: string]: string } {
  const [, trace = '', parent = '', flags = ''] = (headers['traceparent'] ?? '').split('-');
  const span = spans.find(({ spanId }) => spanId === parent);
  const traceName = trace === CLIENT_TRACE_ID ? 'given' : 'own';
  return {
    url: url.split('?', 1)[0] ?? '',
    traceparent: headers['traceparent'] === undefined ? '' : `${traceName} ${span?.name ?? '-'} ${flags}`,
    tracestate: headers['tracestate'] ?? '',
    baggage: headers['baggage'] ?? '',
  };
}

/** The responses of the webhooks and of the aggregated API server. */
export function traceReply({ url, text }: WebhookRequest): Reply {
  const review: Json = text === '' ? {} : JSON.parse(text);
  if (!isBody(review)) return { status: 400, body: 'no review' };
  const reviewReply = (more: Body): Reply => ({ body: { apiVersion: review['apiVersion'] ?? '', kind: review['kind'] ?? '', ...more } });
  const request = membersOf(review['request']);
  switch (url.split('?', 1)[0]) {
    case '/authenticate':
      return reviewReply({ status: { authenticated: false } });
    case '/authorize':
      return reviewReply({ status: { allowed: false, reason: 'says the webhook' } });
    case '/convert':
      return reviewReply({ response: convertObjects(request) });
    case '/mutating':
      return reviewReply({ response: { uid: request['uid'] ?? '', allowed: true, ...(request['operation'] === 'CREATE' ? PATCH : {}) } });
    case '/validating': {
      const allowed = request['name'] !== 'refused';
      return request['name'] === 'broken'
        ? { status: 500, body: 'broken' }
        : reviewReply({ response: { uid: request['uid'] ?? '', allowed } });
    }
    case OTHERS:
      return { body: { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'others.example.com/v1', resources: [] } };
    case OTHER_SERVER:
      return { body: { kind: 'OtherList', apiVersion: 'others.example.com/v1', metadata: {}, items: [] } };
    default:
      return { status: 404, body: 'no such webhook' };
  }
}

function convertObjects(request: Body): Body {
  const objects = Array.isArray(request['objects']) ? request['objects'] : [];
  return {
    uid: request['uid'] ?? '',
    result: { status: 'Success' },
    convertedObjects: objects.map((object) => (isBody(object) ? { ...object, apiVersion: request['desiredAPIVersion'] ?? '' } : object)),
  };
}
