/** What must hold between a request and the stored object before anything is changed. */
import { stringAt, type JsonObject } from '../../../shared/values/json';
import { parseResourceVersion } from '../../../shared/api/metadata/object-meta';
import * as status from '../../../shared/api/errors/status';
import type { Entry } from '../../cache/cache';
import type { ResourceInfo } from '../object/resource-info';
import { isEntryTerminating } from '../object/stored-object';
import type { WriteRequest } from './request';

/** A stale version is a conflict; no version is refused where the kind demands one, but for its scale, which is written without (upstream behaviour). */
export function checkResourceVersion(
  { info, name, subresource }: Pick<WriteRequest, 'info' | 'name' | 'subresource'>,
  text: string | undefined,
  entry: Entry,
): void {
  const asked = parseResourceVersion(text);
  switch (asked.type) {
    case 'malformed':
      throw status.clientError(asked.text);
    case 'unset':
      if (info.resource.row.requiresResourceVersion === true && subresource !== 'scale')
        throw status.resourceVersionRequired(info.gr, name);
      return;
    case 'number':
      if (asked.value !== entry.revision) throw status.objectModified(info.gr, name);
  }
}

/** A custom object is born only while its definition stands. */
export function checkDefinition(info: ResourceInfo, definition: Entry | undefined): void {
  if (definition === undefined || isEntryTerminating(definition)) throw status.createNotAllowed(info.gr);
}

/** What a creation is told that finds its name taken. */
export function alreadyExists(info: ResourceInfo, name: string, metadata: JsonObject, found: Entry): status.StatusError {
  const terminating = isEntryTerminating(found);
  const generates = (stringAt(metadata, 'generateName') ?? '') !== '';
  return (generates ? status.generatedNameExhausted : status.alreadyExists)(info.gr, name, { terminating });
}
