/**
 * Parses the applied configuration of a server-side apply and checks it against the schema of the kind: its kind and
 * apiVersion, unknown and duplicate fields. The configuration is merged into the object in apply.ts.
 */
import { jsonKindOf } from '../../../shared/api/types/decode-error';
import { apiVersionOf, parseApiVersion } from '../../../shared/api/identity/identity';
import { isObject, objectAt, ownMember, stringAt, type JsonObject } from '../../../shared/values/json';
import * as status from '../../../shared/api/errors/status';
import { canonicalGroup } from '../../../shared/names/dialect';
import { shapeErrors } from '../../../shared/patch/apply/typed';
import { removeUnknownFields } from '../../../shared/patch/apply/unknown-fields';
import type { Clock } from '../../../shared/runtime/clock';
import { fieldErrors, parseYaml, ParseError, type ParsedText } from '../../../shared/serialization';
import type { FieldValidation } from '../verbs';
import { ownershipOf } from './managed-fields';
import type { KindInfo } from '../object/resource-info';
import { toStoredMemberSpelling } from '../object/decode-body';

/** How unknown and duplicate fields of a configuration are treated. */
export interface ConfigurationValidation {
  readonly fieldValidation: FieldValidation;
  readonly warn: (text: string) => void;
}

/**
 * Parses an applied configuration. Rejects with a 400 StatusError. The result has no kind, no apiVersion and no unknown
 * fields.
 */
export async function parseApplyConfiguration(
  info: KindInfo,
  bytes: Buffer,
  validation: ConfigurationValidation,
  clock: Clock,
): Promise<JsonObject> {
  const parsed = await parseConfigurationYaml(bytes, clock);
  const { value } = parsed;
  if (value !== null && !isObject(value)) {
    throw status.badRequest(
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: ' +
        `json: cannot unmarshal ${jsonKindOf(value)} into Go value of type map[string]interface {}`,
    );
  }
  const { kind, apiVersion, ...config } = value ?? {};
  checkTypeMeta(info, typeof apiVersion === 'string' ? apiVersion : '', typeof kind === 'string' ? kind : '');
  const managedFields = ownMember(objectAt(config, 'metadata') ?? {}, 'managedFields');
  if (Array.isArray(managedFields)) throw status.badRequest('metadata.managedFields must be nil');
  return checkConfigurationFields(info, toStoredMemberSpelling(info, config), parsed, validation);
}

/** Reports unknown and duplicate fields as `fieldValidation` requires. Returns the configuration without unknown fields. */
function checkConfigurationFields(
  info: KindInfo,
  config: JsonObject,
  parsed: ParsedText,
  { fieldValidation, warn }: ConfigurationValidation,
): JsonObject {
  const { shape } = ownershipOf(info, undefined).served;
  const { object, unknown } = removeUnknownFields(shape, config);
  const isStrict = fieldValidation === 'Strict';
  if (isStrict && unknown.length === 0 && parsed.duplicates.length > 0) {
    const text = parsed.duplicates.map((line) => `\n  ${line}`).join('');
    throw status.badRequest(`error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:${text}`);
  }
  if (fieldValidation === 'Ignore' || (unknown.length === 0 && parsed.duplicates.length === 0)) return object;
  // Errors of the wrong type are reported when the configuration is applied; the response then does not list unknown fields.
  if (shapeErrors(shape, object).length > 0) return object;
  if (isStrict) throw typedPatchError(info, config, [...shapeErrors(shape, config), ...parsed.duplicates]);
  for (const error of fieldErrors(parsed, [...unknown].sort(), 'warn')) warn(error);
  return object;
}

async function parseConfigurationYaml(bytes: Buffer, clock: Clock): Promise<ParsedText> {
  try {
    return await parseYaml(bytes, clock);
  } catch (error) {
    throw error instanceof ParseError ? status.badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`) : error;
  }
}

function checkTypeMeta(info: KindInfo, apiVersion: string, kind: string): void {
  const given = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  const gv = { group: canonicalGroup(given.group), version: given.version };
  if (kind !== info.row.kind || apiVersionOf(gv) !== info.apiVersion) {
    throw status.badRequest(`invalid object type: ${gv.group}/${gv.version}, Kind=${kind}`);
  }
}

/** The rejection of a configuration that does not fit the schema. `errors`: one text for each wrong field. */
export function typedPatchError(info: KindInfo, config: JsonObject, errors: readonly string[]): Error {
  const text = errors.length === 1 ? errors.join('') : `errors:${errors.map((error) => `\n  ${error}`).join('')}`;
  return status.clientError(`failed to create typed patch object (${namespacedNameOf(config)}; ${typeTextOf(info)}): ${text}`);
}

/** `namespace/name`, for messages. */
export function namespacedNameOf(object: JsonObject): string {
  const metadata = objectAt(object, 'metadata') ?? {};
  return `${stringAt(metadata, 'namespace') ?? ''}/${stringAt(metadata, 'name') ?? ''}`;
}

/** `apps/v1, Kind=Deployment`, for messages. */
export const typeTextOf = (info: KindInfo): string => `${info.row.group}/${info.row.version}, Kind=${info.row.kind}`;
