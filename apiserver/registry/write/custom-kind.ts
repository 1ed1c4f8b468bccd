/**
 * Whether a body is of the custom kind that it was sent for. Nothing is filled in, and what is wrong is told otherwise than of built-in kinds (upstream
 * behaviour): a body of another version is refused at once, one of another kind as an invalid object.
 */
import { invalidValue } from '../../../shared/api/errors/field-error';
import { parseApiVersion } from '../../../shared/api/identity/identity';
import { stringAt, stringifyJson, type JsonObject } from '../../../shared/values/json';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { badRequest, invalid } from '../../../shared/api/errors/status';
import { canonicalApiVersion } from '../../../shared/names/dialect';
import { BodyFault } from './body-fault';
import type { KindPlan } from '../object/resource-info';

/** Of a whole body; returns its kind. Throws StatusError. */
export function checkCustomKind(plan: KindPlan, value: JsonObject): string {
  const apiVersion = canonicalApiVersion(stringAt(value, 'apiVersion') ?? '');
  if (apiVersion !== plan.apiVersion) {
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${plan.apiVersion})`);
  }
  return sameKind(plan, value);
}

/** Of a patched object. Throws StatusError or BodyFault. */
export function checkPatchedCustomKind(plan: KindPlan, value: JsonObject): void {
  const kind = stringAt(value, 'kind') ?? '';
  if (kind === '') throw new BodyFault(`Object 'Kind' is missing in '${stringifyJson(value, 'sorted')}'`);
  const apiVersion = canonicalApiVersion(stringAt(value, 'apiVersion') ?? '');
  if (apiVersion !== plan.apiVersion) {
    const group = parseApiVersion(apiVersion)?.group ?? '';
    throw invalid({ group, kind }, nameIn(value), [invalidValue('apiVersion', apiVersion, `must be ${plan.apiVersion}`)]);
  }
  sameKind(plan, value);
}

function sameKind(plan: KindPlan, value: JsonObject): string {
  const kind = stringAt(value, 'kind') ?? '';
  if (kind === plan.kind) return kind;
  throw invalid({ group: plan.group, kind }, nameIn(value), [invalidValue('kind', kind, `must be ${plan.kind}`)]);
}

function nameIn(value: JsonObject): string {
  return stringAt(readMetadata(value), 'name') ?? '';
}
