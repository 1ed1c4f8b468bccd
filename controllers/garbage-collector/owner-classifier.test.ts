import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import type { JsonObject } from '../../shared/values/json';
import { OwnerGraph } from './owner-graph';
import { OwnerStates } from './owner-classifier';
import type { Owner } from './owner-references';

const [MAPS, NODES] = [resourceOf('core.v1.ConfigMap'), resourceOf('core.v1.Node')];
const waiting: JsonObject = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['foregroundDeletion'] };

function world() {
  const kinds = new Map([MAPS, NODES].map((resource) => [resource.kind, resource]));
  const kindOf = (_: string, kind: string) => kinds.get(kind);
  const graph = new OwnerGraph({ look: () => undefined, orphan: () => undefined }, kindOf);
  const server = new Map<string, ApiObject>();
  const asked: string[] = [];
  const invalid: string[] = [];
  const states = new OwnerStates({
    graph,
    kindOf,
    current: (_, { uid }) => {
      asked.push(uid);
      return Promise.resolve(server.get(uid));
    },
    onInvalid: (_, { uid }) => invalid.push(uid),
  });
  return { kinds, graph, server, asked, invalid, states };
}

const object = (uid: string, metadata: JsonObject = {}): ApiObject =>
  apiObject({ metadata: { namespace: 'a', name: uid, uid, ...metadata } });
const child = (namespace = 'a') => {
  const resource = namespace === '' ? NODES : MAPS;
  return { uid: 'c', resource, object: object('c', { namespace }) };
};
const owner = (uid: string, kind = 'ConfigMap'): Owner => ({ apiVersion: 'v1', kind, name: uid, uid, blocks: true, reference: {} });

test('OwnerStates sends no request for an owner in the graph', async () => {
  const { graph, asked, states } = world();
  graph.put(MAPS, object('o'));
  graph.put(MAPS, object('w', waiting));
  expect(await states.of(child(), owner('o'))).toEqual({ state: 'there', isUnseen: false });
  expect(await states.of(child(), owner('w'))).toEqual({ state: 'waiting', isUnseen: false });
  expect(asked).toEqual([]);
});

test('OwnerStates requests an owner outside the graph once for concurrent calls, and never again when it is absent', async () => {
  const { server, asked, states } = world();
  const found = await Promise.all([states.of(child(), owner('o')), states.of(child(), owner('o'))]);
  expect(found.map(({ state }) => state)).toEqual(['absent', 'absent']);
  expect((await states.of(child(), owner('o'))).state).toBe('absent');
  expect(asked).toEqual(['o']);
  server.set('p', object('p'));
  expect(await states.of(child(), owner('p'))).toEqual({ state: 'there', isUnseen: true });
  expect(await states.of(child(), owner('p'))).toEqual({ state: 'there', isUnseen: true });
  expect(asked).toEqual(['o', 'p', 'p']);
});

test('OwnerStates reports a deleted owner as absent, even when its kind is no longer served', async () => {
  const { kinds, asked, states } = world();
  states.gone('o');
  kinds.clear();
  expect((await states.of(child(), owner('o'))).state).toBe('absent');
  expect((await states.of(child(), owner('p'))).state).toBe('unknown');
  expect(asked).toEqual([]);
});

test('OwnerStates reports an owner as orphaned when it is removed after its dependents were orphaned', async () => {
  const { graph, states } = world();
  graph.put(MAPS, object('o'));
  states.orphans('o');
  expect((await states.of(child(), owner('o'))).state).toBe('there');
  graph.remove('o');
  expect((await states.of(child(), owner('o'))).state).toBe('orphaned');
  states.gone('o');
  expect((await states.of(child(), owner('o'))).state).toBe('orphaned');
  expect((await states.of(child(), owner('p'))).state).toBe('absent');
});

test('OwnerStates reports an owner that cannot be in the namespace of its reference as invalid', async () => {
  const { graph, asked, invalid, states } = world();
  expect((await states.of(child(''), owner('o'))).state).toBe('unknown');
  expect([invalid, asked]).toEqual([['o'], []]);
  graph.put(MAPS, object('far', { namespace: 'b' }));
  expect((await states.of(child(), owner('far'))).state).toBe('absent');
  expect([invalid, asked]).toEqual([['o', 'far'], ['far']]);
});

test('OwnerStates requests the other owners from the server when one of them is in foreground deletion', async () => {
  const { graph, server, asked, states } = world();
  for (const uid of ['a', 'b', 'c']) graph.put(MAPS, object(uid, uid === 'a' ? waiting : {}));
  server.set('b', object('b', waiting)).set('c', object('c'));
  expect((await states.ofAll(child(), [owner('b'), owner('c')])).map(({ state }) => state)).toEqual(['there', 'there']);
  expect(asked).toEqual([]);
  const found = await states.ofAll(child(), [owner('a'), owner('b'), owner('c')]);
  expect(found).toEqual(['waiting', 'waiting', 'there'].map((state) => ({ state, isUnseen: false })));
  expect(asked).toEqual(['b', 'c']);
});
