/**
 * JSON patches, merge patches and strategic merge patches: parses a patch once, applies it to the state of each
 * attempt and decodes the result. Server-side apply is in apply.ts.
 */
import { jsonKindOf } from '../../../shared/api/types/decode-error';
import { cloneJson, isObject, stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { numberTooLargeMessage } from '../../../shared/values/number-literals';
import { invalidValue } from '../../../shared/api/errors/field-error';
import { quote } from '../../../shared/values/text/quote';
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
import { fieldErrors, NumberRangeError, parseJson, ParseError, type ParsedText } from '../../../shared/serialization';
import { apiVersionInDialect, type Dialect } from '../../../shared/names/dialect';
import type { FieldValidation, PatchBody } from '../verbs';
import type { KindInfo } from '../object/resource-info';
import { sortTouched, touchedByJsonPatch, touchedByMergePatch } from './patched-member-order';
import { parseStrategicPatch } from './strategic-patch';
import {
  BodyError,
  checkKind,
  checkPatchedCustomKind,
  decodeStrictly,
  StrictDecodingError,
  toStoredMemberSpelling,
  undecodableBody,
} from './decode-body';

/**
 * Takes the stored object, with resourceVersion, without kind and apiVersion, in the spelling of the patch; returns
 * the decoded patched object. Does not change its argument.
 */
export type Patcher = (old: JsonObject) => JsonObject;

export interface NonApplyPatch extends PatchBody {
  readonly type: Exclude<PatchBody['type'], 'apply'>;
}

/** Throws StatusError for an invalid patch; the returned patcher throws it when the patch cannot be applied. */
export function parsePatch(info: KindInfo, patch: NonApplyPatch, validation: FieldValidation, warn: (text: string) => void): Patcher {
  switch (patch.type) {
    case 'merge': {
      const body = parsePatchJson(patch.bytes);
      if (body.value === null) throw status.badRequest('Invalid JSON Patch');
      if (!isObject(body.value)) {
        throw status.badRequest(
          `error decoding patch: json: cannot unmarshal ${jsonKindOf(body.value)} into Go value of type map[string]interface {}`,
        );
      }
      const changes = toStoredMemberSpelling(info, body.value);
      const strictErrors = body.duplicates.map((path) => `duplicate field ${quote(path)}`);
      return (old) => {
        const target = withTypeMeta(info, patch.dialect, old);
        return decodePatched(
          info,
          mergeObject(target, changes),
          () => touchedByMergePatch(target, changes),
          validation,
          warn,
          strictErrors,
        );
      };
    }
    case 'json': {
      const body = parsePatchJson(patch.bytes, 'Go struct field jsonPatchOp.value of type float64');
      const { operations, unknown } = parsePatchOperations(body.value);
      const strictErrors = fieldErrors(body, unknown, 'strict').map((error) => `json patch ${error}`);
      return (old) => {
        let changed: JsonObject;
        try {
          changed = applyJsonPatch(cloneJson(withTypeMeta(info, patch.dialect, old)), operations);
        } catch (error) {
          throw error instanceof PatchOperationError ? status.patchFailed() : error;
        }
        return decodePatched(info, changed, () => touchedByJsonPatch(operations), validation, warn, strictErrors);
      };
    }
    case 'strategic':
      return parseStrategicPatch(info, patch.bytes, validation, warn);
  }
}

const withTypeMeta = (info: KindInfo, dialect: Dialect, old: JsonObject): JsonObject => ({
  kind: info.kind,
  apiVersion: apiVersionInDialect(dialect, info.apiVersion),
  ...old,
});

/** `goType`: the Go type for error messages about large numbers. */
function parsePatchJson(bytes: Buffer, goType?: string): ParsedText {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw status.badRequest(
      `error decoding patch: ${error instanceof NumberRangeError ? numberTooLargeMessage(error.literal, goType) : error.message}`,
    );
  }
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
 * Decodes a patched object and reports errors in upstream's order. The refusal of an object that does not match its
 * kind contains the whole object and no name (upstream behaviour); unknown or duplicate fields are refused as in any
 * other body (upstream answers 422). `touched` returns the part of the object that the patch changed.
 */
function decodePatched(
  info: KindInfo,
  value: JsonObject,
  touched: () => JsonObject,
  validation: FieldValidation,
  warn: (text: string) => void,
  strictErrors: readonly string[],
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
    throw status.invalid({ group: '', kind: '' }, '', [invalidValue('patch', stringifyJson(ordered), error.message)]);
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

function checkPatchedKind(info: KindInfo, value: JsonObject): void {
  if (info.row.custom !== undefined) {
    checkPatchedCustomKind(info, value);
    return;
  }
  try {
    checkKind(info, value);
  } catch (error) {
    if (!(error instanceof status.StatusError)) throw error;
    const text = error.message;
    const cause = text.indexOf(': ');
    throw new BodyError(text.includes('cannot be handled as a') ? text.slice(cause + 2) : text);
  }
}
