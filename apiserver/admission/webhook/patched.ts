/** What a webhook's patch makes of an object. What is wrong with it is told in upstream's words, whatever the webhook's failure policy. */
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
import { parseJson, SyntaxFault } from '../../../shared/serialization';
import { stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { Question } from './ask';
import { BrokenObject, objectOf } from './view';

/** Puts the patched object in the place of the one that was shown. Returns of which version it is now; undefined = there was nothing to do. Throws StatusError. */
export function takePatch({ view, text }: Question, object: JsonObject, patch: Buffer): string | undefined {
  const operations = operationsOf(patch);
  if (operations.length === 0) return undefined;
  try {
    return view.take(object, applyJsonPatch(objectOf(text), operations));
  } catch (error) {
    throw told(error);
  }
}

/** As it is noted in the audit log. */
export const patchText = (patch: Buffer): string => stringifyJson(jsonOf(patch));

function operationsOf(patch: Buffer): readonly JsonPatchOperation[] {
  const value = jsonOf(patch);
  try {
    return parseOperations(value).operations;
  } catch (error) {
    if (error instanceof PatchSyntaxError) throw internalError('json: cannot unmarshal object into Go value of type jsonpatch.Patch');
    if (error instanceof TooManyOperationsError) throw internalError(`the patch has ${error.count} operations`);
    throw error;
  }
}

function jsonOf(patch: Buffer): JsonValue {
  try {
    return parseJson(patch).value;
  } catch (error) {
    throw error instanceof SyntaxFault ? internalError(error.message) : error;
  }
}

function told(error: unknown): unknown {
  if (error instanceof PatchOperationError) return internalError(failureText(error));
  if (error instanceof DecodeError || error instanceof BrokenObject) return internalError(error.message);
  return error;
}

function failureText({ message, operation }: PatchOperationError): string {
  const { op = '', path = '' } = operation ?? {};
  const last = path.slice(path.lastIndexOf('/') + 1);
  switch (op) {
    case 'test':
      return `testing value ${path} failed: test failed`;
    case 'add':
    case 'replace':
      return `${op} operation does not apply: doc is missing path: "${path}": missing value`;
    case 'remove':
      return `error in remove for path: '${path}': Unable to remove nonexistent key: ${last}: missing value`;
    case 'move':
    case 'copy':
      return `error in ${op} for path: '${path}': ${message}`;
    default:
      return `Unexpected kind: ${op}`;
  }
}
