import type { MetaV1ObjectMeta, MetaV1OwnerReference } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { resourceOf, type Resource } from '../../shared/client/rest/resource';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { GarbageCollector } from './garbage-collector';
import { OwnerGraph } from './owner-graph';

const CONFIG_MAPS = resourceOf('core.v1.ConfigMap');
const SECRETS = resourceOf('core.v1.Secret');
const PATHS = new Map<Resource, string>([
  [CONFIG_MAPS, '/api/v1/configmaps'],
  [SECRETS, '/api/v1/secrets'],
]);
const ORPHANING = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['orphan'] };
const ownerReference = (uid: string): MetaV1OwnerReference => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid });

/** A server, and a collector that observes its objects one at a time. */
function setUp() {
  const { api, client } = fakeClient();
  const kindOf = (_: string, kind: string) => [CONFIG_MAPS, SECRETS].find((resource) => resource.kind === kind);
  const graph = new OwnerGraph({ enqueueAttemptToDelete: () => undefined, enqueueAttemptToOrphan: () => undefined }, kindOf);
  const { signal } = new AbortController();
  const context = { client, signal, events: { record: () => undefined } };
  const collector = new GarbageCollector({ context, graph, kindOf, isGraphSynced: () => true });
  const pathOf = (resource: Resource): string => PATHS.get(resource) ?? '';
  const put = (resource: Resource, name: string, metadata: MetaV1ObjectMeta = {}): void =>
    void api.put(pathOf(resource), { metadata: { namespace: 'n', name, uid: name, ...metadata } });
  const observe = (resource: Resource, name: string): void => {
    const stored = api.get(pathOf(resource), 'n', name);
    if (stored !== undefined) graph.put(resource, apiObject(stored));
    else {
      collector.objectDeleted(name);
      graph.remove(name);
    }
  };
  const ownersOf = (name: string) => apiObject(api.get(pathOf(SECRETS), 'n', name) ?? {}).metadata.ownerReferences;
  const exists = (resource: Resource, name: string): boolean => api.get(pathOf(resource), 'n', name) !== undefined;
  return { collector, put, observe, ownersOf, exists };
}

test('GarbageCollector removes the reference to an orphaning owner from a dependent that is observed after the owner is deleted', async () => {
  const { collector, put, observe, ownersOf, exists } = setUp();
  put(CONFIG_MAPS, 'o', ORPHANING);
  put(SECRETS, 'early', { ownerReferences: [ownerReference('o')] });
  put(SECRETS, 'late', { ownerReferences: [ownerReference('o')] });
  observe(CONFIG_MAPS, 'o');
  observe(SECRETS, 'early');
  await collector.attemptToOrphan('o');
  expect(exists(CONFIG_MAPS, 'o')).toBe(false);
  observe(CONFIG_MAPS, 'o');
  observe(SECRETS, 'late');
  await collector.attemptToDelete('late');
  expect(exists(SECRETS, 'late')).toBe(true);
  expect(ownersOf('early')).toBeUndefined();
  expect(ownersOf('late')).toBeUndefined();
});

test('GarbageCollector deletes a dependent of an orphaning owner when its other owners do not exist', async () => {
  const { collector, put, observe, ownersOf, exists } = setUp();
  put(CONFIG_MAPS, 'o', ORPHANING);
  put(SECRETS, 'late', { ownerReferences: [ownerReference('o'), ownerReference('never')] });
  observe(CONFIG_MAPS, 'o');
  await collector.attemptToOrphan('o');
  observe(CONFIG_MAPS, 'o');
  observe(SECRETS, 'late');
  expect(await collector.attemptToDelete('late')).toMatchObject({ type: 'again' });
  expect(ownersOf('late')).toEqual([ownerReference('never')]);
  observe(SECRETS, 'late');
  await collector.attemptToDelete('late');
  expect(exists(SECRETS, 'late')).toBe(false);
});

test('GarbageCollector deletes a dependent whose only owner does not exist and was not seen to orphan its dependents', async () => {
  const { collector, put, observe, exists } = setUp();
  put(SECRETS, 'late', { ownerReferences: [ownerReference('o')] });
  observe(SECRETS, 'late');
  await collector.attemptToDelete('late');
  expect(exists(SECRETS, 'late')).toBe(false);
});
