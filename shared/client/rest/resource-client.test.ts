/** Verbs of the client on resources of different scope, on a fake API server. */
import { jsonResponse } from '../../../test/support/controllers/fake-api';
import { fakeClient } from '../../../test/support/controllers/fake-client';
import { metadataOf, resourceOf, type Resource } from './resource';

const NODES = resourceOf('core.v1.Node');
const PODS = resourceOf('core.v1.Pod');
const POD = { metadata: { name: 'p' } };

/** Whether the compiler offers the method. */
type Offers<Client, Method extends string> = Method extends keyof Client ? true : false;

/** A client of a server that accepts every request, and the requests that it received. */
function recordingClient() {
  const { api, client } = fakeClient();
  api.intercept = () => jsonResponse(200, { metadata: { name: 'p', resourceVersion: '1' } });
  return { client, requests: api.requests };
}

test('client.of offers only the verbs that the scope of the resource has', () => {
  const { client } = fakeClient();
  const [nodes, pods, metadata] = [client.of(NODES), client.of(PODS), client.of(metadataOf(PODS))];
  const dynamic: Resource = PODS;
  const discovered = client.of(dynamic);
  const podsInNamespace = pods.namespace('n');
  // This does not compile after a change of the types that offers or withdraws one of the methods.
  const offered: readonly [
    Offers<typeof nodes, 'namespace'>,
    Offers<typeof nodes, 'get'>,
    Offers<typeof pods, 'namespace'>,
    Offers<typeof pods, 'list'>,
    Offers<typeof pods, 'get' | 'create' | 'update' | 'patch' | 'delete' | 'deleteCollection'>,
    Offers<typeof podsInNamespace, 'namespace'>,
    Offers<typeof podsInNamespace, 'delete'>,
    Offers<typeof metadata, 'get'>,
    Offers<typeof discovered, 'namespace'>,
    Offers<typeof discovered, 'get'>,
  ] = [false, true, true, true, false, false, true, false, true, false];
  expect(offered).toHaveLength(10);
});

test('ResourceClient has the objects of its namespace, and those of cluster scope without one', async () => {
  const { client, requests } = recordingClient();
  await client.of(NODES).get('a');
  await client.of(PODS).namespace('n').get('p');
  const discovered: Resource = NODES;
  await client.of(discovered).namespace('').delete('a');
  expect(requests).toEqual(['GET /api/v1/nodes/a', 'GET /api/v1/namespaces/n/pods/p', 'DELETE /api/v1/nodes/a']);
});

test('ResourceClient lists all namespaces unless one is named', async () => {
  const { client, requests } = recordingClient();
  await client.of(PODS).list({ limit: 1 });
  await client.of(PODS).namespace('n').list({ limit: 1 });
  expect(requests).toEqual(['GET /api/v1/pods?limit=1', 'GET /api/v1/namespaces/n/pods?limit=1']);
});

test('ResourceClient writes to the object or to one of its subresources', async () => {
  const { client, requests } = recordingClient();
  const pods = client.of(PODS).namespace('n');
  await pods.create(POD);
  await pods.update(POD);
  await pods.updateStatus(POD);
  await pods.updateSubresource('ephemeralcontainers', POD);
  await pods.patch('p', 'merge', { status: { phase: 'Failed' } }, { subresource: 'status' });
  await pods.patchMetadata('p', { labels: { a: null } });
  await pods.createSubresource('p', 'eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } });
  await pods.deleteCollection({ labelSelector: 'a=b' });
  expect(requests).toEqual([
    'POST /api/v1/namespaces/n/pods',
    'PUT /api/v1/namespaces/n/pods/p',
    'PUT /api/v1/namespaces/n/pods/p/status',
    'PUT /api/v1/namespaces/n/pods/p/ephemeralcontainers',
    'PATCH /api/v1/namespaces/n/pods/p/status',
    'PATCH /api/v1/namespaces/n/pods/p',
    'POST /api/v1/namespaces/n/pods/p/eviction',
    'DELETE /api/v1/namespaces/n/pods?labelSelector=a%3Db',
  ]);
});

test.each([
  ['core.v1.Node', false],
  ['core.v1.Pod', true],
  ['resource.v1alpha3.ResourceClaim', true],
] as const)('resourceOf finds %s, also among the versions that have to be enabled', (type, namespaced) => {
  expect(resourceOf(type)).toMatchObject({ kind: type.split('.').at(-1), namespaced });
});
