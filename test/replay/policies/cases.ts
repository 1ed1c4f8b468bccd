/** What policies make of requests: the cases of the recording. */
import { configMap, createMap, mapsPath, merge, NAMESPACE, post, put, remove, type Step } from '../webhooks/case';
import type { Body } from '../reference';
import type { Binding, PolicyCase } from './case';

const FALSE: Body = { expression: 'false' };

const one = (title: string, spec: Body, steps: readonly Step[] = [createMap('m')], bindings?: readonly Binding[]): PolicyCase => ({
  title,
  policies: [{ spec }],
  ...(bindings === undefined ? {} : { bindings }),
  steps,
});

const evaluates = (expression: string): PolicyCase => one(`expression: ${expression}`, { validations: [{ expression }] });
const says = (title: string, validation: Body): PolicyCase =>
  one(`message: ${title}`, { validations: [{ expression: 'false', ...validation }] });
const acts = (...validationActions: string[]): PolicyCase =>
  one(`actions: ${validationActions.join(', ')}`, { validations: [FALSE, { expression: '1 == 2', message: 'second' }] }, undefined, [
    { spec: { validationActions } },
  ]);
const matches = (title: string, matchConstraints: Body, steps: readonly Step[] = [createMap('m')]): PolicyCase =>
  one(`matches: ${title}`, { matchConstraints, validations: [FALSE] }, steps);

const RULE: Body = { operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
const RULES: Body = { resourceRules: [RULE] };

const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
const deployment = (replicas: number): Body => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    replicas,
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});
const OF_DEPLOYMENTS: Body = {
  resourceRules: [
    { operations: ['CREATE', 'UPDATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments', 'deployments/scale'] },
  ],
};

const MESSAGES: readonly PolicyCase[] = [
  says('none', {}),
  says('plain', { message: 'no way' }),
  says('expression', { messageExpression: "'name: ' + object.metadata.name" }),
  says('expression before message', { message: 'plain', messageExpression: "'name: ' + object.metadata.name" }),
  says('expression fails', { message: 'plain', messageExpression: 'string(object.missing)' }),
  says('expression fails alone', { messageExpression: 'string(object.missing)' }),
  says('expression is empty', { message: 'plain', messageExpression: "''" }),
  says('expression is blank', { message: 'plain', messageExpression: "'  '" }),
  says('expression has lines', { message: 'plain', messageExpression: "'a\\nb'" }),
  says('expression is long', { message: 'plain', messageExpression: `'${'a'.repeat(100)}' + ['${'b'.repeat(5200)}'].join('')` }),
  ...['Unauthorized', 'Forbidden', 'Invalid', 'RequestEntityTooLarge'].map((reason) => says(`reason ${reason}`, { reason, message: 'm' })),
];

const EXPRESSIONS: readonly PolicyCase[] = [
  'true',
  '1 / 0 == 1',
  'object.missing == 1',
  "object.data.a == '1'",
  'object.data.a',
  'oldObject == null',
  "request.operation == 'CREATE' && request.name == 'm' && request.namespace == 'recorded' && !request.dryRun",
  "request.userInfo.username == 'admin' && 'system:masters' in request.userInfo.groups",
  "request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps' && request.requestKind.version == 'v1'",
  "request.subResource == ''",
  "request.options.kind == 'CreateOptions'",
  "namespaceObject.metadata.name == 'recorded' && namespaceObject.metadata.labels['team'] == 'a'",
  "namespaceObject.status.phase == 'Active'",
  "authorizer.group('').resource('pods').namespace('recorded').check('create').allowed()",
  "authorizer.group('').resource('pods').namespace('recorded').check('create').reason() == 'x'",
  "authorizer.path('/healthz').check('get').allowed()",
  "authorizer.requestResource.check('custom').allowed()",
  "authorizer.serviceAccount('recorded', 'default').group('').resource('pods').check('get').allowed()",
  "authorizer.serviceAccount('recorded', 'default').group('').resource('pods').check('get').errored()",
  "authorizer.serviceAccount('_', 'default').path('/x').check('get').allowed()",
  "authorizer.group('apps').resource('deployments').subresource('scale').name('d').namespace('x').check('get').allowed() == false",
  'object.data.map(k, k).size() == 7',
  "object.metadata.name.startsWith('m') && has(object.metadata.uid)",
  '[1, 2, 3].map(i, [1, 2, 3].map(j, i * j)).size() == 2',
  `'${'a'.repeat(20)}'.matches('a+b')`,
  "object.apiVersion == 'v1' && object.kind == 'ConfigMap'",
  'object.metadata.creationTimestamp == null',
].map(evaluates);

const SEVERAL: readonly PolicyCase[] = [
  acts('Deny'),
  acts('Warn'),
  acts('Audit'),
  acts('Deny', 'Audit'),
  acts('Warn', 'Audit'),
  {
    title: 'several policies and bindings',
    policies: [
      { name: 'recorded-b', spec: { validations: [{ expression: 'false', message: 'b' }] } },
      { name: 'recorded-a', spec: { validations: [{ expression: 'false', message: 'a', reason: 'Forbidden' }] } },
    ],
    bindings: [
      { name: 'recorded-z', spec: { policyName: 'recorded-a' } },
      { name: 'recorded-y', spec: { policyName: 'recorded-a', validationActions: ['Warn'] } },
      { name: 'recorded-x', spec: { policyName: 'recorded-b', validationActions: ['Audit'] } },
    ],
    steps: [createMap('m')],
  },
  { title: 'no binding', policies: [{ spec: { validations: [FALSE] } }], bindings: [], steps: [createMap('m')] },
  { title: 'a binding without its policy', policies: [], steps: [createMap('m')] },
  one('generated name', { validations: [FALSE] }, [post(mapsPath(), { metadata: { generateName: 'g-' } })]),
];

const MATCHES: readonly PolicyCase[] = [
  matches('other resource', { resourceRules: [{ ...RULE, resources: ['secrets'] }] }),
  matches('all', { resourceRules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }] }),
  matches('name', { resourceRules: [{ ...RULE, resourceNames: ['m'] }] }, [createMap('m'), createMap('n')]),
  matches('excluded', { ...RULES, excludeResourceRules: [{ ...RULE, resourceNames: ['m'] }] }, [createMap('m'), createMap('n')]),
  matches('namespaces', { ...RULES, namespaceSelector: { matchLabels: { team: 'a' } } }),
  matches('other namespaces', { ...RULES, namespaceSelector: { matchLabels: { team: 'b' } } }),
  matches('objects', { ...RULES, objectSelector: { matchLabels: { x: 'y' } } }, [
    createMap('m', { metadata: { labels: { x: 'y' } } }),
    createMap('n'),
  ]),
  matches('scope', { resourceRules: [{ ...RULE, scope: 'Cluster' }] }),
  matches('deletion', { resourceRules: [{ ...RULE, operations: ['DELETE'] }] }, [createMap('m'), remove(mapsPath('m'))]),
  one(
    'binding matches less',
    { validations: [FALSE] },
    [createMap('m'), createMap('n')],
    [{ spec: { matchResources: { resourceRules: [{ ...RULE, resourceNames: ['n'] }] } } }],
  ),
  one(
    'binding selects objects',
    { validations: [FALSE] },
    [createMap('m'), createMap('n', { metadata: { labels: { x: 'y' } } })],
    [{ spec: { matchResources: { objectSelector: { matchLabels: { x: 'y' } } } } }],
  ),
];

const condition = (title: string, expression: string, more: Body = {}): PolicyCase =>
  one(`condition: ${title}`, { validations: [FALSE], matchConditions: [{ name: 'c', expression }], ...more });

const CONDITIONS: readonly PolicyCase[] = [
  condition('holds', "request.operation == 'CREATE'"),
  condition('does not hold', "request.operation == 'UPDATE'"),
  condition('fails', 'object.missing == 1'),
  condition('fails, ignored', 'object.missing == 1', { failurePolicy: 'Ignore' }),
  one('condition: one fails and one is false', {
    validations: [FALSE],
    matchConditions: [
      { name: 'a', expression: 'object.missing == 1' },
      { name: 'b', expression: 'false' },
    ],
  }),
  one('failing expression, ignored', { failurePolicy: 'Ignore', validations: [{ expression: 'object.missing == 1' }, FALSE] }),
  one('failing expression among others', { validations: [{ expression: 'object.missing == 1' }, FALSE] }),
];

const VARIABLES: readonly PolicyCase[] = [
  one('variables', {
    variables: [
      { name: 'a', expression: 'object.data.a' },
      { name: 'b', expression: "variables.a + '!'" },
    ],
    validations: [{ expression: "variables.b == '1?'", messageExpression: "'b is ' + variables.b" }],
  }),
  one('a variable that fails', {
    variables: [{ name: 'a', expression: 'object.missing' }],
    validations: [{ expression: 'variables.a == 1' }],
  }),
  one('a variable that nobody reads fails', {
    variables: [{ name: 'a', expression: 'object.missing' }],
    validations: [{ expression: 'true' }],
  }),
  one('a variable in conditions and annotations', {
    variables: [{ name: 'a', expression: 'object.data.a' }],
    validations: [{ expression: "variables.a == '1'" }],
    auditAnnotations: [{ key: 'k', valueExpression: "'a is ' + variables.a" }],
  }),
];

const annotates = (title: string, auditAnnotations: Body[], more: Body = {}): PolicyCase =>
  one(`annotations: ${title}`, { auditAnnotations, ...more });

const ANNOTATIONS: readonly PolicyCase[] = [
  annotates('plain', [{ key: 'k', valueExpression: "'v'" }]),
  annotates('null', [{ key: 'k', valueExpression: 'null' }]),
  annotates('empty', [{ key: 'k', valueExpression: "''" }]),
  annotates('fails', [{ key: 'k', valueExpression: 'string(object.missing)' }]),
  annotates('fails, ignored', [{ key: 'k', valueExpression: 'string(object.missing)' }], { failurePolicy: 'Ignore' }),
  annotates('two', [
    { key: 'a', valueExpression: 'object.metadata.name' },
    { key: 'b', valueExpression: "object.data.a == '2' ? 'x' : null" },
  ]),
  annotates('with a denial', [{ key: 'k', valueExpression: "'v'" }], { validations: [FALSE] }),
  {
    title: 'annotations: two bindings',
    policies: [{ spec: { auditAnnotations: [{ key: 'k', valueExpression: "'v'" }] } }],
    bindings: [{ name: 'recorded' }, { name: 'recorded-2' }],
    steps: [createMap('m')],
  },
];

const PARAMETER = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } };
const limit = (name: string, most: string, labels: Body = {}): Step => createMap(name, { metadata: { labels }, data: { most } });
const LIMITED: Body = {
  ...PARAMETER,
  matchConstraints: { resourceRules: [{ ...RULE, resources: ['secrets'] }] },
  validations: [{ expression: 'object.data.size() <= int(params.data.most)', messageExpression: "'most is ' + params.data.most" }],
};
const secret = (name: string, count: number): Step =>
  post(`/api/v1/namespaces/${NAMESPACE}/secrets`, {
    metadata: { name },
    data: Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, ''])),
  });
const withParameters = (title: string, paramRef: Body, before: readonly Step[], spec: Body = {}): PolicyCase => ({
  title: `parameters: ${title}`,
  policies: [{ spec: { ...LIMITED, ...spec } }],
  bindings: [{ spec: { paramRef } }],
  before,
  steps: [secret('a', 1), secret('b', 3)],
});

const PARAMETERS: readonly PolicyCase[] = [
  withParameters('by name', { name: 'p', namespace: NAMESPACE, parameterNotFoundAction: 'Deny' }, [limit('p', '2')]),
  withParameters('by name, of the same namespace', { name: 'p', parameterNotFoundAction: 'Deny' }, [limit('p', '2')]),
  withParameters('missing, denied', { name: 'p', parameterNotFoundAction: 'Deny' }, []),
  withParameters('missing, denied, ignored', { name: 'p', parameterNotFoundAction: 'Deny' }, [], { failurePolicy: 'Ignore' }),
  withParameters('missing, allowed', { name: 'p', parameterNotFoundAction: 'Allow' }, []),
  withParameters('by selector', { selector: { matchLabels: { x: 'y' } }, parameterNotFoundAction: 'Deny' }, [
    limit('p', '5', { x: 'y' }),
    limit('q', '2', { x: 'y' }),
    limit('r', '0'),
  ]),
  withParameters('all', { selector: {}, namespace: 'default', parameterNotFoundAction: 'Deny' }, []),
  withParameters('none selected, denied', { selector: { matchLabels: { x: 'z' } }, parameterNotFoundAction: 'Deny' }, []),
  withParameters('none selected, allowed', { selector: { matchLabels: { x: 'z' } }, parameterNotFoundAction: 'Allow' }, []),
  withParameters('a kind that nobody serves', { name: 'p', parameterNotFoundAction: 'Deny' }, [], {
    paramKind: { apiVersion: 'example.com/v1', kind: 'Limit' },
  }),
  withParameters('cluster-scoped', { name: NAMESPACE, parameterNotFoundAction: 'Deny' }, [], {
    paramKind: { apiVersion: 'v1', kind: 'Namespace' },
    validations: [{ expression: "object.data.size() < 2 || params.metadata.name == 'x'" }],
  }),
  withParameters('cluster-scoped with a namespace', { name: NAMESPACE, namespace: 'default', parameterNotFoundAction: 'Deny' }, [], {
    paramKind: { apiVersion: 'v1', kind: 'Namespace' },
    validations: [{ expression: 'false' }],
  }),
  { ...one('no parameter although the policy has a kind', LIMITED, [secret('a', 1)]), bindings: [{}] },
  {
    title: 'a parameter of a cluster-scoped object',
    policies: [
      {
        spec: {
          ...PARAMETER,
          matchConstraints: { resourceRules: [{ ...RULE, resources: ['namespaces'] }] },
          validations: [FALSE],
        },
      },
    ],
    bindings: [{ spec: { paramRef: { name: 'p', parameterNotFoundAction: 'Deny' } } }],
    before: [limit('p', '2')],
    steps: [post('/api/v1/namespaces', { metadata: { name: 'never' } })],
  },
];

const OTHERS: readonly PolicyCase[] = [
  {
    title: 'replicas, also of a scale',
    policies: [{ spec: { matchConstraints: OF_DEPLOYMENTS, validations: [{ expression: 'object.spec.replicas <= 5' }] } }],
    steps: [
      post(DEPLOYMENTS, deployment(6)),
      post(DEPLOYMENTS, deployment(5)),
      merge(`${DEPLOYMENTS}/d/scale`, { spec: { replicas: 7 } }),
      merge(`${DEPLOYMENTS}/d/scale`, { spec: { replicas: 4 } }),
      put(`${DEPLOYMENTS}/d`, deployment(9)),
    ],
  },
  {
    title: 'an update sees what was',
    policies: [{ spec: { validations: [{ expression: 'oldObject == null || object.data == oldObject.data' }] } }],
    steps: [createMap('m'), put(mapsPath('m'), configMap('m', { data: { a: '2' } })), put(mapsPath('m'), configMap('m'))],
  },
];

export const CASES: readonly PolicyCase[] = [
  ...MESSAGES,
  ...EXPRESSIONS,
  ...SEVERAL,
  ...MATCHES,
  ...CONDITIONS,
  ...VARIABLES,
  ...ANNOTATIONS,
  ...PARAMETERS,
  ...OTHERS,
];
