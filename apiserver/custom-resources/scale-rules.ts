/**
 * Validates the fields of a custom resource that its scale subresource uses: replica counts in the range of a scale,
 * and a string selector (upstream behaviour).
 */
import { invalidValue, type FieldError } from '../../shared/api/errors/field-error';
import { formatGoSyntax } from '../../shared/values/go-syntax';
import { isObject, ownMember, type JsonObject, type JsonValue } from '../../shared/values/json';
import { membersOfPath } from '../../shared/api/structural/member-path';
import type { ScalePaths } from '../../shared/api/structural/version';

const MAX_REPLICAS = 2_147_483_647;

export function scaleSpecErrors(object: JsonObject, { specReplicas }: ScalePaths): readonly FieldError[] {
  return replicaErrors(object, specReplicas);
}

export function scaleStatusErrors(object: JsonObject, { statusReplicas, labelSelector }: ScalePaths): readonly FieldError[] {
  const selector = labelSelector === '' ? undefined : readAtPath(object, labelSelector, 'string');
  return [...replicaErrors(object, statusReplicas), ...(typeof selector === 'string' ? [invalidValue(labelSelector, '', selector)] : [])];
}

function replicaErrors(object: JsonObject, path: string): readonly FieldError[] {
  const replicas = readAtPath(object, path, 'int64');
  if (replicas === undefined) return [];
  if (typeof replicas === 'string') return [invalidValue(path, 0, replicas)];
  if (replicas.number < 0) return [invalidValue(path, replicas.number, 'should be a non-negative integer')];
  if (replicas.number > MAX_REPLICAS) return [invalidValue(path, replicas.number, `should be less than or equal to ${MAX_REPLICAS}`)];
  return [];
}

/** The number at a path, or an error message; `undefined` when the field is absent or, for a string, valid. */
function readAtPath(object: JsonObject, path: string, wanted: 'int64' | 'string'): { readonly number: number } | string | undefined {
  let value: JsonValue | undefined = object;
  for (const member of membersOfPath(path)) {
    if (value === undefined) return undefined;
    if (!isObject(value)) return mismatch(path, value, 'map[string]interface{}');
    value = ownMember(value, member);
  }
  if (value === undefined) return undefined;
  if (wanted === 'string') return typeof value === 'string' ? undefined : mismatch(path, value, 'string');
  const isWhole = typeof value === 'bigint' || Number.isInteger(value);
  return isWhole ? { number: Number(value) } : mismatch(path, value, 'int64');
}

function mismatch(path: string, value: JsonValue, wanted: string): string {
  return `${path} accessor error: ${shown(value)} is of the type ${goTypeName(value)}, expected ${wanted}`;
}

const shown = (value: JsonValue): string => (typeof value === 'string' ? value : formatGoSyntax(value));

function goTypeName(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (typeof value === 'object') return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
  if (typeof value === 'number' || typeof value === 'bigint') return Number.isInteger(Number(value)) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
