import type { JsonObject } from '../../../../../shared/values/json';
import { applyChanges, ShownObject, shownParts } from './shown-object';

const OBJECT: JsonObject = {
  metadata: { name: 'a', labels: { x: 'y' }, finalizers: ['f'] },
  spec: { long: 9_007_199_254_740_993n, list: [1, 'two', null] },
  data: { '2': 'b', '1': 'a' },
};
const shown = (object = OBJECT): ShownObject => new ShownObject(structuredClone(shownParts(object)));

it('is the object whose parts it is made from', () => {
  expect(shown().object).toEqual(OBJECT);
});

it('has no changes when its parts have only been read', () => {
  const read = shown();
  expect(structuredClone(read.object)).toEqual(OBJECT);
  expect(read.changes()).toEqual({ members: [], metadata: [] });
});

it('sends back what has been changed, added and removed', () => {
  const changed = shown();
  const { metadata } = changed.object;
  Object.assign(Object(metadata), { annotations: { by: 'plug-in' } });
  delete Object(metadata).finalizers;
  Object(changed.object['spec']).list.push(4);
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

it('sends back metadata that has been replaced', () => {
  const changed = shown();
  changed.object['metadata'] = { name: 'b' };
  const target = structuredClone(OBJECT);
  applyChanges(target, changed.changes());
  expect(target['metadata']).toEqual({ name: 'b' });
});

it('treats __proto__ and constructor as ordinary members', () => {
  const odd: JsonObject = JSON.parse('{"metadata":{"__proto__":{"a":1}},"constructor":{"b":2}}');
  const read = shown(odd);
  expect(JSON.stringify(read.object)).toBe('{"metadata":{"__proto__":{"a":1}},"constructor":{"b":2}}');
  expect(read.changes()).toEqual({ members: [], metadata: [] });
});
