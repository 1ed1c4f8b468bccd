import type { MetaV1OwnerReference } from '../../shared/api/types/generated/members';
import type { JsonObject } from '../../shared/values/json';
import { jsonResponse } from '../../test/support/controllers/fake-api';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { fakeContext } from '../../test/support/controllers/fake-context';
import type { ControllerReference } from '../runtime/pods';
import type { SelectedPod } from './budget-pod-index';
import { ScaleFinder } from './scale-finder';

const WIDGETS = '/apis/example.com/v1/widgets';

interface WorkloadFixture {
  readonly name: string;
  readonly uid: string;
  readonly replicas: number;
  readonly ownerReferences?: readonly MetaV1OwnerReference[];
}

async function setUp() {
  const fake = fakeClient();
  const served: JsonObject[] = [];
  const resource = (name: string, kind: string, { hasScale }: { readonly hasScale: boolean }): JsonObject => ({
    resource: name,
    scope: 'Namespaced',
    verbs: ['list'],
    responseKind: { kind },
    ...(hasScale ? { subresources: [{ subresource: 'scale' }] } : {}),
  });
  const serve = (name: string, kind: string, options = { hasScale: true }): void => void served.push(resource(name, kind, options));
  fake.api.intercept = ({ path }) => {
    if (path === '/api') return jsonResponse(200, { items: [] });
    if (path === '/apis')
      return jsonResponse(200, { items: [{ metadata: { name: 'example.com' }, versions: [{ version: 'v1', resources: served }] }] });
    return undefined;
  };
  const put = (collection: string, { name, uid, replicas, ownerReferences = [] }: WorkloadFixture): void =>
    void fake.api.put(collection, {
      metadata: { namespace: 'n', name, uid, ownerReferences: [...ownerReferences] },
      spec: { replicas, template: {} },
    });
  put('/apis/apps/v1/deployments', { name: 'web', uid: 'd', replicas: 5 });
  const ownerReferences = [{ kind: 'Deployment', name: 'web', uid: 'd', controller: true }];
  put('/apis/apps/v1/replicasets', { name: 'old', uid: 's1', replicas: 2, ownerReferences });
  put('/apis/apps/v1/replicasets', { name: 'new', uid: 's2', replicas: 3, ownerReferences });
  put('/apis/apps/v1/replicasets', { name: 'bare', uid: 's3', replicas: 4 });
  put('/apis/apps/v1/statefulsets', { name: 'db', uid: 'st', replicas: 7 });
  put('/api/v1/replicationcontrollers', { name: 'rc', uid: 'rc', replicas: 1 });
  const signal = new AbortController().signal;
  const scaleFinder = new ScaleFinder(fakeContext(fake, signal));
  await Promise.all(scaleFinder.informers.map(({ synced }) => synced));
  return { ...fake, scaleFinder, serve };
}

/** A pod with this controller; the uid is the name where it is not given. */
function pod(name: string, controller?: Omit<ControllerReference, 'uid'> & { readonly uid?: string }): SelectedPod {
  return {
    name,
    controller: controller === undefined ? undefined : { ...controller, uid: controller.uid ?? controller.name },
    isReady: true,
    isBeingDeleted: false,
  };
}

test('ScaleFinder counts each scale once, ReplicaSets by their Deployment, and reports pods without a controller', async () => {
  const { scaleFinder } = await setUp();
  const replicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet' };
  const pods = [
    pod('a', { ...replicaSet, name: 'old', uid: 's1' }),
    pod('b', { ...replicaSet, name: 'new', uid: 's2' }),
    pod('c', { ...replicaSet, name: 'bare', uid: 's3' }),
    pod('d', { ...replicaSet, name: 'bare', uid: 's3' }),
    pod('e', { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'st' }),
    pod('f', { apiVersion: 'v1', kind: 'ReplicationController', name: 'rc' }),
    pod('g'),
  ];
  expect(await scaleFinder.expectedScale('n', pods)).toEqual({ pods: 5 + 4 + 7 + 1, unmanaged: 1 });
});

test.each<[string, SelectedPod, string]>([
  ['does not exist', pod('p', { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'none' }), 'found no controllers for pod "p"'],
  [
    'has another uid',
    pod('p', { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'other' }),
    'found no controllers for pod "p"',
  ],
  [
    'has no scale subresource',
    pod('p', { apiVersion: 'example.com/v1', kind: 'Gadget', name: 'g' }),
    'gadgets.example.com does not implement the scale subresource',
  ],
  [
    'has an unknown kind',
    pod('p', { apiVersion: 'example.com/v2', kind: 'Thing', name: 't' }),
    'no matches for kind "Thing" in version "example.com/v2"',
  ],
])('ScaleFinder rejects with UnknownScaleError for an owner that %s', async (_, controlled, message) => {
  const { scaleFinder, serve } = await setUp();
  serve('gadgets', 'Gadget', { hasScale: false });
  await expect(scaleFinder.expectedScale('n', [controlled])).rejects.toMatchObject({ name: 'UnknownScaleError', message });
});

test('ScaleFinder finds a kind that is added later, and rejects with KindNotDiscoveredError until discovery may be repeated', async () => {
  const { scaleFinder, serve, api, clock } = await setUp();
  const discoveries = (): number => api.requests.filter((request) => request === 'GET /apis').length;
  const pods = [pod('p', { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w' })];
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
