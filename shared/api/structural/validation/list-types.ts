/** Checks the uniqueness of items in sets and of keys in map lists (`x-kubernetes-list-type`). */
import { createFieldError, type FieldError } from '../../errors/field-error';
import { isObject, sortedKeys, stringifyJson, type JsonArray, type JsonObject, type JsonValue } from '../../../values/json';
import { MAX_SCHEMA_ERRORS } from './check-context';
import { keysOf, memberNode } from './correlate';
import { formatFieldPath, type FieldPathElement } from '../field-path';
import type { SchemaNode } from '../schema-node';
import { shownValue } from '../shown-value';

/** The errors of sets and map lists at any depth; collecting stops at {@link MAX_SCHEMA_ERRORS}. */
export function validateListTypes(node: SchemaNode, object: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  if (containsUniqueLists(node)) collectErrors(node, object, [], errors);
  return errors;
}

/** Appends the errors at and below a value to `errors`. `path` is that of the value. */
function collectErrors(node: SchemaNode, value: JsonValue, path: FieldPathElement[], errors: FieldError[]): void {
  const descend = (next: SchemaNode | undefined, step: FieldPathElement, member: JsonValue): void => {
    const isContainer = typeof member === 'object' && member !== null;
    const isFull = errors.length >= MAX_SCHEMA_ERRORS;
    if (next === undefined || !isContainer || isFull || !containsUniqueLists(next)) return;
    path.push(step);
    collectErrors(next, member, path, errors);
    path.pop();
  };
  if (Array.isArray(value)) {
    if (node.listType === 'set') checkUniqueItems(value, path, errors);
    else if (node.listType === 'map') checkUniqueKeys(node, value, path, errors);
    value.forEach((item, index) => descend(node.items, index, item));
  } else if (isObject(value)) {
    for (const name of sortedKeys(value)) {
      descend(memberNode(node, name), node.properties.has(name) ? name : { key: name }, value[name] ?? null);
    }
  }
}

function checkUniqueItems(items: JsonArray, path: readonly FieldPathElement[], errors: FieldError[]): void {
  reportDuplicates(items, (item) => item, path, errors);
}

function checkUniqueKeys(node: SchemaNode, items: JsonArray, path: readonly FieldPathElement[], errors: FieldError[]): void {
  const nonObject = items.findIndex((item) => !isObject(item) && item !== null);
  if (nonObject >= 0) {
    const text = 'must be an object for an array of list-type map';
    errors.push(createFieldError('FieldValueInvalid', formatFieldPath([...path, nonObject]), shownValue(items[nonObject] ?? null), text));
    return;
  }
  reportDuplicates(items, (item) => (isObject(item) ? keysOf(node, item) : undefined), path, errors);
}

/**
 * Reports the second of the items with the same identity; further ones are not reported (upstream behaviour).
 * `identityOf` returns what must be unique, or `undefined` for an item to ignore.
 */
function reportDuplicates(
  items: JsonArray,
  identityOf: (item: JsonValue) => JsonValue | undefined,
  path: readonly FieldPathElement[],
  errors: FieldError[],
): void {
  const occurrences = new Map<string, number>();
  items.forEach((item, index) => {
    const identity = identityOf(item);
    if (identity === undefined) return;
    const text = stringifyJson(identity, 'sorted');
    const earlier = occurrences.get(text) ?? 0;
    occurrences.set(text, earlier + 1);
    if (earlier !== 1 || errors.length >= MAX_SCHEMA_ERRORS) return;
    errors.push(createFieldError('FieldValueDuplicate', formatFieldPath([...path, index]), shownValue(identity), ''));
  });
}

/** Results of {@link containsUniqueLists}, so that each schema is searched once. */
const containsUniqueListsCache = new WeakMap<SchemaNode, boolean>();

/** Whether a set or map list may occur at the node or below it. */
function containsUniqueLists(node: SchemaNode): boolean {
  let contains = containsUniqueListsCache.get(node);
  if (contains === undefined) {
    const { additionalProperties, items } = node;
    const children = [...node.properties.values(), ...[items, additionalProperties].filter((next) => typeof next === 'object')];
    contains = node.listType === 'set' || node.listType === 'map' || children.some(containsUniqueLists);
    containsUniqueListsCache.set(node, contains);
  }
  return contains;
}
