/**
 * What a custom resource's schema fills in: defaults of absent members, and of nulls where null is not allowed; other such nulls count as
 * absent. Both in place, both type-blind: a value of the wrong type is left for validate.ts.
 */
import { cloneJson, isObject, own, setMember, type JsonObject, type JsonValue } from '../../values/json';
import type { SchemaNode } from './schema-node';

type Visitor = (value: JsonValue) => void;

/** Members and items that stand below absent ones are not made, unless the absent one has a default itself. */
export function applySchemaDefaults(node: SchemaNode, object: JsonObject): void {
  visitorOf(DEFAULTS, node)?.(object);
}

/** Removes members that are null where null is not allowed and there is no default. Items of lists stay. */
export function dropNulls(node: SchemaNode, object: JsonObject): void {
  visitorOf(NULLS, node)?.(object);
}

/** What is done at a node. Compiled per node; undefined = there is nothing to do at the node and below. */
interface Task {
  readonly known: WeakMap<SchemaNode, Visitor | undefined>;
  /** What is done to an object before its members are visited. `others` is the schema of members without one of their own. */
  members(node: SchemaNode, others: SchemaNode | undefined): ((object: JsonObject) => void) | undefined;
  /** What becomes of an item, before it is visited. */
  item(items: SchemaNode): ((item: JsonValue) => JsonValue) | undefined;
}

function visitorOf(task: Task, node: SchemaNode): Visitor | undefined {
  if (task.known.has(node)) return task.known.get(node);
  const visitor = compile(task, node);
  task.known.set(node, visitor);
  return visitor;
}

function compile(task: Task, node: SchemaNode): Visitor | undefined {
  const others = isNode(node.additionalProperties) ? node.additionalProperties : undefined;
  const own = task.members(node, others);
  const properties = [...node.properties].flatMap(([name, member]): [string, Visitor][] => {
    const visitor = visitorOf(task, member);
    return visitor === undefined ? [] : [[name, visitor]];
  });
  const visitOther = others === undefined ? undefined : visitorOf(task, others);
  const change = node.items === undefined ? undefined : task.item(node.items);
  const visitItem = node.items === undefined ? undefined : visitorOf(task, node.items);
  if (own === undefined && properties.length === 0 && visitOther === undefined && change === undefined && visitItem === undefined) {
    return undefined;
  }
  return (value) => {
    if (Array.isArray(value)) return visitItems(value, change, visitItem);
    if (!isObject(value)) return;
    own?.(value);
    for (const [name, visit] of properties) visitMember(value, name, visit);
    if (visitOther === undefined) return;
    for (const name of Object.keys(value)) if (!node.properties.has(name)) visitMember(value, name, visitOther);
  };
}

function visitMember(object: JsonObject, name: string, visit: Visitor): void {
  const value = own(object, name);
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

const DEFAULTS: Task = {
  known: new WeakMap(),
  members(node, others) {
    const defaults = [...node.properties].flatMap(([name, { defaultValue, nullable }]) =>
      defaultValue === undefined || defaultValue === null ? [] : [{ name, defaultValue, nullable }],
    );
    const other = others?.nullable === false ? (others.defaultValue ?? undefined) : undefined;
    if (defaults.length === 0 && other === undefined) return undefined;
    return (object) => {
      for (const { name, defaultValue, nullable } of defaults) {
        const value = own(object, name);
        if (value === undefined || (value === null && !nullable)) setMember(object, name, cloneJson(defaultValue));
      }
      if (other === undefined) return;
      for (const name of Object.keys(object)) {
        if (own(object, name) === null && !node.properties.has(name)) setMember(object, name, cloneJson(other));
      }
    };
  },
  item({ defaultValue, nullable }) {
    if (nullable || defaultValue === undefined || defaultValue === null) return undefined;
    return (item) => (item === null ? cloneJson(defaultValue) : item);
  },
};

const NULLS: Task = {
  known: new WeakMap(),
  members(node, others) {
    const goes = (member: SchemaNode | undefined): boolean =>
      member?.nullable === false && (member.defaultValue === undefined || member.defaultValue === null);
    const names = [...node.properties].flatMap(([name, member]) => (goes(member) ? [name] : []));
    const othersGo = goes(others);
    if (names.length === 0 && !othersGo) return undefined;
    return (object) => {
      for (const name of names) if (own(object, name) === null) delete object[name];
      if (!othersGo) return;
      for (const name of Object.keys(object)) if (own(object, name) === null && !node.properties.has(name)) delete object[name];
    };
  },
  item: () => undefined,
};
