/** A definition as the server reads it, out of the object that is stored. */
import { extractSchemas } from '../../apiserver/kinds/apiextensions/extract-schemas';
import { readDefinition, type Definition } from '../../apiserver/custom-resources/read-definition';
import { createSchemaCache } from '../../apiserver/custom-resources/schema-cache';
import { stringifyJson, type JsonObject } from '../../shared/values/json';

export function parseDefinition(object: JsonObject): Definition {
  const outline = outlineOf(Buffer.from(stringifyJson(object)));
  return readDefinition(outline, 1, { texts: outline.schemas }, createSchemaCache());
}
