/**
 * Defaulting and null handling by the schema of a custom resource. The defaulting pass sets the default of each field
 * that is absent, or null where null is not allowed. The null-dropping pass removes the other nulls that are not
 * allowed. Both change an object in place and are compiled per schema node. They ignore types: validation/validate.ts
 * reports a value of the wrong type.
 */
import { cloneJson, isObject, ownMember, setMember, type JsonObject, type JsonValue } from '../../values/json';
import type { SchemaNode } from './schema-node';

/** Changes a value in place. */
type Visitor = (value: JsonValue) => void;

/**
 * Sets the defaults of an object in place. Does not create absent parents: a default below an absent field applies only
 * when that field has a default itself.
 */
export function applySchemaDefaults(node: SchemaNode, object: JsonObject): void {
  visitorOf(DEFAULTING_PASS, node)?.(object);
}

/**
 * Removes members, in place, that are null where null is not allowed and that have no default. Null items of lists are
 * kept.
 */
export function dropNulls(node: SchemaNode, object: JsonObject): void {
  visitorOf(NULL_DROPPING_PASS, node)?.(object);
}

/** What distinguishes the two passes. */
interface SchemaPass {
  /** Visitors that have been compiled; `undefined` for a node with nothing to do at it and below it. */
  readonly visitors: WeakMap<SchemaNode, Visitor | undefined>;
  /**
   * Returns the change to an object before its members are visited; `undefined` when the pass changes none. `others` is
   * the schema of additional properties.
   */
  objectChange(node: SchemaNode, others: SchemaNode | undefined): ((object: JsonObject) => void) | undefined;
  /** Returns the replacement of a list's items before they are visited; `undefined` when the pass replaces none. */
  itemChange(items: SchemaNode): ((item: JsonValue) => JsonValue) | undefined;
}

function visitorOf(pass: SchemaPass, node: SchemaNode): Visitor | undefined {
  if (pass.visitors.has(node)) return pass.visitors.get(node);
  const visitor = compileVisitor(pass, node);
  pass.visitors.set(node, visitor);
  return visitor;
}

function compileVisitor(pass: SchemaPass, node: SchemaNode): Visitor | undefined {
  const others = isNode(node.additionalProperties) ? node.additionalProperties : undefined;
  const changeObject = pass.objectChange(node, others);
  const properties = [...node.properties].flatMap(([name, member]): [string, Visitor][] => {
    const visitor = visitorOf(pass, member);
    return visitor === undefined ? [] : [[name, visitor]];
  });
  const visitOther = others === undefined ? undefined : visitorOf(pass, others);
  const changeItem = node.items === undefined ? undefined : pass.itemChange(node.items);
  const visitItem = node.items === undefined ? undefined : visitorOf(pass, node.items);
  const steps = [changeObject, visitOther, changeItem, visitItem];
  if (properties.length === 0 && steps.every((step) => step === undefined)) return undefined;
  return (value) => {
    if (Array.isArray(value)) return visitItems(value, changeItem, visitItem);
    if (!isObject(value)) return;
    changeObject?.(value);
    for (const [name, visit] of properties) visitMember(value, name, visit);
    if (visitOther === undefined) return;
    for (const name of Object.keys(value)) if (!node.properties.has(name)) visitMember(value, name, visitOther);
  };
}

function visitMember(object: JsonObject, name: string, visit: Visitor): void {
  const value = ownMember(object, name);
  if (typeof value === 'object' && value !== null) visit(value);
}

function visitItems(list: JsonValue[], change: ((item: JsonValue) => JsonValue) | undefined, visit: Visitor | undefined): void {
  if (change === undefined && visit === undefined) return;
  for (let i = 0; i < list.length; i += 1) {
    let item = list[i] ?? null;
    if (change !== undefined) list[i] = item = change(item);
    if (typeof item === 'object' && item !== null) visit?.(item);
  }
}

function isNode(node: SchemaNode | boolean | undefined): node is SchemaNode {
  return typeof node === 'object';
}

/** Sets defaults. Values are cloned, because the object may be changed later. */
const DEFAULTING_PASS: SchemaPass = {
  visitors: new WeakMap(),
  objectChange(node, others) {
    const defaults = [...node.properties].flatMap(([name, { defaultValue, nullable }]) =>
      defaultValue === undefined || defaultValue === null ? [] : [{ name, defaultValue, nullable }],
    );
    // The names of additional properties are not known, so their default only replaces disallowed nulls.
    const otherDefault = others?.nullable === false ? (others.defaultValue ?? undefined) : undefined;
    if (defaults.length === 0 && otherDefault === undefined) return undefined;
    return (object) => {
      for (const { name, defaultValue, nullable } of defaults) {
        const value = ownMember(object, name);
        if (value === undefined || (value === null && !nullable)) setMember(object, name, cloneJson(defaultValue));
      }
      if (otherDefault === undefined) return;
      for (const name of Object.keys(object)) {
        if (ownMember(object, name) === null && !node.properties.has(name)) setMember(object, name, cloneJson(otherDefault));
      }
    };
  },
  itemChange({ defaultValue, nullable }) {
    if (nullable || defaultValue === undefined || defaultValue === null) return undefined;
    return (item) => (item === null ? cloneJson(defaultValue) : item);
  },
};

/** Drops nulls. Items of lists stay, because their removal would shift the others. */
const NULL_DROPPING_PASS: SchemaPass = {
  visitors: new WeakMap(),
  objectChange(node, others) {
    const isDropped = (member: SchemaNode | undefined): boolean =>
      member?.nullable === false && (member.defaultValue === undefined || member.defaultValue === null);
    const names = [...node.properties].flatMap(([name, member]) => (isDropped(member) ? [name] : []));
    const dropsOthers = isDropped(others);
    if (names.length === 0 && !dropsOthers) return undefined;
    return (object) => {
      for (const name of names) if (ownMember(object, name) === null) delete object[name];
      if (!dropsOthers) return;
      for (const name of Object.keys(object)) if (ownMember(object, name) === null && !node.properties.has(name)) delete object[name];
    };
  },
  itemChange: () => undefined,
};
