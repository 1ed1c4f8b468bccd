/** What must hold between a request and the stored object before anything is changed. */
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { isTerminating, parseResourceVersion, readMetadata } from '../../../shared/api/metadata/object-meta';
import * as status from '../../../shared/api/errors/status';
import type { Entry } from '../../cache/cache';
import type { Plan } from '../object/resource-info';
import { parseEntry } from '../object/stored-object';

/** A stale version is a conflict; no version is refused where the kind demands one. */
export function checkResourceVersion(plan: Plan, name: string, text: string | undefined, entry: Entry): void {
  const asked = parseResourceVersion(text);
  switch (asked.type) {
    case 'malformed':
      throw status.clientFault(asked.text);
    case 'unset':
      if (plan.resource.row.requiresResourceVersion === true) throw status.resourceVersionRequired(plan.gr, name);
      return;
    case 'number':
      if (asked.value !== entry.revision) throw status.modified(plan.gr, name);
  }
}

/** A custom object is born only while its definition stands. */
export function checkDefinition(plan: Plan, definition: Entry | undefined): void {
  if (definition === undefined || isTerminating(readMetadata(parseEntry(definition).object))) throw status.createNotAllowed(plan.gr);
}

/** What a creation is told that finds its name taken. */
export function alreadyExists(plan: Plan, name: string, metadata: JsonObject, found: Entry): status.StatusError {
  const terminating = isTerminating(objectAt(parseEntry(found).object, 'metadata') ?? {});
  const generates = (stringAt(metadata, 'generateName') ?? '') !== '';
  return (generates ? status.generatedNameExhausted : status.alreadyExists)(plan.gr, name, { terminating });
}
