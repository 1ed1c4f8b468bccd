import type { MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { OwnerClassifier } from './owner-classifier';
import { OwnerGraph } from './owner-graph';
import type { MetadataObject, OwnerReference } from './owner-references';

const CONFIG_MAPS = resourceOf('core.v1.ConfigMap');
const NODES = resourceOf('core.v1.Node');
const IN_FOREGROUND_DELETION: MetaV1ObjectMeta = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] };

function setUp() {
  const kinds = new Map([CONFIG_MAPS, NODES].map((resource) => [resource.kind, resource]));
  const kindOf = (_: string, kind: string) => kinds.get(kind);
  const graph = new OwnerGraph({ enqueueAttemptToDelete: () => undefined, enqueueAttemptToOrphan: () => undefined }, kindOf);
  const server = new Map<string, MetadataObject>();
  const requested: string[] = [];
  const invalid: string[] = [];
  const classifier = new OwnerClassifier({
    graph,
    kindOf,
    read: (_, { uid }) => {
      requested.push(uid);
      return Promise.resolve(server.get(uid));
    },
    onInvalidReference: (_, { uid }) => invalid.push(uid),
  });
  return { kinds, graph, server, requested, invalid, classifier };
}

const object = (uid: string, metadata: MetaV1ObjectMeta = {}): MetadataObject =>
  apiObject({ metadata: { namespace: 'a', name: uid, uid, ...metadata } });
const dependent = (namespace = 'a') => {
  const resource = namespace === '' ? NODES : CONFIG_MAPS;
  return { uid: 'c', resource, object: object('c', { namespace }) };
};
const owner = (uid: string, kind = 'ConfigMap'): OwnerReference => ({
  apiVersion: 'v1',
  kind,
  name: uid,
  uid,
  blockOwnerDeletion: true,
  body: {},
});

test('OwnerClassifier sends no request for an owner in the graph', async () => {
  const { graph, requested, classifier } = setUp();
  graph.put(CONFIG_MAPS, object('o'));
  graph.put(CONFIG_MAPS, object('w', IN_FOREGROUND_DELETION));
  expect(await classifier.classify(dependent(), owner('o'))).toEqual({ state: 'solid', isUnobserved: false });
  expect(await classifier.classify(dependent(), owner('w'))).toEqual({ state: 'waiting-for-dependents', isUnobserved: false });
  expect(requested).toEqual([]);
});

test('OwnerClassifier requests an owner outside the graph once for concurrent calls, and never again when it is absent', async () => {
  const { server, requested, classifier } = setUp();
  const owners = await Promise.all([classifier.classify(dependent(), owner('o')), classifier.classify(dependent(), owner('o'))]);
  expect(owners.map(({ state }) => state)).toEqual(['dangling', 'dangling']);
  expect((await classifier.classify(dependent(), owner('o'))).state).toBe('dangling');
  expect(requested).toEqual(['o']);
  server.set('p', object('p'));
  expect(await classifier.classify(dependent(), owner('p'))).toEqual({ state: 'solid', isUnobserved: true });
  expect(await classifier.classify(dependent(), owner('p'))).toEqual({ state: 'solid', isUnobserved: true });
  expect(requested).toEqual(['o', 'p', 'p']);
});

test('OwnerClassifier reports a deleted owner as dangling, even when its kind is no longer served', async () => {
  const { kinds, requested, classifier } = setUp();
  classifier.objectDeleted('o');
  kinds.clear();
  expect((await classifier.classify(dependent(), owner('o'))).state).toBe('dangling');
  expect((await classifier.classify(dependent(), owner('p'))).state).toBe('unknown');
  expect(requested).toEqual([]);
});

test('OwnerClassifier reports an owner as orphaned when it is removed after its dependents were orphaned', async () => {
  const { graph, classifier } = setUp();
  graph.put(CONFIG_MAPS, object('o'));
  classifier.dependentsOrphaned('o');
  expect((await classifier.classify(dependent(), owner('o'))).state).toBe('solid');
  graph.remove('o');
  expect((await classifier.classify(dependent(), owner('o'))).state).toBe('orphaned');
  classifier.objectDeleted('o');
  expect((await classifier.classify(dependent(), owner('o'))).state).toBe('orphaned');
  expect((await classifier.classify(dependent(), owner('p'))).state).toBe('dangling');
});

test('OwnerClassifier reports an owner that cannot be in the namespace of its reference as invalid', async () => {
  const { graph, requested, invalid, classifier } = setUp();
  expect((await classifier.classify(dependent(''), owner('o'))).state).toBe('unknown');
  expect(invalid).toEqual(['o']);
  expect(requested).toEqual([]);
  graph.put(CONFIG_MAPS, object('far', { namespace: 'b' }));
  expect((await classifier.classify(dependent(), owner('far'))).state).toBe('dangling');
  expect(invalid).toEqual(['o', 'far']);
  expect(requested).toEqual(['far']);
});

test('OwnerClassifier requests the other owners from the server when one of them is in foreground deletion', async () => {
  const { graph, server, requested, classifier } = setUp();
  for (const uid of ['a', 'b', 'c']) graph.put(CONFIG_MAPS, object(uid, uid === 'a' ? IN_FOREGROUND_DELETION : {}));
  server.set('b', object('b', IN_FOREGROUND_DELETION)).set('c', object('c'));
  expect((await classifier.classifyAll(dependent(), [owner('b'), owner('c')])).map(({ state }) => state)).toEqual(['solid', 'solid']);
  expect(requested).toEqual([]);
  const owners = await classifier.classifyAll(dependent(), [owner('a'), owner('b'), owner('c')]);
  expect(owners).toEqual([
    { state: 'waiting-for-dependents', isUnobserved: false },
    { state: 'waiting-for-dependents', isUnobserved: false },
    { state: 'solid', isUnobserved: false },
  ]);
  expect(requested).toEqual(['b', 'c']);
});
