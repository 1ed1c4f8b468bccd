/**
 * Validates that a schema is structural: every value has a type of its own, and the schemas under `allOf`, `anyOf`,
 * `oneOf` and `not` contain nothing that would change pruning, defaulting or the documentation.
 */
import { appendAll } from '../../../../shared/values/append';
import { forbiddenField, invalidValue, requiredValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { arrayAt, compareBytes, equalJson, isObject, objectAt, stringAt, type JsonObject } from '../../../../shared/values/json';
import { compilePattern } from '../../../../shared/values/text/pattern';
import {
  itemSchemas,
  schemasInMap,
  MAX_ERROR_CHARACTERS,
  valueSchemas,
  limitErrors,
  junctorSchemas,
  type LocatedSchema,
} from './subschemas';

const INT_OR_STRING = 'x-kubernetes-int-or-string';
const EMBEDDED = 'x-kubernetes-embedded-resource';
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';

/** The kind of value that a schema describes: the whole object, a property or additional property, or an item of a list. */
type SchemaLevel = 'root' | 'member' | 'item';

/** The errors, limited in length and then sorted by text, as upstream sorts them. */
export function validateStructural(root: JsonObject, fieldPath: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  addNodeErrors(root, fieldPath, 'root', errors);
  return limitErrors([...errors, ...completenessErrors(root, fieldPath)]).sort((a, b) => compareBytes(a.text, b.text));
}

/** Adds the errors of a schema that describes a value, and of all schemas below it. */
function addNodeErrors(node: JsonObject, fieldPath: string, level: SchemaLevel, errors: FieldError[]): void {
  for (const inner of valueSchemas(node, fieldPath)) {
    addNodeErrors(inner.schema, inner.fieldPath, inner.step === '.items' ? 'item' : 'member', errors);
  }
  appendAll(errors, [...patternErrors(node, fieldPath), ...itemsErrors(node, fieldPath)]);
  const exemptTypes = intOrStringTypes(node);
  for (const inner of junctorSchemas(node, fieldPath)) addJunctorErrors(inner, exemptTypes, errors);
  if (node[EMBEDDED] === true) appendAll(errors, embeddedErrors(node, fieldPath));
  appendAll(errors, typeErrors(node, fieldPath, level));
  if (node[EMBEDDED] === true || level === 'root') appendAll(errors, objectRootErrors(node, fieldPath, level));
}

const MISSING_TYPE: Readonly<Record<SchemaLevel, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  member: 'must not be empty for specified object fields',
};

function typeErrors(node: JsonObject, fieldPath: string, level: SchemaLevel): readonly FieldError[] {
  const type = stringAt(node, 'type') ?? '';
  const errors: FieldError[] = [];
  const isIntOrString = node[INT_OR_STRING] === true;
  if (isIntOrString) {
    for (const name of [PRESERVE, EMBEDDED].filter((member) => node[member] === true)) {
      errors.push(invalidValue(`${fieldPath}.${name}`, true, `must be false if ${INT_OR_STRING} is true`));
    }
  }
  const mayLackType = isIntOrString || node[PRESERVE] === true;
  if (node[EMBEDDED] === true && type !== 'object') {
    const text = `must be object if ${EMBEDDED} is true`;
    errors.push(type === '' ? requiredValue(`${fieldPath}.type`, text) : invalidValue(`${fieldPath}.type`, type, text));
  } else if (type === '' && !mayLackType) errors.push(requiredValue(`${fieldPath}.type`, MISSING_TYPE[level]));
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalidValue(`${fieldPath}.type`, type, 'must be object at the root'));
  }
  return errors;
}

function patternErrors(node: JsonObject, fieldPath: string): readonly FieldError[] {
  const expression = stringAt(node, 'pattern') ?? '';
  if (expression === '') return [];
  const pattern = compilePattern(expression);
  if (pattern.type === 'good') return [];
  return [invalidValue(`${fieldPath}.pattern`, expression, `must be a valid regular expression, but isn't: ${pattern.error}`)];
}

function itemsErrors(node: JsonObject, fieldPath: string): readonly FieldError[] {
  return stringAt(node, 'type') === 'array' && node['items'] === undefined
    ? [requiredValue(`${fieldPath}.items`, 'must be specified')]
    : [];
}

/** The errors of a schema for an embedded object, which has its own apiVersion, kind and metadata. */
function embeddedErrors(node: JsonObject, fieldPath: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (node['additionalProperties'] !== undefined) {
    errors.push(forbiddenField(`${fieldPath}.additionalProperties`, `must not be used if ${EMBEDDED} is set`));
  }
  if (objectAt(node, 'properties') === undefined && node[PRESERVE] !== true) {
    errors.push(requiredValue(`${fieldPath}.properties`, `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`));
  }
  return errors;
}

const MEMBER_TYPES: Readonly<Record<string, string>> = { metadata: 'object', apiVersion: 'string', kind: 'string' };
/** Allowed keywords in the schema of top-level `metadata`. */
const METADATA_MEMBERS: ReadonlySet<string> = new Set(['type', 'properties', 'default', 'example', 'externalDocs']);
const METADATA_PROPERTIES: readonly string[] = ['name', 'generateName'];

function objectRootErrors(node: JsonObject, fieldPath: string, level: SchemaLevel): readonly FieldError[] {
  const errors: FieldError[] = [];
  const properties = objectAt(node, 'properties') ?? {};
  if (level === 'root' && node['additionalProperties'] !== undefined) {
    errors.push(forbiddenField(`${fieldPath}.additionalProperties`, 'must not be used at the root'));
  }
  for (const [name, expectedType] of Object.entries(MEMBER_TYPES)) {
    const member = objectAt(properties, name);
    if (member === undefined) continue;
    const type = stringAt(member, 'type') ?? '';
    if (type !== expectedType) errors.push(invalidValue(`${fieldPath}.properties[${name}].type`, type, `must be ${expectedType}`));
  }
  const metadata = objectAt(properties, 'metadata');
  if (level === 'root' && metadata !== undefined) appendAll(errors, metadataErrors(metadata, `${fieldPath}.properties[metadata]`));
  return errors;
}

function metadataErrors(metadata: JsonObject, fieldPath: string): readonly FieldError[] {
  const hasOnlyNames = Object.keys(objectAt(metadata, 'properties') ?? {}).every((name) => METADATA_PROPERTIES.includes(name));
  if (hasOnlyNames && Object.keys(metadata).every((member) => METADATA_MEMBERS.has(member))) return [];
  return [forbiddenField(fieldPath, 'must not specify anything other than name and generateName, but metadata is implicitly specified')];
}

/**
 * The two schemas that may name a type although they are under `anyOf`: the integer and string alternatives of
 * `anyOf`, or of an `anyOf` in the first item of `allOf`.
 */
function intOrStringTypes(node: JsonObject): ReadonlySet<JsonObject> {
  const types = new Set<JsonObject>();
  const addTypes = (holder: JsonObject): void => {
    const [first, second, ...more] = arrayAt(holder, 'anyOf') ?? [];
    if (more.length > 0 || !equalJson(first, { type: 'integer' }) || !equalJson(second, { type: 'string' })) return;
    for (const schema of [first, second]) {
      if (isObject(schema)) types.add(schema);
    }
  };
  addTypes(node);
  const [first] = arrayAt(node, 'allOf') ?? [];
  if (isObject(first)) addTypes(first);
  return types;
}

/** Keywords that must not occur under the junctors (`allOf`, `anyOf`, `oneOf`, `not`), with upstream's messages. */
const FORBIDDEN_IN_JUNCTORS: readonly { readonly member: string; readonly text: string }[] = [
  { member: 'default', text: 'must be undefined to be structural' },
  { member: 'additionalProperties', text: 'must be undefined to be structural' },
  { member: 'type', text: 'must be empty to be structural' },
  { member: 'title', text: 'must be empty to be structural' },
  { member: 'description', text: 'must be empty to be structural' },
  { member: 'nullable', text: 'must be false to be structural' },
  { member: PRESERVE, text: 'must be false to be structural' },
  { member: EMBEDDED, text: 'must be false to be structural' },
  { member: INT_OR_STRING, text: 'must be false to be structural' },
  { member: 'x-kubernetes-list-map-keys', text: 'must be empty to be structural' },
  { member: 'x-kubernetes-list-type', text: 'must be undefined to be structural' },
  { member: 'x-kubernetes-map-type', text: 'must be undefined to be structural' },
  { member: 'x-kubernetes-validations', text: 'must be empty to be structural' },
];

/** Whether a schema under a junctor has the keyword. `additionalProperties: false` has no effect there. */
const isRestricting = (schema: JsonObject, member: string): boolean =>
  schema[member] !== undefined && !(member === 'additionalProperties' && schema[member] === false);

/** Validates a schema under a junctor, which may only restrict the value further. */
function addJunctorErrors({ schema, fieldPath }: LocatedSchema, exemptTypes: ReadonlySet<JsonObject>, errors: FieldError[]): void {
  for (const { member, text } of FORBIDDEN_IN_JUNCTORS) {
    const isExempt = member === 'type' && exemptTypes.has(schema);
    if (isRestricting(schema, member) && !isExempt) errors.push(forbiddenField(`${fieldPath}.${member}`, text));
  }
  const metadata = objectAt(objectAt(schema, 'properties'), 'metadata');
  if (metadata !== undefined) errors.push(forbiddenField(`${fieldPath}.properties[metadata]`, 'must not be specified in a nested context'));
  appendAll(errors, patternErrors(schema, fieldPath));
  for (const inner of itemAndPropertySchemas(schema, fieldPath)) addJunctorErrors(inner, exemptTypes, errors);
  for (const inner of junctorSchemas(schema, fieldPath)) addJunctorErrors(inner, exemptTypes, errors);
}

const itemAndPropertySchemas = (schema: JsonObject, fieldPath: string): readonly LocatedSchema[] => [
  ...itemSchemas(schema, fieldPath),
  ...schemasInMap(schema, 'properties', fieldPath),
];

/** Every property and item that is restricted under a junctor must also be declared in the structural schema. */
function completenessErrors(root: JsonObject, fieldPath: string): readonly FieldError[] {
  const errorsByPath = new Map<string, FieldError>();
  let characters = 0;
  // `node` is the structural schema of the value that `restriction` restricts.
  const visit = (restriction: LocatedSchema, node: JsonObject | undefined, nodePath: string): void => {
    for (const inner of junctorSchemas(restriction.schema, restriction.fieldPath)) visit(inner, node, nodePath);
    for (const inner of itemAndPropertySchemas(restriction.schema, restriction.fieldPath)) {
      const memberPath = nodePath + inner.step;
      const member = subschemaAt(node, inner.step);
      if (member !== undefined) {
        visit(inner, member, memberPath);
        continue;
      }
      if (characters >= MAX_ERROR_CHARACTERS || errorsByPath.has(memberPath)) continue;
      errorsByPath.set(memberPath, requiredValue(memberPath, `because it is defined in ${inner.fieldPath}`));
      characters += memberPath.length;
    }
  };
  for (const inner of junctorSchemas(root, fieldPath)) visit(inner, root, fieldPath);
  return [...errorsByPath.values()];
}

/** `step` is `.items` or `.properties[name]`. */
function subschemaAt(node: JsonObject | undefined, step: string): JsonObject | undefined {
  if (step === '.items') return objectAt(node, 'items');
  return objectAt(objectAt(node, 'properties'), step.slice('.properties['.length, -1));
}
