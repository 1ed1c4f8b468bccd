/** ConfigMap (behaviour-reference §5.11). */
import { forbiddenField, invalidValue, tooLong, type FieldError } from '../../../../shared/api/errors/field-error';
import { equalJson, objectAt, own, sortedKeys, type JsonObject } from '../../../../shared/values/json';
import { configKey } from '../../../../shared/values/name-formats';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';

const MOST_BYTES = 1_048_576;

export const configMap: Strategy = {
  validate,
  update: {
    stages: UPDATE.changeThenObject,
    validate: (object, old) => immutableErrors(object, old, ['data', 'binaryData']),
  },
};

/** Errors for a change of what `immutable: true` protects; shared with Secret. */
export function immutableErrors(object: JsonObject, old: JsonObject, members: readonly string[]): readonly FieldError[] {
  if (own(old, 'immutable') !== true) return [];
  const text = 'field is immutable when `immutable` is set';
  const errors: FieldError[] = [];
  if (own(object, 'immutable') !== true) errors.push(forbiddenField('immutable', text));
  for (const member of members) {
    if (!equalJson(own(object, member) ?? {}, own(old, member) ?? {})) errors.push(forbiddenField(member, text));
  }
  return errors;
}

function validate(object: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const data = objectAt(object, 'data');
  const binaryData = objectAt(object, 'binaryData');
  let size = 0;
  if (data !== undefined) {
    for (const key of sortedKeys(data)) {
      for (const text of configKey(key)) errors.push(invalidValue(`data[${key}]`, key, text));
      if (binaryData !== undefined && Object.hasOwn(binaryData, key)) {
        errors.push(invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'));
      }
      const value = data[key];
      if (typeof value === 'string') size += utf8Size(value);
    }
  }
  if (binaryData !== undefined) {
    for (const key of sortedKeys(binaryData)) {
      for (const text of configKey(key)) errors.push(invalidValue(`binaryData[${key}]`, key, text));
      const value = binaryData[key];
      if (typeof value === 'string') size += decodedSize(value);
    }
  }
  if (size > MOST_BYTES) errors.push(tooLong('[]', MOST_BYTES));
  return errors;
}

const utf8Size = (text: string): number => Buffer.byteLength(text);

/** Bytes that a base64 text stands for. */
export const decodedSize = (base64: string): number => Buffer.byteLength(base64, 'base64');
