/**
 * An applied configuration held against its shape: is everything in it known and of the right type (the texts are upstream's), and which fields
 * does it hold. Changes nothing.
 */
import { goSyntax } from '../../api/go-syntax';
import { isObject, own, type JsonArray, type JsonObject, type JsonValue } from '../../api/json';
import { fieldElement, isEmptySet, isMember, nodeAt, elementsOf, pathText, SetBuilder, type FieldSet, type PathElement } from './field-set';
import { itemElement, memberShape, MissingKey, partition, type ItemShape, type Shape } from './shape';

const MOST_FAULTS = 100;

/** What is wrong, each with its path: `.spec.foo: field not declared in schema`. In the order of appearance, at most 100. */
export function shapeFaults(shape: Shape, object: JsonObject): string[] {
  const faults: string[] = [];
  check(shape, object, [], faults);
  return faults;
}

function check(shape: Shape, value: JsonValue, path: PathElement[], faults: string[]): void {
  if (value === null || faults.length >= MOST_FAULTS) return;
  const fault = (text: string): void => void faults.push(`${pathText(path)}: ${text}`);
  switch (shape.kind) {
    case 'free':
      return;
    case 'scalar':
      return checkScalar(shape.of, value, fault);
    case 'struct':
    case 'map':
      if (!isObject(value)) return fault(`expected map, got &{${plain(value)}}`);
      for (const name of Object.keys(value)) {
        path.push(fieldElement(name));
        const member = memberShape(shape, name);
        if (member === undefined) faults.push(`${pathText(path)}: field not declared in schema`);
        else check(member, own(value, name) ?? null, path, faults);
        path.pop();
      }
      return;
    case 'list':
    case 'set':
    case 'keyed':
      if (!Array.isArray(value)) return fault(`expected list, got &{${plain(value)}}`);
      return checkItems(shape, value, path, faults, fault);
  }
}

function checkScalar(of: 'string' | 'number' | 'boolean' | 'any', value: JsonValue, fault: (text: string) => void): void {
  switch (of) {
    case 'string':
      if (typeof value !== 'string') fault(`expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`);
      return;
    case 'number':
      if (typeof value !== 'number' && typeof value !== 'bigint') fault(`expected numeric (int or float), got ${goType(value)}`);
      return;
    case 'boolean':
      if (typeof value !== 'boolean') fault(`expected boolean, got &{${plain(value)}}`);
      return;
    case 'any':
      if (typeof value === 'object') fault(`expected any scalar, got ${goType(value)}`);
  }
}

function checkItems(
  shape: Extract<Shape, { kind: 'list' | 'set' | 'keyed' }>,
  items: JsonArray,
  path: PathElement[],
  faults: string[],
  fault: (text: string) => void,
): void {
  const seen = new Set<PathElement>();
  items.forEach((item, index) => {
    let element: PathElement = `i:${index}`;
    if (shape.kind !== 'list') {
      const text = itemFault(shape, item);
      if (text !== undefined) return fault(`element ${index}: ${text}`);
      element = itemElement(shape, item);
      if (seen.has(element)) fault(`duplicate entries for key ${pathText([element])}`);
      seen.add(element);
    }
    path.push(element);
    check(shape.of, item, path, faults);
    path.pop();
  });
}

function itemFault(shape: ItemShape, item: JsonValue): string | undefined {
  if (shape.kind === 'keyed') {
    if (item === null) return 'associative list with keys may not have a null element';
    if (!isObject(item)) return 'associative list with keys may not have non-map elements';
    const missing = shape.keys.find(({ name, absent }) => (own(item, name) ?? absent) === undefined);
    return missing === undefined ? undefined : new MissingKey(missing.name).message;
  }
  if (item === null) return "associative list without keys has an element that's an explicit null";
  if (typeof item !== 'object') return undefined;
  return `associative list without keys has an element that is a ${isObject(item) ? 'map' : 'list'} type`;
}

function goType(value: JsonValue): string {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (Array.isArray(value)) return '[]interface {}';
  return isObject(value) ? 'map[string]interface {}' : 'int64';
}

function plain(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(plain).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const names = Object.keys(value).sort();
  return `map[${names.map((name) => `${name}:${plain(value[name] ?? null)}`).join(' ')}]`;
}

/** The fields that an object holds. */
export function fieldSetOf(shape: Shape, object: JsonObject): FieldSet {
  const builder = new SetBuilder();
  gather(shape, object, [], builder);
  return builder.set;
}

function gather(shape: Shape, value: JsonValue, path: PathElement[], builder: SetBuilder): void {
  switch (partition(shape)) {
    case 'leaf':
      if (path.length > 0) builder.insert(path);
      return;
    case 'members':
      if (!isObject(value)) return;
      for (const name of Object.keys(value)) {
        const member = memberShape(shape, name);
        const found = own(value, name) ?? null;
        path.push(fieldElement(name));
        if (member !== undefined) gather(member, found, path, builder);
        // A key of a map is a field of its own; a member of a struct is one where there is nothing below it.
        if (found === null || shape.kind !== 'struct' || (isObject(found) && Object.keys(found).length === 0)) builder.insert(path);
        path.pop();
      }
      return;
    case 'items':
      if (!Array.isArray(value) || (shape.kind !== 'set' && shape.kind !== 'keyed')) return;
      for (const item of value) {
        path.push(itemElement(shape, item));
        gather(shape.of, item, path, builder);
        builder.insert(path);
        path.pop();
      }
  }
}

/** The set with every member of a struct that leads to a field made a field itself. */
export function withStructMembers(shape: Shape, set: FieldSet): FieldSet {
  return fill(shape, set, {});
}

function fill(shape: Shape | undefined, set: FieldSet, into: FieldSet): FieldSet {
  for (const element of elementsOf(set)) {
    const node = nodeAt(set, element);
    if (node === undefined) continue;
    if (isEmptySet(node)) {
      into[element] = node;
      continue;
    }
    const name = element.startsWith('f:') ? element.slice(2) : undefined;
    const declared = shape?.kind === 'struct' && name !== undefined ? shape.field(name) : undefined;
    const below = name === undefined ? itemShape(shape) : shape === undefined ? undefined : memberShape(shape, name);
    into[element] = fill(below, node, declared !== undefined || isMember(node) ? { '.': {} } : {});
  }
  return into;
}

function itemShape(shape: Shape | undefined): Shape | undefined {
  return shape?.kind === 'set' || shape?.kind === 'keyed' || shape?.kind === 'list' ? shape.of : undefined;
}
