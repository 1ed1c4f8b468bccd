/** Requests after each of which the metrics are looked at, in their order. Names are upstream's. */
import { step, type RequestStep } from './request-step';

const NAMESPACES = '/api/v1/namespaces';
const SPACE = `${NAMESPACES}/counted`;
const TEMPLATES = `${SPACE}/podtemplates`;
const ONE = `${TEMPLATES}/a`;
const PODS = `${SPACE}/pods`;
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const THINGS = '/apis/counted.example.com/v1/namespaces/counted/things';
const OLD_THINGS = '/apis/counted.example.com/v1beta1/namespaces/counted/things';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/counted/deployments';
const MERGE = 'application/merge-patch+json';
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

const POD_SPEC = { containers: [{ name: 'c', image: 'i' }] };
const template = (name: string, more: object = {}): string =>
  JSON.stringify({ metadata: { name }, template: { metadata: {}, spec: POD_SPEC }, ...more });
const pod = (name: string, spec: object = POD_SPEC): string => JSON.stringify({ metadata: { name }, spec });
const version = (name: string, more: object): object => ({
  name,
  served: true,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
  subresources: { status: {} },
  ...more,
});
const DEFINITION = JSON.stringify({
  metadata: { name: 'things.counted.example.com' },
  spec: {
    group: 'counted.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [version('v1', { storage: true }), version('v1beta1', { storage: false, deprecated: true })],
  },
});
const DEPLOYMENT = JSON.stringify({
  metadata: { name: 'd' },
  spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: POD_SPEC } },
});

export const METRIC_STEPS: readonly RequestStep[] = [
  step('a namespace', 'POST', NAMESPACES, {
    body: JSON.stringify({ metadata: { name: 'counted', labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } } }),
  }),
  step('an account', 'POST', `${SPACE}/serviceaccounts`, { body: '{"metadata":{"name":"default"}}' }),
  step('a create', 'POST', TEMPLATES, { body: template('a') }),
  step('a create of what there is', 'POST', TEMPLATES, { body: template('a') }),
  step('a create, dry', 'POST', `${TEMPLATES}?dryRun=All`, { body: template('b') }),
  step('a create with an unknown dryRun', 'POST', `${TEMPLATES}?dryRun=Some`, { body: template('b') }),
  step('a create with an unknown field, strict', 'POST', `${TEMPLATES}?fieldValidation=Strict`, { body: template('b', { bogus: 1 }) }),
  step('a create with an unknown field, ignored', 'POST', `${TEMPLATES}?fieldValidation=Ignore`, { body: template('b', { bogus: 1 }) }),
  step('a create that is invalid', 'POST', TEMPLATES, { body: template('B_') }),
  step('a create that cannot be read', 'POST', TEMPLATES, { body: '{bad' }),
  step('a create in no namespace', 'POST', `${NAMESPACES}/missing/podtemplates`, { body: template('a') }),
  step('a get', 'GET', ONE),
  step('a get of nothing', 'GET', `${TEMPLATES}/missing`),
  step('a table', 'GET', ONE, { headers: TABLE }),
  step('a list', 'GET', TEMPLATES),
  step('a list of all namespaces', 'GET', '/api/v1/podtemplates'),
  step('a list from the cache', 'GET', `${TEMPLATES}?resourceVersion=0`),
  step('a page', 'GET', `${TEMPLATES}?limit=1`),
  step('a list by label', 'GET', `${TEMPLATES}?labelSelector=a%3Db`),
  step('a list of one name', 'GET', `${TEMPLATES}?fieldSelector=metadata.name%3Da`),
  step('a watch', 'GET', `${TEMPLATES}?watch=1&timeoutSeconds=1`),
  step('a watch of all namespaces', 'GET', '/api/v1/podtemplates?watch=1&timeoutSeconds=1'),
  step('a watch by the old path', 'GET', '/api/v1/watch/namespaces/counted/podtemplates?timeoutSeconds=1'),
  step('an update', 'PUT', ONE, { body: template('a', { metadata: { name: 'a', labels: { x: 'y' } } }) }),
  step('an update that changes nothing', 'PUT', ONE, { body: template('a', { metadata: { name: 'a', labels: { x: 'y' } } }) }),
  step('an update of nothing', 'PUT', `${TEMPLATES}/missing`, { body: template('missing') }),
  step('a merge patch', 'PATCH', ONE, { type: MERGE, body: '{"metadata":{"labels":{"a":"b"}}}' }),
  step('an apply', 'PATCH', `${TEMPLATES}/applied?fieldManager=m`, {
    type: 'application/apply-patch+yaml',
    body: JSON.stringify({ apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'applied' }, template: { spec: POD_SPEC } }),
  }),
  step('a patch of an unknown type', 'PATCH', ONE, { type: 'text/plain', body: 'x' }),
  step('a delete', 'DELETE', ONE),
  step('a delete of a collection', 'DELETE', TEMPLATES),
  step('a method that is not served', 'PUT', TEMPLATES, { body: '{}' }),
  step('a method that nobody knows', 'OPTIONS', TEMPLATES),
  step('a pod', 'POST', PODS, { body: pod('p') }),
  step('a pod that is not allowed', 'POST', PODS, { body: pod('q', { ...POD_SPEC, hostNetwork: true }) }),
  step('the status of a pod', 'PATCH', `${PODS}/p/status`, { type: MERGE, body: '{"status":{"phase":"Running"}}' }),
  step('a binding', 'POST', `${PODS}/p/binding`, { body: '{"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}}' }),
  step('an eviction', 'POST', `${PODS}/p/eviction`, { body: '{"metadata":{"name":"p"}}' }),
  step('a log', 'GET', `${PODS}/missing/log`),
  step('an exec', 'POST', `${PODS}/missing/exec?command=x`),
  step('a pod away', 'DELETE', `${PODS}/p?gracePeriodSeconds=0`),
  step('a Deployment', 'POST', DEPLOYMENTS, { body: DEPLOYMENT }),
  step('a scale', 'GET', `${DEPLOYMENTS}/d/scale`),
  step('a scale, patched', 'PATCH', `${DEPLOYMENTS}/d/scale`, { type: MERGE, body: '{"spec":{"replicas":2}}' }),
  step('a Service', 'POST', `${SPACE}/services`, { body: '{"metadata":{"name":"s"},"spec":{"type":"NodePort","ports":[{"port":80}]}}' }),
  step('a Service with an address', 'POST', `${SPACE}/services`, {
    body: '{"metadata":{"name":"t"},"spec":{"clusterIP":"10.96.0.77","ports":[{"port":80}]}}',
  }),
  step('a Service with a wrong address', 'POST', `${SPACE}/services`, {
    body: '{"metadata":{"name":"u"},"spec":{"clusterIP":"10.96.0.77","ports":[{"port":80}]}}',
  }),
  step('a Service away', 'DELETE', `${SPACE}/services/s`),
  step('a definition', 'POST', DEFINITIONS, { body: DEFINITION }),
  step('a custom object', 'POST', THINGS, {
    body: '{"apiVersion":"counted.example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{}}',
  }),
  step('custom objects', 'GET', THINGS),
  step('custom objects in an old version', 'GET', OLD_THINGS),
  step('a custom object in an old version', 'GET', `${OLD_THINGS}/a`),
  step('a custom status', 'PATCH', `${THINGS}/a/status`, { type: MERGE, body: '{"status":{"a":1}}' }),
  step('a watch of custom objects', 'GET', `${THINGS}?watch=1&timeoutSeconds=1`),
  step('a custom object away', 'DELETE', `${THINGS}/a`),
  step('an old version', 'GET', '/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas?limit=1'),
  step('a resource that is not served', 'GET', `${SPACE}/nothings`),
  step('a group that is not served', 'GET', '/apis/nowhere.example.com/v1/things'),
  step('a review of access', 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    body: '{"spec":{"nonResourceAttributes":{"path":"/x","verb":"get"}}}',
  }),
  step('a review of a token', 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body: '{"spec":{"token":"plaintoken"}}' }),
  step('alice, who may not', 'GET', ONE, { as: 'alice' }),
  step('alice, who may', 'GET', '/version', { as: 'alice' }),
  step('somebody whom nobody knows', 'GET', ONE, { as: 'bad' }),
  step('nobody, who may not', 'GET', ONE, { as: 'nobody' }),
  step('nobody, who may', 'GET', '/livez', { as: 'nobody' }),
  step('an impersonation', 'GET', ONE, { headers: { 'impersonate-user': 'dev' } }),
  step('the release', 'GET', '/version'),
  step('the groups', 'GET', '/apis'),
  step('the versions', 'GET', '/api'),
  step('the resources of a version', 'GET', '/apis/apps/v1'),
  step('a document', 'GET', '/openapi/v3'),
  step('a check', 'GET', '/readyz/ping'),
  step('a path that leads nowhere', 'GET', '/nowhere'),
  step('the root', 'GET', '/'),
];
