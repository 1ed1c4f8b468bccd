/** What webhooks are asked, what they may answer, and what becomes of it: the cases of the recording. */
import {
  apply,
  configMap,
  createMap,
  get,
  mapsPath,
  merge,
  NAMESPACE,
  post,
  put,
  remove,
  type Hook,
  type Step,
  type WebhookCase,
} from './case';
import type { Body } from '../reference';

const mutating = (does: string, more: Partial<Hook> = {}): Hook => ({ type: 'mutating', does, ...more });
const validating = (does: string, more: Partial<Hook> = {}): Hook => ({ type: 'validating', does, ...more });

/** One of each type that answers so, asked about a new object. */
const answers = (...does: string[]): readonly WebhookCase[] =>
  does.flatMap((one) => [
    { title: `mutating: ${one}`, hooks: [mutating(one)], steps: [createMap('m')] },
    { title: `validating: ${one}`, hooks: [validating(one)], steps: [createMap('m')] },
  ]);

const patches = (...does: string[]): readonly WebhookCase[] =>
  does.map((one) => ({ title: `patch: ${one}`, hooks: [mutating(one)], steps: [createMap('m')] }));

/** What it cannot use, under the policy that lets all pass. */
const ignored = (...does: string[]): readonly WebhookCase[] =>
  does.flatMap((one) => [
    { title: `ignored, mutating: ${one}`, hooks: [mutating(one, { more: { failurePolicy: 'Ignore' } })], steps: [createMap('m')] },
    { title: `ignored, validating: ${one}`, hooks: [validating(one, { more: { failurePolicy: 'Ignore' } })], steps: [createMap('m')] },
  ]);

const FAULTS = [
  'text',
  'empty',
  'empty-object',
  'list',
  'other-kind',
  'other-version',
  'no-kind',
  'no-response',
  'no-uid',
  'other-uid',
  'no-verdict',
  'odd-verdict',
  'redirect',
  'not-found',
  'broken',
  'broken-status',
  'cut',
];

const ANSWERS: readonly WebhookCase[] = [
  ...answers('allow', 'deny', 'deny-message', 'deny-reason', 'deny-both', 'deny-code', 'deny-code-200', 'deny-code-600', 'deny-code-only'),
  ...answers('deny-success', 'deny-whole', 'deny-lines', 'deny-warn', 'warn', 'warn-twice', 'warn-much', 'annotate', 'unknown-member'),
  ...answers('typed-text', 'created', ...FAULTS),
  ...answers('redirect-other-way', 'redirect-to-nowhere', 'moved-denied', 'moved-twice', 'moved-on-and-on'),
  ...patches('moved-patched'),
  ...ignored('deny-message', 'text', 'no-response', 'other-uid', 'redirect', 'broken', 'cut', 'not-there'),
  ...patches('patch-label', 'patch-data', 'patch-nothing', 'patch-same', 'patch-no-type', 'patch-other-type', 'patch-empty-type'),
  ...patches('patch-type-only', 'patch-no-base64', 'patch-no-json', 'patch-no-list', 'patch-null', 'patch-bad-operation'),
  ...patches('patch-test-fails', 'patch-no-place', 'patch-remove-missing', 'patch-breaks', 'patch-unknown', 'patch-name'),
  ...patches('patch-namespace', 'patch-kind', 'patch-version', 'patch-uid', 'patch-invalid', 'patch-whole', 'patch-deny'),
  { title: 'a patch of a validating one', hooks: [validating('patch-data')], steps: [createMap('m')] },
  ...['patch-no-list', 'patch-test-fails', 'patch-breaks', 'patch-other-type'].map((does) => ({
    title: `ignored patch: ${does}`,
    hooks: [mutating(does, { more: { failurePolicy: 'Ignore' } })],
    steps: [createMap('m')],
  })),
];

const slow = (type: Hook['type'], failurePolicy: string): WebhookCase => ({
  title: `${type}, no answer in time: ${failurePolicy}`,
  hooks: [{ type, does: 'hang', more: { failurePolicy, timeoutSeconds: 1 } }],
  steps: [createMap('m')],
});

const TIMES: readonly WebhookCase[] = [
  slow('mutating', 'Fail'),
  slow('validating', 'Fail'),
  slow('mutating', 'Ignore'),
  slow('validating', 'Ignore'),
];

const url = (address: string): Body => ({ clientConfig: { url: address } });
const service = (more: Body): Body => ({ clientConfig: { service: { namespace: NAMESPACE, name: 'missing', ...more } } });

const CONNECTIONS: readonly WebhookCase[] = [
  { title: 'nobody listens', hooks: [validating('allow', { more: url('https://127.0.0.1:1/x') })], steps: [createMap('m')] },
  {
    title: 'nobody listens, ignored',
    hooks: [validating('allow', { more: { ...url('https://127.0.0.1:1/x'), failurePolicy: 'Ignore' } })],
    steps: [createMap('m')],
  },
  { title: 'an unknown authority', hooks: [validating('allow', { more: url('https://127.0.0.1:<port>/allow') })], steps: [createMap('m')] },
  { title: 'a service that is missing', hooks: [validating('allow', { more: service({}) })], steps: [createMap('m')] },
  {
    title: 'a service that is missing, with a path and port',
    hooks: [mutating('allow', { more: service({ path: '/a/b', port: 8443 }) })],
    steps: [createMap('m')],
  },
  {
    title: 'a service without endpoints',
    before: [
      post(`/api/v1/namespaces/${NAMESPACE}/services`, {
        metadata: { name: 'empty' },
        spec: { ports: [{ port: 443 }] },
      }),
    ],
    hooks: [validating('allow', { more: service({ name: 'empty' }) })],
    steps: [createMap('m')],
  },
  {
    title: 'a service without that port',
    before: [
      post(`/api/v1/namespaces/${NAMESPACE}/services`, {
        metadata: { name: 'other' },
        spec: { ports: [{ port: 80 }] },
      }),
    ],
    hooks: [validating('allow', { more: service({ name: 'other' }) })],
    steps: [createMap('m')],
  },
];

const VERBS: readonly WebhookCase[] = [
  {
    title: 'create, update, patch, apply, delete',
    hooks: [mutating('allow'), validating('allow')],
    steps: [
      createMap('m', { metadata: { labels: { a: 'b' } } }, '?fieldManager=me&fieldValidation=Strict'),
      put(mapsPath('m', '?fieldManager=me'), configMap('m', { data: { b: '2' } })),
      merge(mapsPath('m', '?fieldManager=me'), { data: { c: '3' } }),
      apply(mapsPath('m', '?fieldManager=you&force=true'), configMap('m', { data: { d: '4' } })),
      apply(mapsPath('n', '?fieldManager=you'), configMap('n')),
      remove(mapsPath('m', '?gracePeriodSeconds=0')),
      remove(mapsPath('n'), { propagationPolicy: 'Background', preconditions: {} }),
    ],
  },
  {
    title: 'dry runs',
    before: [createMap('m')],
    hooks: [mutating('allow', { more: { sideEffects: 'NoneOnDryRun' } }), validating('allow')],
    steps: [
      createMap('n', {}, '?dryRun=All'),
      put(mapsPath('m', '?dryRun=All'), configMap('m', { data: { b: '2' } })),
      remove(mapsPath('m', '?dryRun=All')),
    ],
  },
  {
    title: 'a generated name',
    hooks: [mutating('allow'), validating('allow')],
    steps: [post(mapsPath(), { metadata: { generateName: 'g-' } })],
  },
  {
    title: 'a collection',
    before: [createMap('m', { metadata: { labels: { c: 'd' } } }), createMap('n', { metadata: { labels: { c: 'd' } } })],
    hooks: [mutating('allow'), validating('allow')],
    steps: [remove(mapsPath('', '?labelSelector=c%3Dd'))],
  },
  {
    title: 'a collection is kept',
    before: [createMap('m', { metadata: { labels: { c: 'd' } } })],
    hooks: [validating('deny-message')],
    steps: [remove(mapsPath('', '?labelSelector=c%3Dd')), get(mapsPath('m'))],
  },
  {
    title: 'a deletion is refused by a mutating one',
    before: [createMap('m')],
    hooks: [mutating('deny-message')],
    steps: [remove(mapsPath('m'))],
  },
  { title: 'a deletion is patched', before: [createMap('m')], hooks: [mutating('patch-data')], steps: [remove(mapsPath('m'))] },
  { title: 'the deletion of what is not there', hooks: [mutating('allow'), validating('allow')], steps: [remove(mapsPath('none'))] },
  {
    title: 'an update that changes nothing',
    before: [createMap('m')],
    hooks: [mutating('allow'), validating('allow')],
    steps: [put(mapsPath('m'), configMap('m'))],
  },
  {
    title: 'what is invalid is not shown to those that validate',
    hooks: [mutating('allow'), validating('allow')],
    steps: [createMap('m', { data: { 'a b': '1' } })],
  },
  { title: 'an update is patched', before: [createMap('m')], hooks: [mutating('patch-data')], steps: [put(mapsPath('m'), configMap('m'))] },
  {
    title: 'only updates',
    before: [createMap('m')],
    hooks: [validating('deny', { rule: { operations: ['UPDATE'] } })],
    steps: [createMap('n'), put(mapsPath('m'), configMap('m', { data: {} }))],
  },
  {
    title: 'who asks',
    hooks: [validating('allow')],
    steps: [
      {
        ...createMap('m'),
        headers: {
          'impersonate-user': 'ann',
          'impersonate-uid': '7',
          'impersonate-group': ['system:masters', 'devs'],
          'impersonate-extra-scopes': ['a', 'b'],
          'impersonate-extra-acme.com%2fthing': 'x',
        },
      },
    ],
  },
  {
    title: 'objects are too long to be shown twice',
    hooks: [mutating('patch-data')],
    steps: [createMap('m', { data: { a: 'x'.repeat(100) } })],
  },
];

const ordered = (name: string, does: string, more: Body = {}, configuration = 'recorded'): Hook =>
  mutating(does, { name, more, configuration });
const AGAIN: Body = { reinvocationPolicy: 'IfNeeded' };

const ORDER: readonly WebhookCase[] = [
  {
    title: 'stages in order',
    hooks: [ordered('a.example.com', 'stage-1'), ordered('b.example.com', 'stage-2')],
    steps: [createMap('m', { data: { start: 'yes' } })],
  },
  {
    title: 'stages out of order',
    hooks: [ordered('a.example.com', 'stage-2'), ordered('b.example.com', 'stage-1')],
    steps: [createMap('m', { data: { start: 'yes' } })],
  },
  {
    title: 'stages out of order, the first once more',
    hooks: [ordered('a.example.com', 'stage-2', AGAIN), ordered('b.example.com', 'stage-1')],
    steps: [createMap('m', { data: { start: 'yes' } })],
  },
  {
    title: 'two that count, both once more',
    hooks: [ordered('a.example.com', 'count-a', AGAIN), ordered('b.example.com', 'count-b', AGAIN)],
    steps: [createMap('m', { data: { x: 'y' } })],
  },
  {
    title: 'two that count, one once more',
    hooks: [ordered('a.example.com', 'count-a', AGAIN), ordered('b.example.com', 'count-b')],
    steps: [createMap('m', { data: { x: 'y' } })],
  },
  {
    title: 'two that count, the other once more',
    hooks: [ordered('a.example.com', 'count-a'), ordered('b.example.com', 'count-b', AGAIN)],
    steps: [createMap('m', { data: { x: 'y' } })],
  },
  {
    title: 'one that counts is enough',
    hooks: [ordered('a.example.com', 'count-a', AGAIN)],
    steps: [createMap('m', { data: { x: 'y' } })],
  },
  {
    title: 'configurations by their names',
    hooks: [ordered('a.example.com', 'count-a', {}, 'recorded-z'), ordered('b.example.com', 'count-b', {}, 'recorded-a')],
    steps: [createMap('m', { data: { x: 'y' } })],
  },
  {
    title: 'after a refusal nobody is asked',
    hooks: [ordered('a.example.com', 'deny-message'), ordered('b.example.com', 'count-b')],
    steps: [createMap('m')],
  },
  {
    title: 'what is changed is shown to those that validate',
    hooks: [mutating('patch-label'), validating('allow')],
    steps: [createMap('m')],
  },
  {
    title: 'warnings of two',
    hooks: [mutating('warn-twice', { name: 'a.example.com' }), mutating('warn-twice', { name: 'b.example.com' })],
    steps: [createMap('m')],
  },
  {
    title: 'twice in one configuration',
    hooks: [mutating('patch-label', { name: 'a.example.com' }), mutating('patch-data', { name: 'b.example.com' }), validating('annotate')],
    steps: [createMap('m')],
  },
];

const matching = (title: string, rule: Body, steps: readonly Step[], more: Body = {}, before: readonly Step[] = []): WebhookCase => ({
  title: `match: ${title}`,
  before,
  hooks: [mutating('allow', { rule, more }), validating('allow', { rule, more })],
  steps,
});

const APPS = '/apis/apps/v1/namespaces/recorded/deployments';
const DEPLOYMENT: Body = {
  metadata: { name: 'd' },
  spec: {
    replicas: 0,
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};
const SCALER = (version: string): string => `/apis/autoscaling/${version}/namespaces/recorded/horizontalpodautoscalers`;
const AUTOSCALER: Body = {
  metadata: { name: 'h' },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, minReplicas: 1, maxReplicas: 2 },
};
const POD: Body = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const PODS = '/api/v1/namespaces/recorded/pods';
const EVENT: Body = {
  metadata: { name: 'e' },
  involvedObject: { kind: 'Pod', name: 'p', namespace: NAMESPACE },
  reason: 'R',
  message: 'm',
  type: 'Normal',
};

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GOING: Body = {
  metadata: { name: 'going.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'going', singular: 'going', kind: 'Going', listKind: 'GoingList' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/recorded/roles';

/** What has no labels is selected only by who selects everything. */
const ANYTHING: Body = { objectSelector: {} };

const MATCHES: readonly WebhookCase[] = [
  matching('every resource', { resources: ['*'] }, [createMap('m')]),
  matching('every resource and part', { resources: ['*/*'] }, [createMap('m')]),
  matching('every group', { apiGroups: ['*'] }, [createMap('m')]),
  matching('another group', { apiGroups: ['apps'] }, [createMap('m')]),
  matching('another version', { apiVersions: ['v2'] }, [createMap('m')]),
  matching('cluster scope', { scope: 'Cluster' }, [createMap('m')]),
  matching('namespaced scope', { scope: 'Namespaced' }, [createMap('m')]),
  matching('a part only', { resources: ['configmaps/status'] }, [createMap('m')]),
  matching(
    'a scale',
    { apiGroups: ['apps'], resources: ['deployments/scale'] },
    [
      put(`${APPS}/d/scale`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'd', namespace: NAMESPACE },
        spec: { replicas: 1 },
      }),
    ],
    {},
    [post(APPS, DEPLOYMENT)],
  ),
  matching(
    'a status',
    { apiGroups: ['apps'], resources: ['*/status'] },
    [merge(`${APPS}/d/status`, { status: { replicas: 1 } }), merge(`${APPS}/d`, { spec: { replicas: 2 } })],
    {},
    [post(APPS, DEPLOYMENT)],
  ),
  matching('an equivalent version', { apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] }, [
    post(SCALER('v2'), AUTOSCALER),
    merge(`${SCALER('v2')}/h`, { spec: { maxReplicas: 3 } }),
    remove(`${SCALER('v2')}/h`),
  ]),
  matching(
    'no equivalent version',
    { apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] },
    [post(SCALER('v2'), AUTOSCALER), remove(`${SCALER('v2')}/h`)],
    { matchPolicy: 'Exact' },
  ),
  matching('the version itself', { apiGroups: ['autoscaling'], apiVersions: ['*'], resources: ['horizontalpodautoscalers'] }, [
    post(SCALER('v1'), AUTOSCALER),
    remove(`${SCALER('v1')}/h`),
  ]),
  {
    title: 'match: an equivalent version is patched',
    hooks: [
      mutating('patch-label', { rule: { apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] } }),
    ],
    steps: [post(SCALER('v2'), AUTOSCALER), remove(`${SCALER('v2')}/h`)],
  },
  matching('an equivalent group', { apiGroups: ['events.k8s.io'], apiVersions: ['v1'], resources: ['events'] }, [
    post('/api/v1/namespaces/recorded/events', EVENT),
  ]),
  matching('a pod', { resources: ['pods'] }, [post(PODS, POD)]),
  matching(
    'parts of a pod',
    { resources: ['pods/*'] },
    [
      post(`${PODS}/p/binding`, { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } }),
      post(`${PODS}/p/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } }),
      put(`${PODS}/p/status`, { ...POD, status: { phase: 'Running' } }),
    ],
    {},
    [post(PODS, POD)],
  ),
  matching(
    'an eviction',
    { resources: ['pods'] },
    [post(`${PODS}/p/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } })],
    {},
    [post(PODS, POD)],
  ),
  matching(
    'connections to a pod',
    { operations: ['CONNECT'], resources: ['pods/*'] },
    [
      post(`${PODS}/p/exec?command=ls&container=c&stdin=true`, ''),
      post(`${PODS}/p/attach?container=c&tty=true`, ''),
      post(`${PODS}/p/portforward?ports=80`, ''),
      get(`${PODS}/p/proxy/x?y=z`),
      get(`${PODS}/p/log`),
    ],
    ANYTHING,
    [post(PODS, POD)],
  ),
  {
    title: 'match: a connection is refused',
    before: [post(PODS, POD)],
    hooks: [validating('deny-message', { rule: { operations: ['CONNECT'], resources: ['pods/attach', 'pods/exec'] }, more: ANYTHING })],
    steps: [post(`${PODS}/p/attach?container=c`, ''), get(`${PODS}/p/exec?command=ls`), get(`${PODS}/p/log`)],
  },
  matching(
    'a token',
    { resources: ['serviceaccounts/token'] },
    [post('/api/v1/namespaces/recorded/serviceaccounts/s/token', { spec: { audiences: ['x'], expirationSeconds: 600 } })],
    {},
    [post('/api/v1/namespaces/recorded/serviceaccounts', { metadata: { name: 's' } })],
  ),
  matching('a namespace that goes', { resources: ['namespaces'] }, [
    remove('/api/v1/namespaces/recorded?dryRun=All'),
    remove('/api/v1/namespaces/recorded?dryRun=All&propagationPolicy=Background'),
    remove('/api/v1/namespaces/recorded', { dryRun: ['All'], gracePeriodSeconds: 5 }),
    remove('/api/v1/namespaces/recorded', { dryRun: ['All'], preconditions: { uid: 'other' } }),
  ]),
  matching(
    'a definition that goes',
    { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'] },
    [
      remove(`${DEFINITIONS}/going.example.com?dryRun=All`),
      remove(`${DEFINITIONS}/going.example.com`, { dryRun: ['All'], preconditions: { uid: 'other' } }),
      remove(`${DEFINITIONS}/going.example.com?gracePeriodSeconds=0`),
    ],
    {},
    [post(DEFINITIONS, GOING)],
  ),
  matching('a definition that is made', { apiGroups: ['apiextensions.k8s.io'], resources: ['*/*'] }, [
    post(`${DEFINITIONS}?dryRun=All`, GOING),
  ]),
  matching('lists that are empty', { apiGroups: ['rbac.authorization.k8s.io'], resources: ['*'] }, [
    post(`${ROLES}?dryRun=All`, { metadata: { name: 'r' }, rules: [] }),
    post(`${ROLES}?dryRun=All`, { metadata: { name: 'r' }, rules: null }),
    post(`${ROLES}?dryRun=All`, { metadata: { name: 'r' } }),
    apply(`${ROLES}/r?fieldManager=me&dryRun=All`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'r' },
      rules: [],
    }),
    post(`${ROLES}?dryRun=All`, { metadata: { name: 'r' }, rules: [{ apiGroups: [], resources: ['pods'], verbs: [] }] }),
  ]),
  matching('a review', { apiGroups: ['authorization.k8s.io'], resources: ['*'] }, [
    post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } }),
  ]),
  matching('webhook configurations', { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'] }, [
    post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All', { metadata: { name: 'other' } }),
  ]),
  matching('policies', { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'] }, [
    post('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings?dryRun=All', {
      metadata: { name: 'other' },
      spec: { policyName: 'x', validationActions: ['Deny'] },
    }),
  ]),
  matching(
    'cluster-scoped objects',
    { apiGroups: ['scheduling.k8s.io'], resources: ['priorityclasses'], scope: 'Cluster' },
    [
      post('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'recorded-class' }, value: 1 }),
      remove('/apis/scheduling.k8s.io/v1/priorityclasses/recorded-class'),
    ],
    { namespaceSelector: { matchLabels: { no: 'such' } } },
  ),
  matching(
    'a namespace by its labels',
    { resources: ['namespaces'] },
    [
      post('/api/v1/namespaces?dryRun=All', { metadata: { name: 'recorded-other' } }),
      post('/api/v1/namespaces?dryRun=All', { metadata: { name: 'recorded-one', labels: { yes: 'such' } } }),
    ],
    { namespaceSelector: { matchLabels: { yes: 'such' } } },
  ),
  matching('its namespace has no such label', {}, [createMap('m')], { namespaceSelector: { matchLabels: { no: 'such' } } }),
  matching('its namespace has the label', {}, [createMap('m')], {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': NAMESPACE } },
  }),
  matching(
    'the object has the label',
    {},
    [
      createMap('n'),
      createMap('m', { metadata: { labels: { pick: 'me' } } }),
      put(mapsPath('m'), configMap('m')),
      put(mapsPath('m'), configMap('m', { data: {} })),
      put(mapsPath('n'), configMap('n', { metadata: { labels: { pick: 'me' } } })),
      remove(mapsPath('n')),
    ],
    { objectSelector: { matchLabels: { pick: 'me' } } },
  ),
];

const conditional = (
  title: string,
  expressions: readonly string[],
  more: Body = {},
  steps: readonly Step[] = [createMap('m')],
): WebhookCase => ({
  title: `condition: ${title}`,
  hooks: (['mutating', 'validating'] as const).map((type) => ({
    type,
    does: 'allow',
    name: `${type}.example.com`,
    more: { matchConditions: expressions.map((expression, at) => ({ name: `c${at}`, expression })), ...more },
  })),
  steps,
});

const CONDITIONS: readonly WebhookCase[] = [
  conditional('true', ['true']),
  conditional('false', ['false']),
  conditional('of the object', ["object.metadata.name == 'm' && object.data.a == '1' && oldObject == null"]),
  conditional('of the request', [
    "request.operation == 'CREATE' && request.kind.kind == 'ConfigMap' && request.userInfo.username == 'admin'",
  ]),
  conditional('of a deletion', ['object == null && oldObject != null'], {}, [createMap('m'), remove(mapsPath('m'))]),
  conditional('an error', ["object.what.a == 'x'"]),
  conditional('an error, ignored', ["object.what.a == 'x'"], { failurePolicy: 'Ignore' }),
  conditional('an error and a false', ["object.what.a == 'x'", 'false']),
  conditional('two errors', ["object.what.a == 'x'", "object.how == 'x'"]),
  conditional('of a request member that is not set', ["request.subResource == ''"]),
  conditional('of the dry run', ['request.dryRun == true'], {}, [createMap('m'), createMap('n', {}, '?dryRun=All')]),
  conditional('of options', ["request.options.fieldManager == 'me'"], {}, [createMap('m', {}, '?fieldManager=me')]),
  conditional('of the namespace', ["namespaceObject.metadata.name == 'recorded'"]),
  conditional('no namespace', ['namespaceObject == null']),
  ...['object.rules.size() == 0', 'object.rules == null', 'object.rules == []'].flatMap((expression) =>
    [[], null].map((rules) => ({
      ...conditional(`${expression}, ${rules === null ? 'null' : 'empty'}`, [expression], {
        rules: [{ operations: ['*'], apiGroups: ['rbac.authorization.k8s.io'], apiVersions: ['v1'], resources: ['roles'] }],
      }),
      steps: [post(`${ROLES}?dryRun=All`, { metadata: { name: 'r' }, rules })],
    })),
  ),
  conditional('too dear', [
    `[${'1,'.repeat(99)}1].all(a, [${'1,'.repeat(99)}1].all(b, [${'1,'.repeat(99)}1].all(c, [${'1,'.repeat(99)}1].all(d, a == b && c == d))))`,
  ]),
];

const MAPS = "authorizer.group('').resource('configmaps').namespace('recorded')";
const OWN = 'authorizer.requestResource';
const OTHER = "authorizer.serviceAccount('recorded', 'default')";

/** One question has a third of what an expression may cost. */
const asked = (count: number, question = `${MAPS}.check('create').allowed()`): string =>
  Array.from({ length: count }, () => question).join(' && ');

const AUTHORIZED: readonly WebhookCase[] = [
  conditional('the authorizer allows', [`${MAPS}.check('create').allowed()`]),
  conditional('the authorizer allows by name', [`${MAPS}.name('m').subresource('x').check('frob').allowed()`]),
  conditional('the authorizer, of the request', [`${OWN}.check('create').allowed()`]),
  conditional('the authorizer, of a change', [`${OWN}.check('delete').allowed()`], {}, [createMap('m'), remove(mapsPath('m'))]),
  conditional('the authorizer, of another, who may not', [`${OTHER}.group('').resource('secrets').check('get').allowed()`]),
  conditional('the authorizer, of another, who has no opinion', [
    `${OTHER}.group('').resource('secrets').check('get').reason() == ''`,
    `!${OTHER}.group('').resource('secrets').check('get').errored()`,
  ]),
  conditional('the authorizer, of a path', ["authorizer.path('/healthz').check('get').allowed()"]),
  conditional('the authorizer, of a path that is none', ["authorizer.path('x').check('get').allowed()"]),
  conditional('the authorizer says why', [`${MAPS}.check('create').reason() != ''`]),
  conditional('the authorizer, twice', [asked(2)]),
  conditional('the authorizer, three times', [asked(3)]),
  conditional('the authorizer, in three conditions', [asked(2), asked(2), asked(2)]),
  conditional('the authorizer, in four conditions', [asked(2), asked(2), asked(2), asked(2)]),
  conditional('the authorizer, too often, ignored', [asked(3)], { failurePolicy: 'Ignore' }),
  conditional('the authorizer and a false', [asked(3), 'false']),
];

export const CASES: readonly WebhookCase[] = [
  ...ANSWERS,
  ...TIMES,
  ...CONNECTIONS,
  ...VERBS,
  ...ORDER,
  ...MATCHES,
  ...CONDITIONS,
  ...AUTHORIZED,
];
