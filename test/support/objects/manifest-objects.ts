/** Reads manifests as kubectl does. */
import { loadAll, YAML11_SCHEMA } from 'js-yaml';
import { isObject, type JsonObject, type JsonValue } from '../../../shared/values/json';

/** The objects of the documents of a YAML text. Empty documents are left out, and times are texts. */
export function manifestObjects(text: string): readonly JsonObject[] {
  const documents: JsonValue = JSON.parse(JSON.stringify(loadAll(text, { schema: YAML11_SCHEMA })));
  return Array.isArray(documents) ? documents.filter(isObject) : [];
}
