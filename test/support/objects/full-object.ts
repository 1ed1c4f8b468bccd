/**
 * Builds an object of any type with every member set, always the same. It follows the type tables, so that new kinds
 * need no code here.
 */
import type { JsonObject, JsonValue } from '../../../shared/values/json';
import { schemaOf } from '../../../shared/api/types';
import type { EitherType, FieldType, Scalar } from '../../../shared/api/types/types';

const VALUES: Readonly<Record<Scalar, JsonValue>> = {
  bool: true,
  int32: -7,
  int64: 9_007_199_254_740_993n,
  uint32: 8,
  float64: 1.5,
  string: 'text é',
  bytes: 'AAEC/w==',
  time: '2026-01-02T03:04:05Z',
  microTime: '2026-01-02T03:04:05.000006Z',
  duration: '1m30s',
  quantity: '1500m',
  intOrString: 'http',
  raw: { a: [1, 'x'] },
  json: { a: [1, 'x'] },
  fields: { 'f:a': {} },
  strings: ['a', 'b'],
};

/** Values of types that are either an object or something else. */
const EITHER_VALUES: Readonly<Record<EitherType['or'], (object: () => JsonObject) => JsonValue>> = {
  bool: (object) => object(),
  list: (object) => [object(), {}],
  strings: () => ['a', 'b'],
};

/** The object is in canonical form. `above`: the types that contain it; a type within itself becomes an empty object. */
export function fullObjectOf(type: string, above: readonly string[] = []): JsonObject {
  if (above.includes(type)) return {};
  const fields = schemaOf(type).fields.map((field): [string, JsonValue] => [field.name, valueOf(field.type, [...above, type])]);
  return Object.fromEntries(fields);
}

function valueOf(type: FieldType, above: readonly string[]): JsonValue {
  switch (type.kind) {
    case 'scalar':
      return VALUES[type.scalar];
    case 'either':
      return EITHER_VALUES[type.or](() => fullObjectOf(type.object, above));
    case 'object':
      return fullObjectOf(type.type, above);
    case 'list':
      return [valueOf(type.element, above), valueOf(type.element, above)];
    case 'map':
      return { b: valueOf(type.element, above), a: valueOf(type.element, above) };
  }
}
