/**
 * Descriptions of types and fields, which the build writes beside this file (shared/api/types/generate/describe.ts);
 * without that file, documents have no descriptions. Each {@link Describe} holds its own copy, which is large, so that
 * it is freed with the thread or build that uses it.
 */
import { join } from 'node:path';
import { isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { readFileIfExists } from '../../../shared/runtime/files/read-file-if-exists';
import { parseJson } from '../../../shared/serialization/json/strict-json';

/** The description of a type, or of its member when one is given; undefined when there is none. */
export type Describe = (type: string, member?: string) => string | undefined;

/** The file is read on first use, because custom kinds have their own descriptions. */
export function readDescriptions(file: string = join(__dirname, 'descriptions.json')): Describe {
  let texts: JsonObject | undefined;
  return (type, member = '') => stringAt(objectAt((texts ??= readTextsFrom(file)), type), member);
}

function readTextsFrom(file: string): JsonObject {
  const bytes = readFileIfExists(file);
  if (bytes === undefined) return {};
  const { value } = parseJson(bytes);
  return isObject(value) ? value : {};
}
