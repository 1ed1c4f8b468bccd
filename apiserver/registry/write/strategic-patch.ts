/**
 * Strategic merge patches. Upstream ignores kind and apiVersion in such a patch, and its rejection of a patched
 * object that does not match its kind contains the patch instead of the object.
 */
import { invalidValue } from '../../../shared/api/errors/field-error';
import { isObject, type JsonObject } from '../../../shared/values/json';
import { quote } from '../../../shared/values/text/quote';
import type { DecodedObject } from '../../../shared/api/codec/codec';
import { DecodeError } from '../../../shared/api/types';
import * as status from '../../../shared/api/errors/status';
import { formatGoValue, findTypeError, strategicMerge, StrategicMergeError } from '../../../shared/patch/strategic-merge';
import { jsonKindOf } from '../../../shared/api/types/decode-error';
import { parseJson, ParseError, type ParsedText } from '../../../shared/serialization';
import type { FieldValidation } from '../verbs';
import type { KindInfo } from '../object/resource-info';
import { StrictDecodingError, toStoredMemberSpelling, undecodableBody } from './decode-body';

/** Throws StatusError for an invalid patch; the returned function throws it when the patch cannot be applied. */
export function parseStrategicPatch(
  info: KindInfo,
  bytes: Buffer,
  validation: FieldValidation,
  warn: (text: string) => void,
): (old: JsonObject) => JsonObject {
  const body = parsePatchJson(bytes);
  const given = body.value ?? {};
  if (!isObject(given)) {
    throw status.badRequest(`json: cannot unmarshal ${jsonKindOf(given)} into Go value of type map[string]interface {}`);
  }
  const patch = toStoredMemberSpelling(info, given);
  const duplicates = body.duplicates.map((path) => `duplicate field ${quote(path)}`);
  return (old) => {
    const { object, unknown } = decodePatched(info, mergePatch(info, old, patch), patch);
    if (validation === 'Ignore') return object;
    const errors = [...duplicates, ...[...unknown].sort().map((path) => `unknown field ${quote(path)}`)];
    if (validation === 'Strict' && errors.length > 0) throw undecodableBody(info, new StrictDecodingError(errors));
    for (const error of errors) warn(error);
    return object;
  };
}

function parsePatchJson(bytes: Buffer): ParsedText {
  try {
    return parseJson(bytes);
  } catch (error) {
    throw error instanceof ParseError ? status.badRequest(error.message) : error;
  }
}

function mergePatch(info: KindInfo, old: JsonObject, patch: JsonObject): JsonObject {
  try {
    const { kind: _kind, apiVersion: _apiVersion, ...merged } = strategicMerge(info.type, old, patch);
    return merged;
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    throw error.category === 'form' ? status.badRequest(error.message) : status.clientError(error.message);
  }
}

function decodePatched(info: KindInfo, value: JsonObject, patch: JsonObject): DecodedObject {
  try {
    return info.codec.decode(value);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw unfitError(patch, findTypeError(info.type, value) ?? error.message);
  }
}

const unfitError = (patch: JsonObject, text: string): status.StatusError =>
  status.invalid({ group: '', kind: '' }, '', [invalidValue('patch', formatGoValue(patch), text)]);
