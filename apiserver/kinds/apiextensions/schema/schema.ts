/**
 * The schemas of a CustomResourceDefinition, judged in upstream's stages: what each keyword and the text of each rule may say; whether the schema is
 * structural; whether the defaults are good; whether the rules compile and what they cost. A stage that finds something ends it, but for the first:
 * what is not known at all ends it at once, other faults do not.
 */
import { invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { JsonObject } from '../../../../shared/values/json';
import { readSchema } from '../../../../shared/api/structural/read-schema';
import { checkRules, checkRuleTexts } from '../../../../shared/expression/custom/check-rules';
import { keywordErrors } from './keywords';
import { rootErrors } from './root';
import { defaultErrors } from './defaults';
import { structureErrors } from './structure';
import { someSchema, told } from './walk';

/** `hasStatus` = its objects have a status endpoint. */
export function schemaErrors(schema: JsonObject, place: string, hasStatus: boolean): readonly FieldError[] {
  return told(stages(schema, place, hasStatus));
}

function stages(schema: JsonObject, place: string, hasStatus: boolean): readonly FieldError[] {
  const node = readSchema(schema);
  const ofRoot = hasStatus ? rootErrors(schema, place) : [];
  const within = new Set<JsonObject>();
  const ofKeywords = keywordErrors(schema, place, within);
  const ofTexts = [...ofKeywords, ...checkRuleTexts(node, place)];
  const first = [...ofRoot, ...ofTexts];
  if (first.length === 0 && someSchema(schema, ({ $schema }) => $schema !== undefined))
    return [invalidValue(place, '', "OpenAPIV3Schema 'schema' is not supported")];
  if (someSchema(schema, isUnknowable)) return first;
  const ofStructure = structureErrors(schema, place);
  const found = ofStructure.length > 0 ? ofStructure : defaultErrors(node, place);
  if (found.length > 0) return [...ofRoot, ...found, ...ofTexts];
  return [...ofRoot, ...ofKeywords, ...checkRules(node, place, { schema, parts: within })];
}

const UNKNOWN = ['$ref', '$schema', 'additionalItems', 'definitions', 'dependencies', 'id', 'patternProperties'];

/** Nothing can be told of the structure of a schema that has such a part. */
function isUnknowable(schema: JsonObject): boolean {
  return (
    UNKNOWN.some((member) => schema[member] !== undefined) ||
    Array.isArray(schema['items']) ||
    schema['x-kubernetes-preserve-unknown-fields'] === false
  );
}
