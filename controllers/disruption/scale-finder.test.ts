import type { JsonObject } from '../../shared/values/json';
import { reply } from '../../test/support/fake-api';
import { fakeClient } from '../../test/support/fake-client';
import { fakeContext } from '../../test/support/fake-context';
import type { CoveredPod } from './budget-pod-index';
import { Owners } from './scale-finder';

const WIDGETS = '/apis/example.com/v1/widgets';

async function world() {
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
    if (path === '/api') return reply(200, { items: [] });
    if (path === '/apis')
      return reply(200, { items: [{ metadata: { name: 'example.com' }, versions: [{ version: 'v1', resources: served }] }] });
    return undefined;
  };
  const put = (collection: string, name: string, uid: string, replicas: number, above?: JsonObject): void =>
    void fake.api.put(collection, {
      metadata: { namespace: 'n', name, uid, ...(above === undefined ? {} : { ownerReferences: [above] }) },
      spec: { replicas, template: {} },
    });
  put('/apis/apps/v1/deployments', 'web', 'd', 5);
  put('/apis/apps/v1/replicasets', 'old', 's1', 2, { kind: 'Deployment', name: 'web', uid: 'd', controller: true });
  put('/apis/apps/v1/replicasets', 'new', 's2', 3, { kind: 'Deployment', name: 'web', uid: 'd', controller: true });
  put('/apis/apps/v1/replicasets', 'bare', 's3', 4);
  put('/apis/apps/v1/statefulsets', 'db', 'st', 7);
  put('/api/v1/replicationcontrollers', 'rc', 'rc', 1);
  const signal = new AbortController().signal;
  const owners = new Owners(fakeContext(fake, signal));
  await Promise.all(owners.all.map(({ synced }) => synced));
  return { ...fake, owners, serve, put };
}

const pod = (name: string, apiVersion = '', kind = '', owner = '', uid = owner): CoveredPod => ({
  name,
  owner: kind === '' ? undefined : { apiVersion, kind, name: owner, uid },
  isReady: true,
  isGoing: false,
});

test('Owners counts each scale once, ReplicaSets by their Deployment, and reports pods without a controller', async () => {
  const { owners } = await world();
  const set = (name: string, owner: string, uid: string): CoveredPod => pod(name, 'apps/v1', 'ReplicaSet', owner, uid);
  const pods = [
    set('a', 'old', 's1'),
    set('b', 'new', 's2'),
    set('c', 'bare', 's3'),
    set('d', 'bare', 's3'),
    pod('e', 'apps/v1', 'StatefulSet', 'db', 'st'),
    pod('f', 'v1', 'ReplicationController', 'rc'),
    pod('g'),
  ];
  expect(await owners.expected('n', pods)).toEqual({ pods: 5 + 4 + 7 + 1, unmanaged: 1 });
});

test.each<[string, CoveredPod, string]>([
  ['does not exist', pod('p', 'apps/v1', 'ReplicaSet', 'none'), 'found no controllers for pod "p"'],
  ['has another uid', pod('p', 'apps/v1', 'StatefulSet', 'db', 'other'), 'found no controllers for pod "p"'],
  ['has no scale subresource', pod('p', 'example.com/v1', 'Gadget', 'g'), 'gadgets.example.com does not implement the scale subresource'],
  ['has an unknown kind', pod('p', 'example.com/v2', 'Thing', 't'), 'no matches for kind "Thing" in version "example.com/v2"'],
])('Owners rejects with UnknownScale for an owner that %s', async (_, found, message) => {
  const { owners, serve } = await world();
  serve('gadgets', 'Gadget', false);
  await expect(owners.expected('n', [found])).rejects.toMatchObject({ name: 'UnknownScale', message });
});

test('Owners finds a kind that is added later, and rejects with KindUnsettled until discovery may be repeated', async () => {
  const { owners, serve, api, clock } = await world();
  const asked = (): number => api.requests.filter((request) => request === 'GET /apis').length;
  const pods = [pod('p', 'example.com/v1', 'Widget', 'w', 'w')];
  await expect(owners.expected('n', pods)).rejects.toMatchObject({ name: 'UnknownScale' });
  serve('widgets', 'Widget');
  api.put(WIDGETS, { metadata: { namespace: 'n', name: 'w', uid: 'w' }, spec: { replicas: 9 } });
  await expect(owners.expected('n', pods)).rejects.toMatchObject({ name: 'KindUnsettled' });
  expect(asked()).toBe(1);
  clock.advance(1_000);
  expect(await owners.expected('n', pods)).toEqual({ pods: 9, unmanaged: 0 });
  await owners.expected('n', pods);
  expect(asked()).toBe(2);
});
