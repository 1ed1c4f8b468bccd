/**
 * Validates each keyword of a schema on its own, at any depth. Works on the JSON of the schema, which need not be
 * structural. Also collects the schemas with errors, so that later checks can skip them.
 */
import { appendAll } from '../../../../shared/values/append';
import {
  forbiddenField,
  invalidShownValue,
  invalidValue,
  unsupportedValue,
  requiredValue,
  type FieldError,
} from '../../../../shared/api/errors/field-error';
import { type JsonObject, objectAt, stringAt, stringsAt } from '../../../../shared/values/json';
import { validateTypeMetaSchemas } from './type-meta';
import { subschemas } from './subschemas';

/** Returns the errors. Adds the schemas with errors, and all schemas that contain them, to `invalidSchemas`. */
export function validateKeywords(root: JsonObject, fieldPath: string, invalidSchemas: Set<JsonObject>): readonly FieldError[] {
  const errors: FieldError[] = [...validateTypeMetaSchemas(root, fieldPath)];
  if (root['nullable'] === true) errors.push(forbiddenField(`${fieldPath}.nullable`, 'nullable cannot be true at the root'));
  addSchemaErrors(root, fieldPath, errors, invalidSchemas);
  if (errors.length > 0) invalidSchemas.add(root);
  return errors;
}

/** Adds the errors of the schema and of all schemas below it. */
function addSchemaErrors(schema: JsonObject, fieldPath: string, errors: FieldError[], invalidSchemas: Set<JsonObject>): void {
  const errorCountBefore = errors.length;
  appendAll(errors, [
    ...unsupportedErrors(schema, fieldPath),
    ...additionalPropertiesErrors(schema, fieldPath),
    ...typeErrors(schema, `${fieldPath}.type`),
    ...preserveUnknownFieldsErrors(schema, fieldPath),
    ...mapTypeErrors(schema, fieldPath),
    ...listTypeErrors(schema, fieldPath),
    ...setItemErrors(schema, fieldPath),
  ]);
  for (const inner of subschemas(schema, fieldPath)) addSchemaErrors(inner.schema, inner.fieldPath, errors, invalidSchemas);
  appendAll(errors, listMapKeyErrors(schema, fieldPath));
  if (errors.length > errorCountBefore) invalidSchemas.add(schema);
}

const UNSUPPORTED_KEYWORDS = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

function unsupportedErrors(schema: JsonObject, fieldPath: string): readonly FieldError[] {
  const errors = UNSUPPORTED_KEYWORDS.filter((member) => schema[member] !== undefined).map((member) =>
    forbiddenField(`${fieldPath}.${member}`, `${member} is not supported`),
  );
  if (Array.isArray(schema['items'])) errors.push(forbiddenField(`${fieldPath}.items`, 'items must be a schema object and not an array'));
  if (schema['uniqueItems'] === true) {
    errors.push(
      forbiddenField(`${fieldPath}.uniqueItems`, 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'),
    );
  }
  return errors;
}

/** `properties` and `additionalProperties` exclude each other, unless the latter is true. */
function additionalPropertiesErrors(schema: JsonObject, fieldPath: string): readonly FieldError[] {
  const additionalProperties = schema['additionalProperties'];
  if (additionalProperties === undefined || additionalProperties === true || objectAt(schema, 'properties') === undefined) return [];
  return [forbiddenField(`${fieldPath}.additionalProperties`, 'additionalProperties and properties are mutual exclusive')];
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

function typeErrors(schema: JsonObject, field: string): readonly FieldError[] {
  const type = stringAt(schema, 'type') ?? '';
  if (type === '' || TYPES.includes(type)) return [];
  const errors = [unsupportedValue(field, type, TYPES)];
  return type === 'null' ? [...errors, forbiddenField(field, 'type cannot be set to null, use nullable as an alternative')] : errors;
}

function preserveUnknownFieldsErrors(schema: JsonObject, fieldPath: string): readonly FieldError[] {
  const name = 'x-kubernetes-preserve-unknown-fields';
  return schema[name] === false ? [invalidValue(`${fieldPath}.${name}`, false, 'must be true or undefined')] : [];
}

const MAP_TYPE = 'x-kubernetes-map-type';
const LIST_TYPE = 'x-kubernetes-list-type';
const LIST_KEYS = 'x-kubernetes-list-map-keys';

/** An extension that requires a type. */
interface ExtensionRule {
  readonly name: string;
  /** The `type` that a schema with the extension must have. */
  readonly expectedType: string;
  /** All values of the extension. */
  readonly values: readonly string[];
}

const MAP_TYPE_RULE: ExtensionRule = { name: MAP_TYPE, expectedType: 'object', values: ['atomic', 'granular'] };
const LIST_TYPE_RULE: ExtensionRule = { name: LIST_TYPE, expectedType: 'array', values: ['atomic', 'set', 'map'] };

function mapTypeErrors(schema: JsonObject, fieldPath: string): readonly FieldError[] {
  return extensionErrors(schema, fieldPath, MAP_TYPE_RULE);
}

function listTypeErrors(schema: JsonObject, fieldPath: string): readonly FieldError[] {
  return extensionErrors(schema, fieldPath, LIST_TYPE_RULE);
}

function extensionErrors(schema: JsonObject, fieldPath: string, { name, expectedType, values }: ExtensionRule): readonly FieldError[] {
  const value = stringAt(schema, name);
  if (value === undefined) return [];
  return [
    ...typeMismatchErrors(schema, `${fieldPath}.type`, expectedType, `must be ${expectedType} if ${name} is specified`),
    ...(values.includes(value) ? [] : [unsupportedValue(`${fieldPath}.${name}`, value, values)]),
  ];
}

function typeMismatchErrors(schema: JsonObject, field: string, expectedType: string, text: string): readonly FieldError[] {
  const type = stringAt(schema, 'type') ?? '';
  if (type === expectedType) return [];
  return [type === '' ? requiredValue(field, text) : invalidValue(field, type, text)];
}

/** The errors of the keys of a list of type `map`; keys of another list are an error. */
function listMapKeyErrors(schema: JsonObject, fieldPath: string): readonly FieldError[] {
  const listType = stringAt(schema, LIST_TYPE);
  const keys = stringsAt(schema, LIST_KEYS);
  if (listType === 'map') {
    const hasNoKeys = keys.length === 0;
    const keyErrors = hasNoKeys ? [requiredValue(`${fieldPath}.${LIST_KEYS}`, `must not be empty if ${LIST_TYPE} is map`)] : [];
    return [...keyErrors, ...mapItemErrors(schema, keys, fieldPath)];
  }
  if (keys.length === 0) return [];
  const text = `must be map if ${LIST_KEYS} is non-empty`;
  const field = `${fieldPath}.${LIST_TYPE}`;
  return [listType === undefined ? requiredValue(field, text) : invalidValue(field, listType, text)];
}

/** The errors of the items of a list of type `map`, which must be objects with the keys. */
function mapItemErrors(schema: JsonObject, keys: readonly string[], fieldPath: string): readonly FieldError[] {
  const field = `${fieldPath}.items`;
  if (schema['items'] === undefined) return [requiredValue(field, `must have a schema if ${LIST_TYPE} is map`)];
  const items = objectAt(schema, 'items');
  if (items === undefined) {
    const text = `must only have a single schema if ${LIST_TYPE} is map`;
    return [invalidShownValue(field, 'apiextensions.JSONSchemaPropsOrArray{…}', text)];
  }
  const errors: FieldError[] = [];
  if (items['nullable'] === true) errors.push(forbiddenField(`${field}.nullable`, `cannot be nullable when ${LIST_TYPE} is map`));
  const type = stringAt(items, 'type') ?? '';
  if (type === 'object') return [...errors, ...keyPropertyErrors(keys, items, fieldPath)];
  return [...errors, invalidValue(`${field}.type`, type, `must be object if parent array's ${LIST_TYPE} is map`)];
}

/** The errors of the properties of an item that are keys. `fieldPath` is that of the list. */
function keyPropertyErrors(keys: readonly string[], items: JsonObject, fieldPath: string): readonly FieldError[] {
  const field = `${fieldPath}.${LIST_KEYS}`;
  const members = objectAt(items, 'properties') ?? {};
  const required = new Set(stringsAt(items, 'required'));
  const errors: FieldError[] = [];
  const unknownKeyError = invalidValue(field, keys, 'entries must all be names of item properties');
  for (const key of new Set(keys)) {
    const member = objectAt(members, key);
    if (member === undefined) {
      errors.push(unknownKeyError);
      continue;
    }
    const type = stringAt(member, 'type') ?? '';
    const propertyPath = `${fieldPath}.items.properties[${key}]`;
    // The value is always shown as "object" (upstream behaviour).
    if (type === 'object' || type === 'array') {
      errors.push(invalidValue(`${propertyPath}.type`, 'object', `must be a scalar type if parent array's ${LIST_TYPE} is map`));
    }
    appendAll(errors, keyPresenceErrors(member, { isRequired: required.has(key) }, propertyPath));
  }
  if (new Set(keys).size < keys.length) errors.push(invalidValue(field, keys, 'must not contain duplicate entries'));
  return errors;
}

/** Every item must have the key: the property is required or has a default, and cannot be null. */
function keyPresenceErrors(
  member: JsonObject,
  { isRequired }: { readonly isRequired: boolean },
  propertyPath: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const rule = `this property is in ${LIST_KEYS}, so it`;
  if (member['default'] === undefined && !isRequired) {
    errors.push(requiredValue(`${propertyPath}.default`, `${rule} must have a default or be a required property`));
  }
  if (member['nullable'] === true) errors.push(forbiddenField(`${propertyPath}.nullable`, `${rule} cannot be nullable`));
  return errors;
}

/** Items of a set must be scalars, or atomic objects or lists, and not nullable. */
function setItemErrors(schema: JsonObject, fieldPath: string): readonly FieldError[] {
  const items = objectAt(schema, 'items');
  if (stringAt(schema, LIST_TYPE) !== 'set' || items === undefined) return [];
  const text = `must be atomic as item of a list with ${LIST_TYPE}=set`;
  const errors: FieldError[] = [];
  const listType = stringAt(items, LIST_TYPE);
  if (items['nullable'] === true) errors.push(forbiddenField(`${fieldPath}.items.nullable`, `cannot be nullable when ${LIST_TYPE} is set`));
  if (stringAt(schema, 'type') !== 'array') return errors;
  if (stringAt(items, 'type') === 'object' && stringAt(items, MAP_TYPE) !== 'atomic') {
    errors.push(invalidShownValue(`${fieldPath}.items.${MAP_TYPE}`, '"null"', text));
  }
  if (stringAt(items, 'type') === 'array' && listType !== undefined && listType !== 'atomic') {
    errors.push(invalidValue(`${fieldPath}.items.${LIST_TYPE}`, listType, text));
  }
  return errors;
}
