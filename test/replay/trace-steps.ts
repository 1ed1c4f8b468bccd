/** Requests whose traces are recorded, in their order, and the webhooks that they meet. Names are upstream's. */
import type { WebhookRequest } from '../support/webhook-server';
import { isBody, type Body, type Json } from './reference';
import { step, type RequestStep } from './request-step';
import type { Reply } from './webhooks/behaviours';

const ALL = '/api/v1/namespaces';
const MAPS = `${ALL}/traced/configmaps`;
const ONE = `${MAPS}/a`;
const HOOKED = `${ALL}/hooked/configmaps`;
const THINGS = '/apis/traced.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MERGE = 'application/merge-patch+json';
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const PROTOBUF = { accept: 'application/vnd.kubernetes.protobuf' };

export const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const from = (flags: string, more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> => ({
  traceparent: `00-${TRACE}-${PARENT}-${flags}`,
  ...more,
});

const map = (name: string, data: object = { k: 'v' }, metadata: object = {}): string =>
  JSON.stringify({ metadata: { name, ...metadata }, data });
const space = (name: string): string => JSON.stringify({ metadata: { name, labels: { traced: name } } });
const template = (name: string): string =>
  JSON.stringify({ metadata: { name }, template: { metadata: {}, spec: { containers: [{ name: 'c', image: 'i' }] } } });
const pod = (name: string): string =>
  JSON.stringify({ metadata: { name }, spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] } });

const SCHEMA = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } };

/** What tells the server about webhooks at this place. */
export const traceSetup = (url: string, caBundle: string): readonly RequestStep[] => [
  step('a namespace', 'POST', ALL, { body: space('traced') }),
  step('a namespace with webhooks', 'POST', ALL, { body: space('hooked') }),
  step('a service account', 'POST', `${ALL}/traced/serviceaccounts`, { body: '{"metadata":{"name":"default"}}' }),
  step('a definition', 'POST', DEFINITIONS, {
    body: JSON.stringify({
      metadata: { name: 'things.traced.example.com' },
      spec: {
        group: 'traced.example.com',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: SCHEMA },
          { name: 'v2', served: true, storage: false, schema: SCHEMA },
        ],
        conversion: {
          strategy: 'Webhook',
          webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: `${url}/convert`, caBundle } },
        },
      },
    }),
  }),
  ...(['mutating', 'validating'] as const).map((kind) =>
    step(`a ${kind} webhook`, 'POST', `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`, {
      body: JSON.stringify({
        metadata: { name: kind },
        webhooks: [
          {
            name: `${kind}.traced.example.com`,
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            failurePolicy: 'Ignore',
            clientConfig: { url: `${url}/${kind}`, caBundle },
            namespaceSelector: { matchLabels: { traced: 'hooked' } },
            rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
          },
        ],
      }),
    }),
  ),
];

const PATCH = {
  patchType: 'JSONPatch',
  patch: Buffer.from('[{"op":"add","path":"/data/patched","value":"yes"}]').toString('base64'),
};

const OTHERS = '/apis/others.example.com/v1';

/** What registers another API server, which is the one at this port. */
export const otherServerSetup = (port: number): readonly RequestStep[] => [
  step('a name elsewhere', 'POST', `${ALL}/traced/services`, {
    body: '{"metadata":{"name":"others"},"spec":{"type":"ExternalName","externalName":"localhost"}}',
  }),
  step('another server', 'POST', '/apis/apiregistration.k8s.io/v1/apiservices', {
    body: JSON.stringify({
      metadata: { name: 'v1.others.example.com' },
      spec: {
        group: 'others.example.com',
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: { namespace: 'traced', name: 'others', port },
      },
    }),
  }),
];

/** Answered with 200 as soon as the other server is asked. */
export const OTHER_SERVER = `${OTHERS}/others`;

/** What the webhooks answer, and the other API server. */
export function traceReply({ url, text }: WebhookRequest): Reply {
  const review: Json = text === '' ? {} : JSON.parse(text);
  if (!isBody(review)) return { status: 400, body: 'no review' };
  const answer = (more: Body): Reply => ({ body: { apiVersion: review['apiVersion'] ?? '', kind: review['kind'] ?? '', ...more } });
  const request = isBody(review['request']) ? review['request'] : {};
  switch (url.split('?', 1)[0]) {
    case '/authenticate':
      return answer({ status: { authenticated: false } });
    case '/authorize':
      return answer({ status: { allowed: false, reason: 'says the webhook' } });
    case '/convert':
      return answer({ response: converted(request) });
    case '/mutating':
      return answer({ response: { uid: request['uid'] ?? '', allowed: true, ...(request['operation'] === 'CREATE' ? PATCH : {}) } });
    case '/validating': {
      const allowed = request['name'] !== 'refused';
      return request['name'] === 'broken' ? { status: 500, body: 'broken' } : answer({ response: { uid: request['uid'] ?? '', allowed } });
    }
    case OTHERS:
      return { body: { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'others.example.com/v1', resources: [] } };
    case OTHER_SERVER:
      return { body: { kind: 'OtherList', apiVersion: 'others.example.com/v1', metadata: {}, items: [] } };
    default:
      return { status: 404, body: 'no such webhook' };
  }
}

function converted(request: Body): Body {
  const objects = Array.isArray(request['objects']) ? request['objects'] : [];
  return {
    uid: request['uid'] ?? '',
    result: { status: 'Success' },
    convertedObjects: objects.map((object) => (isBody(object) ? { ...object, apiVersion: request['desiredAPIVersion'] ?? '' } : object)),
  };
}

export const TRACE_STEPS: readonly RequestStep[] = [
  step('a create', 'POST', MAPS, { body: map('a') }),
  step('a create with another format', 'POST', MAPS, { body: 'metadata: {name: yaml}\n', type: 'application/yaml' }),
  step('a create of what there is', 'POST', MAPS, { body: map('a') }),
  step('a create, dry', 'POST', `${MAPS}?dryRun=All`, { body: map('dry') }),
  step('a create that is invalid', 'POST', MAPS, { body: map('B_') }),
  step('a create that cannot be read', 'POST', MAPS, { body: '{bad' }),
  step('a create in no namespace', 'POST', `${ALL}/missing/configmaps`, { body: map('a') }),
  step('a create of a kind with defaults', 'POST', `${ALL}/traced/podtemplates`, { body: template('t') }),
  step('a pod', 'POST', `${ALL}/traced/pods`, { body: pod('p') }),
  step('a get', 'GET', ONE),
  step('a get from the cache', 'GET', `${ONE}?resourceVersion=0`),
  step('a get of nothing', 'GET', `${MAPS}/missing`),
  step('a get as a Table', 'GET', ONE, { headers: TABLE }),
  step('a get in protobuf', 'GET', ONE, { headers: PROTOBUF }),
  step('a get that is not acceptable', 'GET', ONE, { headers: { accept: 'image/png' } }),
  step('a get of a status', 'GET', `${ALL}/traced/status`),
  step('a list', 'GET', MAPS),
  step('a list from the cache', 'GET', `${MAPS}?resourceVersion=0`),
  step('a page', 'GET', `${MAPS}?limit=1`),
  step('a list by label', 'GET', `${MAPS}?labelSelector=a%3Db`),
  step('a list of all namespaces', 'GET', '/api/v1/configmaps?resourceVersion=0'),
  step('a list as a Table', 'GET', MAPS, { headers: TABLE }),
  step('a watch', 'GET', `${MAPS}?watch=1&timeoutSeconds=1`),
  step('a watch by the old path', 'GET', '/api/v1/watch/namespaces/traced/configmaps?timeoutSeconds=1'),
  step('an update', 'PUT', ONE, { body: map('a', { k: 'w' }) }),
  step('an update that changes nothing', 'PUT', ONE, { body: map('a', { k: 'w' }) }),
  step('an update in conflict', 'PUT', ONE, { body: map('a', { k: 'x' }, { resourceVersion: '1' }) }),
  step('an update of nothing', 'PUT', `${MAPS}/missing`, { body: map('missing') }),
  step('a merge patch', 'PATCH', ONE, { type: MERGE, body: '{"data":{"p":"q"}}' }),
  step('a strategic patch', 'PATCH', ONE, { type: 'application/strategic-merge-patch+json', body: '{"data":{"s":"t"}}' }),
  step('a JSON patch', 'PATCH', ONE, { type: 'application/json-patch+json', body: '[{"op":"add","path":"/data/z","value":"1"}]' }),
  step('a JSON patch that does not fit', 'PATCH', ONE, {
    type: 'application/json-patch+json',
    body: '[{"op":"test","path":"/data/z","value":"2"}]',
  }),
  step('an apply of something new', 'PATCH', `${MAPS}/applied?fieldManager=m`, {
    type: 'application/apply-patch+yaml',
    body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"applied"},"data":{"x":"y"}}',
  }),
  step('an apply in conflict', 'PATCH', `${MAPS}/a?fieldManager=m`, {
    type: 'application/apply-patch+yaml',
    body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"other"}}',
  }),
  step('a merge patch of nothing', 'PATCH', `${MAPS}/missing`, { type: MERGE, body: '{"data":{"p":"q"}}' }),
  step('a status', 'PATCH', `${ALL}/traced/pods/p/status`, { type: MERGE, body: '{"status":{"phase":"Running"}}' }),
  step('a delete', 'DELETE', `${MAPS}/applied`),
  step('a delete with options', 'DELETE', `${MAPS}/yaml`, {
    body: '{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}',
  }),
  step('a delete of nothing', 'DELETE', `${MAPS}/missing`),
  step('a delete, dry', 'DELETE', `${MAPS}/a?dryRun=All`),
  step('a delete of a collection', 'DELETE', `${MAPS}?labelSelector=a%3Db`),
  step('a delete of a collection of some', 'DELETE', `${ALL}/traced/podtemplates`),
  step('a pod that is deleted', 'DELETE', `${ALL}/traced/pods/p`),
  step('a token request', 'POST', `${ALL}/traced/serviceaccounts/default/token`, {
    body: '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":["x"]}}',
  }),
  step('a review', 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    body: '{"spec":{"nonResourceAttributes":{"path":"/x","verb":"get"}}}',
  }),
  step('a token that nobody knows', 'GET', ONE, { as: 'bad' }),
  step('forbidden', 'GET', ONE, { as: 'alice' }),
  step('forbidden to nobody', 'GET', ONE, { as: 'nobody' }),
  step('a path forbidden', 'GET', '/metrics', { as: 'alice' }),
  step('impersonation', 'GET', ONE, { headers: { 'impersonate-user': 'dev', 'impersonate-group': 'system:masters' } }),
  step('impersonation forbidden', 'GET', ONE, { as: 'alice', headers: { 'impersonate-user': 'dev' } }),
  step('discovery', 'GET', '/apis'),
  step('discovery of a version', 'GET', '/api/v1'),
  step('discovery of a group', 'GET', '/apis/apps'),
  step('a path', 'GET', '/version'),
  step('a path of health', 'GET', '/readyz'),
  step('a check of health', 'GET', '/readyz/ping'),
  step('a path that leads nowhere', 'GET', '/nowhere'),
  step('a group that is not served', 'GET', '/apis/nowhere.example.com/v1/things'),
  step('a resource that is not served', 'GET', '/api/v1/things'),
  step('a method that is none', 'OPTIONS', ONE),
  step('a head', 'HEAD', ONE),
  step('a timeout that is none', 'GET', `${ONE}?timeout=bad`),
  step('a query', 'GET', `${ONE}?pretty=false&x=y`),
  step('a name that is quoted', 'GET', `${MAPS}/a%20b`),
  step('a long path', 'GET', `${MAPS}/${'a'.repeat(300)}`),
  step('a custom object', 'POST', `${THINGS}/v1/namespaces/traced/things`, {
    body: '{"apiVersion":"traced.example.com/v1","kind":"Thing","metadata":{"name":"t"},"spec":{}}',
  }),
  step('a custom object in another version', 'GET', `${THINGS}/v2/namespaces/traced/things/t`),
  step('custom objects in another version', 'GET', `${THINGS}/v2/namespaces/traced/things`),
  step('a create with webhooks', 'POST', HOOKED, { body: map('a') }),
  step('a create that a webhook refuses', 'POST', HOOKED, { body: map('refused') }),
  step('a create at which a webhook fails', 'POST', HOOKED, { body: map('broken') }),
  step('a delete with webhooks', 'DELETE', `${HOOKED}/a`),
  step('of another server', 'GET', OTHER_SERVER),
  step('of another server, in a trace', 'GET', OTHER_SERVER, { headers: from('01') }),
  step('in a trace that is sampled', 'GET', ONE, { headers: from('01') }),
  step('in a trace that is not sampled', 'GET', ONE, { headers: from('00') }),
  step('in a trace with state', 'GET', ONE, { headers: from('01', { tracestate: 'a=b,c=d' }) }),
  step('in a trace with baggage', 'GET', ONE, { headers: from('01', { baggage: 'a=b' }) }),
  step('in a trace of a later version', 'GET', ONE, { headers: { traceparent: `01-${TRACE}-${PARENT}-01` } }),
  step('in a trace of no id', 'GET', ONE, { headers: { traceparent: `00-${'0'.repeat(32)}-${PARENT}-01` } }),
  step('in a trace that cannot be read', 'GET', ONE, { headers: { traceparent: 'garbage' } }),
  step('a create with webhooks, in a trace', 'POST', HOOKED, { body: map('traced'), headers: from('01') }),
];
