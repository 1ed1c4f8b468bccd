/**
 * The schemas of a CustomResourceDefinition, judged in upstream's stages: what each keyword and the text of each rule may say; whether the schema is
 * structural; whether the defaults are good; whether the rules compile and what they cost. A stage that finds something ends it, but for the first:
 * what is not known at all ends it at once, other faults do not.
 */
import { invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { JsonObject } from '../../../../shared/values/json';
import { readSchema } from '../../../../shared/api/structural/read-schema';
import { checkRules, checkRuleTexts } from '../../../../shared/expression/custom/check-rules';
import { validateKeywords } from './keywords';
import { validateRootForStatus } from './root';
import { validateDefaults } from './defaults';
import { validateStructural } from './structural';
import { schemaHas, limitErrors } from './subschemas';

/** `hasStatus` = its objects have a status endpoint. */
export function validateSchema(schema: JsonObject, fieldPath: string, hasStatus: boolean): readonly FieldError[] {
  return limitErrors(runStages(schema, fieldPath, hasStatus));
}

function runStages(schema: JsonObject, fieldPath: string, hasStatus: boolean): readonly FieldError[] {
  const node = readSchema(schema);
  const rootErrors = hasStatus ? validateRootForStatus(schema, fieldPath) : [];
  const faultySchemas = new Set<JsonObject>();
  const keywordErrors = validateKeywords(schema, fieldPath, faultySchemas);
  const keywordAndRuleErrors = [...keywordErrors, ...checkRuleTexts(node, fieldPath)];
  const first = [...rootErrors, ...keywordAndRuleErrors];
  if (first.length === 0 && schemaHas(schema, ({ $schema }) => $schema !== undefined))
    return [invalidValue(fieldPath, '', "OpenAPIV3Schema 'schema' is not supported")];
  if (schemaHas(schema, cannotBeStructural)) return first;
  const structuralErrors = validateStructural(schema, fieldPath);
  const structuralOrDefaultErrors = structuralErrors.length > 0 ? structuralErrors : validateDefaults(node, fieldPath);
  if (structuralOrDefaultErrors.length > 0) return [...rootErrors, ...structuralOrDefaultErrors, ...keywordAndRuleErrors];
  return [...rootErrors, ...keywordErrors, ...checkRules(node, fieldPath, { schema, parts: faultySchemas })];
}

const UNSUPPORTED = ['$ref', '$schema', 'additionalItems', 'definitions', 'dependencies', 'id', 'patternProperties'];

/** Nothing can be told of the structure of a schema that has such a part. */
function cannotBeStructural(schema: JsonObject): boolean {
  return (
    UNSUPPORTED.some((member) => schema[member] !== undefined) ||
    Array.isArray(schema['items']) ||
    schema['x-kubernetes-preserve-unknown-fields'] === false
  );
}
