/**
 * Whether a schema is structural: every value has a type of its own, and what further restricts it says nothing that would change how it is
 * pruned, defaulted or shown.
 */
import { appendAll } from '../../../../shared/values/append';
import { forbiddenField, invalidValue, requiredValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { arrayAt, compareBytes, equalJson, isObject, objectAt, stringAt, type JsonObject } from '../../../../shared/values/json';
import { compilePattern } from '../../../../shared/values/pattern';
import { atItems, inMap, MOST_TEXT, parts, told, underLogic, type Placed } from './walk';

const EITHER = 'x-kubernetes-int-or-string';
const EMBEDDED = 'x-kubernetes-embedded-resource';
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';

type Level = 'root' | 'member' | 'item';

/** By their texts, as upstream tells them, of as many as are told. */
export function structureErrors(root: JsonObject, place: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  addNodeErrors(root, place, 'root', errors);
  return told([...errors, ...completenessErrors(root, place)]).sort((a, b) => compareBytes(a.text, b.text));
}

function addNodeErrors(node: JsonObject, place: string, level: Level, errors: FieldError[]): void {
  for (const inner of parts(node, place)) addNodeErrors(inner.schema, inner.place, inner.step === '.items' ? 'item' : 'member', errors);
  appendAll(errors, [...patternErrors(node, place), ...itemsErrors(node, place)]);
  const spared = eitherTypes(node);
  for (const inner of underLogic(node, place)) addNestedErrors(inner, spared, errors);
  if (node[EMBEDDED] === true) appendAll(errors, embeddedErrors(node, place));
  appendAll(errors, typeErrors(node, place, level));
  if (node[EMBEDDED] === true || level === 'root') appendAll(errors, resourceErrors(node, place, level));
}

const MISSING_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  member: 'must not be empty for specified object fields',
};

function typeErrors(node: JsonObject, place: string, level: Level): readonly FieldError[] {
  const type = stringAt(node, 'type') ?? '';
  const errors: FieldError[] = [];
  if (node[EITHER] === true) {
    for (const name of [PRESERVE, EMBEDDED])
      if (node[name] === true) errors.push(invalidValue(`${place}.${name}`, true, `must be false if ${EITHER} is true`));
  }
  if (node[EMBEDDED] === true && type !== 'object') {
    const text = `must be object if ${EMBEDDED} is true`;
    errors.push(type === '' ? requiredValue(`${place}.type`, text) : invalidValue(`${place}.type`, type, text));
  } else if (type === '' && node[EITHER] !== true && node[PRESERVE] !== true)
    errors.push(requiredValue(`${place}.type`, MISSING_TYPE[level]));
  if (level === 'root' && type !== '' && type !== 'object') errors.push(invalidValue(`${place}.type`, type, 'must be object at the root'));
  return errors;
}

function patternErrors(node: JsonObject, place: string): readonly FieldError[] {
  const expression = stringAt(node, 'pattern') ?? '';
  if (expression === '') return [];
  const pattern = compilePattern(expression);
  if (pattern.type === 'good') return [];
  return [invalidValue(`${place}.pattern`, expression, `must be a valid regular expression, but isn't: ${pattern.fault}`)];
}

function itemsErrors(node: JsonObject, place: string): readonly FieldError[] {
  return stringAt(node, 'type') === 'array' && node['items'] === undefined ? [requiredValue(`${place}.items`, 'must be specified')] : [];
}

/** A whole object inside another one. */
function embeddedErrors(node: JsonObject, place: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (node['additionalProperties'] !== undefined)
    errors.push(forbiddenField(`${place}.additionalProperties`, `must not be used if ${EMBEDDED} is set`));
  if (objectAt(node, 'properties') === undefined && node[PRESERVE] !== true)
    errors.push(requiredValue(`${place}.properties`, `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`));
  return errors;
}

const MEMBER_TYPES: Readonly<Record<string, string>> = { metadata: 'object', apiVersion: 'string', kind: 'string' };
/** What the schema of an object's own metadata may have. */
const METADATA_MEMBERS: ReadonlySet<string> = new Set(['type', 'properties', 'default', 'example', 'externalDocs']);
const METADATA_PROPERTIES: readonly string[] = ['name', 'generateName'];

function resourceErrors(node: JsonObject, place: string, level: Level): readonly FieldError[] {
  const errors: FieldError[] = [];
  const properties = objectAt(node, 'properties') ?? {};
  if (level === 'root' && node['additionalProperties'] !== undefined)
    errors.push(forbiddenField(`${place}.additionalProperties`, 'must not be used at the root'));
  for (const [name, wanted] of Object.entries(MEMBER_TYPES)) {
    const member = objectAt(properties, name);
    if (member === undefined) continue;
    const type = stringAt(member, 'type') ?? '';
    if (type !== wanted) errors.push(invalidValue(`${place}.properties[${name}].type`, type, `must be ${wanted}`));
  }
  const metadata = objectAt(properties, 'metadata');
  if (level === 'root' && metadata !== undefined) appendAll(errors, metadataErrors(metadata, `${place}.properties[metadata]`));
  return errors;
}

function metadataErrors(metadata: JsonObject, place: string): readonly FieldError[] {
  const named = Object.keys(objectAt(metadata, 'properties') ?? {}).every((name) => METADATA_PROPERTIES.includes(name));
  if (named && Object.keys(metadata).every((member) => METADATA_MEMBERS.has(member))) return [];
  return [forbiddenField(place, 'must not specify anything other than name and generateName, but metadata is implicitly specified')];
}

/** Where both types of an integer or string may be named: as the first of `anyOf`, or of an `anyOf` in the first of `allOf`. */
function eitherTypes(node: JsonObject): ReadonlySet<JsonObject> {
  const found = new Set<JsonObject>();
  const spare = (holder: JsonObject): void => {
    const [first, second, ...more] = arrayAt(holder, 'anyOf') ?? [];
    if (more.length > 0 || !equalJson(first, { type: 'integer' }) || !equalJson(second, { type: 'string' })) return;
    for (const schema of [first, second]) if (isObject(schema)) found.add(schema);
  };
  spare(node);
  const [first] = arrayAt(node, 'allOf') ?? [];
  if (isObject(first)) spare(first);
  return found;
}

/** In upstream's words for what must not be there. */
const ABSENT: readonly { readonly member: string; readonly text: string }[] = [
  { member: 'default', text: 'must be undefined to be structural' },
  { member: 'additionalProperties', text: 'must be undefined to be structural' },
  { member: 'type', text: 'must be empty to be structural' },
  { member: 'title', text: 'must be empty to be structural' },
  { member: 'description', text: 'must be empty to be structural' },
  { member: 'nullable', text: 'must be false to be structural' },
  { member: PRESERVE, text: 'must be false to be structural' },
  { member: EMBEDDED, text: 'must be false to be structural' },
  { member: EITHER, text: 'must be false to be structural' },
  { member: 'x-kubernetes-list-map-keys', text: 'must be empty to be structural' },
  { member: 'x-kubernetes-list-type', text: 'must be undefined to be structural' },
  { member: 'x-kubernetes-map-type', text: 'must be undefined to be structural' },
  { member: 'x-kubernetes-validations', text: 'must be empty to be structural' },
];

/** That there are no other members changes nothing. */
const isSaid = (schema: JsonObject, member: string): boolean =>
  schema[member] !== undefined && !(member === 'additionalProperties' && schema[member] === false);

/** What only says more of a value, or of its parts. */
function addNestedErrors({ schema, place }: Placed, spared: ReadonlySet<JsonObject>, errors: FieldError[]): void {
  for (const { member, text } of ABSENT) {
    const isSpared = member === 'type' && spared.has(schema);
    if (isSaid(schema, member) && !isSpared) errors.push(forbiddenField(`${place}.${member}`, text));
  }
  const metadata = objectAt(objectAt(schema, 'properties'), 'metadata');
  if (metadata !== undefined) errors.push(forbiddenField(`${place}.properties[metadata]`, 'must not be specified in a nested context'));
  appendAll(errors, patternErrors(schema, place));
  for (const inner of restrictedParts(schema, place)) addNestedErrors(inner, spared, errors);
  for (const inner of underLogic(schema, place)) addNestedErrors(inner, spared, errors);
}

const restrictedParts = (schema: JsonObject, place: string): readonly Placed[] => [
  ...atItems(schema, place),
  ...inMap(schema, 'properties', place),
];

/** What is said of parts of the object has to be said of parts that the schema has. */
function completenessErrors(root: JsonObject, place: string): readonly FieldError[] {
  const errors = new Map<string, FieldError>();
  let length = 0;
  const visit = (restriction: Placed, node: JsonObject | undefined, nodePlace: string): void => {
    for (const inner of underLogic(restriction.schema, restriction.place)) visit(inner, node, nodePlace);
    for (const inner of restrictedParts(restriction.schema, restriction.place)) {
      const member = partAt(node, inner.step);
      const at = nodePlace + inner.step;
      if (member !== undefined) visit(inner, member, at);
      else if (length < MOST_TEXT && !errors.has(at)) {
        errors.set(at, requiredValue(at, `because it is defined in ${inner.place}`));
        length += at.length;
      }
    }
  };
  for (const inner of underLogic(root, place)) visit(inner, root, place);
  return [...errors.values()];
}

/** `step` = `.items` or `.properties[name]`. */
function partAt(node: JsonObject | undefined, step: string): JsonObject | undefined {
  if (step === '.items') return objectAt(node, 'items');
  return objectAt(objectAt(node, 'properties'), step.slice('.properties['.length, -1));
}
