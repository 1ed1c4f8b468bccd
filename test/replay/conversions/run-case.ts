/**
 * Runs recorded cases of conversion webhooks against a server: creates the definition, sends the requests, and returns
 * the case with the responses and the reviews that the webhooks received. Masks what differs from run to run.
 */
import { waitUntil } from '../../support/programs';
import type { ConversionServer } from '../../support/servers/conversion-server';
import { isBody, membersOf, resourceVersionOf, type Json } from '../json-response';
import { sendExpectingSuccess, sendRequest, type CaseRequest, type RequestTarget, type TargetResponse } from '../requests/request-target';
import {
  GROUP,
  NAMESPACE,
  type ConversionStepResponse,
  type ConversionCase,
  type ConversionHead,
  type ConversionStep,
} from './conversion-case';
import { createAdmissionReviewers } from './admission-reviewers';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const DEFINITION = `${DEFINITIONS}/widgets.${GROUP}`;
const HEADERS = { 'user-agent': 'recorder/1' };

/** Returns the case with the responses of `target`. The definition of an earlier case is deleted first. */
export async function runConversionCase(
  target: RequestTarget,
  webhook: ConversionServer,
  head: ConversionHead,
  recorded: ConversionCase,
): Promise<ConversionCase> {
  webhook.behaviour = 'good';
  await removeDefinition(target);
  const definition = definitionOf(head, recorded, webhook);
  await sendExpectingSuccess(target, { method: 'POST', path: DEFINITIONS, body: definition }, HEADERS);
  await repeat(target, { method: 'GET', path: widgetsIn('v1') }, ({ code }) => code === 200);
  await repeat(target, { method: 'GET', path: widgetsIn('v2') }, ({ code }) => code !== 404);
  for (const step of recorded.before ?? []) await sendStep(target, webhook, step);
  const removeReviewers = await createAdmissionReviewers(recorded, webhook, (method, path, body) =>
    sendRequest(target, { method, path, ...(body === undefined ? {} : { body }) }, HEADERS),
  );
  const steps = await runSteps(target, webhook, recorded.steps);
  webhook.behaviour = 'good';
  await removeReviewers();
  return { ...recorded, steps };
}

const widgetsIn = (version: string): string => `/apis/${GROUP}/${version}/namespaces/${NAMESPACE}/widgets`;

async function runSteps(target: RequestTarget, webhook: ConversionServer, steps: readonly ConversionStep[]): Promise<ConversionStep[]> {
  const recordedSteps: ConversionStep[] = [];
  for (const step of steps) {
    webhook.behaviour = step.behaviour ?? webhook.behaviour;
    let during: ConversionStep[] = [];
    const response = await sendStep(target, webhook, step, async () => {
      during = await runSteps(target, webhook, step.during ?? []);
    });
    recordedSteps.push({
      ...step,
      ...(step.isSetup === true ? {} : { answer: response }),
      ...(step.during === undefined ? {} : { during }),
    });
  }
  return recordedSteps;
}

/** Deletes the definition of a case, if there is one, and waits until it is deleted. */
export async function removeDefinition(target: RequestTarget): Promise<void> {
  await repeat(target, { method: 'DELETE', path: DEFINITION }, ({ code }) => code === 404);
}

/** Creates the namespace of the custom objects, unless it exists. */
export async function createNamespace(target: RequestTarget): Promise<void> {
  await sendRequest(target, { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } }, HEADERS);
}

/** The definition of the head with the changes of the case. */
function definitionOf({ definition }: ConversionHead, { spec, webhook = {} }: ConversionCase, server: ConversionServer): Json {
  const common = membersOf(definition['spec']);
  const conversion = membersOf(common['conversion']);
  const commonWebhook = membersOf(conversion['webhook']);
  const merged = { ...common, conversion: { ...conversion, webhook: { ...commonWebhook, ...webhook } }, ...spec };
  return fillIn({ ...definition, spec: merged }, server);
}

/** Replaces the placeholders in a definition or a body. */
function fillIn(value: Json, { port, caBundle, lastResourceVersion }: ConversionServer): Json {
  const text = JSON.stringify(value)
    .replaceAll('<port>', String(port))
    .replaceAll('<ca>', caBundle)
    .replaceAll('<rv>', lastResourceVersion);
  return JSON.parse(text) as Json;
}

/** Repeats the request until its response is as awaited, and returns that response. */
const repeat = (target: RequestTarget, request: CaseRequest, isAwaited: (reply: TargetResponse) => boolean): Promise<TargetResponse> =>
  waitUntil(`the awaited response to ${request.method} ${request.path}`, async () => {
    const reply = await sendRequest(target, request, HEADERS);
    return isAwaited(reply) && reply;
  });

/**
 * Sends the request of a step and returns the masked response with what the webhooks received. `during` is called when the
 * response begins, except for a request that is repeated `until` it has some response.
 */
async function sendStep(
  target: RequestTarget,
  webhook: ConversionServer,
  { request: recorded, until, recordsCall, isSetup }: ConversionStep,
  during: () => Promise<void> = () => Promise.resolve(),
): Promise<ConversionStepResponse> {
  webhook.calls.splice(0);
  webhook.reviews.splice(0);
  const request = { ...recorded, ...(recorded.body === undefined ? {} : { body: fillIn(recorded.body, webhook) }) };
  const isAwaited = ({ text: received }: TargetResponse): boolean =>
    JSON.stringify(valueAt(jsonOf(received), until?.path ?? '')) === JSON.stringify(until?.value);
  const reply = until === undefined ? await sendDuring(target, request, during) : await repeat(target, request, isAwaited);
  const { code, text, warnings } = reply;
  if (isSetup === true && code >= 300) throw new Error(`${request.method} ${request.path}: ${text}`);
  webhook.lastResourceVersion = resourceVersionOf(bodyOf(text)) || webhook.lastResourceVersion;
  const [call] = webhook.calls.splice(0);
  const recordedCall = call && { url: call.url, ...call.headers, review: maskRunValues(call.review) };
  const asked = webhook.reviews.splice(0).map(({ url, review }) => ({
    url: url.replace(/\?.*/, ''),
    request: maskRunValues(review['request'] ?? {}),
  }));
  const response: ConversionStepResponse = {
    status: code,
    body: maskRunValues(bodyOf(text)),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    ...(recordsCall === undefined || recordedCall === undefined ? {} : { call: recordedCall }),
    ...(asked.length === 0 ? {} : { asked }),
  };
  return JSON.parse(JSON.stringify(response).replaceAll(`:${webhook.port}`, ':<port>')) as ConversionStepResponse;
}

/** Calls `during` when the response begins; resolves when both have ended. */
async function sendDuring(target: RequestTarget, request: CaseRequest, during: () => Promise<void>): Promise<TargetResponse> {
  let duringDone = Promise.resolve();
  const reply = await sendRequest(target, request, HEADERS, () => void (duringDone = during()));
  await duringDone;
  return reply;
}

/** The JSON of a response, a list of the events of a watch, or the text of any other response. */
function bodyOf(text: string): Json {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.length > 1 && lines.every((line) => line.startsWith('{"type":"')) ? lines.map(jsonOf) : jsonOf(text);
}

function jsonOf(text: string): Json {
  return text.startsWith('{') ? (JSON.parse(text) as Json) : text;
}

/** The value at a path of members and indexes separated by dots; an empty path is the whole value. */
function valueAt(value: Json, path: string): Json | undefined {
  let inner: Json | undefined = value;
  for (const member of path === '' ? [] : path.split('.')) {
    inner = Array.isArray(inner) ? inner[Number(member)] : membersOf(inner)[member];
  }
  return inner;
}

/** UIDs, except those that webhooks set; they begin with 11111111. */
const UID = /(?!11111111-)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Times, except those that webhooks set, which are in 2001. */
const TIME = /(?!2001-)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** The local end of a connection, in the text of an error. */
const EPHEMERAL = /127\.0\.0\.1:\d+->/g;

/** Masks what differs from run to run, and keeps what webhooks set (behaviours.yaml), such as the resource version 7. `member` is the name of the value. */
function maskRunValues(value: Json, member = ''): Json {
  if (Array.isArray(value)) return value.map((item) => maskRunValues(item));
  if (isBody(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskRunValues(inner, name)]));
  if (typeof value !== 'string') return value;
  if (member === 'resourceVersion' && value !== '' && value !== '7') return '*';
  if (member === 'continue' && value !== '') return '*';
  if (member === 'caBundle') return '<ca>';
  return value.replace(UID, '<uid>').replace(TIME, '<time>').replace(EPHEMERAL, '127.0.0.1:<own>->');
}
