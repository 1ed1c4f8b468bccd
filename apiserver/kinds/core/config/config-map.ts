/**
 * ConfigMap strategy: each key is valid and in only one of `data` and `binaryData`, all values together are at most
 * 1 MiB, and an immutable ConfigMap keeps its data. Two of its rules are shared with Secrets.
 */
import { forbiddenField, invalidValue, tooLongValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { CoreV1ConfigMap, CoreV1Secret } from '../../../../shared/api/types/generated/members';
import { equalJson, sortedKeys } from '../../../../shared/values/json';
import { checkConfigKey } from '../../../../shared/values/name-formats';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';
import { checkFormat, type AnyMemberOf, type Errors } from '../../rules/checks';

const MAX_BYTES = 1_048_576;

export const configMap: Strategy<CoreV1ConfigMap> = {
  validate,
  update: {
    stages: UPDATE.changeThenObject,
    validate(object, old) {
      const errors: Errors = [];
      checkImmutable(object, old, ['data', 'binaryData'], errors);
      return errors;
    },
  },
};

/** Rejects changes of `members` in an object with `immutable: true`. Shared with Secret. */
export function checkImmutable<T extends CoreV1ConfigMap | CoreV1Secret>(
  object: T,
  old: T,
  members: readonly AnyMemberOf<T>[],
  errors: Errors,
): void {
  if (old.immutable !== true) return;
  const text = 'field is immutable when `immutable` is set';
  if (object.immutable !== true) errors.push(forbiddenField('immutable', text));
  for (const member of members) {
    if (!equalJson(object[member] ?? {}, old[member] ?? {})) errors.push(forbiddenField(member, text));
  }
}

function validate({ data = {}, binaryData = {} }: CoreV1ConfigMap): readonly FieldError[] {
  const errors: Errors = [];
  let size = 0;
  for (const key of sortedKeys(data)) {
    checkFormat(key, `data[${key}]`, checkConfigKey, errors);
    if (Object.hasOwn(binaryData, key)) errors.push(invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    size += Buffer.byteLength(data[key] ?? '');
  }
  for (const key of sortedKeys(binaryData)) {
    checkFormat(key, `binaryData[${key}]`, checkConfigKey, errors);
    size += decodedSize(binaryData[key]);
  }
  if (size > MAX_BYTES) errors.push(tooLongValue('[]', MAX_BYTES));
  return errors;
}

/** Number of bytes that the base64 text encodes; 0 for an absent one. Shared with Secret. */
export const decodedSize = (base64: string | null | undefined): number => Buffer.byteLength(base64 ?? '', 'base64');
