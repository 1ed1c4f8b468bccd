/** Parses the tolerations in an annotation of a namespace, which no schema has checked. Errors have upstream's words. */
import { DecodeError, decodeObject, jsonKindOf } from '../../../../shared/api/types';
import type { CoreV1Toleration } from '../../../../shared/api/types/generated/members';
import { parseJson } from '../../../../shared/serialization';
import { isObject, type JsonValue } from '../../../../shared/values/json';

const GO_TYPE = 'v1.Toleration';

/** Unknown members are dropped; `null` is an empty list or toleration. Throws ParseError or DecodeError. */
export function parseTolerations(text: string): readonly CoreV1Toleration[] {
  const { value } = parseJson(Buffer.from(text));
  if (value === null) return [];
  if (!Array.isArray(value)) throw mismatch(value, `[]${GO_TYPE}`);
  return value.map((item) => {
    if (item !== null && !isObject(item)) throw mismatch(item, GO_TYPE);
    return decodeObject('core.v1.Toleration', item ?? {}).object;
  });
}

const mismatch = (value: JsonValue, goType: string): DecodeError =>
  new DecodeError(`json: cannot unmarshal ${jsonKindOf(value)} into Go value of type ${goType}`);
