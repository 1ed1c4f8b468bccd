import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { knownResource } from '../../shared/client/rest/resource';
import type { JsonObject } from '../../shared/values/json';
import { OwnerGraph } from './graph';
import { OwnerStates } from './owner-states';
import type { Owner } from './owners';

const [MAPS, NODES] = [knownResource('configmaps'), knownResource('nodes')];
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

test('who is known is not asked for', async () => {
  const { graph, asked, states } = world();
  graph.put(MAPS, object('o'));
  graph.put(MAPS, object('w', waiting));
  expect(await states.of(child(), owner('o'))).toEqual({ state: 'there', isUnseen: false });
  expect(await states.of(child(), owner('w'))).toEqual({ state: 'waiting', isUnseen: false });
  expect(asked).toEqual([]);
});

test('who is not known is asked for, by many at a time once, and after an absence never again', async () => {
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

test('who is seen to go is absent, even where its kind goes with it', async () => {
  const { kinds, asked, states } = world();
  states.gone('o');
  kinds.clear();
  expect((await states.of(child(), owner('o'))).state).toBe('absent');
  expect((await states.of(child(), owner('p'))).state).toBe('unknown');
  expect(asked).toEqual([]);
});

test('who went after its children had been told to forget it is told apart, once it is gone', async () => {
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

test('an owner that cannot be where it says is told, and never asked for', async () => {
  const { graph, asked, invalid, states } = world();
  expect((await states.of(child(''), owner('o'))).state).toBe('unknown');
  expect([invalid, asked]).toEqual([['o'], []]);
  graph.put(MAPS, object('far', { namespace: 'b' }));
  expect((await states.of(child(), owner('far'))).state).toBe('absent');
  expect([invalid, asked]).toEqual([['o', 'far'], ['far']]);
});

test('where one of several waits, the others are asked for: they may go with it, and news of that may be late', async () => {
  const { graph, server, asked, states } = world();
  for (const uid of ['a', 'b', 'c']) graph.put(MAPS, object(uid, uid === 'a' ? waiting : {}));
  server.set('b', object('b', waiting)).set('c', object('c'));
  expect((await states.ofAll(child(), [owner('b'), owner('c')])).map(({ state }) => state)).toEqual(['there', 'there']);
  expect(asked).toEqual([]);
  const found = await states.ofAll(child(), [owner('a'), owner('b'), owner('c')]);
  expect(found).toEqual(['waiting', 'waiting', 'there'].map((state) => ({ state, isUnseen: false })));
  expect(asked).toEqual(['b', 'c']);
});
