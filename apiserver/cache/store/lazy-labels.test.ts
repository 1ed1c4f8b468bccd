import { createEntry } from './entry';
import { encodeStoredValue } from './stored-value';
import type { Entry, Labels, StoredType } from '../cache';

const TYPE: StoredType = { name: 'configmaps', segment: 'configmaps', namespaced: true };

function entryWith(labels: Labels | undefined, fields: Labels | undefined): Entry {
  const body = '{"metadata":{"name":"a","creationTimestamp":null}}';
  return createEntry(TYPE, 'ns/a', 7, encodeStoredValue({ body, versionOffset: 12, labels, fields, isDialectSensitive: false }));
}

const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`example.com/k${n}`, `v${n}`]));

it('lazyLabels behaves like an object of many labels', () => {
  const { labels, fields } = entryWith(many, { 'status.phase': 'Running', odd: '"},"f":{"' });
  expect(labels['example.com/k4999']).toBe('v4999');
  expect(labels['example.com/k5']).toBe('v5');
  expect(labels['k5']).toBeUndefined();
  expect(labels['toString']).toBeUndefined();
  expect('example.com/k1' in labels).toBe(true);
  expect(Object.hasOwn(labels, 'example.com/k1')).toBe(true);
  expect(Object.hasOwn(labels, 'constructor')).toBe(false);
  expect({ ...labels }).toEqual(many);
  expect(fields).toEqual({ 'status.phase': 'Running', odd: '"},"f":{"' });
});

it('createEntry reads long headers that have only labels or only fields', () => {
  expect(entryWith(many, undefined).fields).toEqual({});
  const long = { a: 'x'.repeat(20_000) };
  expect(entryWith(undefined, long)).toMatchObject({ fields: long });
  expect({ ...entryWith(undefined, long).labels }).toEqual({});
});
