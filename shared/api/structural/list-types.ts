/** Sets hold no value twice, keyed lists no set of keys (`x-kubernetes-list-type`). Looks at nothing else. */
import { fieldErrorAs, type FieldError } from '../errors/field-error';
import { isObject, sortedKeys, stringifyJson, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { MOST_ERRORS, shownValue } from './check-context';
import { keysOf, memberNode } from './correlate';
import { fieldText, type PathPart } from './path';
import type { SchemaNode } from './schema-node';

export function validateListTypes(node: SchemaNode, object: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  if (leadsToLists(node)) visit(node, object, [], errors);
  return errors;
}

function visit(node: SchemaNode, value: JsonValue, path: PathPart[], errors: FieldError[]): void {
  const below = (next: SchemaNode | undefined, step: PathPart, member: JsonValue): void => {
    if (next === undefined || typeof member !== 'object' || member === null || errors.length >= MOST_ERRORS || !leadsToLists(next)) return;
    path.push(step);
    visit(next, member, path, errors);
    path.pop();
  };
  if (Array.isArray(value)) {
    if (node.listType === 'set') checkSet(value, path, errors);
    else if (node.listType === 'map') checkKeys(node, value, path, errors);
    value.forEach((item, index) => below(node.items, index, item));
  } else if (isObject(value)) {
    for (const name of sortedKeys(value)) {
      below(memberNode(node, name), node.properties.has(name) ? name : { key: name }, value[name] ?? null);
    }
  }
}

function checkSet(items: JsonArray, path: readonly PathPart[], errors: FieldError[]): void {
  checkUnique(items, (item) => item, path, errors);
}

function checkKeys(node: SchemaNode, items: JsonArray, path: readonly PathPart[], errors: FieldError[]): void {
  const odd = items.findIndex((item) => !isObject(item) && item !== null);
  if (odd >= 0) {
    const text = 'must be an object for an array of list-type map';
    errors.push(fieldErrorAs('FieldValueInvalid', fieldText([...path, odd]), shownValue(items[odd] ?? null), text));
    return;
  }
  checkUnique(items, (item) => (isObject(item) ? keysOf(node, item) : undefined), path, errors);
}

/** Names what comes a second time, once. What has no identity is left alone. */
function checkUnique(
  items: JsonArray,
  identity: (item: JsonValue) => JsonValue | undefined,
  path: readonly PathPart[],
  errors: FieldError[],
): void {
  const seen = new Map<string, number>();
  items.forEach((item, index) => {
    const value = identity(item);
    if (value === undefined) return;
    const text = stringifyJson(value, 'sorted');
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    if (times !== 1 || errors.length >= MOST_ERRORS) return;
    errors.push(fieldErrorAs('FieldValueDuplicate', fieldText([...path, index]), shownValue(value), ''));
  });
}

const known = new WeakMap<SchemaNode, boolean>();

function leadsToLists(node: SchemaNode): boolean {
  let leads = known.get(node);
  if (leads === undefined) {
    const { additionalProperties, items } = node;
    const below = [...node.properties.values(), ...[items, additionalProperties].filter((next) => typeof next === 'object')];
    leads = node.listType === 'set' || node.listType === 'map' || below.some(leadsToLists);
    known.set(node, leads);
  }
  return leads;
}
