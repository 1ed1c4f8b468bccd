/**
 * Why an object that a strategic merge patch made does not fit its type, in the words that upstream has for these patches (a JSON body's fault
 * reads differently). Walks members in the tables' order and stops at the first fault.
 */
import { isObject, own, sortedKeys, type JsonValue } from '../../values/json';
import { decodeObject, DecodeError, schemaOf, type FieldType } from '../../api/types';
import { goKind } from './go-format';

type Scalar = Extract<FieldType, { kind: 'scalar' }>['scalar'];

/** The first fault; undefined = this walk finds none. */
export function misfit(type: string, value: JsonValue): string | undefined {
  if (value === null) return undefined;
  if (!isObject(value)) return `cannot restore struct from: ${goKind(value)}`;
  for (const field of schemaOf(type).fields) {
    const found = own(value, field.name);
    if (found === undefined || found === null) continue;
    const fault = memberMisfit(field.type, field.goType, found, (inner) => decodeFault(type, field.name, inner));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** `decodes` says what decoding finds wrong with a member of this type. */
function memberMisfit(
  type: FieldType,
  goType: string,
  value: JsonValue,
  decodes: (value: JsonValue) => string | undefined,
): string | undefined {
  if (value === null) return undefined;
  switch (type.kind) {
    case 'object':
      return misfit(type.type, value);
    case 'list':
      if (!Array.isArray(value)) return `cannot restore slice from ${goKind(value)}`;
      return firstFault(value, (item) => memberMisfit(type.element, goType.replace(/^\[\]/, ''), item, (inner) => decodes([inner])));
    case 'map':
      if (!isObject(value)) return `cannot restore map from ${goKind(value)}`;
      return firstFault(sortedKeys(value), (key) =>
        memberMisfit(type.element, goType.replace(/^map\[string\]/, ''), value[key] ?? null, (inner) => decodes({ [key]: inner })),
      );
    case 'either':
      return decodes(value);
    case 'scalar':
      return scalarMisfit(type.scalar, goType, value, decodes);
  }
}

function scalarMisfit(
  scalar: Scalar,
  goType: string,
  value: Exclude<JsonValue, null>,
  decodes: (value: JsonValue) => string | undefined,
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
      if (kind === 'int64') return decodes(value);
      return kind === 'float64' ? `cannot convert float64 to ${goType}` : `unrecognized type: ${scalar}`;
    case 'float64':
      return kind === 'int64' || kind === 'float64' ? undefined : 'unrecognized type: float64';
    case 'bytes':
      if (kind === 'string') return prefixed('error decoding from json: ', decodes(value));
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
      return decodes(value);
  }
}

const prefixed = (prefix: string, text: string | undefined): string | undefined => (text === undefined ? undefined : prefix + text);

function firstFault<T>(values: readonly T[], faultOf: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const fault = faultOf(value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** What decoding says of the one member, without the words that tell where it stands. */
function decodeFault(type: string, member: string, value: JsonValue): string | undefined {
  try {
    decodeObject(type, { [member]: value });
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message.replace(/ into Go struct field \S+ of type /, ' into Go value of type ');
    throw error;
  }
}
