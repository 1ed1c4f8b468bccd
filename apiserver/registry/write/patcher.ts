/**
 * JSON patches, merge patches and strategic merge patches: parses a patch once, applies it to the state of each
 * attempt and decodes the result. Server-side apply is in apply.ts.
 *
 * As in upstream, a strategic merge patch differs from the others: its kind and apiVersion are ignored, and the rejection of
 * a patched object that does not match its kind shows the patch instead of the object.
 */
import { jsonKindOf } from '../../../shared/api/types/decode-error';
import { cloneJson, isObject, stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { numberTooLargeMessage } from '../../../shared/values/number-literals';
import { invalidValue } from '../../../shared/api/errors/field-error';
import type { DecodedObject } from '../../../shared/api/codec/codec';
import { DecodeError } from '../../../shared/api/types';
import * as status from '../../../shared/api/errors/status';
import {
  applyJsonPatch,
  MAX_JSON_PATCH_OPERATIONS,
  parseOperations,
  PatchOperationError,
  PatchSyntaxError,
  TooManyOperationsError,
} from '../../../shared/patch/json-patch';
import { mergeObject } from '../../../shared/patch/merge-patch';
import { formatGoValue, findTypeError, strategicMerge, StrategicMergeError } from '../../../shared/patch/strategic-merge';
import { fieldErrors, NumberRangeError, parseJson, ParseError, type ParsedText } from '../../../shared/serialization';
import { apiVersionInDialect, type Dialect } from '../../../shared/names/dialect';
import type { FieldValidation, PatchBody } from '../verbs';
import type { KindInfo } from '../object/resource-info';
import { sortTouched, touchedByJsonPatch, touchedByMergePatch } from './patched-member-order';
import {
  BodyError,
  checkKind,
  checkPatchedCustomKind,
  decodeStrictly,
  duplicateField,
  StrictDecodingError,
  toStoredMemberSpelling,
  undecodableBody,
  unknownField,
} from '../object/decode-body';

/**
 * Takes the stored object, with resourceVersion, without kind and apiVersion, in the spelling of the patch; returns
 * the decoded patched object. Does not change its argument.
 */
export type Patcher = (old: JsonObject) => JsonObject;

/** A patch that changes the stored object by itself, without managedFields. */
export interface NonApplyPatch extends PatchBody {
  readonly type: Exclude<PatchBody['type'], 'apply'>;
}

/** How a patched object is decoded. */
export interface PatchDecoding {
  /** The kind of the patched object. */
  readonly info: KindInfo;
  /** How unknown and duplicate fields of the patch and of the patched object are treated. */
  readonly validation: FieldValidation;
  readonly warn: (text: string) => void;
}

/** Throws StatusError for an invalid patch; the returned patcher throws it when the patch cannot be applied. */
export function parsePatch(patch: NonApplyPatch, decoding: PatchDecoding): Patcher {
  switch (patch.type) {
    case 'merge':
      return parseMergePatch(patch, decoding);
    case 'json':
      return parseJsonPatch(patch, decoding);
    case 'strategic':
      return parseStrategicPatch(patch.bytes, decoding);
  }
}

function parseMergePatch({ bytes, dialect }: PatchBody, decoding: PatchDecoding): Patcher {
  const { info } = decoding;
  const body = parsePatchJson(bytes, jsonErrorText);
  if (body.value === null) throw status.badRequest('Invalid JSON Patch');
  if (!isObject(body.value)) throw status.badRequest(`error decoding patch: ${notAnObjectText(body.value)}`);
  const changes = toStoredMemberSpelling(info, body.value);
  const strictErrors = body.duplicates.map(duplicateField);
  return (old) => {
    const target = withTypeMeta(info, dialect, old);
    const touched = (): JsonObject => touchedByMergePatch(target, changes);
    return decodePatched(mergeObject(target, changes), touched, strictErrors, decoding);
  };
}

function parseJsonPatch({ bytes, dialect }: PatchBody, decoding: PatchDecoding): Patcher {
  const goType = 'Go struct field jsonPatchOp.value of type float64';
  const body = parsePatchJson(bytes, (error) => jsonErrorText(error, goType));
  const { operations, unknown } = parsePatchOperations(body.value);
  const strictErrors = fieldErrors(body, unknown, 'strict').map((error) => `json patch ${error}`);
  return (old) => {
    let changed: JsonObject;
    try {
      changed = applyJsonPatch(cloneJson(withTypeMeta(decoding.info, dialect, old)), operations);
    } catch (error) {
      throw error instanceof PatchOperationError ? status.patchFailed() : error;
    }
    return decodePatched(changed, () => touchedByJsonPatch(operations), strictErrors, decoding);
  };
}

const notAnObjectText = (value: JsonValue): string =>
  `json: cannot unmarshal ${jsonKindOf(value)} into Go value of type map[string]interface {}`;

const withTypeMeta = (info: KindInfo, dialect: Dialect, old: JsonObject): JsonObject => ({
  kind: info.row.kind,
  apiVersion: apiVersionInDialect(dialect, info.apiVersion),
  ...old,
});

function parsePatchJson(bytes: Buffer, errorText: (error: ParseError) => string): ParsedText {
  try {
    return parseJson(bytes);
  } catch (error) {
    throw error instanceof ParseError ? status.badRequest(errorText(error)) : error;
  }
}

/** `goType`: the Go type for error messages about large numbers. */
function jsonErrorText(error: ParseError, goType?: string): string {
  return `error decoding patch: ${error instanceof NumberRangeError ? numberTooLargeMessage(error.literal, goType) : error.message}`;
}

function parsePatchOperations(value: JsonValue): ReturnType<typeof parseOperations> {
  try {
    return parseOperations(value);
  } catch (error) {
    if (error instanceof PatchSyntaxError) throw status.badRequest(`error decoding patch: ${error.message}`);
    if (error instanceof TooManyOperationsError) {
      throw status.requestTooLarge(`The allowed maximum operations in a JSON patch is ${MAX_JSON_PATCH_OPERATIONS}, got ${error.count}`);
    }
    throw error;
  }
}

/**
 * Decodes a patched object and reports errors in upstream's order. The rejection of an object that does not match its
 * kind contains the whole object and no name (upstream behaviour). Unknown or duplicate fields are rejected with 400, as in
 * any other body (upstream responds with 422).
 *
 * `touched` returns the part of the object that the patch changed, for the order of members in the rejection.
 * `strictErrors`: unknown and duplicate fields of the patch itself.
 */
function decodePatched(
  value: JsonObject,
  touched: () => JsonObject,
  strictErrors: readonly string[],
  { info, validation, warn }: PatchDecoding,
): JsonObject {
  const decoded = strictErrors.length === 0 ? decodeIfValid(info, value) : undefined;
  if (decoded !== undefined) return decoded;
  const ordered = sortTouched(value, touched());
  try {
    checkPatchedKind(info, ordered);
    return decodeStrictly(info, { value: ordered, duplicates: [], format: 'json' }, validation, warn, strictErrors);
  } catch (error) {
    if (error instanceof StrictDecodingError) throw undecodableBody(info, error);
    if (!(error instanceof BodyError)) throw error;
    throw unfitPatch(stringifyJson(ordered), error.message);
  }
}

/** `undefined` when there is an error or warning to report. */
function decodeIfValid(info: KindInfo, value: JsonObject): JsonObject | undefined {
  try {
    checkPatchedKind(info, value);
    const { object, unknown } = info.codec.decode(value);
    return unknown.length === 0 ? object : undefined;
  } catch (error) {
    if (error instanceof BodyError || error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Throws {@link BodyError}; for custom kinds also StatusError. */
function checkPatchedKind(info: KindInfo, value: JsonObject): void {
  if (info.row.custom !== undefined) {
    checkPatchedCustomKind(info, value);
    return;
  }
  try {
    checkKind(info, value);
  } catch (error) {
    if (!(error instanceof status.StatusError)) throw error;
    // `Pod in version "v1" cannot be handled as a ConfigMap: <cause>` -> `<cause>`
    const text = error.message;
    const cause = text.indexOf(': ') + 2;
    throw new BodyError(text.includes('cannot be handled as a') ? text.slice(cause) : text);
  }
}

function parseStrategicPatch(bytes: Buffer, { info, validation, warn }: PatchDecoding): Patcher {
  const body = parsePatchJson(bytes, ({ message }) => message);
  const given = body.value ?? {};
  if (!isObject(given)) throw status.badRequest(notAnObjectText(given));
  const patch = toStoredMemberSpelling(info, given);
  const duplicates = body.duplicates.map(duplicateField);
  return (old) => {
    const { object, unknown } = decodeMerged(info, mergePatch(info, old, patch), patch);
    if (validation === 'Ignore') return object;
    const errors = [...duplicates, ...[...unknown].sort().map(unknownField)];
    if (validation === 'Strict' && errors.length > 0) throw undecodableBody(info, new StrictDecodingError(errors));
    for (const error of errors) warn(error);
    return object;
  };
}

function mergePatch(info: KindInfo, old: JsonObject, patch: JsonObject): JsonObject {
  try {
    const { kind: _kind, apiVersion: _apiVersion, ...merged } = strategicMerge(info.row.type, old, patch);
    return merged;
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    throw error.category === 'form' ? status.badRequest(error.message) : status.clientError(error.message);
  }
}

function decodeMerged(info: KindInfo, value: JsonObject, patch: JsonObject): DecodedObject {
  try {
    return info.codec.decode(value);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw unfitPatch(formatGoValue(patch), findTypeError(info.row.type, value) ?? error.message);
  }
}

/** The rejection of a patched object that does not match its kind. */
const unfitPatch = (shownValue: string, text: string): status.StatusError =>
  status.invalid({ group: '', kind: '' }, '', [invalidValue('patch', shownValue, text)]);
