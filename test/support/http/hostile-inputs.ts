/**
 * Requests that try to delay others: paths, headers and bodies, and the objects that must exist before they are sent.
 * Used by the tests in test/reliability/hostile, which check the responses, and by the benchmark, which measures how
 * long other clients wait.
 */
import { customResourceDefinition } from '../objects/custom-resource-definition';

export interface HostileStep {
  /** Default: GET. */
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HostileInput extends HostileStep {
  readonly name: string;
  /** Sent before each round, to delete and create objects so that each round finds the same ones. */
  readonly setup?: readonly HostileStep[];
  /** Takes so long that other requests must complete meanwhile. Absent for inputs that take milliseconds. */
  readonly isSlow?: true;
  /** The server may stop reading the body, so that the sender may not see the response. */
  readonly mayLoseResponse?: true;
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const THINGS = '/apis/hostile.example.com/v1/namespaces/default/things';
const JSON_BODY = { 'content-type': 'application/json' };
const YAML = { 'content-type': 'application/yaml' };

/** A request that creates an object, which the server rejects. */
const post = (name: string, body: string, target = CONFIG_MAPS, headers: Readonly<Record<string, string>> = {}): HostileInput => ({
  name,
  method: 'POST',
  path: target,
  headers: { ...JSON_BODY, ...headers },
  body,
});

/** Deletes the object at `path` and creates it from `body` before each round. */
const withExisting = (path: string, body: string): Pick<HostileInput, 'setup'> => ({
  setup: [
    { method: 'DELETE', path },
    { method: 'POST', path: path.slice(0, path.lastIndexOf('/')), headers: JSON_BODY, body },
  ],
});

/** A request that creates the object at `path`, which is deleted before each round. */
const create = (name: string, path: string, body: string, headers: Readonly<Record<string, string>> = {}): HostileInput => ({
  ...post(name, body, path.slice(0, path.lastIndexOf('/')), headers),
  setup: [{ method: 'DELETE', path }],
});

/** A patch of an object that is created again before each round. */
interface PatchInput {
  readonly name: string;
  /** The patch type: `merge-patch+json`. */
  readonly type: string;
  readonly path: string;
  /** The object at `path` before the patch. */
  readonly existing: string;
  readonly patch: string;
}

const patchExisting = ({ name, type, path, existing, patch }: PatchInput): HostileInput => ({
  name,
  method: 'PATCH',
  path,
  headers: { 'content-type': `application/${type}` },
  body: patch,
  ...withExisting(path, existing),
});

// JSON texts of bodies and their parts. Texts keep what objects cannot have: repeated members and unclosed brackets.

/** The items of a list or the members of an object, separated by commas. */
const list = (count: number, item: (n: number) => string): string => Array.from({ length: count }, (_, n) => item(n)).join();
const pod = (containers: string): string =>
  `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{"containers":[${containers}]}}`;
/** `inner` inside of this many objects. */
const nested = (levels: number, inner: string): string => `${'{"a":'.repeat(levels)}${inner}${'}'.repeat(levels)}`;
/** Repeats a member 2,500 times below 2,000 levels: 128 KB, with too few values to be offloaded to a worker thread. */
const deepRepeats = nested(2_000, `{${list(2_500, () => '"b":1')},"c":"${'x'.repeat(103_000)}"}`);
/** An entry of `managedFields` with these fields. */
const manager = (n: number, fields = ''): string =>
  `{"manager":"m${n}","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{${fields}}}`;
const owner = (n: number): string => `{"apiVersion":"v1","kind":"Pod","name":"n${n}","uid":"a","controller":true}`;
/** YAML of which each list contains the one before it ten times: expanded, the last one has a million items. */
const aliases = [
  'a: &a [x,x,x,x,x,x,x,x,x,x]',
  ...['ab', 'bc', 'cd', 'de', 'ef'].map(([inner, outer]) => `${outer}: &${outer} [${Array(10).fill(`*${inner}`).join()}]`),
];
/** An object with this many labels. */
const withLabels = (name: string, count = 50_000): string =>
  `{"metadata":{"name":"${name}","labels":{${list(count, (n) => `"k${n}":"v"`)}}}}`;
/** Like {@link withLabels} without the last brace, so that more members can follow. */
const openWithLabels = (name: string, count: number): string => withLabels(name, count).slice(0, -1);
const claim = (name: string, count: number): string =>
  `${openWithLabels(name, count)},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}`;
const service = (name: string, count: number): string => `${openWithLabels(name, count)},"spec":{"ports":[{"port":80}]}}`;
const ingress = (name: string, count: number): string => {
  const rules = list(count, (n) => `{"host":"h${n}.example.com"}`);
  return `{"metadata":{"name":"${name}"},"spec":{"defaultBackend":{"service":{"name":"a","port":{"number":80}}},"rules":[${rules}]}}`;
};
const role = (name: string, count: number): string =>
  `{"metadata":{"name":"${name}"},"rules":[${list(count, (n) => `{"apiGroups":[""],"resources":["r${n}"],"verbs":["get"]}`)}]}`;
/** Members for the data of a ConfigMap. */
const entries = (count: number): string => list(count, (n) => `"k${n}":"v"`);
/** A ConfigMap with these members as its data. */
const map = (name: string, data: string): string => `{"metadata":{"name":"${name}"},"data":{${data}}}`;
const yamlMap = (name: string, count: number): string =>
  `metadata: {name: ${name}}\ndata:\n${Array.from({ length: count }, (_, n) => `  k${n}: "value"`).join('\n')}\n`;
/** An object of the kind that {@link HOSTILE_SETUP} defines. */
const thing = (name: string, spec: string): string =>
  `{"apiVersion":"hostile.example.com/v1","kind":"Thing","metadata":{"name":"${name}"},"spec":${spec}}`;

/** A kind with validation rules and patterns that are as expensive as the server admits. */
const DEFINITION = JSON.stringify(
  customResourceDefinition({
    plural: 'things',
    kind: 'Thing',
    group: 'hostile.example.com',
    schema: {
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: {
            ruled: {
              type: 'array',
              maxItems: 80,
              items: {
                type: 'array',
                maxItems: 80,
                items: { type: 'integer' },
                'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, a + b >= 0))' }],
              },
            },
            patterned: { type: 'object', additionalProperties: { type: 'string', pattern: '^([a-z]{1,50}){1,20}$' } },
            choice: { type: 'array', items: { type: 'string', enum: Array.from({ length: 1000 }, (_, n) => `e${n}`) } },
          },
        },
      },
    },
  }),
);
const DEFINITIONS = '/apis/apiextensions.platform.io/v1/customresourcedefinitions';

/** Sent once, before all inputs. */
export const HOSTILE_SETUP: readonly HostileStep[] = [{ method: 'POST', path: DEFINITIONS, headers: JSON_BODY, body: DEFINITION }];

const numbers = (count: number): string => `[${list(count, () => '0')}]`;
/** Just below the server's limit of 3 MiB for a body. */
const MAX_JSON_BYTES = 2_900_000;

export const HOSTILE_INPUTS: readonly HostileInput[] = [
  { name: 'a request without anything unusual', path: '/healthz' },
  { name: 'a timeout of 40,000 digits', path: `/healthz?timeout=${'1'.repeat(40_000)}x` },
  { name: 'a head of 60 KB', path: '/healthz', headers: { 'x-long': 'x'.repeat(60_000) } },
  post('a quantity of 40,000 digits', pod(`{"name":"c","image":"i","resources":{"limits":{"cpu":"${'1'.repeat(40_000)}x"}}}`), PODS),
  post('20,000 empty containers', pod(list(20_000, () => '{}')), PODS),
  { ...post('100,000 empty containers', pod(list(100_000, () => '{}')), PODS), isSlow: true },
  post('900,000 empty containers', pod(list(900_000, () => '{}')), PODS),
  create('8,000 containers', `${PODS}/p`, pod(list(8_000, (n) => `{"name":"c${n}","image":"i"}`))),
  post('repeated members at depth 5,000', `{"metadata":{"name":"a"},"data":${nested(5000, '{"b":1,"b":2}')}}`),
  create(
    '50,000 repeated members',
    `${CONFIG_MAPS}/repeated`,
    map(
      'repeated',
      list(50_000, () => '"b":"1"'),
    ),
  ),
  create(
    '16,000 managers',
    `${CONFIG_MAPS}/managers`,
    `{"metadata":{"name":"managers","managedFields":[${list(16_000, (n) => manager(n))}]}}`,
  ),
  post('2.9 MB of one text', map('big', `"a":"${'x'.repeat(MAX_JSON_BYTES)}"`)),
  create('1 MB of one text', `${CONFIG_MAPS}/megabyte`, map('megabyte', `"a":"${'x'.repeat(1_000_000)}"`)),
  post('100,000 labels', withLabels('labels', 100_000)),
  create('50,000 labels', `${CONFIG_MAPS}/labels`, withLabels('labels')),
  create('50,000 labels of a claim', '/api/v1/namespaces/default/persistentvolumeclaims/labels', claim('labels', 50_000)),
  create('50,000 labels of a Service', '/api/v1/namespaces/default/services/labels', service('labels', 50_000)),
  create('15,000 rules of an Ingress', '/apis/networking.platform.io/v1/namespaces/default/ingresses/rules', ingress('rules', 15_000)),
  create('15,000 rules of a role', '/apis/rbac.authorization.platform.io/v1/namespaces/default/roles/rules', role('rules', 15_000)),
  { ...create('80,000 entries', `${CONFIG_MAPS}/entries`, map('entries', entries(80_000))), isSlow: true },
  post('2.9 MB of entries', map('entries', entries(220_000))),
  create('YAML of 60 KB', `${CONFIG_MAPS}/yaml`, yamlMap('yaml', 3000), YAML),
  post('YAML of 2 MB', yamlMap('yaml', 90_000), CONFIG_MAPS, YAML),
  post(
    'managed fields of 100,000 fields',
    `{"metadata":{"name":"a","managedFields":[${manager(
      0,
      list(100_000, (n) => `"f:k${n}":{}`),
    )}]}}`,
  ),
  post('20,000 owners, each the controller', `{"metadata":{"name":"a","ownerReferences":[${list(20_000, owner)}]}}`),
  post('2.9 MB of brackets', '['.repeat(MAX_JSON_BYTES)),
  post('YAML of brackets that close too far left', Array.from({ length: 6000 }, (_, n) => `k${n}: [\n]`).join('\n'), CONFIG_MAPS, YAML),
  post('YAML aliases', aliases.join('\n'), CONFIG_MAPS, YAML),
  post(
    'a review of 60 KB',
    `{"kind":"SubjectAccessReview","spec":{"user":"${'x'.repeat(60_000)}"}}`,
    '/apis/authorization.platform.io/v1/subjectaccessreviews',
  ),
  {
    name: 'a delete with 3 MB of options',
    mayLoseResponse: true,
    method: 'DELETE',
    path: `${CONFIG_MAPS}/none`,
    headers: JSON_BODY,
    body: `{"a":${numbers(1_400_000)}}`,
  },
  create('rules that take long', `${THINGS}/t`, thing('t', `{"ruled":[${list(80, () => numbers(60))}]}`)),
  create('patterns that take long', `${THINGS}/t`, thing('t', `{"patterned":{${list(200, (n) => `"k${n}":"${'x'.repeat(400)}"`)}}}`)),
  create('60,000 numbers of a custom kind', `${THINGS}/t`, thing('t', `{"free":${numbers(60_000)}}`)),
  post('1,400,000 numbers of a custom kind', thing('t', `{"free":${numbers(1_400_000)}}`), THINGS),
  post('20,000 wrong choices among 1,000', thing('t', `{"choice":[${list(20_000, () => '"x"')}]}`), THINGS),
  patchExisting({
    name: 'one label more than 50,000',
    type: 'merge-patch+json',
    path: `${CONFIG_MAPS}/more`,
    existing: withLabels('more'),
    patch: '{"metadata":{"labels":{"x":"y"}}}',
  }),
  {
    ...patchExisting({
      name: 'an apply to 80,000 entries',
      type: 'apply-patch+yaml',
      path: `${CONFIG_MAPS}/more?fieldManager=f`,
      existing: map('more', entries(80_000)),
      patch: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"more"},"data":{"x":"y"}}',
    }),
    isSlow: true,
  },
  patchExisting({
    name: 'a patch at the front of a long list',
    type: 'json-patch+json',
    path: `${THINGS}/t`,
    existing: thing('t', `{"free":${numbers(100_000)}}`),
    patch: `[${list(9_999, () => '{"op":"add","path":"/spec/free/0","value":1}')}]`,
  }),
  patchExisting({
    name: 'a patch of copies',
    type: 'json-patch+json',
    path: `${THINGS}/t`,
    existing: thing('t', `{"free":${numbers(5_000)}}`),
    patch: `[${list(200, (n) => `{"op":"copy","from":"/spec/free","path":"/spec/copy${n}"}`)}]`,
  }),
  patchExisting({
    name: 'a merge patch with repeated members below 2,000 levels',
    type: 'merge-patch+json',
    path: `${THINGS}/t`,
    existing: thing('t', '{}'),
    patch: `{"spec":{"free":${deepRepeats}}}`,
  }),
  patchExisting({
    name: 'a JSON patch with repeated members below 2,000 levels',
    type: 'json-patch+json',
    path: `${CONFIG_MAPS}/deep?fieldValidation=Strict`,
    existing: map('deep', ''),
    patch: `[{"op":"add","path":"/x","value":${deepRepeats}}]`,
  }),
  patchExisting({
    name: 'a strategic merge patch that is refused with its 950 levels',
    type: 'strategic-merge-patch+json',
    path: `${CONFIG_MAPS}/deep`,
    existing: map('deep', ''),
    patch: `{"data":${`{"b":1,"b":"${'x'.repeat(110)}","a":`.repeat(950)}1${'}'.repeat(950)}}`,
  }),
  {
    name: 'a delete of 50,000 labels',
    method: 'DELETE',
    path: `${CONFIG_MAPS}/deleted`,
    ...withExisting(`${CONFIG_MAPS}/deleted`, withLabels('deleted')),
  },
  { name: 'a read of 50,000 labels', path: `${CONFIG_MAPS}/read`, ...withExisting(`${CONFIG_MAPS}/read`, withLabels('read')) },
  {
    name: 'a table of 80,000 entries',
    path: `${CONFIG_MAPS}/table`,
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.platform.io' },
    ...withExisting(`${CONFIG_MAPS}/table`, map('table', entries(80_000))),
  },
  {
    name: '80,000 entries as protobuf',
    path: `${CONFIG_MAPS}/table`,
    headers: { accept: 'application/vnd.kubernetes.protobuf' },
    ...withExisting(`${CONFIG_MAPS}/table`, map('table', entries(80_000))),
  },
  {
    name: 'a selection among 50,000 labels',
    path: `${CONFIG_MAPS}?labelSelector=x`,
    ...withExisting(`${CONFIG_MAPS}/selected`, withLabels('selected')),
  },
];
