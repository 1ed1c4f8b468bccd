/**
 * Validates the schemas of a CustomResourceDefinition in upstream's stages:
 *
 * 1. keywords, and texts of rules
 * 2. structure
 * 3. defaults
 * 4. compilation and cost of the rules
 *
 * Errors of the first stage end the validation when the structure cannot be validated ({@link cannotBeStructural});
 * otherwise they are reported together with those of a later stage. Errors of the second and third stage end it.
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

/** The version that uses a schema. */
interface SchemaUse {
  /** Whether the version has a status subresource. */
  readonly hasStatus: boolean;
}

/** The errors of a schema, of limited total length. */
export function validateSchema(schema: JsonObject, fieldPath: string, use: SchemaUse): readonly FieldError[] {
  return limitErrors(runStages(schema, fieldPath, use));
}

function runStages(schema: JsonObject, fieldPath: string, { hasStatus }: SchemaUse): readonly FieldError[] {
  const node = readSchema(schema);
  const rootErrors = hasStatus ? validateRootForStatus(schema, fieldPath) : [];
  const invalidSchemas = new Set<JsonObject>();
  const keywordErrors = validateKeywords(schema, fieldPath, invalidSchemas);
  const keywordAndRuleErrors = [...keywordErrors, ...checkRuleTexts(node, fieldPath)];
  const firstStageErrors = [...rootErrors, ...keywordAndRuleErrors];
  if (firstStageErrors.length === 0 && schemaHas(schema, ({ $schema }) => $schema !== undefined)) {
    return [invalidValue(fieldPath, '', "OpenAPIV3Schema 'schema' is not supported")];
  }
  if (schemaHas(schema, cannotBeStructural)) return firstStageErrors;
  const structuralErrors = validateStructural(schema, fieldPath);
  const structuralOrDefaultErrors = structuralErrors.length > 0 ? structuralErrors : validateDefaults(node, fieldPath);
  if (structuralOrDefaultErrors.length > 0) return [...rootErrors, ...structuralOrDefaultErrors, ...keywordAndRuleErrors];
  return [...rootErrors, ...keywordErrors, ...checkRules(node, fieldPath, { schema, parts: invalidSchemas })];
}

const UNSUPPORTED = ['$ref', '$schema', 'additionalItems', 'definitions', 'dependencies', 'id', 'patternProperties'];

/** Whether a schema has a keyword with which its structure cannot be validated. */
function cannotBeStructural(schema: JsonObject): boolean {
  return (
    UNSUPPORTED.some((member) => schema[member] !== undefined) ||
    Array.isArray(schema['items']) ||
    schema['x-kubernetes-preserve-unknown-fields'] === false
  );
}
