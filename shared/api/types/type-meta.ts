/**
 * Reads the kind and apiVersion of a body before its type is known. Whether the kind is served is left to the callers.
 */
import { isObject, type JsonValue } from '../../values/json';
import { DecodeError, jsonKindOf } from './decode-error';

/**
 * The `kind` and `apiVersion` of any parsed body; empty when they are absent or null, and for a body that is null. Throws
 * DecodeError with upstream's message when the body is another value that is not an object, or a member is no string.
 */
export function readTypeMeta(value: JsonValue): { apiVersion: string; kind: string } {
  if (value === null) return { apiVersion: '', kind: '' };
  if (!isObject(value))
    throw typeMetaError(
      value,
      `value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  const read = (member: string): string => {
    const memberValue = Object.hasOwn(value, member) ? (value[member] ?? null) : null;
    if (memberValue === null || typeof memberValue === 'string') return memberValue ?? '';
    throw typeMetaError(memberValue, `struct field .${member} of type string`);
  };
  return { apiVersion: read('apiVersion'), kind: read('kind') };
}

function typeMetaError(value: JsonValue, into: string): DecodeError {
  return new DecodeError(`couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonKindOf(value)} into Go ${into}`);
}
