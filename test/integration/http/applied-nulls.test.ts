/** A null that is applied to a field of a custom resource that is not nullable is rejected, as release 1.31.1 does; in the body of a POST it is dropped. */
import { APPLY } from './call';
import { definitionOf, useServer } from './fixture';

const GROUP = 'nulls.example.com';
const THINGS = `/apis/${GROUP}/v1/namespaces/default/things`;

const api = useServer();
beforeAll(() => {
  const m = { type: 'object', additionalProperties: { type: 'string' } };
  const spec = { type: 'object', properties: { n: { type: 'integer' }, m, free: { type: 'string', nullable: true } } };
  return api.define(definitionOf('things', 'Thing', GROUP, { properties: { spec } }), THINGS);
});

const thing = (name: string, spec: unknown): object => ({ apiVersion: `${GROUP}/v1`, kind: 'Thing', metadata: { name }, spec });
const apply = (name: string, spec: unknown) => api.patch(`${THINGS}/${name}?fieldManager=me`, thing(name, spec), APPLY);

test.each([
  ['an object', null, 'spec', 'object'],
  ['a number', { n: null }, 'spec.n', 'integer'],
  ['a value of a map', { m: { k: null } }, 'spec.m.k', 'string'],
])('applying null to %s is rejected', async (_title, spec, field, type) => {
  const cause = `${field}: Invalid value: "null": ${field} in body must be of type ${type}: "null"`;
  expect((await apply('refused', spec)).refusal).toEqual([422, `Thing.${GROUP} "refused" is invalid: ${cause}`]);
});

test('an applied null of a nullable field is stored, and a posted null of another field is dropped', async () => {
  expect((await apply('kept', { free: null })).json).toMatchObject({ spec: { free: null } });
  expect((await api.post(THINGS, thing('posted', { n: null }))).json).toMatchObject({ spec: {} });
});
