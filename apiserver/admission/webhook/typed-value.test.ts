/** Typed CEL values, compared with the values of the JSON that the encoder writes. */
import { codecOf } from '../../../shared/api/codec/codec';
import { SERVED_KINDS } from '../../../shared/api/kinds';
import { untypedValue } from '../../../shared/expression/untyped-json';
import { ListValue, MapValue, type Value } from '../../../shared/expression/values/value';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import type { JsonObject, JsonValue } from '../../../shared/values/json';
import { fullObjectOf } from '../../../test/support/objects/full-object';
import { parseObject, kindView } from './object-view';

/** A CEL value as plain data: lists as arrays, maps as arrays of their entries in order. */
function toPlainData(value: Value | undefined): unknown {
  if (value instanceof ListValue) return [...value].map(toPlainData);
  if (value instanceof MapValue) return [...value.keys()].map((key) => [key, toPlainData(value.find(key))]);
  return typeof value === 'bigint' ? `${value}n` : value;
}

/** The object with empty texts, lists and objects as members. */
const withEmptyValues = (object: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, emptyValueOf(value)]));

/** Numbers and booleans are returned as they are. */
function emptyValueOf(value: JsonValue): JsonValue {
  if (typeof value === 'string') return '';
  if (typeof value !== 'object') return value;
  return Array.isArray(value) ? [] : {};
}

describe.each(['kubernetes', 'platform'] as const)('typed CEL value in the %s spelling', (naming) => {
  const names = GENERATED_NAMES[naming];

  test.each(
    SERVED_KINDS.filter(({ storedAs }) => storedAs === undefined).map((row) => [`${row.kind} ${row.group}/${row.version}`, row] as const),
  )('reads %s as its JSON text does', (_title, row) => {
    const full = codecOf(row).decode(fullObjectOf(row.type)).object;
    const view = kindView(row, names);
    for (const object of [
      full,
      {},
      withEmptyValues(full),
      { metadata: { labels: { b: 'x', a: 'y' }, ownerReferences: [{ apiVersion: 'apps.platform.io/v1', kind: 'K' }] } },
    ])
      expect(toPlainData(view.value(object))).toEqual(toPlainData(untypedValue(parseObject(view.text(object)))));
  });
});

test('typed CEL value reads only the member that an expression reads', () => {
  const [row] = SERVED_KINDS.filter(({ kind }) => kind === 'ConfigMap');
  if (row === undefined) throw new Error('no ConfigMap');
  const object: JsonObject = { metadata: { name: 'm' } };
  Object.defineProperty(object, 'data', {
    enumerable: true,
    get: () => {
      throw new Error('read');
    },
  });
  const value = kindView(row, GENERATED_NAMES.platform).value(object);
  const metadata = value instanceof MapValue ? value.find('metadata') : undefined;
  expect(metadata instanceof MapValue && metadata.find('name')).toBe('m');
});
