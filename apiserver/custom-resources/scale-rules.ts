/**
 * Validates the fields of a custom resource that its scale subresource uses: replica counts in the range of a scale,
 * and a string selector (upstream behaviour). Validation of all other fields is left to the schema.
 */
import { invalidValue, type FieldError } from '../../shared/api/errors/field-error';
import { formatGoSyntax } from '../../shared/values/go-syntax';
import { isObject, ownMember, type JsonObject, type JsonValue } from '../../shared/values/json';
import { membersOfPath } from '../../shared/api/structural/member-path';
import type { ScalePaths } from '../../shared/api/structural/version';

/** The greatest int32, the type of `spec.replicas` in a Scale. */
const MAX_REPLICAS = 2_147_483_647;

/** Errors of the replica count in the spec. */
export function scaleSpecErrors(object: JsonObject, { specReplicas }: ScalePaths): readonly FieldError[] {
  return replicaErrors(object, specReplicas);
}

/** Errors of the replica count and of the selector in the status. */
export function scaleStatusErrors(object: JsonObject, { statusReplicas, labelSelector }: ScalePaths): readonly FieldError[] {
  return [...replicaErrors(object, statusReplicas), ...(labelSelector === '' ? [] : selectorErrors(object, labelSelector))];
}

function replicaErrors(object: JsonObject, path: string): readonly FieldError[] {
  const field = readField(object, path);
  if ('error' in field) return [invalidValue(path, 0, field.error)];
  const { value } = field;
  if (value === undefined) return [];
  if (typeof value !== 'bigint' && !Number.isInteger(value)) return [invalidValue(path, 0, mismatch(path, value, 'int64'))];
  const replicas = Number(value);
  if (replicas < 0) return [invalidValue(path, replicas, 'should be a non-negative integer')];
  if (replicas > MAX_REPLICAS) return [invalidValue(path, replicas, `should be less than or equal to ${MAX_REPLICAS}`)];
  return [];
}

function selectorErrors(object: JsonObject, path: string): readonly FieldError[] {
  const field = readField(object, path);
  if ('error' in field) return [invalidValue(path, '', field.error)];
  const { value } = field;
  return value === undefined || typeof value === 'string' ? [] : [invalidValue(path, '', mismatch(path, value, 'string'))];
}

/** The value at a path, `undefined` when it is absent; an error when a member on the way is not an object. */
function readField(object: JsonObject, path: string): { readonly value: JsonValue | undefined } | { readonly error: string } {
  let value: JsonValue | undefined = object;
  for (const member of membersOfPath(path)) {
    if (value === undefined) return { value };
    if (!isObject(value)) return { error: mismatch(path, value, 'map[string]interface{}') };
    value = ownMember(value, member);
  }
  return { value };
}

/** The message of upstream's accessor for a value of another type than expected. */
function mismatch(path: string, value: JsonValue, expectedType: string): string {
  return `${path} accessor error: ${valueText(value)} is of the type ${goTypeName(value)}, expected ${expectedType}`;
}

const valueText = (value: JsonValue): string => (typeof value === 'string' ? value : formatGoSyntax(value));

function goTypeName(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (typeof value === 'object') return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
  if (typeof value === 'number' || typeof value === 'bigint') return Number.isInteger(Number(value)) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
