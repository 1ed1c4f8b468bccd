/**
 * Preconditions of a write: what the request, its resourceVersion or the verb requires of the stored object, and the
 * errors when it is otherwise. Reads no state; the transaction later compares the revision that was checked.
 */
import { stringAt, type JsonObject } from '../../../shared/values/json';
import { parseResourceVersion } from '../../../shared/api/metadata/object-meta';
import * as status from '../../../shared/api/errors/status';
import type { Entry } from '../../cache/cache';
import type { EditPreconditions } from '../verbs';
import type { ResourceInfo } from '../object/resource-info';
import { entryKey } from '../resources';
import { isEntryTerminating } from '../object/stored-object';
import type { WriteRequest } from './request';

/**
 * Throws a conflict for an outdated resourceVersion, and an error without one where the kind requires it. Writes of a
 * scale never require it (upstream behaviour).
 */
export function checkResourceVersion(
  { info, name, subresource }: Pick<WriteRequest, 'info' | 'name' | 'subresource'>,
  text: string | undefined,
  entry: Entry,
): void {
  const parsed = parseResourceVersion(text);
  switch (parsed.type) {
    case 'malformed':
      throw status.clientError(parsed.text);
    case 'unset':
      if (info.resource.row.requiresResourceVersion === true && subresource !== 'scale')
        throw status.resourceVersionRequired(info.row, name);
      return;
    case 'number':
      if (parsed.value !== entry.revision) throw status.objectModified(info.row, name);
  }
}

/** The first precondition that the stored object does not meet. `metadata`: of that object, with its resourceVersion. */
export function failedPrecondition(
  { uid, resourceVersion }: EditPreconditions,
  metadata: JsonObject,
): status.FailedPrecondition | undefined {
  const storedUid = uidIn(metadata);
  if (uid !== undefined && uid !== storedUid) return { field: 'UID', requested: uid, stored: storedUid };
  const stored = stringAt(metadata, 'resourceVersion') ?? '';
  if (resourceVersion === undefined || resourceVersion === stored) return undefined;
  return { field: 'ResourceVersion', requested: resourceVersion, stored };
}

/** The error of a store precondition that the stored object does not meet. */
export function storagePreconditionError(request: WriteRequest, failed: status.FailedPrecondition): status.StatusError {
  const { info, name } = request;
  return status.storagePreconditionFailed(info.row, name, info.keyPrefix + entryKey(request), failed);
}

/** The uid in metadata; empty when absent. */
export const uidIn = (metadata: JsonObject): string => stringAt(metadata, 'uid') ?? '';

/** Throws 405 when the definition of a custom kind is absent or terminating, because it then allows no creates. */
export function ensureDefinitionExists(info: ResourceInfo, definition: Entry | undefined): void {
  if (definition === undefined || isEntryTerminating(definition)) throw status.createNotAllowed(info.row);
}

/** The error of a create when the name exists. `metadata`: of the request object; `entry`: the existing object. */
export function alreadyExistsError(info: ResourceInfo, name: string, metadata: JsonObject, entry: Entry): status.StatusError {
  const isTerminating = isEntryTerminating(entry);
  const isGenerated = (stringAt(metadata, 'generateName') ?? '') !== '';
  return isGenerated
    ? status.generatedNameExhausted(info.row, name, { isTerminating })
    : status.alreadyExists(info.row, name, { isTerminating });
}
