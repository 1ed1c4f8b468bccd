/** What an applied null says of a member that may not be null: of custom resources it is refused, as release 1.31.1 refuses it; a body of POST drops it. */
import { call, json, served, startFixture, type Fixture } from './fixture';

const GROUP = 'nulls.example.com';
const THINGS = `/apis/${GROUP}/v1/namespaces/default/things`;

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  const properties = {
    n: { type: 'integer' },
    m: { type: 'object', additionalProperties: { type: 'string' } },
    free: { type: 'string', nullable: true },
  };
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
  const definition = {
    metadata: { name: `things.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
  await call(fixture, '/api/v1/namespaces', { method: 'POST', body: '{"metadata":{"name":"default"}}' });
  await call(fixture, '/apis/apiextensions.platform.io/v1/customresourcedefinitions', { method: 'POST', body: JSON.stringify(definition) });
  await served(fixture, THINGS);
});
afterAll(() => fixture.stop());

const thing = (name: string, spec: unknown): string =>
  JSON.stringify({ apiVersion: `${GROUP}/v1`, kind: 'Thing', metadata: { name }, spec });

async function apply(name: string, spec: unknown): Promise<ReturnType<typeof json>> {
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  return json(await call(fixture, `${THINGS}/${name}?fieldManager=me`, { method: 'PATCH', body: thing(name, spec), headers }));
}

test.each([
  ['an object', null, 'spec: Invalid value: "null": spec in body must be of type object: "null"'],
  ['a number', { n: null }, 'spec.n: Invalid value: "null": spec.n in body must be of type integer: "null"'],
  ['a member of a map', { m: { k: null } }, 'spec.m.k: Invalid value: "null": spec.m.k in body must be of type string: "null"'],
])('%s', async (_title, spec, message) => {
  expect(await apply('refused', spec)).toMatchObject({ code: 422, message: `Thing.${GROUP} "refused" is invalid: ${message}` });
});

test('what may be null is kept, and what was posted is dropped', async () => {
  expect(await apply('kept', { free: null })).toMatchObject({ spec: { free: null } });
  const posted = json(await call(fixture, THINGS, { method: 'POST', body: thing('posted', { n: null }) }));
  expect(posted).toMatchObject({ spec: {} });
});
