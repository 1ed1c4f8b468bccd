/**
 * Finds the first type error in an object after a strategic merge patch, with the messages of upstream's converter from
 * unstructured objects, which upstream uses for these patches; decoding a JSON body gives others. Checks fields in the
 * order of the type tables.
 */
import { isObject, ownMember, sortedKeys, type JsonValue } from '../../values/json';
import { decodeObject, DecodeError, schemaOf, type FieldType } from '../../api/types';
import { goKind } from './go-format';

type Scalar = Extract<FieldType, { kind: 'scalar' }>['scalar'];

/** The message of the first type error; `undefined` when there is none. `type` is a name of the type tables. */
export function findTypeError(type: string, value: JsonValue): string | undefined {
  if (value === null) return undefined;
  if (!isObject(value)) return `cannot restore struct from: ${goKind(value)}`;
  for (const field of schemaOf(type).fields) {
    const memberValue = ownMember(value, field.name);
    if (memberValue === undefined || memberValue === null) continue;
    const error = memberTypeError(field.type, field.goType, memberValue, (inner) => decodeErrorOf(type, field.name, inner));
    if (error !== undefined) return error;
  }
  return undefined;
}

/** `decodeError` returns the error of decoding a value as this field; `undefined` when it can be decoded. */
function memberTypeError(
  type: FieldType,
  goType: string,
  value: JsonValue,
  decodeError: (value: JsonValue) => string | undefined,
): string | undefined {
  if (value === null) return undefined;
  switch (type.kind) {
    case 'object':
      return findTypeError(type.type, value);
    case 'list':
      if (!Array.isArray(value)) return `cannot restore slice from ${goKind(value)}`;
      return firstError(value, (item) => memberTypeError(type.element, goType.replace(/^\[\]/, ''), item, (inner) => decodeError([inner])));
    case 'map':
      if (!isObject(value)) return `cannot restore map from ${goKind(value)}`;
      return firstError(sortedKeys(value), (key) =>
        memberTypeError(type.element, goType.replace(/^map\[string\]/, ''), value[key] ?? null, (inner) => decodeError({ [key]: inner })),
      );
    case 'either':
      return decodeError(value);
    case 'scalar':
      return scalarTypeError(type.scalar, goType, value, decodeError);
  }
}

function scalarTypeError(
  scalar: Scalar,
  goType: string,
  value: Exclude<JsonValue, null>,
  decodeError: (value: JsonValue) => string | undefined,
): string | undefined {
  const kind = goKind(value);
  switch (scalar) {
    case 'string':
      if (kind === 'string') return undefined;
      return kind === 'int64' ? `cannot convert int64 to ${goType}` : 'unrecognized type: string';
    case 'bool':
      return kind === 'bool' ? undefined : 'unrecognized type: bool';
    case 'int32':
    case 'int64':
    case 'uint32':
      if (kind === 'int64') return decodeError(value);
      return kind === 'float64' ? `cannot convert float64 to ${goType}` : `unrecognized type: ${scalar}`;
    case 'float64':
      return kind === 'int64' || kind === 'float64' ? undefined : 'unrecognized type: float64';
    case 'bytes':
      if (kind === 'string') return prefixed('error decoding from json: ', decodeError(value));
      return kind === 'slice' ? 'unrecognized type: uint8' : `cannot restore slice from ${kind}`;
    case 'strings':
      return kind === 'slice' ? undefined : `cannot restore slice from ${kind}`;
    case 'time':
    case 'microTime':
    case 'duration':
    case 'quantity':
    case 'intOrString':
    case 'raw':
    case 'json':
    case 'fields':
      return decodeError(value);
  }
}

const prefixed = (prefix: string, text: string | undefined): string | undefined => (text === undefined ? undefined : prefix + text);

function firstError<T>(values: readonly T[], errorOf: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const error = errorOf(value);
    if (error !== undefined) return error;
  }
  return undefined;
}

/** The message of decoding an object with only this field, without the location of the field. */
function decodeErrorOf(type: string, member: string, value: JsonValue): string | undefined {
  try {
    decodeObject(type, { [member]: value });
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message.replace(/ into Go struct field \S+ of type /, ' into Go value of type ');
    throw error;
  }
}
