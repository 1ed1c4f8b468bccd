/** The scale of a custom object without a number of replicas cannot be read, but written, as upstream answers. */
import { MERGE_PATCH, type Call } from './call';
import { definitionOf, useServer } from './fixture';

const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const number = { type: 'object', properties: { n: { type: 'integer' } } };
const scalable = { subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } } };

const api = useServer();
beforeAll(() =>
  api.define(definitionOf('widgets', 'Widget', 'example.com', { properties: { spec: number, status: number } }, {}, scalable), WIDGETS),
);

const createWidget = (name: string) => api.create(WIDGETS, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name } });
const scale = (name: string, spec: object): Call => ({
  method: 'PUT',
  body: { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name, namespace: 'default' }, spec },
});
const patched = { method: 'PATCH', type: MERGE_PATCH, body: { metadata: { name: 'patched' }, spec: { replicas: 3 } } };

it('GET of the scale is rejected', async () => {
  await createWidget('a');
  const message = 'Internal error occurred: the spec replicas field ".spec.n" does not exist';
  expect((await api.get(`${WIDGETS}/a/scale`)).refusal).toEqual([500, message]);
});

it.each([
  ['put', 'PUT of 3 replicas', scale('put', { replicas: 3 }), 3],
  ['none', 'PUT of no replicas', scale('none', {}), 0],
  ['patched', 'PATCH to 3 replicas', patched, 3],
])('the scale of %s is set by %s', async (name, _what, options, replicas) => {
  await createWidget(name);
  expect((await api.call(`${WIDGETS}/${name}/scale`, options)).status).toBe(200);
  expect((await api.read(`${WIDGETS}/${name}`))['spec']).toEqual({ n: replicas });
});
