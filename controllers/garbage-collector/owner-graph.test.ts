import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import type { JsonObject } from '../../shared/values/json';
import { OwnerGraph } from './owner-graph';
import { Trimmer } from './owner-references';

const [MAPS, SECRETS, NODES] = [resourceOf('core.v1.ConfigMap'), resourceOf('core.v1.Secret'), resourceOf('core.v1.Node')];
const RESOURCES = new Map([MAPS, SECRETS, NODES].map((resource) => [resource.kind, resource]));
const going: JsonObject = { deletionTimestamp: '2026-01-01T00:00:00Z' };

function world() {
  const told: string[] = [];
  const graph = new OwnerGraph({ look: (uid) => told.push(uid), orphan: (uid) => told.push(`orphan ${uid}`) }, (_, kind) =>
    RESOURCES.get(kind),
  );
  const { trim } = new Trimmer();
  const object = (uid: string, owners: readonly JsonObject[] = [], metadata: JsonObject = {}): ApiObject =>
    trim(apiObject({ metadata: { namespace: 'a', name: uid, uid, ownerReferences: [...owners], ...metadata } }));
  /** What was to be looked at since the last call. */
  const looks = (): string[] => told.splice(0);
  return { graph, object, looks };
}

const owner = (uid: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: uid,
  uid,
  blockOwnerDeletion: true,
  ...more,
});

test('OwnerGraph enqueues a dependent whose owner is unknown, and not one whose owner is known', () => {
  const { graph, object, looks } = world();
  graph.put(MAPS, object('o'));
  graph.put(SECRETS, object('c', [owner('o')]));
  expect(looks()).toEqual([]);
  graph.put(SECRETS, object('d', [owner('absent')]));
  expect(looks()).toEqual(['d']);
  expect(graph.size).toBe(3);
  expect(graph.dependents('o').map(({ node, owner: { blocks } }) => [node.uid, blocks])).toEqual([['c', true]]);
});

test.each<[string, JsonObject]>([
  ['a different name', { name: 'x' }],
  ['a different kind', { kind: 'Secret' }],
  ['an unknown kind', { kind: 'Nothing' }],
])('OwnerGraph enqueues a dependent that refers to its owner by %s, in either order of events', (_, more) => {
  const first = world();
  first.graph.put(MAPS, first.object('o'));
  first.graph.put(SECRETS, first.object('c', [owner('o', more)]));
  expect(first.looks()).toEqual(['c']);
  const later = world();
  later.graph.put(SECRETS, later.object('c', [owner('o', more)]));
  later.looks();
  later.graph.put(MAPS, later.object('o'));
  expect(later.looks()).toEqual(['c']);
});

test('OwnerGraph does not resolve an owner in another namespace, but does resolve a cluster-scoped one', () => {
  const { graph, object, looks } = world();
  graph.put(MAPS, object('o', [], { namespace: 'b' }));
  graph.put(NODES, object('n', [], { namespace: '' }));
  graph.put(SECRETS, object('c', [owner('o')]));
  expect(looks()).toEqual(['c']);
  graph.put(SECRETS, object('d', [owner('n', { kind: 'Node' })]));
  expect(looks()).toEqual([]);
});

test('OwnerGraph enqueues dependents when their owner starts foreground deletion and when it is removed', () => {
  const { graph, object, looks } = world();
  graph.put(MAPS, object('o'));
  graph.put(SECRETS, object('c', [owner('o')]));
  graph.put(MAPS, object('o', [], { ...going, finalizers: ['foregroundDeletion'] }));
  // A child that does not block is judged while its owner waits, not once it has been let go.
  expect(looks()).toEqual(['c', 'o']);
  graph.put(MAPS, object('o', [], { ...going, finalizers: ['foregroundDeletion'], labels: { a: 'b' } }));
  expect(looks()).toEqual([]);
  graph.remove('o');
  expect(looks()).toEqual(['c']);
});

test('OwnerGraph enqueues an owner in foreground deletion when a dependent is removed, drops its reference or stops blocking', () => {
  const { graph, object, looks } = world();
  graph.put(MAPS, object('o', [], { ...going, finalizers: ['foregroundDeletion'] }));
  for (const uid of ['c', 'd', 'e']) graph.put(SECRETS, object(uid, [owner('o')]));
  looks();
  graph.remove('c');
  expect(looks()).toEqual(['o']);
  graph.put(SECRETS, object('d'));
  expect(looks()).toEqual(['o']);
  graph.put(SECRETS, object('e', [owner('o', { blockOwnerDeletion: false })]));
  expect(looks()).toEqual(['o']);
  expect(graph.dependents('o').map(({ node }) => node.uid)).toEqual(['e']);
});

test('OwnerGraph reports an owner with the orphan finalizer once', () => {
  const { graph, object, looks } = world();
  graph.put(MAPS, object('o', [], { ...going, finalizers: ['orphan'] }));
  graph.put(MAPS, object('o', [], { ...going, finalizers: ['orphan', 'x'] }));
  expect(looks()).toEqual(['orphan o']);
});

test('OwnerGraph forgets the objects of a resource that is no longer watched, and enqueues their dependents', () => {
  const { graph, object, looks } = world();
  graph.put(MAPS, object('o'));
  graph.put(SECRETS, object('c', [owner('o')]));
  graph.forgetAll(MAPS);
  expect(graph.seen('o')).toBeUndefined();
  graph.tellUnseen();
  expect(looks()).toEqual(['c']);
  graph.forgetAll(SECRETS);
  graph.tellUnseen();
  expect(looks()).toEqual([]);
  expect(graph.size).toBe(0);
});

test('Trimmer keeps only the name of an object without owners and finalizers', () => {
  const { object } = world();
  expect(object('o', [], { labels: { a: 'b' }, annotations: { c: 'd' } }).metadata).toEqual({});
});
