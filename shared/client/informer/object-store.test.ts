import { apiObject, type ApiObject } from '../rest/api-object';
import { ObjectStore } from './object-store';

const labelled = (name: string, value: string) => apiObject({ metadata: { namespace: 'n', name, labels: { value } } });
const namesOf = (objects: readonly ApiObject[]): readonly string[] => objects.map(({ name }) => name);

test('ObjectStore finds the objects of an index value as they are set, changed and removed', () => {
  const store = new ObjectStore({ value: ({ metadata }) => Object.values(metadata.labels ?? {}) });
  store.set(labelled('a', 'x'));
  store.set(labelled('b', 'x'));
  expect(namesOf(store.byIndex('value', 'x'))).toEqual(['a', 'b']);
  store.set(labelled('a', 'y'));
  expect(namesOf(store.byIndex('value', 'x'))).toEqual(['b']);
  expect(namesOf(store.byIndex('value', 'y'))).toEqual(['a']);
  store.remove('n/b');
  expect(store.byIndex('value', 'x')).toEqual([]);
});

test('ObjectStore throws for an index that it does not have', () => {
  const store = new ObjectStore({ value: () => [] });
  expect(() => store.byIndex('other', 'x')).toThrow('there is no index other');
});
