/**
 * Applies the JSON patch of a webhook. An invalid patch rejects the request, even when the failure policy is Ignore.
 * The messages are upstream's, except the one for a patch with too many operations.
 */
import { DecodeError } from '../../../shared/api/types';
import { internalError } from '../../../shared/api/errors/status';
import {
  applyJsonPatch,
  parseOperations,
  PatchOperationError,
  PatchSyntaxError,
  TooManyOperationsError,
  type JsonPatchOperation,
} from '../../../shared/patch/json-patch';
import { parseJson, ParseError } from '../../../shared/serialization';
import { stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { PreparedReview } from './call-webhook';
import { WrongKindError, parseObject } from './object-view';

/**
 * Replaces the contents of `object` with the patched object. Returns its version, or `undefined` for an empty patch.
 * Throws StatusError.
 */
export function applyWebhookPatch({ view, text }: PreparedReview, object: JsonObject, patch: Buffer): string | undefined {
  const operations = parseOperationsOf(patch);
  if (operations.length === 0) return undefined;
  try {
    return view.applyChanged(object, applyJsonPatch(parseObject(text), operations));
  } catch (error) {
    throw asStatusError(error);
  }
}

/** The JSON of the patch for the audit annotation. */
export const patchText = (patch: Buffer): string => stringifyJson(parsePatchJson(patch));

/** Throws InternalError when the patch is not a list of operations. */
function parseOperationsOf(patch: Buffer): readonly JsonPatchOperation[] {
  const value = parsePatchJson(patch);
  try {
    return parseOperations(value).operations;
  } catch (error) {
    if (error instanceof PatchSyntaxError) throw internalError('json: cannot unmarshal object into Go value of type jsonpatch.Patch');
    if (error instanceof TooManyOperationsError) throw internalError(`the patch has ${error.count} operations`);
    throw error;
  }
}

/** Throws InternalError when the patch is not JSON. */
function parsePatchJson(patch: Buffer): JsonValue {
  try {
    return parseJson(patch).value;
  } catch (error) {
    throw error instanceof ParseError ? internalError(error.message) : error;
  }
}

/** InternalError for an error of the patch; other errors are returned as they are. */
function asStatusError(error: unknown): unknown {
  if (error instanceof PatchOperationError) return internalError(failureText(error));
  if (error instanceof DecodeError || error instanceof WrongKindError) return internalError(error.message);
  return error;
}

/** Upstream's message about an operation that cannot be applied. */
function failureText({ message, operation }: PatchOperationError): string {
  const { op = '', path = '' } = operation ?? {};
  const key = path.slice(path.lastIndexOf('/') + 1);
  switch (op) {
    case 'test':
      return `testing value ${path} failed: test failed`;
    case 'add':
    case 'replace':
      return `${op} operation does not apply: doc is missing path: "${path}": missing value`;
    case 'remove':
      return `error in remove for path: '${path}': Unable to remove nonexistent key: ${key}: missing value`;
    case 'move':
    case 'copy':
      return `error in ${op} for path: '${path}': ${message}`;
    default:
      return `Unexpected kind: ${op}`;
  }
}
