/** Reads a CustomResourceDefinition from its stored object, as the server does. */
import { extractSchemas } from '../../../apiserver/kinds/apiextensions/extract-schemas';
import { readDefinition, type Definition } from '../../../apiserver/custom-resources/read-definition';
import { createSchemaCache } from '../../../apiserver/custom-resources/schema-cache';
import { stringifyJson, type JsonObject } from '../../../shared/values/json';

/** The definition is at revision 1 and has a schema cache of its own. */
export function parseDefinition(object: JsonObject): Definition {
  const outline = extractSchemas(Buffer.from(stringifyJson(object)));
  return readDefinition(outline, 1, { texts: outline.schemas }, createSchemaCache());
}
