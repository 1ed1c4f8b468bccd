/**
 * Custom resources in requests that the recordings do not cover: applied nulls, scales, warnings, and numbers that exceed
 * a double (for those in free-form members release 1.31.1 closes the connection).
 */
import { customResourceDefinition } from '../../support/objects/custom-resource-definition';
import { APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH } from './api-call';
import { useServer } from './fixture';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const api = useServer();
const MAPS = '/api/v1/namespaces/default/configmaps';
const FREE = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const schemaOf = (properties: object): object => ({ properties: { spec: { type: 'object', properties } } });

/**
 * Defines the kind Thing in a group of its own before the tests of a block; returns the path of its objects and a
 * function that builds them.
 */
function useThings(group: string, schema: object, version: object = {}) {
  const path = `/apis/${group}/v1/namespaces/default/things`;
  beforeAll(() => api.defineCustomResource(customResourceDefinition({ plural: 'things', kind: 'Thing', group, schema, version }), path));
  const thing = (name: string, spec: unknown = {}, metadata: object = {}): object => ({
    apiVersion: `${group}/v1`,
    kind: 'Thing',
    metadata: { name, ...metadata },
    spec,
  });
  return { path, thing, definition: `${DEFINITIONS}/things.${group}` };
}

describe('an applied null', () => {
  const GROUP = 'nulls.example.com';
  const properties = {
    n: { type: 'integer' },
    m: { type: 'object', additionalProperties: { type: 'string' } },
    free: { type: 'string', nullable: true },
  };
  const { path, thing } = useThings(GROUP, schemaOf(properties));
  const apply = (name: string, spec: unknown) => api.patch(`${path}/${name}?fieldManager=me`, thing(name, spec), APPLY_PATCH);

  it.each([
    ['an object', null, 'spec', 'object'],
    ['a number', { n: null }, 'spec.n', 'integer'],
    ['a value of a map', { m: { k: null } }, 'spec.m.k', 'string'],
  ])('is rejected in place of %s', async (_title, spec, field, type) => {
    const cause = `${field}: Invalid value: "null": ${field} in body must be of type ${type}: "null"`;
    expect((await apply('refused', spec)).refusal).toEqual([422, `Thing.${GROUP} "refused" is invalid: ${cause}`]);
  });

  it('is stored in a nullable field', async () => {
    expect((await apply('kept', { free: null })).json).toMatchObject({ spec: { free: null } });
  });

  it('is dropped from another field of a posted object', async () => {
    expect((await api.post(path, thing('posted', { n: null }))).json).toMatchObject({ spec: {} });
  });
});

describe('the scale of an object without a number of replicas', () => {
  const number = { type: 'object', properties: { n: { type: 'integer' } } };
  const subresources = { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } };
  const { path, thing } = useThings('scales.example.com', { properties: { spec: number, status: number } }, { subresources });

  it.each([
    ['three', { replicas: 3 }, 3],
    ['none', {}, 0],
  ])('is set by a PUT with %s', async (name, spec, replicas) => {
    await api.create(path, thing(name));
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name, namespace: 'default' }, spec };
    expect((await api.put(`${path}/${name}/scale`, scale)).status).toBe(200);
    expect((await api.read(`${path}/${name}`))['spec']).toEqual({ n: replicas });
  });
});

describe('warnings', () => {
  const FINALIZERS = useThings('warnings.example.com', { properties: { spec: FREE } });
  const schemaWithRules = (...rules: readonly object[]): object =>
    schemaOf({ a: { type: 'string', 'x-kubernetes-validations': rules }, b: { type: 'integer', maximum: 5 } });
  const RATCHETING_GROUP = 'ratcheting.example.com';
  const RATCHETING = useThings(RATCHETING_GROUP, schemaWithRules());

  it('a finalizer without a domain is warned of when it is added', async () => {
    const { path, thing } = FINALIZERS;
    const advice = 'prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers';
    const created = await api.create(path, thing('t', {}, { finalizers: ['foo'] }));
    expect(created.warnings).toEqual([`metadata.finalizers: "foo": ${advice}`]);
    expect((await api.mergePatch(`${path}/t`, { spec: { a: 1 } })).warnings).toEqual([]);
    const added = await api.mergePatch(`${path}/t`, { metadata: { finalizers: ['foo', 'bar'] } });
    expect(added.warnings).toEqual([`metadata.finalizers: "bar": ${advice}`]);
  });

  it('a validation rule that a stored value breaks is warned of, also where the change is rejected', async () => {
    const { path, thing, definition } = RATCHETING;
    await api.create(path, thing('t', { a: 'bad', b: 1 }));
    const schema = schemaWithRules({ rule: "self == 'good'" });
    await api.mergePatch(definition, customResourceDefinition({ plural: 'things', kind: 'Thing', group: RATCHETING_GROUP, schema }));
    const warning = '299 - "spec.a: Invalid value: \\"string\\": failed rule: self == \'good\'"';
    for (const [body, status] of [
      [{ spec: { b: 2 } }, 200],
      [{ spec: { b: 9 } }, 422],
      [{ metadata: { labels: { l: '-wrong-' } } }, 422],
    ] as const)
      expect(await api.mergePatch(`${path}/t`, body)).toMatchObject({ status, headers: { warning } });
  });

  const MASTER = 'node-role.platform.io/master';
  const ADVICE = 'use \\"node-role.platform.io/control-plane\\" instead';
  const terms = { nodeSelectorTerms: [{ matchExpressions: [{ key: MASTER, operator: 'Exists' }] }] };
  const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
  const KEY = `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].key: ${MASTER} is ${ADVICE}`;
  it.each([
    [{ nodeSelector: { [MASTER]: '' } }, `spec.nodeSelector[${MASTER}]: ${ADVICE}`],
    [{ affinity: { nodeAffinity: { [REQUIRED]: terms } } }, KEY],
  ])('an old label of nodes in a pod with %j is warned of', async (spec, warning) => {
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
    const response = await api.post('/api/v1/namespaces/default/pods?dryRun=All', pod);
    expect(response).toMatchObject({ status: 201, headers: { warning: `299 - "${warning}"` } });
  });
});

describe('a number that no double holds', () => {
  const GROUP = 'o.example.com';
  const n = { ...FREE, properties: { n: { type: 'number', maximum: 5 } } };
  const { path: THINGS, thing } = useThings(GROUP, { 'x-kubernetes-preserve-unknown-fields': true, properties: { spec: n } });
  const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';
  beforeAll(async () => {
    await api.create(THINGS, thing('k', { x: 1 }));
    await api.create(MAPS, { metadata: { name: 'k' }, data: { a: 'b' } });
  });

  const text = (spec: string, name = 'a', metadata = ''): string =>
    `{"apiVersion":"${GROUP}/v1","kind":"Thing","metadata":{"name":"${name}"${metadata}},"spec":{${spec}}}`;
  const revision = (data: string): string =>
    `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"a"},"revision":1,"data":${data}}`;
  const INTO_FLOAT64 = 'Go value of type float64';
  const unhandled = (kind: string, spelled: string): string =>
    `${kind} in version "v1" cannot be handled as a ${kind}: json: cannot unmarshal number ${spelled} into ${INTO_FLOAT64}`;
  const undecoded = (into = INTO_FLOAT64): string => `error decoding patch: json: cannot unmarshal number 1e400 into ${into}`;
  const grace = (spelled: string): string =>
    `json: cannot unmarshal number ${spelled} into Go struct field DeleteOptions.gracePeriodSeconds of type int64`;
  const OPERAND = 'Go struct field jsonPatchOp.value of type float64';
  const JSON_TYPE = 'application/json';
  const YAML = 'application/yaml';

  it.each<[method: string, path: string, mediaType: string, body: string, status: number, result: unknown]>([
    ['POST', THINGS, JSON_TYPE, text('"x":1e400'), 400, unhandled('Thing', '1e400')],
    ['POST', THINGS, JSON_TYPE, text('"x":[1,-1e999]'), 400, unhandled('Thing', '-1e999')],
    ['POST', THINGS, JSON_TYPE, text('"n":1e400'), 400, unhandled('Thing', '1e400')],
    ['POST', THINGS, JSON_TYPE, text('"x":1', 'a', ',"generation":1e400'), 400, unhandled('Thing', '1e400')],
    ['POST', THINGS, JSON_TYPE, text('"x":1e22,"y":0.5e-3'), 201, { x: 1e22, y: 0.0005 }],
    ['POST', THINGS, YAML, text('x: 1e400'), 201, { x: '1e400' }],
    ['POST', THINGS, YAML, text('"x":1e400'), 201, { x: '1e400' }],
    ['PATCH', `${THINGS}/k`, MERGE_PATCH, '{"spec":{"x":1e400}}', 400, undecoded()],
    ['PATCH', `${THINGS}/k`, JSON_PATCH, '[{"op":"add","path":"/spec/x","value":{"a":[1e400]}}]', 400, undecoded(OPERAND)],
    ['PATCH', `${THINGS}/k?fieldManager=a`, APPLY_PATCH, text('"q":1e400', 'k'), 200, { x: 1, q: '1e400' }],
    ['POST', REVISIONS, JSON_TYPE, revision('{"a":1e400}'), 400, unhandled('ControllerRevision', '1e400')],
    ['POST', REVISIONS, JSON_TYPE, revision('1e400'), 400, unhandled('ControllerRevision', '1e400')],
    ['POST', REVISIONS, JSON_TYPE, revision('{"a":1e4}'), 201, { a: 1e4 }],
    ['POST', MAPS, JSON_TYPE, '{"metadata":{"name":"a"},"foo":1e400}', 201, undefined],
    ['PATCH', `${MAPS}/k`, MERGE_PATCH, '{"foo":1e400}', 400, undecoded()],
    ['PATCH', `${MAPS}/k`, STRATEGIC_PATCH, '{"foo":1e400}', 400, `json: cannot unmarshal number 1e400 into ${INTO_FLOAT64}`],
    ['PATCH', `${MAPS}/k`, JSON_PATCH, '[{"op":"add","path":"/data/x","value":1e400}]', 400, undecoded(OPERAND)],
    ['DELETE', `${MAPS}/k`, JSON_TYPE, '{"foo":1e400}', 200, undefined],
    ['DELETE', `${MAPS}/k`, JSON_TYPE, '{"gracePeriodSeconds":1e400}', 400, grace('1e400')],
    ['DELETE', `${MAPS}/k`, JSON_TYPE, '{"gracePeriodSeconds":3.0}', 400, grace('3.0')],
  ])('in a %s of %s as %s (%s) gets %i and %j', async (method, path, type, body, status, result) => {
    const response = await api.call(`${path}${path.includes('?') ? '&' : '?'}dryRun=All`, { method, type, body });
    const { message, spec, data } = response.json;
    expect([response.status, message ?? spec ?? data]).toEqual([status, result]);
  });
});
