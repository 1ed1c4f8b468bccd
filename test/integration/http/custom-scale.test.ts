/** The scale of a custom object that has no number of replicas: it cannot be read, but written, as upstream answers. */
import { call, json, served, startFixture, type Fixture } from './fixture';

const DEFINITIONS = '/apis/apiextensions.platform.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const number = { type: 'object', properties: { n: { type: 'integer' } } };
const definition = {
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: number, status: number } } },
        subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
      },
    ],
  },
};

let fixture: Fixture;
const send = (method: string, path: string, body: object, type = 'application/json') =>
  call(fixture, path, { method, body: JSON.stringify(body), headers: { 'content-type': type } });
const widget = (name: string): object => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name } });
const scale = (name: string, spec: object): object => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name, namespace: 'default' },
  spec,
});

beforeAll(async () => {
  fixture = await startFixture();
  expect((await send('POST', DEFINITIONS, definition)).status).toBe(201);
  await served(fixture, WIDGETS);
});
afterAll(() => fixture.stop());

it('has no scale to be read', async () => {
  await send('POST', WIDGETS, widget('a'));
  const answer = await call(fixture, `${WIDGETS}/a/scale`);
  expect([answer.status, json(answer)['message']]).toEqual([
    500,
    'Internal error occurred: the spec replicas field ".spec.n" does not exist',
  ]);
});

it.each([
  ['PUT', 'application/json', scale('put', { replicas: 3 }), 3],
  ['PUT', 'application/json', scale('none', {}), 0],
  ['PATCH', 'application/merge-patch+json', { metadata: { name: 'patched' }, spec: { replicas: 3 } }, 3],
] as const)('takes a number by %s', async (method, type, body, replicas) => {
  const { name } = Object(body).metadata as { name: string };
  await send('POST', WIDGETS, widget(name));
  expect((await send(method, `${WIDGETS}/${name}/scale`, body, type)).status).toBe(200);
  expect(json(await call(fixture, `${WIDGETS}/${name}`))['spec']).toEqual({ n: replicas });
});
