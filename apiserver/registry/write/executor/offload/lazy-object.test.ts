import { ensureMetadata } from '../../../../../shared/api/metadata/object-meta';
import { objectAt, type JsonObject } from '../../../../../shared/values/json';
import { applyChanges, LazyObject, toObjectParts } from './lazy-object';

const OBJECT: JsonObject = {
  metadata: { name: 'a', labels: { x: 'y' }, finalizers: ['f'] },
  spec: { long: 9_007_199_254_740_993n, list: [1, 'two', null] },
  data: { '2': 'b', '1': 'a' },
};
const transferred = (object = OBJECT): LazyObject => new LazyObject(structuredClone(toObjectParts(object)));

it('LazyObject equals the object of its parts', () => {
  expect(transferred().object).toEqual(OBJECT);
});

it('LazyObject has no changes after reads', () => {
  const read = transferred();
  expect(structuredClone(read.object)).toEqual(OBJECT);
  expect(read.changes()).toEqual({ members: [], metadata: [] });
});

it('LazyObject returns changed, added and removed members', () => {
  const changed = transferred();
  const metadata = ensureMetadata(changed.object);
  metadata['annotations'] = { by: 'plug-in' };
  delete metadata['finalizers'];
  const list = objectAt(changed.object, 'spec')?.['list'];
  if (!Array.isArray(list)) throw new Error('no list');
  list.push(4);
  delete changed.object['data'];
  changed.object['extra'] = 'new';
  const target = structuredClone(OBJECT);
  applyChanges(target, structuredClone(changed.changes()));
  expect(target).toEqual({
    metadata: { name: 'a', labels: { x: 'y' }, annotations: { by: 'plug-in' } },
    spec: { long: 9_007_199_254_740_993n, list: [1, 'two', null, 4] },
    extra: 'new',
  });
});

it('LazyObject returns replaced metadata', () => {
  const changed = transferred();
  changed.object['metadata'] = { name: 'b' };
  const target = structuredClone(OBJECT);
  applyChanges(target, changed.changes());
  expect(target['metadata']).toEqual({ name: 'b' });
});

it('LazyObject treats __proto__ and constructor as ordinary keys', () => {
  const odd: JsonObject = JSON.parse('{"metadata":{"__proto__":{"a":1}},"constructor":{"b":2}}');
  const read = transferred(odd);
  expect(JSON.stringify(read.object)).toBe('{"metadata":{"__proto__":{"a":1}},"constructor":{"b":2}}');
  expect(read.changes()).toEqual({ members: [], metadata: [] });
});
