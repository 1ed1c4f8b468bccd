import type { MetaV1OwnerReference } from '../../shared/api/types/generated/members';
import type { JsonObject } from '../../shared/values/json';
import { jsonResponse } from '../../test/support/controllers/fake-api';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { fakeContext } from '../../test/support/controllers/fake-context';
import type { SelectedPod } from './budget-pod-index';
import { ScaleFinder } from './scale-finder';

const WIDGETS = '/apis/example.com/v1/widgets';

async function setUp() {
  const fake = fakeClient();
  const served: JsonObject[] = [];
  const resource = (name: string, kind: string, scale: boolean): JsonObject => ({
    resource: name,
    scope: 'Namespaced',
    verbs: ['list'],
    responseKind: { kind },
    ...(scale ? { subresources: [{ subresource: 'scale' }] } : {}),
  });
  const serve = (name: string, kind: string, scale = true): void => void served.push(resource(name, kind, scale));
  fake.api.intercept = ({ path }) => {
    if (path === '/api') return jsonResponse(200, { items: [] });
    if (path === '/apis')
      return jsonResponse(200, { items: [{ metadata: { name: 'example.com' }, versions: [{ version: 'v1', resources: served }] }] });
    return undefined;
  };
  const put = (collection: string, name: string, uid: string, replicas: number, controller?: MetaV1OwnerReference): void =>
    void fake.api.put(collection, {
      metadata: { namespace: 'n', name, uid, ...(controller === undefined ? {} : { ownerReferences: [controller] }) },
      spec: { replicas, template: {} },
    });
  put('/apis/apps/v1/deployments', 'web', 'd', 5);
  put('/apis/apps/v1/replicasets', 'old', 's1', 2, { kind: 'Deployment', name: 'web', uid: 'd', controller: true });
  put('/apis/apps/v1/replicasets', 'new', 's2', 3, { kind: 'Deployment', name: 'web', uid: 'd', controller: true });
  put('/apis/apps/v1/replicasets', 'bare', 's3', 4);
  put('/apis/apps/v1/statefulsets', 'db', 'st', 7);
  put('/api/v1/replicationcontrollers', 'rc', 'rc', 1);
  const signal = new AbortController().signal;
  const scaleFinder = new ScaleFinder(fakeContext(fake, signal));
  await Promise.all(scaleFinder.informers.map(({ synced }) => synced));
  return { ...fake, scaleFinder, serve, put };
}

const pod = (name: string, apiVersion = '', kind = '', owner = '', uid = owner): SelectedPod => ({
  name,
  controller: kind === '' ? undefined : { apiVersion, kind, name: owner, uid },
  isReady: true,
  isBeingDeleted: false,
});

test('ScaleFinder counts each scale once, ReplicaSets by their Deployment, and reports pods without a controller', async () => {
  const { scaleFinder } = await setUp();
  const ofReplicaSet = (name: string, owner: string, uid: string): SelectedPod => pod(name, 'apps/v1', 'ReplicaSet', owner, uid);
  const pods = [
    ofReplicaSet('a', 'old', 's1'),
    ofReplicaSet('b', 'new', 's2'),
    ofReplicaSet('c', 'bare', 's3'),
    ofReplicaSet('d', 'bare', 's3'),
    pod('e', 'apps/v1', 'StatefulSet', 'db', 'st'),
    pod('f', 'v1', 'ReplicationController', 'rc'),
    pod('g'),
  ];
  expect(await scaleFinder.expectedScale('n', pods)).toEqual({ pods: 5 + 4 + 7 + 1, unmanaged: 1 });
});

test.each<[string, SelectedPod, string]>([
  ['does not exist', pod('p', 'apps/v1', 'ReplicaSet', 'none'), 'found no controllers for pod "p"'],
  ['has another uid', pod('p', 'apps/v1', 'StatefulSet', 'db', 'other'), 'found no controllers for pod "p"'],
  ['has no scale subresource', pod('p', 'example.com/v1', 'Gadget', 'g'), 'gadgets.example.com does not implement the scale subresource'],
  ['has an unknown kind', pod('p', 'example.com/v2', 'Thing', 't'), 'no matches for kind "Thing" in version "example.com/v2"'],
])('ScaleFinder rejects with UnknownScaleError for an owner that %s', async (_, controlled, message) => {
  const { scaleFinder, serve } = await setUp();
  serve('gadgets', 'Gadget', false);
  await expect(scaleFinder.expectedScale('n', [controlled])).rejects.toMatchObject({ name: 'UnknownScaleError', message });
});

test('ScaleFinder finds a kind that is added later, and rejects with KindNotDiscoveredError until discovery may be repeated', async () => {
  const { scaleFinder, serve, api, clock } = await setUp();
  const discoveries = (): number => api.requests.filter((request) => request === 'GET /apis').length;
  const pods = [pod('p', 'example.com/v1', 'Widget', 'w', 'w')];
  await expect(scaleFinder.expectedScale('n', pods)).rejects.toMatchObject({ name: 'UnknownScaleError' });
  serve('widgets', 'Widget');
  api.put(WIDGETS, { metadata: { namespace: 'n', name: 'w', uid: 'w' }, spec: { replicas: 9 } });
  await expect(scaleFinder.expectedScale('n', pods)).rejects.toMatchObject({ name: 'KindNotDiscoveredError' });
  expect(discoveries()).toBe(1);
  clock.advance(1_000);
  expect(await scaleFinder.expectedScale('n', pods)).toEqual({ pods: 9, unmanaged: 0 });
  await scaleFinder.expectedScale('n', pods);
  expect(discoveries()).toBe(2);
});
