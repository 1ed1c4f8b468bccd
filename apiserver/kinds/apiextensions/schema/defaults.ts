/** Whether the defaults in a structural schema fit the schemas that they stand in. */
import { invalidShownValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { formatGoSyntax } from '../../../../shared/values/go-syntax';
import { cloneJson, isObject, type JsonObject, type JsonValue } from '../../../../shared/values/json';
import { CheckContext, ROOT_PATH } from '../../../../shared/api/structural/check-context';
import { schemaCheckOf } from '../../../../shared/api/structural/check-value';
import { Correlation } from '../../../../shared/api/structural/correlate';
import { decodeEmbedded, EmbeddedResourceError, validateEmbedded } from '../../../../shared/api/structural/embedded';
import { pruneUnknown } from '../../../../shared/api/structural/prune';
import { readSchema } from '../../../../shared/api/structural/read-schema';
import { compileRules } from '../../../../shared/expression/custom/compile-rules';
import type { SchemaNode } from '../../../../shared/api/structural/schema-node';

export function defaultErrors(root: SchemaNode, place: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  addNodeErrors({ ...root, embeddedResource: true }, place, undefined, errors);
  return errors;
}

/** The way from an object to a part of what it says of itself; `[]` = an item. */
type Way = readonly string[] | undefined;

const TYPE_META: readonly string[] = ['apiVersion', 'kind', 'metadata'];

/** Nobody looks at defaults of keys that are not named (upstream behaviour). */
function addNodeErrors(node: SchemaNode, place: string, way: Way, errors: FieldError[]): void {
  const { items, properties } = node;
  for (const error of valueErrors(node, place, way)) errors.push(error);
  if (items !== undefined) addNodeErrors(items, `${place}.items`, way && [...way, ITEM], errors);
  for (const [name, member] of properties) {
    const isTypeMeta = node.embeddedResource && TYPE_META.includes(name);
    addNodeErrors(member, `${place}.properties[${name}]`, isTypeMeta ? [name] : way && [...way, name], errors);
  }
}

const VALUE = 'default';
const ITEM = '[]';

function valueErrors(node: SchemaNode, place: string, way: Way): readonly FieldError[] {
  const { defaultValue } = node;
  if (defaultValue === undefined || defaultValue === null) return [];
  const ofTypeMeta = way === undefined ? [] : typeMetaErrors(defaultValue, place, way);
  if (ofTypeMeta.length > 0) return ofTypeMeta;
  const [holder, object] = [holderOf(node), held(defaultValue)];
  const isClean = way !== undefined || pruneUnknown(holder, held(defaultValue)).length === 0;
  const fault = embeddedFault(holder, object);
  const unknown = isClean ? [] : [unknownError(object[VALUE] ?? null, place)];
  if (fault !== undefined) return [...unknown, below(place, fault)];
  const ofEmbedded = validateEmbedded(holder, object).map((error) => below(place, error));
  if (ofEmbedded.length > 0) return [...unknown, ...ofEmbedded];
  const ofSchema = schemaErrors(node, defaultValue, place);
  return [...unknown, ...ofSchema, ...(ofSchema.length > 0 ? [] : ruleErrors(holder, held(defaultValue), place))];
}

/** Rules that do not compile are told elsewhere. */
function ruleErrors(holder: SchemaNode, object: JsonObject, place: string): readonly FieldError[] {
  const rules = compileRules(holder);
  return rules.isEmpty ? [] : rules.validate(object, undefined).errors.map((error) => below(place, error));
}

function schemaErrors(node: SchemaNode, value: JsonValue, place: string): readonly FieldError[] {
  const context = new CheckContext(new Correlation());
  schemaCheckOf(lenient(node))(value, context, undefined);
  return context.distinctErrors.map((error) => atDefault(node, error, `${place}.${VALUE}`));
}

/** A default is not pruned: it has to be clean. What objects say of themselves is known without a schema. */
function unknownError(value: JsonValue, place: string): FieldError {
  return invalidShownValue(`${place}.${VALUE}`, formatGoSyntax(value), 'must not have unknown fields');
}

/** A default of an integer or string may be anything (upstream behaviour). */
function lenient(node: SchemaNode): SchemaNode {
  const known = LENIENT.get(node);
  if (known !== undefined) return known;
  const { additionalProperties, items, properties } = node;
  const made: SchemaNode = {
    ...node,
    intOrString: false,
    properties: new Map([...properties].map(([name, member]) => [name, lenient(member)])),
    additionalProperties: typeof additionalProperties === 'object' ? lenient(additionalProperties) : additionalProperties,
    items: items === undefined ? undefined : lenient(items),
  };
  LENIENT.set(node, made);
  return made;
}

const LENIENT = new WeakMap<SchemaNode, SchemaNode>();

/** What is wrong with a value, said of the default. A key that the schema does not name has a dot before it in the text (upstream behaviour). */
function atDefault({ properties, additionalProperties }: SchemaNode, error: FieldError, place: string): FieldError {
  const field = error.field === ROOT_PATH ? place : `${place}.${error.field}`;
  const key = /^[^.[]*/.exec(error.field)?.[0] ?? '';
  const isNamed = typeof additionalProperties !== 'object' || properties.has(key);
  const body = isNamed ? error.body : error.body.replace(`${error.field} in body`, `.${error.field} in body`);
  return { ...error, field, body, text: `${field}: ${body}` };
}

/** The value as a member of an object, because whoever looks at values starts at an object. */
const held = (value: JsonValue): JsonObject => ({ [VALUE]: cloneJson<JsonValue>(value) });
const holderOf = (node: SchemaNode): SchemaNode => ({
  ...node,
  rules: [],
  embeddedResource: false,
  properties: new Map([[VALUE, node]]),
  items: undefined,
});

/** Brings the metadata of embedded objects into canonical form, or says why it cannot be done. */
function embeddedFault(holder: SchemaNode, object: JsonObject): FieldError | undefined {
  try {
    decodeEmbedded(holder, object);
    return undefined;
  } catch (error) {
    if (error instanceof EmbeddedResourceError) return error.fieldError;
    throw error;
  }
}

/** A default of what an object says of itself has to make a good object. */
function typeMetaErrors(defaultValue: JsonValue, place: string, way: readonly string[]): readonly FieldError[] {
  const part = way.reduceRight<JsonValue>(
    (value, step) => (step === ITEM ? [value] : { [step]: value }),
    cloneJson<JsonValue>(defaultValue),
  );
  const object: JsonObject = { [VALUE]: { apiVersion: 'v1', kind: 'A', ...(isObject(part) ? part : {}) } };
  const fault = embeddedFault(RESOURCE, object);
  const errors = fault === undefined ? validateEmbedded(RESOURCE, object) : [fault];
  const texts = errors.map(({ text }) => text.slice(VALUE.length + 1));
  if (texts.length === 0) return [];
  const all = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
  return [invalidShownValue(`${place}.${VALUE}`, formatGoSyntax(defaultValue), `must result in valid metadata: ${all}`)];
}

const RESOURCE = readSchema({
  properties: { [VALUE]: { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true } },
});

const below = (place: string, error: FieldError): FieldError => ({
  ...error,
  field: `${place}.${error.field}`,
  text: `${place}.${error.text}`,
});
