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

/** The errors of all defaults in a structural schema. `root` is the schema of a whole object. */
export function validateDefaults(root: SchemaNode, fieldPath: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  addNodeErrors({ ...root, embeddedResource: true }, fieldPath, undefined, errors);
  return errors;
}

/**
 * The path of a schema below the object that has `apiVersion`, `kind` and `metadata`, when it is within one of these:
 * `['metadata', 'finalizers', '[]']`, where `[]` is an item. `undefined` elsewhere.
 */
type TypeMetaPath = readonly string[] | undefined;

const TYPE_META: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/** The keyword of the default, and the member of the wrapper object that holds it: see {@link wrapValue}. */
const DEFAULT = 'default';
/** The step from a list to its items. */
const ITEM = '[]';

/** Adds the errors of the defaults at and below the node, except below `additionalProperties` (upstream behaviour). */
function addNodeErrors(node: SchemaNode, fieldPath: string, typeMetaPath: TypeMetaPath, errors: FieldError[]): void {
  const { items, properties } = node;
  for (const error of valueErrors(node, fieldPath, typeMetaPath)) errors.push(error);
  if (items !== undefined) addNodeErrors(items, `${fieldPath}.items`, typeMetaPath && [...typeMetaPath, ITEM], errors);
  for (const [name, member] of properties) {
    const isTypeMeta = node.embeddedResource && TYPE_META.includes(name);
    const memberPath = isTypeMeta ? [name] : typeMetaPath && [...typeMetaPath, name];
    addNodeErrors(member, `${fieldPath}.properties[${name}]`, memberPath, errors);
  }
}

/**
 * The errors of the default of one node, in stages: type and object metadata; embedded objects; the schema; its rules.
 * The errors of a stage end the validation. Unknown fields are reported in addition, unless the first stage fails.
 */
function valueErrors(node: SchemaNode, fieldPath: string, typeMetaPath: TypeMetaPath): readonly FieldError[] {
  const { defaultValue } = node;
  if (defaultValue === undefined || defaultValue === null) return [];
  const metaErrors = typeMetaPath === undefined ? [] : typeMetaErrors(defaultValue, fieldPath, typeMetaPath);
  if (metaErrors.length > 0) return metaErrors;
  const wrapper = wrapSchema(node);
  const object = wrapValue(defaultValue);
  // The fields of type and object metadata are known without a schema.
  const hasUnknownFields = typeMetaPath === undefined && pruneUnknown(wrapper, wrapValue(defaultValue)).length > 0;
  const embeddedErrors = embeddedObjectErrors(wrapper, object).map((error) => prefixField(fieldPath, error));
  // The message shows the value after its embedded objects were canonicalized.
  const unknownFieldErrors = hasUnknownFields ? [unknownFieldError(object[DEFAULT] ?? null, fieldPath)] : [];
  if (embeddedErrors.length > 0) return [...unknownFieldErrors, ...embeddedErrors];
  const schemaErrors = validateAgainstSchema(node, defaultValue, fieldPath);
  if (schemaErrors.length > 0) return [...unknownFieldErrors, ...schemaErrors];
  return [...unknownFieldErrors, ...ruleErrors(wrapper, wrapValue(defaultValue), fieldPath)];
}

/** The errors of rules that are not met. Rules that do not compile are reported by check-rules.ts. */
function ruleErrors(wrapper: SchemaNode, object: JsonObject, fieldPath: string): readonly FieldError[] {
  const rules = compileRules(wrapper);
  return rules.isEmpty ? [] : rules.validate(object, undefined).errors.map((error) => prefixField(fieldPath, error));
}

function validateAgainstSchema(node: SchemaNode, value: JsonValue, fieldPath: string): readonly FieldError[] {
  const context = new CheckContext(new Correlation());
  schemaCheckOf(withoutIntOrString(node))(value, context, undefined);
  return context.distinctErrors.map((error) => relocateToDefault(node, error, `${fieldPath}.${DEFAULT}`));
}

const unknownFieldError = (value: JsonValue, fieldPath: string): FieldError =>
  invalidShownValue(`${fieldPath}.${DEFAULT}`, formatGoSyntax(value), 'must not have unknown fields');

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
const wrapValue = (value: JsonValue): JsonObject => ({ [DEFAULT]: cloneJson<JsonValue>(value) });
const wrapSchema = (node: SchemaNode): SchemaNode => ({
  ...node,
  rules: [],
  embeddedResource: false,
  properties: new Map([[DEFAULT, node]]),
  items: undefined,
});

/** Canonicalizes the metadata of embedded objects in `object`. Returns the error of the decoder, or else those of validation. */
function embeddedObjectErrors(wrapper: SchemaNode, object: JsonObject): readonly FieldError[] {
  try {
    decodeEmbedded(wrapper, object);
  } catch (error) {
    if (error instanceof EmbeddedResourceError) return [error.fieldError];
    throw error;
  }
  return validateEmbedded(wrapper, object);
}

/** The schema of a wrapper with an embedded resource as its value. */
const EMBEDDED_RESOURCE = readSchema({
  properties: { [DEFAULT]: { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true } },
});

/** A default in apiVersion, kind or metadata must result in a valid object: it is put into one at the path. */
function typeMetaErrors(defaultValue: JsonValue, fieldPath: string, typeMetaPath: readonly string[]): readonly FieldError[] {
  const members = typeMetaPath.reduceRight<JsonValue>(
    (value, step) => (step === ITEM ? [value] : { [step]: value }),
    cloneJson<JsonValue>(defaultValue),
  );
  const object: JsonObject = { [DEFAULT]: { apiVersion: 'v1', kind: 'A', ...(isObject(members) ? members : {}) } };
  // The texts without the name of the wrapper's member and the dot after it.
  const texts = embeddedObjectErrors(EMBEDDED_RESOURCE, object).map(({ text }) => text.slice(`${DEFAULT}.`.length));
  if (texts.length === 0) return [];
  const message = texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`;
  return [invalidShownValue(`${fieldPath}.${DEFAULT}`, formatGoSyntax(defaultValue), `must result in valid metadata: ${message}`)];
}

const prefixField = (fieldPath: string, error: FieldError): FieldError => ({
  ...error,
  field: `${fieldPath}.${error.field}`,
  text: `${fieldPath}.${error.text}`,
});
