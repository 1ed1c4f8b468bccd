/**
 * Runs recorded cases of admission webhooks against a server: creates the configurations, waits until they are in
 * force, sends the requests, and returns the case with the responses and the reviews that the webhooks received. Masks
 * what differs from run to run.
 */
import { randomUUID } from 'node:crypto';
import { waitUntil } from '../../support/programs';
import type { ReviewServer } from '../../support/servers/review-server';
import type { WebhookCall } from '../../support/servers/webhook-server';
import { GENERATED_NAME_PATTERN, TIME_PATTERN, UID_PATTERN } from '../normalize/volatile-patterns';
import { isBody, objectNameOf, type Body, type Json } from '../json-response';
import { isCaseRequest, sendExpectingSuccess, sendRequest, type AuditedTarget, type CaseRequest } from '../requests/request-target';
import { anything, body, listOf, mapOf, number, shape, text, type Checked } from '../shape';

const isRecordedResponse = shape(
  { status: number, body: anything },
  {
    warnings: listOf(text),
    /** The annotations of admission in the request's audit event. */
    annotations: mapOf(anything),
    /** The calls that webhooks received, in order: URL, headers and review. */
    calls: listOf(body),
  },
);
type WebhookStepResponse = Checked<typeof isRecordedResponse>;

/** `answer` is absent before the case is recorded. */
const isStep = shape({ request: isCaseRequest }, { answer: isRecordedResponse });

export const isWebhookCase = shape(
  {
    title: text,
    /**
     * Webhook configurations. `<port>` and `<ca>` stand for the webhook server's; the path of a URL names a behaviour
     * (behaviours.yaml, behaviours.ts).
     */
    configurations: listOf(body),
    steps: listOf(isStep),
  },
  /** Sent before the webhooks are created; not recorded. */
  { before: listOf(isCaseRequest) },
);
export type WebhookCase = Checked<typeof isWebhookCase>;

type WebhookType = 'mutating' | 'validating';

const NAMESPACE = 'recorded';
const ROOT = '/apis/admissionregistration.k8s.io/v1';
const RESOURCES: Readonly<Record<WebhookType, string>> = {
  mutating: 'mutatingwebhookconfigurations',
  validating: 'validatingwebhookconfigurations',
};
/** The name of the marker webhooks, of the ConfigMaps that they deny, and of the label that selects these. */
const MARKER = 'marker';

/** Returns the case with the responses of `target`, after deleting what the case created. */
export async function runWebhookCase(target: AuditedTarget, webhooks: ReviewServer, recorded: WebhookCase): Promise<WebhookCase> {
  for (const request of recorded.before ?? []) await sendExpectingSuccess(target, request);
  const configurations = withMarkers(recorded.configurations, webhooks);
  for (const { path, configuration } of configurations) await sendExpectingSuccess(target, { method: 'POST', path, body: configuration });
  for (const { type } of configurations) await waitUntilMarker(target, type, 'denied');
  webhooks.calls.splice(0);
  const steps: Checked<typeof isStep>[] = [];
  for (const { request } of recorded.steps) steps.push({ request, answer: await sendStep(target, webhooks, request) });
  for (const { path, name } of configurations) await sendRequest(target, { method: 'DELETE', path: `${path}/${name}` });
  for (const { type } of configurations) await waitUntilMarker(target, type, 'allowed');
  await clean(target, requestedPaths(recorded));
  return { ...recorded, steps };
}

interface MarkedConfiguration {
  readonly type: WebhookType;
  readonly name: string;
  /** Path of the collection. */
  readonly path: string;
  readonly configuration: Body;
}

/**
 * Adds to the first configuration of each type a webhook that denies ConfigMaps with a label. Its effect shows that the
 * configuration is in force.
 */
function withMarkers(configurations: readonly Body[], webhooks: ReviewServer): readonly MarkedConfiguration[] {
  const marked = new Set<WebhookType>();
  return configurations.map((recorded) => {
    const type = recorded['kind'] === 'MutatingWebhookConfiguration' ? 'mutating' : 'validating';
    const configuration = fillIn(recorded, webhooks);
    const { webhooks: hooks } = configuration;
    const markers = marked.has(type) ? [] : [marker(type, webhooks)];
    marked.add(type);
    return {
      type,
      name: objectNameOf(configuration),
      path: `${ROOT}/${RESOURCES[type]}`,
      configuration: { ...configuration, webhooks: [...(Array.isArray(hooks) ? hooks : []), ...markers] },
    };
  });
}

/** Replaces the placeholders in a configuration. */
function fillIn(value: Body, { port, caBundle }: ReviewServer): Body {
  return parseObject(JSON.stringify(value).replaceAll('<port>', String(port)).replaceAll('<ca>', caBundle));
}

const marker = (type: WebhookType, { port, caBundle }: ReviewServer): Body => ({
  name: `${MARKER}.example.com`,
  clientConfig: { url: `https://127.0.0.1:${port}/ready/marker`, caBundle },
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  objectSelector: { matchLabels: { [MARKER]: type } },
});

/** Waits until the marked ConfigMap is denied, as it is while the configuration of this type is in force, or allowed. */
async function waitUntilMarker(target: AuditedTarget, type: WebhookType, verdict: 'allowed' | 'denied'): Promise<void> {
  const marked = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: MARKER, labels: { [MARKER]: type } }, data: { a: '1' } };
  const path = `/api/v1/namespaces/${NAMESPACE}/configmaps?dryRun=All`;
  await waitUntil(`the ${type} marker is ${verdict}`, async () => {
    const { code } = await sendRequest(target, { method: 'POST', path, body: marked });
    return (code === 201) === (verdict === 'allowed');
  });
}

/** The collections in which cases create objects. */
const OBJECT_COLLECTIONS = [
  ...['pods', 'services', 'serviceaccounts', 'configmaps', 'events'].map((name) => `/api/v1/namespaces/${NAMESPACE}/${name}`),
  `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
  `/apis/autoscaling/v1/namespaces/${NAMESPACE}/horizontalpodautoscalers`,
];

/** The last segment with its slash, which is the same in every version of the API. */
const resourceSegment = (collection: string): string => collection.slice(collection.lastIndexOf('/'));

/** The paths of all requests of a case. */
const requestedPaths = ({ before = [], steps }: WebhookCase): readonly string[] =>
  [...before, ...steps.map(({ request }) => request)].map(({ path }) => path);

/** Deletes the objects of the resources that the paths of requests name; those of all {@link OBJECT_COLLECTIONS} without paths. */
async function clean(target: AuditedTarget, paths: readonly string[] = OBJECT_COLLECTIONS): Promise<void> {
  const used = OBJECT_COLLECTIONS.filter((collection) => paths.some((path) => path.includes(resourceSegment(collection))));
  for (const path of used) await sendRequest(target, { method: 'DELETE', path: `${path}?gracePeriodSeconds=0` });
}

/** Creates the namespace and deletes what an interrupted run left. */
export async function prepareWebhookCases(target: AuditedTarget): Promise<void> {
  await sendRequest(target, { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
  // Cases of policies use the same namespace with a label.
  const labels = { team: null };
  const type = 'application/merge-patch+json';
  await sendRequest(target, { method: 'PATCH', path: `/api/v1/namespaces/${NAMESPACE}`, type, body: { metadata: { labels } } });
  for (const resource of Object.values(RESOURCES))
    for (const name of ['recorded', 'recorded-a', 'recorded-z'])
      await sendRequest(target, { method: 'DELETE', path: `${ROOT}/${resource}/${name}` });
  for (const type of ['mutating', 'validating'] as const) await waitUntilMarker(target, type, 'allowed');
  await clean(target);
}

async function sendStep(target: AuditedTarget, webhooks: ReviewServer, request: CaseRequest): Promise<WebhookStepResponse> {
  const auditId = randomUUID();
  webhooks.calls.splice(0);
  const { code, text: sent, warnings } = await sendRequest(target, request, { 'audit-id': auditId });
  const calls = webhooks.calls.splice(0).filter(({ url }) => !url.includes(MARKER));
  const annotations = await target.annotations(auditId);
  const response: WebhookStepResponse = {
    status: code,
    body: maskRunValues(sent.startsWith('{') ? parseObject(sent) : sent),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(calls.length === 0 ? {} : { calls: calls.map(maskedCall) }),
  };
  return JSON.parse(JSON.stringify(response).replaceAll(`:${webhooks.port}`, ':<port>')) as WebhookStepResponse;
}

const maskedCall = ({ url, headers, review }: WebhookCall): Body => ({
  url,
  headers: { accept: headers['accept'] ?? '', 'content-type': headers['content-type'] ?? '' },
  review: maskRunValues(review),
});

/** A signed token. */
const TOKEN = /^ey[\w-]+\.[\w-]+\.[\w-]+$/;

/** Masks what differs from run to run. Tokens are masked first, because a signature may look like a generated name. */
export function maskRunValues(value: Json, member = ''): Json {
  if (Array.isArray(value)) return member === 'managedFields' ? '<managed>' : value.map((item) => maskRunValues(item));
  if (isBody(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskRunValues(inner, name)]));
  if (typeof value !== 'string') return value;
  if (member === 'resourceVersion' && value !== '') return '*';
  return value
    .replace(TOKEN, '<token>')
    .replace(UID_PATTERN, '<uid>')
    .replace(TIME_PATTERN, '<time>')
    .replace(GENERATED_NAME_PATTERN, 'g-<name>');
}

/** Throws when the text is not a JSON object. */
function parseObject(text: string): Body {
  const value: Json = JSON.parse(text);
  if (!isBody(value)) throw new Error(`not an object: ${text}`);
  return value;
}
