import type { MetaV1ObjectMeta, MetaV1OwnerReference } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { MetadataTrimmer } from './metadata-trimmer';
import { OwnerGraph } from './owner-graph';
import type { MetadataObject } from './owner-references';

const CONFIG_MAPS = resourceOf('core.v1.ConfigMap');
const SECRETS = resourceOf('core.v1.Secret');
const NODES = resourceOf('core.v1.Node');
const RESOURCES = new Map([CONFIG_MAPS, SECRETS, NODES].map((resource) => [resource.kind, resource]));
const DELETED: MetaV1ObjectMeta = { deletionTimestamp: '2026-01-01T00:00:00Z' };

function setUp() {
  const queue: string[] = [];
  const queues = {
    enqueueAttemptToDelete: (uid: string) => void queue.push(uid),
    enqueueAttemptToOrphan: (uid: string) => void queue.push(`orphan ${uid}`),
  };
  const graph = new OwnerGraph(queues, (_, kind) => RESOURCES.get(kind));
  const { trim } = new MetadataTrimmer();
  const object = (uid: string, owners: readonly MetaV1OwnerReference[] = [], metadata: MetaV1ObjectMeta = {}): MetadataObject =>
    trim(apiObject({ metadata: { namespace: 'a', name: uid, uid, ownerReferences: [...owners], ...metadata } }));
  /** Empties the queue. */
  const enqueued = (): string[] => queue.splice(0);
  return { graph, object, enqueued };
}

const owner = (uid: string, changes: MetaV1OwnerReference = {}): MetaV1OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: uid,
  uid,
  blockOwnerDeletion: true,
  ...changes,
});

test('OwnerGraph enqueues a dependent whose owner is unknown, and not one whose owner is known', () => {
  const { graph, object, enqueued } = setUp();
  graph.put(CONFIG_MAPS, object('o'));
  graph.put(SECRETS, object('c', [owner('o')]));
  expect(enqueued()).toEqual([]);
  graph.put(SECRETS, object('d', [owner('absent')]));
  expect(enqueued()).toEqual(['d']);
  expect(graph.size).toBe(3);
  expect(graph.dependentsOf('o').map(({ node, reference: { blockOwnerDeletion } }) => [node.uid, blockOwnerDeletion])).toEqual([
    ['c', true],
  ]);
});

test.each<[string, MetaV1OwnerReference]>([
  ['a different name', { name: 'x' }],
  ['a different kind', { kind: 'Secret' }],
  ['an unknown kind', { kind: 'Nothing' }],
])('OwnerGraph enqueues a dependent that refers to its owner by %s, in either order of events', (_, changes) => {
  const first = setUp();
  first.graph.put(CONFIG_MAPS, first.object('o'));
  first.graph.put(SECRETS, first.object('c', [owner('o', changes)]));
  expect(first.enqueued()).toEqual(['c']);
  const later = setUp();
  later.graph.put(SECRETS, later.object('c', [owner('o', changes)]));
  later.enqueued();
  later.graph.put(CONFIG_MAPS, later.object('o'));
  expect(later.enqueued()).toEqual(['c']);
});

test('OwnerGraph does not resolve an owner in another namespace, but does resolve a cluster-scoped one', () => {
  const { graph, object, enqueued } = setUp();
  graph.put(CONFIG_MAPS, object('o', [], { namespace: 'b' }));
  graph.put(NODES, object('n', [], { namespace: '' }));
  graph.put(SECRETS, object('c', [owner('o')]));
  expect(enqueued()).toEqual(['c']);
  graph.put(SECRETS, object('d', [owner('n', { kind: 'Node' })]));
  expect(enqueued()).toEqual([]);
});

test('OwnerGraph enqueues dependents when their owner starts foreground deletion and when it is removed', () => {
  const { graph, object, enqueued } = setUp();
  graph.put(CONFIG_MAPS, object('o'));
  graph.put(SECRETS, object('c', [owner('o')]));
  graph.put(CONFIG_MAPS, object('o', [], { ...DELETED, finalizers: ['foregroundDeletion'] }));
  // A dependent that does not block is enqueued while its owner still has the finalizer.
  expect(enqueued()).toEqual(['c', 'o']);
  graph.put(CONFIG_MAPS, object('o', [], { ...DELETED, finalizers: ['foregroundDeletion'], labels: { a: 'b' } }));
  expect(enqueued()).toEqual([]);
  graph.remove('o');
  expect(enqueued()).toEqual(['c']);
});

test('OwnerGraph enqueues an owner in foreground deletion when a dependent is removed, drops its reference or stops blocking', () => {
  const { graph, object, enqueued } = setUp();
  graph.put(CONFIG_MAPS, object('o', [], { ...DELETED, finalizers: ['foregroundDeletion'] }));
  for (const uid of ['c', 'd', 'e']) graph.put(SECRETS, object(uid, [owner('o')]));
  enqueued();
  graph.remove('c');
  expect(enqueued()).toEqual(['o']);
  graph.put(SECRETS, object('d'));
  expect(enqueued()).toEqual(['o']);
  graph.put(SECRETS, object('e', [owner('o', { blockOwnerDeletion: false })]));
  expect(enqueued()).toEqual(['o']);
  expect(graph.dependentsOf('o').map(({ node }) => node.uid)).toEqual(['e']);
});

test('OwnerGraph reports an owner with the orphan finalizer once', () => {
  const { graph, object, enqueued } = setUp();
  graph.put(CONFIG_MAPS, object('o', [], { ...DELETED, finalizers: ['orphan'] }));
  graph.put(CONFIG_MAPS, object('o', [], { ...DELETED, finalizers: ['orphan', 'x'] }));
  expect(enqueued()).toEqual(['orphan o']);
});

test('OwnerGraph forgets the objects of a resource that is no longer watched, and enqueues their dependents', () => {
  const { graph, object, enqueued } = setUp();
  graph.put(CONFIG_MAPS, object('o'));
  graph.put(SECRETS, object('c', [owner('o')]));
  graph.forgetResource(CONFIG_MAPS);
  expect(graph.observedNode('o')).toBeUndefined();
  graph.enqueueDependentsOfVirtualNodes();
  expect(enqueued()).toEqual(['c']);
  graph.forgetResource(SECRETS);
  graph.enqueueDependentsOfVirtualNodes();
  expect(enqueued()).toEqual([]);
  expect(graph.size).toBe(0);
});

test('MetadataTrimmer keeps only the name of an object without owners and finalizers', () => {
  const { object } = setUp();
  expect(object('o', [], { labels: { a: 'b' }, annotations: { c: 'd' } }).metadata).toEqual({});
});
