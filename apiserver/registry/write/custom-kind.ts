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
import type { KindInfo } from '../object/resource-info';

/** Of a whole body; returns its kind. Throws StatusError. */
export function checkCustomKind(info: KindInfo, value: JsonObject): string {
  const apiVersion = canonicalApiVersion(stringAt(value, 'apiVersion') ?? '');
  if (apiVersion !== info.apiVersion) {
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${info.apiVersion})`);
  }
  return sameKind(info, value);
}

/** Of a patched object. Throws StatusError or BodyFault. */
export function checkPatchedCustomKind(info: KindInfo, value: JsonObject): void {
  const kind = stringAt(value, 'kind') ?? '';
  if (kind === '') throw new BodyFault(`Object 'Kind' is missing in '${stringifyJson(value, 'sorted')}'`);
  const apiVersion = canonicalApiVersion(stringAt(value, 'apiVersion') ?? '');
  if (apiVersion !== info.apiVersion) {
    const group = parseApiVersion(apiVersion)?.group ?? '';
    throw invalid({ group, kind }, nameIn(value), [invalidValue('apiVersion', apiVersion, `must be ${info.apiVersion}`)]);
  }
  sameKind(info, value);
}

function sameKind(info: KindInfo, value: JsonObject): string {
  const kind = stringAt(value, 'kind') ?? '';
  if (kind === info.kind) return kind;
  throw invalid({ group: info.group, kind }, nameIn(value), [invalidValue('kind', kind, `must be ${info.kind}`)]);
}

function nameIn(value: JsonObject): string {
  return stringAt(readMetadata(value), 'name') ?? '';
}
