/** Requests whose audit events are recorded, in their order, and the policy by which they are. Names are upstream's. */
export interface AuditStep {
  readonly name: string;
  /** `bad` = a token that nobody knows; `nobody` = without one. */
  readonly as: 'admin' | 'alice' | 'bad' | 'nobody';
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** Of the body; JSON when absent. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

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

type Rest = Partial<Omit<AuditStep, 'name' | 'method' | 'path'>>;

const step = (name: string, method: string, path: string, rest: Rest = {}): AuditStep => ({ as: 'admin', ...rest, name, method, path });

export const AUDIT_STEPS: readonly AuditStep[] = [
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
  step('the end of a namespace', 'DELETE', `${ALL}/aud`),
];
