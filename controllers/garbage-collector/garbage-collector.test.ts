import { apiObject } from '../../shared/client/rest/api-object';
import { resourceOf, type Resource } from '../../shared/client/rest/resource';
import { arrayAt, objectAt, type JsonObject } from '../../shared/values/json';
import { fakeClient } from '../../test/support/fake-client';
import { Collector } from './garbage-collector';
import { OwnerGraph } from './owner-graph';

const [MAPS, SECRETS] = [resourceOf('core.v1.ConfigMap'), resourceOf('core.v1.Secret')];
const PATHS = new Map<Resource, string>([
  [MAPS, '/api/v1/configmaps'],
  [SECRETS, '/api/v1/secrets'],
]);
const ORPHANING = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['orphan'] };
const owner = (uid: string): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid });

/** A server, and what a collector has heard of it: each kind by itself. */
function world() {
  const { api, client } = fakeClient();
  const kindOf = (_: string, kind: string) => [MAPS, SECRETS].find((resource) => resource.kind === kind);
  const graph = new OwnerGraph({ look: () => undefined, orphan: () => undefined }, kindOf);
  const { signal } = new AbortController();
  const context = { client, signal, events: { record: () => undefined } };
  const collector = new Collector({ context, graph, kindOf, isSettled: () => true });
  const pathOf = (resource: Resource): string => PATHS.get(resource) ?? '';
  const put = (resource: Resource, name: string, metadata: JsonObject = {}): void =>
    void api.put(pathOf(resource), { metadata: { namespace: 'n', name, uid: name, ...metadata } });
  const hear = (resource: Resource, name: string): void => {
    const known = api.get(pathOf(resource), 'n', name);
    if (known !== undefined) graph.put(resource, apiObject(known));
    else {
      collector.gone(name);
      graph.remove(name);
    }
  };
  const ownersOf = (name: string) => arrayAt(objectAt(api.get(pathOf(SECRETS), 'n', name), 'metadata'), 'ownerReferences');
  const isThere = (resource: Resource, name: string): boolean => api.get(pathOf(resource), 'n', name) !== undefined;
  return { collector, put, hear, ownersOf, isThere };
}

test('Collector removes the reference to an orphaning owner from a dependent that is observed after the owner is deleted', async () => {
  const { collector, put, hear, ownersOf, isThere } = world();
  put(MAPS, 'o', ORPHANING);
  put(SECRETS, 'known', { ownerReferences: [owner('o')] });
  put(SECRETS, 'late', { ownerReferences: [owner('o')] });
  hear(MAPS, 'o');
  hear(SECRETS, 'known');
  await collector.orphan('o');
  expect(isThere(MAPS, 'o')).toBe(false);
  hear(MAPS, 'o');
  hear(SECRETS, 'late');
  await collector.look('late');
  expect(isThere(SECRETS, 'late')).toBe(true);
  expect([ownersOf('known'), ownersOf('late')]).toEqual([undefined, undefined]);
});

test('Collector deletes a dependent of an orphaning owner when its other owners do not exist', async () => {
  const { collector, put, hear, ownersOf, isThere } = world();
  put(MAPS, 'o', ORPHANING);
  put(SECRETS, 'late', { ownerReferences: [owner('o'), owner('never')] });
  hear(MAPS, 'o');
  await collector.orphan('o');
  hear(MAPS, 'o');
  hear(SECRETS, 'late');
  expect(await collector.look('late')).toMatchObject({ type: 'again' });
  expect(ownersOf('late')).toEqual([owner('never')]);
  hear(SECRETS, 'late');
  await collector.look('late');
  expect(isThere(SECRETS, 'late')).toBe(false);
});

test('Collector deletes a dependent whose owner was deleted without orphaning', async () => {
  const { collector, put, hear, isThere } = world();
  put(SECRETS, 'late', { ownerReferences: [owner('o')] });
  hear(SECRETS, 'late');
  await collector.look('late');
  expect(isThere(SECRETS, 'late')).toBe(false);
});
