/** Requests whose audit events are recorded, in their order, and the policy by which they are. Names are upstream's. */
import { step, type RequestStep } from './request-step';

export const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: [
    { level: 'None', users: ['system:apiserver'] },
    { level: 'None', userGroups: ['system:serviceaccounts'] },
    { level: 'None', nonResourceURLs: ['/readyz*', '/livez*'] },
    { level: 'Metadata', namespaces: ['audited-metadata'] },
    { level: 'Request', namespaces: ['audited-request'] },
    { level: 'RequestResponse', namespaces: ['audited-lean'], omitManagedFields: true },
    { level: 'Metadata', resources: [{ group: '', resources: ['*/status'] }] },
    {
      level: 'RequestResponse',
      omitStages: ['RequestReceived'],
      resources: [{ group: '', resources: ['secrets'], resourceNames: ['quiet'] }],
    },
    { level: 'RequestResponse' },
  ],
};

const ALL = '/api/v1/namespaces';
const MAPS = `${ALL}/aud/configmaps`;
const ONE = `${MAPS}/a`;
const MERGE = 'application/merge-patch+json';

const map = (name: string): string => `{"metadata":{"name":"${name}"},"data":{"k":"v"}}`;
const space = (name: string): string => `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"${name}"}}`;

const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const DEPLOYMENTS = '/apis/apps/v1/namespaces/aud/deployments';
const DEPLOYMENT = JSON.stringify({
  metadata: { name: 'd' },
  bogus: 1,
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});
const DEFINITION = JSON.stringify({
  metadata: { name: 'things.audited.example.com' },
  spec: {
    group: 'audited.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { a: { type: 'string', default: 'd' }, b: { type: 'string' } } } },
          },
        },
      },
    ],
  },
});

export const AUDIT_STEPS: readonly RequestStep[] = [
  step('a definition', 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: DEFINITION }),
  step('a namespace', 'POST', ALL, { body: space('aud') }),
  step('a create', 'POST', MAPS, { body: '{"metadata":{"name":"a"},"data":{"k":"<v&>"}}' }),
  step('a create with generateName', 'POST', MAPS, { body: '{"metadata":{"generateName":"g-"}}' }),
  step('a get', 'GET', ONE),
  step('a list', 'GET', `${MAPS}?limit=500`),
  step('a watch', 'GET', `${MAPS}?watch=1&timeoutSeconds=1`),
  step('a merge patch', 'PATCH', ONE, { type: MERGE, body: '{"data":{"x":"y"}}' }),
  step('an apply', 'PATCH', `${MAPS}/b?fieldManager=m`, {
    type: 'application/apply-patch+yaml',
    body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":{"x":"y"}}',
  }),
  step('a JSON patch', 'PATCH', ONE, { type: 'application/json-patch+json', body: '[{"op":"add","path":"/data/z","value":"1"}]' }),
  step('an update', 'PUT', ONE, { body: '{"metadata":{"name":"a"},"data":{"p":"q"}}' }),
  step('an update with a version', 'PUT', ONE, { body: '{"metadata":{"name":"a","resourceVersion":"1","uid":"u-1"},"data":{"p":"q"}}' }),
  step('a delete', 'DELETE', ONE),
  step('a delete with options', 'DELETE', `${MAPS}/b`, {
    body: '{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}',
  }),
  step('a delete of a collection', 'DELETE', `${MAPS}?labelSelector=a%3Db`),
  step('a service account', 'POST', `${ALL}/aud/serviceaccounts`, { body: '{"metadata":{"name":"robot"}}' }),
  step('a token request', 'POST', `${ALL}/aud/serviceaccounts/robot/token`, {
    body: '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"audiences":["x"]}}',
  }),
  step('a token that nobody knows', 'GET', MAPS, { as: 'bad' }),
  step('a token that nobody knows, on a path', 'GET', '/version', { as: 'bad' }),
  step('forbidden', 'GET', `${ALL}/aud/secrets/s`, { as: 'alice' }),
  step('not found', 'GET', `${MAPS}/missing`),
  step('impersonation', 'GET', MAPS, { headers: { 'impersonate-user': 'dev', 'impersonate-group': 'g1' } }),
  step('impersonation forbidden', 'GET', MAPS, { as: 'alice', headers: { 'impersonate-user': 'dev' } }),
  step('a deprecated version', 'GET', '/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas?limit=1'),
  step('a path', 'GET', '/version'),
  step('a path that is not audited', 'GET', '/readyz/ping'),
  step('a path forbidden', 'GET', '/metrics', { as: 'alice' }),
  step('a path by nobody', 'GET', '/version', { as: 'nobody' }),
  step('forbidden to nobody', 'GET', '/api/v1/nodes', { as: 'nobody' }),
  step('a path that leads nowhere', 'GET', '/nowhere'),
  step('a group that is not served', 'GET', '/apis/nowhere.example.com/v1/things'),
  step('an invalid object', 'POST', MAPS, { body: map('B_') }),
  step('a malformed body', 'POST', MAPS, { body: '{bad' }),
  step('a body of an unknown type', 'PUT', ONE, { type: 'text/plain', body: 'x' }),
  step('a review', 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    body: '{"spec":{"nonResourceAttributes":{"path":"/x","verb":"get"}}}',
  }),
  step('a subresource by its name', 'PATCH', `${ALL}/aud/status`, { type: MERGE, body: '{}' }),
  step('a strategic patch', 'PATCH', `${ALL}/aud/serviceaccounts/robot`, {
    type: 'application/strategic-merge-patch+json',
    body: '{"metadata":{"labels":{"a":"b"}}}',
  }),
  step('a secret', 'POST', `${ALL}/aud/secrets`, { body: '{"metadata":{"name":"s"},"data":{"p":"cQ=="}}' }),
  step('a secret whose receipt is left out', 'GET', `${ALL}/aud/secrets/quiet`),
  step('a service', 'POST', `${ALL}/aud/services`, { body: '{"metadata":{"name":"s"},"spec":{"ports":[{"port":80}]}}' }),
  step('the log of a missing pod', 'GET', `${ALL}/aud/pods/p/log`),
  step('a dry run of a delete', 'DELETE', `${MAPS}/none?dryRun=All`),
  step('proxies', 'GET', MAPS, { headers: { 'x-forwarded-for': '10.1.1.1, nowhere, 10.2.2.2', 'x-real-ip': '10.3.3.3' } }),
  step('a long user agent', 'GET', '/version', { headers: { 'user-agent': 'a'.repeat(1100) } }),
  step('a namespace that keeps metadata', 'POST', ALL, { body: space('audited-metadata') }),
  step('a secret at Metadata', 'POST', `${ALL}/audited-metadata/secrets`, { body: '{"metadata":{"name":"s"},"stringData":{"p":"q"}}' }),
  step('a namespace that keeps no managed fields', 'POST', ALL, { body: space('audited-lean') }),
  step('a create without managed fields', 'POST', `${ALL}/audited-lean/configmaps`, { body: map('a') }),
  step('a list without managed fields', 'GET', `${ALL}/audited-lean/configmaps`),
  step('a namespace that keeps requests', 'POST', ALL, { body: space('audited-request') }),
  step('a create at Request', 'POST', `${ALL}/audited-request/configmaps`, { body: map('a') }),
  step('a list at Request', 'GET', `${ALL}/audited-request/configmaps`),
  step('a dry run of a create', 'POST', `${MAPS}?dryRun=All`, { body: map('dry') }),
  step('a timeout that is none', 'GET', `${ONE}?timeout=bad`),
  step('a method that is none', 'OPTIONS', ONE),
  step('a deployment', 'POST', DEPLOYMENTS, { body: DEPLOYMENT }),
  step('a deployment with a member that is unknown, strictly', 'POST', `${DEPLOYMENTS}?fieldValidation=Strict`, {
    body: '{"metadata":{"name":"e","bogus":1}}',
  }),
  step('a scale', 'PUT', `${DEPLOYMENTS}/d/scale`, { body: '{"metadata":{"name":"d"},"spec":{"replicas":3}}' }),
  step('an older version', 'POST', '/apis/autoscaling/v1/namespaces/aud/horizontalpodautoscalers', {
    body: '{"metadata":{"name":"h"},"spec":{"maxReplicas":3,"scaleTargetRef":{"kind":"Deployment","name":"d"}}}',
  }),
  step('a status', 'PUT', `${ALL}/aud/pods/p/status`, { body: '{"metadata":{"name":"p"},"status":{"phase":"Running"}}' }),
  step('YAML', 'POST', MAPS, { type: 'application/yaml', body: 'metadata: {name: yaml}\ndata: {a: b}\n' }),
  step('an object of another type', 'POST', MAPS, { body: '{"kind":"Service","metadata":{"name":"c"}}' }),
  step('a member of another type', 'POST', MAPS, { body: '{"metadata":{"name":"c"},"data":5}' }),
  step('an object of another namespace', 'POST', MAPS, { body: '{"metadata":{"name":"c","namespace":"other"}}' }),
  step('an object of another name', 'PUT', ONE, { body: '{"metadata":{"name":"c"}}' }),
  step('what the server sets', 'POST', MAPS, {
    body: '{"metadata":{"name":"c","uid":"u-1","generation":5,"creationTimestamp":"2020-01-01T00:00:00Z","managedFields":[{"manager":"x"}]}}',
  }),
  step('an eviction', 'POST', `${ALL}/aud/pods/p/eviction`, { body: '{"metadata":{"name":"p"}}' }),
  step('a binding', 'POST', `${ALL}/aud/pods/p/binding`, { body: '{"target":{"name":"n"}}' }),
  step('a review of somebody', 'POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    body: '{"spec":{"user":"u","resourceAttributes":{"verb":"get","resource":"pods"}}}',
  }),
  step('all options of a delete', 'DELETE', `${MAPS}/none`, {
    body: '{"gracePeriodSeconds":0,"propagationPolicy":"Background","dryRun":["All"],"preconditions":{"uid":"x"}}',
  }),
  step('options of a delete in the query', 'DELETE', `${MAPS}/none?gracePeriodSeconds=3&propagationPolicy=Foreground`),
  step('options of a delete of a collection', 'DELETE', `${MAPS}?labelSelector=a%3Db`, { body: '{"propagationPolicy":"Orphan"}' }),
  step('a merge patch of what is missing', 'PATCH', `${MAPS}/missing`, { type: MERGE, body: '{"a":1}' }),
  step('a Table', 'GET', MAPS, { headers: TABLE }),
  step('a Table of one', 'GET', `${MAPS}/c`, { headers: TABLE }),
  step('a create with a Table', 'POST', MAPS, { body: map('table'), headers: TABLE }),
  step('a delete with a Table', 'DELETE', `${MAPS}/table`, { headers: TABLE }),
  step('metadata', 'GET', `${MAPS}/c`, { headers: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' } }),
  step('protobuf', 'GET', `${MAPS}/c`, { headers: { accept: 'application/vnd.kubernetes.protobuf' } }),
  step('not found as a Table', 'GET', `${MAPS}/missing`, { headers: TABLE }),
  step('not found as a Table or plain', 'GET', `${MAPS}/missing`, { headers: { accept: `${TABLE.accept},application/json` } }),
  step('not found in protobuf', 'GET', `${MAPS}/missing`, { headers: { accept: 'application/vnd.kubernetes.protobuf' } }),
  step('forbidden as a Table', 'GET', `${ALL}/aud/secrets/s`, { as: 'alice', headers: TABLE }),
  step('invalid as a Table', 'POST', MAPS, { body: map('B_'), headers: TABLE }),
  step('a Table of unknown contents', 'GET', `${MAPS}?includeObject=Bad`, { headers: TABLE }),
  step('not acceptable', 'GET', MAPS, { headers: { accept: 'image/png' } }),
  step('a create that is not acceptable', 'POST', MAPS, { body: map('png'), headers: { accept: 'image/png' } }),
  step('a custom object', 'POST', `/apis/audited.example.com/v1/namespaces/aud/things`, {
    body: '{"apiVersion":"audited.example.com/v1","kind":"Thing","metadata":{"name":"t"},"spec":{"b":"x","unknown":1},"status":{"u":1}}',
  }),
  step('a Table without managed fields', 'GET', `${ALL}/audited-lean/configmaps?includeObject=Object`, { headers: TABLE }),
  step('the end of a namespace', 'DELETE', `${ALL}/aud`),
];
