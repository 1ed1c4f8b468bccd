import type { CoreV1Namespace, MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { silentLogger } from '../../shared/runtime/logger';
import { jsonResponse, statusResponse } from '../../test/support/controllers/fake-api';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { conditionOf } from '../runtime/conditions';
import { NamespacedResourcesDeleter } from './namespaced-resources-deleter';

const NAMESPACES = '/api/v1/namespaces';
const CONFIG_MAPS = '/api/v1/configmaps';
const PODS = '/api/v1/pods';
const ALL_VERBS = ['create', 'delete', 'deletecollection', 'list', 'watch'];

function documents(stale: readonly string[] = []): Readonly<Record<string, JsonObject>> {
  const resource = (name: string, verbs = ALL_VERBS) => ({ resource: name, scope: 'Namespaced', verbs, responseKind: { kind: name } });
  return {
    '/api': { items: [{ metadata: {}, versions: [{ version: 'v1', resources: ['configmaps', 'pods'].map((name) => resource(name)) }] }] },
    '/apis': {
      items: [
        { metadata: { name: 'example.com' }, versions: [{ version: 'v1', resources: [resource('gadgets', ['list', 'delete'])] }] },
        ...stale.map((name) => ({ metadata: { name }, versions: [{ version: 'v1', freshness: 'Stale' }] })),
      ],
    },
  };
}

function setUp(options: { readonly finalizers?: string[]; readonly stale?: string[] } = {}) {
  const fake = fakeClient();
  const served = documents(options.stale);
  fake.api.intercept = ({ path }) => (served[path] === undefined ? undefined : jsonResponse(200, served[path]));
  const namespaceMetadata = {
    name: 'n',
    deletionTimestamp: '2026-01-01T00:00:00Z',
    ...(options.finalizers === undefined ? {} : { finalizers: options.finalizers }),
  };
  fake.api.put(NAMESPACES, { metadata: namespaceMetadata, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating' } });
  const put = (collection: string, name: string, metadata: MetaV1ObjectMeta = {}) =>
    fake.api.put(collection, { metadata: { namespace: 'n', name, ...metadata } });
  const deleter = new NamespacedResourcesDeleter({ ...fake, logger: silentLogger, signal: new AbortController().signal });
  const namespace = () => fake.api.get(NAMESPACES, '', 'n');
  const condition = (type: string) => conditionOf(apiObject<CoreV1Namespace>(namespace() ?? {}).body, type);
  return { ...fake, served, put, deleteNamespace: () => deleter.delete('n'), namespace, condition };
}

test('NamespacedResourcesDeleter deletes all content and finalizes a namespace without other finalizers in one attempt, without writing conditions', async () => {
  const { api, put, deleteNamespace, namespace } = setUp();
  put(CONFIG_MAPS, 'a');
  put(PODS, 'p');
  put('/apis/example.com/v1/gadgets', 'g');
  api.put(CONFIG_MAPS, { metadata: { namespace: 'other', name: 'a' } });
  expect(await deleteNamespace()).toEqual({ type: 'done' });
  expect(namespace()).toBeUndefined();
  expect(api.objectsIn(CONFIG_MAPS)).toHaveLength(1);
  expect(api.objectsIn('/apis/example.com/v1/gadgets')).toHaveLength(0);
  expect(api.requests.filter((request) => request.startsWith('PUT'))).toEqual(['PUT /api/v1/namespaces/n/finalize']);
});

test('NamespacedResourcesDeleter deletes nothing else while a pod remains', async () => {
  const { api, put, deleteNamespace, condition } = setUp();
  put(CONFIG_MAPS, 'a');
  put(PODS, 'p', { finalizers: ['x.y/z'] });
  expect(await deleteNamespace()).toEqual({ type: 'wait' });
  expect(api.objectsIn(CONFIG_MAPS)).toHaveLength(1);
  expect(condition('NamespaceFinalizersRemaining')?.message).toContain('x.y/z in 1 resource instances');
  expect(api.get(PODS, 'n', 'p')).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) } });
  api.remove(PODS, 'n', 'p');
  expect(await deleteNamespace()).toEqual({ type: 'done' });
  expect(api.objectsIn(CONFIG_MAPS)).toHaveLength(0);
});

test('NamespacedResourcesDeleter requeues a second after half the grace period of a terminating pod', async () => {
  const { put, deleteNamespace } = setUp();
  put(PODS, 'p', { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30, finalizers: ['held'] });
  expect(await deleteNamespace()).toEqual({ type: 'again', afterMs: 16_000 });
});

test('NamespacedResourcesDeleter reports a resource that it cannot delete and deletes the others', async () => {
  const { api, put, deleteNamespace, condition, served } = setUp();
  put(CONFIG_MAPS, 'a');
  put('/apis/example.com/v1/gadgets', 'g');
  api.intercept = ({ method, path }) => {
    if (method === 'DELETE' && path.includes('/configmaps')) return statusResponse(403, 'Forbidden');
    return served[path] === undefined ? undefined : jsonResponse(200, served[path]);
  };
  expect(await deleteNamespace()).toEqual({ type: 'wait' });
  expect(condition('NamespaceDeletionContentFailure')).toMatchObject({ status: 'True', reason: 'ContentDeletionFailed' });
  expect(api.objectsIn('/apis/example.com/v1/gadgets')).toHaveLength(0);
});

test('NamespacedResourcesDeleter keeps the namespace while discovery of a group fails, and deletes the content of the others', async () => {
  const { api, clock, put, deleteNamespace, namespace, condition } = setUp({ stale: ['broken.example.com'] });
  put(CONFIG_MAPS, 'a');
  expect(await deleteNamespace()).toEqual({ type: 'wait' });
  expect(api.objectsIn(CONFIG_MAPS)).toHaveLength(0);
  expect(condition('NamespaceDeletionDiscoveryFailure')?.message).toContain('broken.example.com/v1');
  const complete = documents();
  api.intercept = ({ path }) => (complete[path] === undefined ? undefined : jsonResponse(200, complete[path]));
  clock.advance(2_000);
  expect(await deleteNamespace()).toEqual({ type: 'done' });
  expect(namespace()).toBeUndefined();
});

test('NamespacedResourcesDeleter keeps other finalizers of the namespace and sets NamespaceContentRemaining to False', async () => {
  const { deleteNamespace, namespace, condition } = setUp({ finalizers: ['q.w/e'] });
  expect(await deleteNamespace()).toEqual({ type: 'done' });
  expect(namespace()).toMatchObject({ spec: { finalizers: [] }, metadata: { finalizers: ['q.w/e'] } });
  expect(condition('NamespaceContentRemaining')).toMatchObject({ status: 'False' });
  expect(await deleteNamespace()).toEqual({ type: 'done' });
});

test('NamespacedResourcesDeleter ignores a namespace that is active or does not exist', async () => {
  const { api, put, deleteNamespace, namespace } = setUp();
  const { metadata: _, ...rest } = namespace() ?? {};
  api.put(NAMESPACES, { ...rest, metadata: { name: 'n' } });
  put(CONFIG_MAPS, 'a');
  expect(await deleteNamespace()).toEqual({ type: 'done' });
  expect(api.objectsIn(CONFIG_MAPS)).toHaveLength(1);
  api.remove(NAMESPACES, '', 'n');
  expect(await deleteNamespace()).toEqual({ type: 'done' });
});
