/** Webhooks and policies of admission whose rules name another version than the request: the cases of the recording. */
import type { Body } from '../reference';
import {
  apply,
  changed,
  first,
  get,
  GROUP,
  merge,
  path,
  post,
  put,
  remove,
  second,
  versions,
  widget,
  type ConversionCase,
  type Review,
  type Step,
} from './case';

const validating = (does: string, rules: readonly string[], more: Partial<Review> = {}): Review => ({
  type: 'validating',
  does,
  versions: rules,
  ...more,
});
const mutating = (does: string, rules: readonly string[], more: Partial<Review> = {}): Review => ({
  type: 'mutating',
  does,
  versions: rules,
  ...more,
});
const after = (does: string, step: Step): Step => ({ ...step, does });

/** All verbs, in the first version. */
const ALL: readonly Step[] = [
  post(path('v1'), first('a', 'h:1', { labels: { l: '1' } })),
  put(path('v1', 'a'), changed('v1', 'a', { address: 'i:2' })),
  merge(path('v1', 'a'), { spec: { address: 'j:3', replicas: 1 } }),
  apply(path('v1', 'a', '?fieldManager=m'), widget('v1', 'a', { tags: { a: '1' } })),
  merge(path('v1', 'a', '/status'), { status: { ready: 'yes', ofV1: 'x' } }),
  merge(path('v1', 'a', '/scale'), { spec: { replicas: 2 } }),
  merge(path('v1', 'a', '?dryRun=All'), { spec: { address: 'dry:1' } }),
  post(path('v2'), second('b', 'h', 1)),
  merge(path('v2', 'b'), { spec: { port: 2 } }),
  remove(path('v1', 'b')),
  post(path('v1'), first('c', 'h:1'), { silent: true }),
  remove(path('v1')),
];
/** The status and the scale are asked about, too. */
const PARTS = { resources: ['widgets', 'widgets/*'] };

const asked = (title: string, ...reviews: Review[]): ConversionCase => ({ title: `admission: ${title}`, reviews, steps: ALL });

const WRITES: readonly Step[] = [
  post(path('v1'), first('a', 'h:1')),
  merge(path('v1', 'a'), { spec: { address: 'i:2' } }),
  post(path('v2'), second('b', 'h', 1)),
  get(path('v1', 'b')),
];
const changedBy = (title: string, ...reviews: Review[]): ConversionCase => ({ title: `admission: ${title}`, reviews, steps: WRITES });

/** The webhook of the conversion fails, so that nothing can be shown. */
const FAILING: readonly Step[] = [
  post(path('v1'), first('a', 'h:1')),
  after('failure', post(path('v1'), first('b', 'h:1'))),
  merge(path('v1', 'a'), { spec: { address: 'i:2' } }),
  merge(path('v1', 'a'), {}),
  remove(path('v1', 'a')),
  after('good', get(path('v1', 'a'))),
];
const failing = (title: string, ...reviews: Review[]): ConversionCase => ({ title: `admission: ${title}`, reviews, steps: FAILING });

const WIDGETS = (apiVersions: string[], more: Body = {}): Body => ({
  resourceRules: [{ operations: ['*'], apiGroups: [GROUP], apiVersions, resources: ['widgets'] }],
  ...more,
});
const MAPS: Body = {
  resourceRules: [{ operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
  objectSelector: { matchExpressions: [{ key: 'marker', operator: 'DoesNotExist' }] },
};
/** Refuses everything with what it sees. */
const telling = (text: string): Body => ({ expression: 'false', messageExpression: text });
const SEEN =
  "'object ' + (object == null ? 'none' : string(has(object.spec.host)) + object.apiVersion) + ' old ' + (oldObject == null ? 'none' : string(has(oldObject.spec.host)) + oldObject.apiVersion) + ' of ' + request.kind.version + ' ' + request.requestKind.version + ' ' + request.resource.version";

const JUDGED: readonly Step[] = [
  post(path('v1'), first('a', 'bad:1')),
  post(path('v2'), second('a', 'bad', 1)),
  post(path('v1'), first('a', 'good:1')),
  merge(path('v1', 'a'), { spec: { address: 'bad:1' } }),
  merge(path('v2', 'a'), { spec: { host: 'bad' } }),
  remove(path('v1', 'a')),
];
const judged = (title: string, spec: Body, binding: Body = {}): ConversionCase => ({
  title: `policy: ${title}`,
  policies: [{ spec, binding }],
  steps: JUDGED,
});
const NOT_BAD = "object == null || (has(object.spec.host) ? object.spec.host : object.spec.address) != 'bad'";

const map = (name: string, host: string): Step =>
  post('/api/v1/namespaces/converted/configmaps?dryRun=All', { metadata: { name }, data: { host } });
const PARAMETER = { name: 'p', namespace: 'converted', parameterNotFoundAction: 'Deny' };
const withParameters = (
  title: string,
  version: string,
  more: Partial<ConversionCase>,
  failurePolicy = 'Fail',
  reference: Body = PARAMETER,
): ConversionCase => ({
  title: `policy: ${title}`,
  before: [post(path('v1'), first('p', 'h:1', { labels: { l: '1' } }), { silent: true })],
  policies: [
    {
      spec: {
        failurePolicy,
        paramKind: { apiVersion: `${GROUP}/${version}`, kind: 'Widget' },
        matchConstraints: MAPS,
        validations: [
          {
            expression: 'object.data.host == (has(params.spec.host) ? params.spec.host : params.spec.address)',
            messageExpression: "'of ' + params.apiVersion + ' ' + (has(params.spec.host) ? params.spec.host : params.spec.address)",
          },
        ],
      },
      binding: { paramRef: reference },
    },
  ],
  steps: [],
  ...more,
});
const refused = (step: Step): Step => ({ ...step, until: ['reason', 'Invalid'] });
const allowed = (step: Step): Step => ({ ...step, until: ['kind', 'ConfigMap'] });

export const ADMISSION_CASES: readonly ConversionCase[] = [
  asked('a rule for the other version', validating('allow', ['v2'], PARTS)),
  asked('exactly the other version', validating('allow', ['v2'], { ...PARTS, more: { matchPolicy: 'Exact' } })),
  asked('a rule for both versions', validating('allow', ['v2', 'v1'])),
  asked('two rules', validating('allow', ['v2']), validating('allow', ['v1'])),
  asked('mutating, a rule for the other version', mutating('allow', ['v2'], PARTS)),
  asked('a rule for a version that there is not', validating('allow', ['v3'])),
  { ...asked('stored in the second version', validating('allow', ['v2'], PARTS)), definition: { versions: versions('v2') } },
  { ...asked('versions that are alike', validating('allow', ['v2'], PARTS)), definition: { conversion: { strategy: 'None' } } },
  changedBy('host', mutating('host', ['v2'])),
  changedBy('address', mutating('address', ['v1'])),
  changedBy('label', mutating('label', ['v2'])),
  changedBy('what the other version does not have', mutating('only-second', ['v2'])),
  changedBy('one after the other', mutating('host', ['v2']), mutating('only-first', ['v1']), mutating('port', ['v2'])),
  changedBy(
    'asked again',
    mutating('host', ['v2'], { more: { reinvocationPolicy: 'IfNeeded' } }),
    mutating('only-first', ['v1'], { more: { reinvocationPolicy: 'IfNeeded' } }),
    mutating('port', ['v2']),
    validating('allow', ['v2']),
  ),
  ...['bad-port', 'no-port', 'unknown', 'to-first', 'replicas', 'status', 'deny'].map((does) => changedBy(does, mutating(does, ['v2']))),
  changedBy('a validating one refuses', validating('deny', ['v2'])),
  changedBy(
    'conditions and selectors',
    validating('deny', ['v2'], { more: { matchConditions: [{ name: 'c', expression: "object.spec.host == 'i'" }] } }),
    validating('deny', ['v2'], { more: { objectSelector: { matchLabels: { l: '1' } } } }),
  ),
  failing('it cannot be converted', validating('allow', ['v2'])),
  failing('it cannot be converted, and that is borne with', validating('allow', ['v2'], { more: { failurePolicy: 'Ignore' } })),
  failing('it cannot be converted for a change', mutating('host', ['v2'])),
  failing('it cannot be converted for a change, and that is borne with', mutating('host', ['v2'], { more: { failurePolicy: 'Ignore' } })),
  judged('a rule for the other version', { matchConstraints: WIDGETS(['v2']), validations: [{ expression: NOT_BAD }] }),
  judged('exactly the other version', {
    matchConstraints: WIDGETS(['v2'], { matchPolicy: 'Exact' }),
    validations: [{ expression: NOT_BAD }],
  }),
  judged('what it sees', { matchConstraints: WIDGETS(['v2']), validations: [telling(SEEN)] }),
  judged('what it sees of the first', { matchConstraints: WIDGETS(['v1']), validations: [telling(SEEN)] }),
  judged('the other version is left out', {
    matchConstraints: WIDGETS(['*'], {
      excludeResourceRules: [{ operations: ['*'], apiGroups: [GROUP], apiVersions: ['v2'], resources: ['widgets'] }],
    }),
    validations: [telling(SEEN)],
  }),
  judged(
    'its binding names the other version',
    { matchConstraints: WIDGETS(['v1']), validations: [telling(SEEN)] },
    { matchResources: WIDGETS(['v2']) },
  ),
  {
    title: 'policy: it cannot be converted',
    policies: [{ spec: { matchConstraints: WIDGETS(['v2']), validations: [{ expression: 'true' }] } }],
    steps: FAILING,
  },
  {
    title: 'policy: it cannot be converted, and that is borne with',
    policies: [{ spec: { failurePolicy: 'Ignore', matchConstraints: WIDGETS(['v2']), validations: [{ expression: 'true' }] } }],
    steps: FAILING,
  },
  withParameters('parameters in the other version', 'v2', {
    steps: [
      refused(map('x', 'other')),
      map('x', 'h'),
      merge(path('v1', 'p'), { spec: { address: 'i:1' } }, { silent: true }),
      allowed(map('x', 'i')),
      map('x', 'h'),
    ],
  }),
  withParameters('parameters in the stored version', 'v1', { steps: [refused(map('x', 'other')), map('x', 'h:1')] }),
  withParameters('parameters by a selector', 'v2', { steps: [refused(map('x', 'other')), map('x', 'h')] }, 'Fail', {
    selector: { matchLabels: { l: '1' } },
    namespace: 'converted',
    parameterNotFoundAction: 'Deny',
  }),
];
