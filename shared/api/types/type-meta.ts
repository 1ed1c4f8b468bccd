/** Reads what a body says of its own kind, before anything else is known of it. */
import { isObject, type JsonValue } from '../../values/json';
import { DecodeError, kindOf } from './decode-error';

/** `kind` and `apiVersion` of any parsed body, empty when absent; throws DecodeError with upstream's text when it is no object or they are no strings. */
export function readTypeMeta(value: JsonValue): { apiVersion: string; kind: string } {
  if (value === null) return { apiVersion: '', kind: '' };
  if (!isObject(value))
    throw typeMetaFault(
      value,
      `value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  const read = (member: string): string => {
    const found = Object.hasOwn(value, member) ? (value[member] ?? null) : null;
    if (found === null || typeof found === 'string') return found ?? '';
    throw typeMetaFault(found, `struct field .${member} of type string`);
  };
  return { apiVersion: read('apiVersion'), kind: read('kind') };
}

function typeMetaFault(value: JsonValue, into: string): DecodeError {
  return new DecodeError(`couldn't get version/kind; json parse error: json: cannot unmarshal ${kindOf(value)} into Go ${into}`);
}
