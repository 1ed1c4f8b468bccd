/**
 * From the body of a strategic merge patch to the changed object. What such a patch says of kind and apiVersion
 * counts for nothing; a patched object that does not fit its kind is refused with the patch, not the object, in the answer (upstream behaviour).
 */
import { invalidValue } from '../../../shared/api/errors/field-error';
import { isObject, type JsonObject } from '../../../shared/values/json';
import { quote } from '../../../shared/values/quote';
import { DecodeError } from '../../../shared/api/types';
import * as status from '../../../shared/api/errors/status';
import { formatGoValue, findTypeError, strategicMerge, StrategicMergeError } from '../../../shared/patch/strategic-merge';
import { jsonKindOf } from '../../../shared/api/types/decode-error';
import { parseJson, SyntaxFault, type ParsedText } from '../../../shared/serialization';
import type { FieldValidation } from '../verbs';
import { StrictFault, unreadable } from './body-fault';
import { inStoredSpelling } from './document-spelling';
import type { KindInfo } from '../object/resource-info';

/** Throws StatusError for a patch that cannot be read; what it returns throws it for one that cannot be applied. */
export function readStrategicPatch(
  info: KindInfo,
  bytes: Buffer,
  validation: FieldValidation,
  warn: (text: string) => void,
): (old: JsonObject) => JsonObject {
  const body = parse(bytes);
  const given = body.value ?? {};
  if (!isObject(given)) {
    throw status.badRequest(`json: cannot unmarshal ${jsonKindOf(given)} into Go value of type map[string]interface {}`);
  }
  const patch = inStoredSpelling(info, given);
  const duplicates = body.duplicates.map((path) => `duplicate field ${quote(path)}`);
  return (old) => {
    const { object, unknown } = decode(info, merge(info, old, patch), patch);
    if (validation === 'Ignore') return object;
    const faults = [...duplicates, ...[...unknown].sort().map((path) => `unknown field ${quote(path)}`)];
    if (validation === 'Strict' && faults.length > 0) throw unreadable(info, new StrictFault(faults));
    for (const fault of faults) warn(fault);
    return object;
  };
}

function parse(bytes: Buffer): ParsedText {
  try {
    return parseJson(bytes);
  } catch (error) {
    throw error instanceof SyntaxFault ? status.badRequest(error.message) : error;
  }
}

function merge(info: KindInfo, old: JsonObject, patch: JsonObject): JsonObject {
  try {
    const { kind: _kind, apiVersion: _apiVersion, ...merged } = strategicMerge(info.type, old, patch);
    return merged;
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    throw error.category === 'form' ? status.badRequest(error.message) : status.clientError(error.message);
  }
}

function decode(info: KindInfo, value: JsonObject, patch: JsonObject): ReturnType<KindInfo['codec']['decode']> {
  try {
    return info.codec.decode(value);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw unfit(patch, findTypeError(info.type, value) ?? error.message);
  }
}

const unfit = (patch: JsonObject, text: string): status.StatusError =>
  status.invalid({ group: '', kind: '' }, '', [invalidValue('patch', formatGoValue(patch), text)]);
