import { arrayAt, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { silentLogger } from '../../shared/runtime/logger';
import { reply, status } from '../../test/support/fake-api';
import { fakeClient } from '../../test/support/fake-client';
import { NamespaceDeletion } from './controller';

const NAMESPACES = '/api/v1/namespaces';
const MAPS = '/api/v1/configmaps';
const PODS = '/api/v1/pods';
const ALL = ['create', 'delete', 'deletecollection', 'list', 'watch'];

function documents(stale: readonly string[] = []): Readonly<Record<string, JsonObject>> {
  const resource = (name: string, verbs = ALL) => ({ resource: name, scope: 'Namespaced', verbs, responseKind: { kind: name } });
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

function world(options: { readonly finalizers?: string[]; readonly stale?: string[] } = {}) {
  const fake = fakeClient();
  const served = documents(options.stale);
  fake.api.intercept = ({ path }) => (served[path] === undefined ? undefined : reply(200, served[path]));
  const metadata = {
    name: 'n',
    deletionTimestamp: '2026-01-01T00:00:00Z',
    ...(options.finalizers === undefined ? {} : { finalizers: options.finalizers }),
  };
  fake.api.put(NAMESPACES, { metadata, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Terminating' } });
  const put = (collection: string, name: string, more: JsonObject = {}) =>
    fake.api.put(collection, { metadata: { namespace: 'n', name, ...more } });
  const deletion = new NamespaceDeletion({ ...fake, logger: silentLogger, signal: new AbortController().signal });
  const namespace = () => fake.api.get(NAMESPACES, '', 'n');
  const condition = (type: string) =>
    (arrayAt(objectAt(namespace(), 'status'), 'conditions') ?? []).find((item) => stringAt(item as JsonObject, 'type') === type) as
      | JsonObject
      | undefined;
  return { ...fake, served, put, sync: () => deletion.sync('n'), namespace, condition };
}

test('NamespaceDeletion deletes all content and finalizes the namespace in one pass, without writing conditions', async () => {
  const { api, put, sync, namespace } = world();
  put(MAPS, 'a');
  put(PODS, 'p');
  put('/apis/example.com/v1/gadgets', 'g');
  api.put(MAPS, { metadata: { namespace: 'other', name: 'a' } });
  expect(await sync()).toEqual({ type: 'done' });
  expect(namespace()).toBeUndefined();
  expect(api.all(MAPS)).toHaveLength(1);
  expect(api.all('/apis/example.com/v1/gadgets')).toHaveLength(0);
  expect(api.requests.filter((request) => request.startsWith('PUT'))).toEqual(['PUT /api/v1/namespaces/n/finalize']);
});

test('NamespaceDeletion deletes nothing else while a pod remains', async () => {
  const { api, put, sync, condition } = world();
  put(MAPS, 'a');
  put(PODS, 'p', { finalizers: ['x.y/z'] });
  expect(await sync()).toEqual({ type: 'wait' });
  expect(api.all(MAPS)).toHaveLength(1);
  expect(condition('NamespaceFinalizersRemaining')?.['message']).toContain('x.y/z in 1 resource instances');
  expect(api.get(PODS, 'n', 'p')).toMatchObject({ metadata: { deletionTimestamp: expect.any(String) } });
  api.drop(PODS, 'n', 'p');
  expect(await sync()).toEqual({ type: 'done' });
  expect(api.all(MAPS)).toHaveLength(0);
});

test('NamespaceDeletion requeues after the grace period of a terminating pod', async () => {
  const { put, sync } = world();
  put(PODS, 'p', { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30, finalizers: ['held'] });
  expect(await sync()).toEqual({ type: 'again', afterMs: 16_000 });
});

test('NamespaceDeletion reports a resource that it cannot delete and deletes the others', async () => {
  const { api, put, sync, condition, served } = world();
  put(MAPS, 'a');
  put('/apis/example.com/v1/gadgets', 'g');
  api.intercept = ({ method, path }) => {
    if (method === 'DELETE' && path.includes('/configmaps')) return status(403, 'Forbidden');
    return served[path] === undefined ? undefined : reply(200, served[path]);
  };
  expect(await sync()).toEqual({ type: 'wait' });
  expect(condition('NamespaceDeletionContentFailure')).toMatchObject({ status: 'True', reason: 'ContentDeletionFailed' });
  expect(api.all('/apis/example.com/v1/gadgets')).toHaveLength(0);
});

test('NamespaceDeletion keeps the namespace while discovery of a group fails, and deletes the content of the others', async () => {
  const { api, clock, put, sync, namespace, condition } = world({ stale: ['broken.example.com'] });
  put(MAPS, 'a');
  expect(await sync()).toEqual({ type: 'wait' });
  expect(api.all(MAPS)).toHaveLength(0);
  expect(condition('NamespaceDeletionDiscoveryFailure')?.['message']).toContain('broken.example.com/v1');
  const healed = documents();
  api.intercept = ({ path }) => (healed[path] === undefined ? undefined : reply(200, healed[path]));
  clock.advance(2_000);
  expect(await sync()).toEqual({ type: 'done' });
  expect(namespace()).toBeUndefined();
});

test('NamespaceDeletion keeps other finalizers of the namespace and sets NamespaceContentRemaining to False', async () => {
  const { sync, namespace, condition } = world({ finalizers: ['q.w/e'] });
  expect(await sync()).toEqual({ type: 'done' });
  expect(namespace()).toMatchObject({ spec: { finalizers: [] }, metadata: { finalizers: ['q.w/e'] } });
  expect(condition('NamespaceContentRemaining')).toMatchObject({ status: 'False' });
  expect(await sync()).toEqual({ type: 'done' });
});

test('NamespaceDeletion ignores a namespace that is active or does not exist', async () => {
  const { api, put, sync, namespace } = world();
  const { metadata: _, ...rest } = namespace() ?? {};
  api.put(NAMESPACES, { ...rest, metadata: { name: 'n' } });
  put(MAPS, 'a');
  expect(await sync()).toEqual({ type: 'done' });
  expect(api.all(MAPS)).toHaveLength(1);
  api.drop(NAMESPACES, '', 'n');
  expect(await sync()).toEqual({ type: 'done' });
});
