/**
 * From a PATCH body to the changed object: reads the patch once, applies it to whatever state an attempt starts from, and
 * decodes the result as a body. Apply is not one of these patches: see apply.ts.
 */
import { cloneJson, isObject, stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { numberTooLargeMessage } from '../../../shared/values/number-literals';
import { invalidValue } from '../../../shared/api/errors/field-error';
import { quote } from '../../../shared/values/quote';
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
import { fieldFaults, NumberRangeFault, parseJson, SyntaxFault, type ParsedText } from '../../../shared/serialization';
import { apiVersionInDialect, type Dialect } from '../../../shared/names/dialect';
import type { FieldValidation, PatchBody } from '../verbs';
import { checkPatchedCustomKind } from './custom-kind';
import { checkKind, decodeStrictly } from './decode-body';
import { BodyFault, StrictFault, unreadable } from './body-fault';
import { inStoredSpelling } from './document-spelling';
import type { KindInfo } from '../object/resource-info';
import { sortedWhere, touchedBy, touchedByMerge } from './patched-member-order';
import { readStrategicPatch } from './strategic-patch';

/** The stored object, with its resourceVersion and without kind and apiVersion, spelled as the patch is, to the changed one, decoded. It is left as it is. */
export type Patcher = (old: JsonObject) => JsonObject;

export interface DocumentPatch extends PatchBody {
  readonly type: Exclude<PatchBody['type'], 'apply'>;
}

/** Throws StatusError for a patch that cannot be read; the patcher throws it for one that cannot be applied. */
export function readPatch(info: KindInfo, patch: DocumentPatch, validation: FieldValidation, warn: (text: string) => void): Patcher {
  switch (patch.type) {
    case 'merge': {
      const body = parse(patch.bytes);
      if (body.value === null) throw status.badRequest('Invalid JSON Patch');
      if (!isObject(body.value)) {
        throw status.badRequest(
          `error decoding patch: json: cannot unmarshal ${typeName(body.value)} into Go value of type map[string]interface {}`,
        );
      }
      const changes = inStoredSpelling(info, body.value);
      const strict = body.duplicates.map((path) => `duplicate field ${quote(path)}`);
      return (old) => {
        const target = withKind(info, patch.dialect, old);
        return decodePatched(info, mergeObject(target, changes), () => touchedByMerge(target, changes), validation, warn, strict);
      };
    }
    case 'json': {
      const body = parse(patch.bytes, 'Go struct field jsonPatchOp.value of type float64');
      const { operations, unknown } = readOperations(body.value);
      const strict = fieldFaults(body, unknown, 'strict').map((fault) => `json patch ${fault}`);
      return (old) => {
        let changed: JsonObject;
        try {
          changed = applyJsonPatch(cloneJson(withKind(info, patch.dialect, old)), operations);
        } catch (error) {
          throw error instanceof PatchOperationError ? status.patchFailed() : error;
        }
        return decodePatched(info, changed, () => touchedBy(operations), validation, warn, strict);
      };
    }
    case 'strategic':
      return readStrategicPatch(info, patch.bytes, validation, warn);
  }
}

const withKind = (info: KindInfo, dialect: Dialect, old: JsonObject): JsonObject => ({
  kind: info.kind,
  apiVersion: apiVersionInDialect(dialect, info.apiVersion),
  ...old,
});

/** `into` = what upstream reads numbers into; absent = a value of any kind. */
function parse(bytes: Buffer, into?: string): ParsedText {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    throw status.badRequest(
      `error decoding patch: ${error instanceof NumberRangeFault ? numberTooLargeMessage(error.literal, into) : error.message}`,
    );
  }
}

function readOperations(value: JsonValue): ReturnType<typeof parseOperations> {
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

function typeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/**
 * Decodes a patched object and reports errors in upstream's order. The refusal of an object that does not match its kind contains the whole object and no name (upstream
 * behaviour); unknown or duplicate fields are refused as in any other body (upstream answers 422). `touched` returns the part of the object that the patch changed.
 */
function decodePatched(
  info: KindInfo,
  value: JsonObject,
  touched: () => JsonObject,
  validation: FieldValidation,
  warn: (text: string) => void,
  strict: readonly string[],
): JsonObject {
  const faultless = strict.length === 0 ? decodeFaultless(info, value) : undefined;
  if (faultless !== undefined) return faultless;
  const shown = sortedWhere(value, touched());
  try {
    checkPatchedKind(info, shown);
    return decodeStrictly(info, { value: shown, duplicates: [], format: 'json' }, validation, warn, strict);
  } catch (error) {
    if (error instanceof StrictFault) throw unreadable(info, error);
    if (!(error instanceof BodyFault)) throw error;
    throw status.invalid({ group: '', kind: '' }, '', [invalidValue('patch', stringifyJson(shown), error.message)]);
  }
}

/** Undefined = there is something to be told. */
function decodeFaultless(info: KindInfo, value: JsonObject): JsonObject | undefined {
  try {
    checkPatchedKind(info, value);
    const { object, unknown } = info.codec.decode(value);
    return unknown.length === 0 ? object : undefined;
  } catch (error) {
    if (error instanceof BodyFault || error instanceof DecodeError) return undefined;
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
    throw new BodyFault(text.includes('cannot be handled as a') ? text.slice(cause + 2) : text);
  }
}
