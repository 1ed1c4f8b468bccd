/**
 * Validates the defaults in a structural schema: each must be valid by the schema that it belongs to, without unknown
 * fields, because defaults are not pruned. Applying defaults to objects is left to shared/api/structural.
 */
import { invalidShownValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { formatGoSyntax } from '../../../../shared/values/go-syntax';
import { cloneJson, isObject, type JsonObject, type JsonValue } from '../../../../shared/values/json';
import { CheckContext, ROOT_PATH } from '../../../../shared/api/structural/validation/check-context';
import { schemaCheckOf } from '../../../../shared/api/structural/validation/check-value';
import { Correlation } from '../../../../shared/api/structural/validation/correlate';
import { decodeEmbedded, EmbeddedResourceError, validateEmbedded } from '../../../../shared/api/structural/embedded';
import { pruneUnknown } from '../../../../shared/api/structural/prune';
import { readSchema } from '../../../../shared/api/structural/read-schema';
import { compileRules } from '../../../../shared/expression/custom/evaluate-rules';
import type { SchemaNode } from '../../../../shared/api/structural/schema-node';

/** The errors of all defaults in a structural schema. */
export function validateDefaults(root: SchemaNode, fieldPath: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  addNodeErrors({ ...root, embeddedResource: true }, fieldPath, undefined, errors);
  return errors;
}

/**
 * Path from an object with type and object metadata to a part of these: `['metadata', 'finalizers', '[]']`, where `[]` is
 * an item. Undefined for a schema outside of apiVersion, kind and metadata.
 */
type TypeMetaSteps = readonly string[] | undefined;

const TYPE_META: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/** The member of the wrapper object that holds the default. */
const VALUE = 'default';
/** The step from a list to its items. */
const ITEM = '[]';

/** Adds the errors of the defaults at and below the node, except below `additionalProperties` (upstream behaviour). */
function addNodeErrors(node: SchemaNode, fieldPath: string, steps: TypeMetaSteps, errors: FieldError[]): void {
  const { items, properties } = node;
  for (const error of valueErrors(node, fieldPath, steps)) errors.push(error);
  if (items !== undefined) addNodeErrors(items, `${fieldPath}.items`, steps && [...steps, ITEM], errors);
  for (const [name, member] of properties) {
    const isTypeMeta = node.embeddedResource && TYPE_META.includes(name);
    addNodeErrors(member, `${fieldPath}.properties[${name}]`, isTypeMeta ? [name] : steps && [...steps, name], errors);
  }
}

/**
 * The errors of the default of one node, in stages: type and object metadata; embedded objects; the schema; its rules.
 * The errors of a stage end the validation. Unknown fields are reported in addition, unless the first stage fails.
 */
function valueErrors(node: SchemaNode, fieldPath: string, steps: TypeMetaSteps): readonly FieldError[] {
  const { defaultValue } = node;
  if (defaultValue === undefined || defaultValue === null) return [];
  const metaErrors = steps === undefined ? [] : typeMetaErrors(defaultValue, fieldPath, steps);
  if (metaErrors.length > 0) return metaErrors;
  const wrapper = wrapSchema(node);
  const object = wrapValue(defaultValue);
  // The fields of type and object metadata are known without a schema.
  const hasUnknownFields = steps === undefined && pruneUnknown(wrapper, wrapValue(defaultValue)).length > 0;
  const embeddedObjectError = embeddedError(wrapper, object);
  const unknown = hasUnknownFields ? [unknownError(object[VALUE] ?? null, fieldPath)] : [];
  if (embeddedObjectError !== undefined) return [...unknown, prefixField(fieldPath, embeddedObjectError)];
  const embeddedErrors = validateEmbedded(wrapper, object).map((error) => prefixField(fieldPath, error));
  if (embeddedErrors.length > 0) return [...unknown, ...embeddedErrors];
  const schemaErrors = validateAgainstSchema(node, defaultValue, fieldPath);
  if (schemaErrors.length > 0) return [...unknown, ...schemaErrors];
  return [...unknown, ...ruleErrors(wrapper, wrapValue(defaultValue), fieldPath)];
}

/** The errors of rules that are not met. Rules that do not compile are reported by check-rules.ts. */
function ruleErrors(wrapper: SchemaNode, object: JsonObject, fieldPath: string): readonly FieldError[] {
  const rules = compileRules(wrapper);
  return rules.isEmpty ? [] : rules.validate(object, undefined).errors.map((error) => prefixField(fieldPath, error));
}

function validateAgainstSchema(node: SchemaNode, value: JsonValue, fieldPath: string): readonly FieldError[] {
  const context = new CheckContext(new Correlation());
  schemaCheckOf(withoutIntOrString(node))(value, context, undefined);
  return context.distinctErrors.map((error) => relocateToDefault(node, error, `${fieldPath}.${VALUE}`));
}

const unknownError = (value: JsonValue, fieldPath: string): FieldError =>
  invalidShownValue(`${fieldPath}.${VALUE}`, formatGoSyntax(value), 'must not have unknown fields');

const WITHOUT_INT_OR_STRING = new WeakMap<SchemaNode, SchemaNode>();

/** The default of an int-or-string may have any type (upstream behaviour). */
function withoutIntOrString(node: SchemaNode): SchemaNode {
  const cached = WITHOUT_INT_OR_STRING.get(node);
  if (cached !== undefined) return cached;
  const { additionalProperties, items, properties } = node;
  const copy: SchemaNode = {
    ...node,
    intOrString: false,
    properties: new Map([...properties].map(([name, member]) => [name, withoutIntOrString(member)])),
    additionalProperties: typeof additionalProperties === 'object' ? withoutIntOrString(additionalProperties) : additionalProperties,
    items: items === undefined ? undefined : withoutIntOrString(items),
  };
  WITHOUT_INT_OR_STRING.set(node, copy);
  return copy;
}

/**
 * Moves an error of the value to the default's path. For a key that the schema does not name, the text has a dot
 * before the key (upstream behaviour).
 */
function relocateToDefault({ properties, additionalProperties }: SchemaNode, error: FieldError, fieldPath: string): FieldError {
  const field = error.field === ROOT_PATH ? fieldPath : `${fieldPath}.${error.field}`;
  // `a.b[0]` -> `a`
  const key = /^[^.[]*/.exec(error.field)?.[0] ?? '';
  const isNamed = typeof additionalProperties !== 'object' || properties.has(key);
  const body = isNamed ? error.body : error.body.replace(`${error.field} in body`, `.${error.field} in body`);
  return { ...error, field, body, text: `${field}: ${body}` };
}

/** Wraps the value and its schema in an object, because the validators start at an object. */
const wrapValue = (value: JsonValue): JsonObject => ({ [VALUE]: cloneJson<JsonValue>(value) });
const wrapSchema = (node: SchemaNode): SchemaNode => ({
  ...node,
  rules: [],
  embeddedResource: false,
  properties: new Map([[VALUE, node]]),
  items: undefined,
});

/** Canonicalizes the metadata of embedded objects; returns an error if it cannot be decoded. */
function embeddedError(wrapper: SchemaNode, object: JsonObject): FieldError | undefined {
  try {
    decodeEmbedded(wrapper, object);
    return undefined;
  } catch (error) {
    if (error instanceof EmbeddedResourceError) return error.fieldError;
    throw error;
  }
}

/** The schema of a wrapper with an embedded resource as its value. */
const EMBEDDED_RESOURCE = readSchema({
  properties: { [VALUE]: { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true } },
});

/** A default in apiVersion, kind or metadata must result in a valid object: it is put into one at the path `steps`. */
function typeMetaErrors(defaultValue: JsonValue, fieldPath: string, steps: readonly string[]): readonly FieldError[] {
  const part = steps.reduceRight<JsonValue>(
    (value, step) => (step === ITEM ? [value] : { [step]: value }),
    cloneJson<JsonValue>(defaultValue),
  );
  const object: JsonObject = { [VALUE]: { apiVersion: 'v1', kind: 'A', ...(isObject(part) ? part : {}) } };
  const error = embeddedError(EMBEDDED_RESOURCE, object);
  const errors = error === undefined ? validateEmbedded(EMBEDDED_RESOURCE, object) : [error];
  const texts = errors.map(({ text }) => text.slice(VALUE.length + 1));
  if (texts.length === 0) return [];
  const message = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
  return [invalidShownValue(`${fieldPath}.${VALUE}`, formatGoSyntax(defaultValue), `must result in valid metadata: ${message}`)];
}

const prefixField = (fieldPath: string, error: FieldError): FieldError => ({
  ...error,
  field: `${fieldPath}.${error.field}`,
  text: `${fieldPath}.${error.text}`,
});
