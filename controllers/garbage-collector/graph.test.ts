import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { knownResource } from '../../shared/client/rest/resource';
import type { JsonObject } from '../../shared/values/json';
import { OwnerGraph } from './graph';
import { Trimmer } from './owners';

const [MAPS, SECRETS, NODES] = [knownResource('configmaps'), knownResource('secrets'), knownResource('nodes')];
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

test('a child whose owner is known need not be looked at; one whose owner is not has to be', () => {
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
  ['another name', { name: 'x' }],
  ['another kind', { kind: 'Secret' }],
  ['an unknown kind', { kind: 'Nothing' }],
])('a child that means its owner under %s is looked at, whoever comes first', (_, more) => {
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

test('an owner in another namespace is not meant; one in none is', () => {
  const { graph, object, looks } = world();
  graph.put(MAPS, object('o', [], { namespace: 'b' }));
  graph.put(NODES, object('n', [], { namespace: '' }));
  graph.put(SECRETS, object('c', [owner('o')]));
  expect(looks()).toEqual(['c']);
  graph.put(SECRETS, object('d', [owner('n', { kind: 'Node' })]));
  expect(looks()).toEqual([]);
});

test('children are looked at when their owner goes, and when it begins to wait for them', () => {
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

test('an owner that waits is looked at when a child goes, leaves it or blocks it no more', () => {
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

test('an owner whose children are to stay is told once', () => {
  const { graph, object, looks } = world();
  graph.put(MAPS, object('o', [], { ...going, finalizers: ['orphan'] }));
  graph.put(MAPS, object('o', [], { ...going, finalizers: ['orphan', 'x'] }));
  expect(looks()).toEqual(['orphan o']);
});

test('of what nobody follows any more, nothing is known, and its children are asked about again', () => {
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

test('what is kept of an object without owners and finalizers is its name', () => {
  const { object } = world();
  expect(object('o', [], { labels: { a: 'b' }, annotations: { c: 'd' } }).body).toEqual({});
});
