/**
 * The texts that say what types and members are for, when the build has put them beside this file (shared/api/types/generate/describe.ts); without
 * them documents have none. Never kept: they are large, and wanted only while a document is made.
 */
import { join } from 'node:path';
import { isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { readFileIfExists } from '../../shared/runtime/files/read-file-if-exists';
import { parseJson } from '../../shared/serialization/strict-json';

/** The text of a type, or of its member. */
export type Describe = (type: string, member?: string) => string | undefined;

/** They are read when one is asked for: custom kinds bring their own. */
export function readDescriptions(file: string = join(__dirname, 'descriptions.json')): Describe {
  let texts: JsonObject | undefined;
  return (type, member = '') => stringAt(objectAt((texts ??= textsIn(file)), type), member);
}

function textsIn(file: string): JsonObject {
  const bytes = readFileIfExists(file);
  if (bytes === undefined) return {};
  const { value } = parseJson(bytes);
  return isObject(value) ? value : {};
}
