/**
 * Defaulting: fills in what upstream's versioned defaulting adds, in place. Driven by default-rows.ts and default-rules.ts; only parts of an
 * object whose types have a default somewhere below are visited.
 */
import { cloneJson, isObject, type JsonObject, type JsonValue } from '../json';
import { DEFAULT_RULES } from './default-rules';
import { DEFAULTS } from './default-rows';
import { formatQuantity, parseQuantity, roundUpToMilli } from './quantity';
import { schemaOf } from './tables';
import type { FieldSchema, FieldType, Presence } from './types';

/** Fills in the defaults of a decoded object of the type, in place. Doing it twice changes nothing. */
export function applyDefaults(type: string, object: JsonObject): void {
  defaulterOf(type)?.(object);
}

/** Of these a zero is a value like others. */
const POINTERS: ReadonlySet<Presence | undefined> = new Set<Presence>(['pointer', 'null']);

type Defaulter = (object: JsonObject) => void;

/** undefined = nothing to do for the type; a type under construction counts as having something to do. */
const defaulters = new Map<string, Defaulter | undefined>();

function defaulterOf(type: string): Defaulter | undefined {
  if (defaulters.has(type)) return defaulters.get(type);
  // Types may refer to themselves: while one is compiled, what refers to it asks again later.
  defaulters.set(type, (object) => defaulters.get(type)?.(object));
  const compiled = compile(type);
  defaulters.set(type, compiled);
  return compiled;
}

function compile(type: string): Defaulter | undefined {
  const values = Object.entries(DEFAULTS[type] ?? {}).map(([name, value]) => ({
    name,
    value,
    isPointer: POINTERS.has(schemaOf(type).field(name)?.presence),
  }));
  const rule = DEFAULT_RULES[type];
  const members = schemaOf(type).fields.flatMap((field) => visitorOf(field) ?? []);
  if (values.length === 0 && rule === undefined && members.length === 0) return undefined;
  return (object) => {
    for (const { name, value, isPointer } of values) {
      const present = object[name];
      if (present === undefined || present === null || (!isPointer && (present === '' || present === 0))) object[name] = cloneJson(value);
    }
    rule?.(object);
    for (const { name, visit } of members) {
      const value = object[name];
      if (value !== undefined && value !== null) visit(value);
    }
  };
}

interface Visitor {
  name: string;
  visit: (value: JsonValue) => void;
}

function visitorOf(field: FieldSchema): Visitor | undefined {
  if (field.goType === 'v1.ResourceList') return { name: field.name, visit: roundResources };
  const each = elementType(field.type);
  const visit = each === undefined ? undefined : defaulterOf(each);
  if (visit === undefined) return undefined;
  return {
    name: field.name,
    visit: (value) => {
      if (Array.isArray(value)) {
        for (const item of value) if (isObject(item)) visit(item);
      } else if (isObject(value)) visit(value);
    },
  };
}

function elementType(type: FieldType): string | undefined {
  if (type.kind === 'object') return type.type;
  return type.kind === 'list' ? elementType(type.of) : undefined;
}

/** Amounts of resources are whole thousandths. */
function roundResources(value: JsonValue): void {
  if (!isObject(value)) return;
  for (const [name, amount] of Object.entries(value)) {
    if (typeof amount !== 'string' || !/[nu.]|e-/i.test(amount)) continue;
    const exact = parseQuantity(amount);
    const rounded = roundUpToMilli(exact);
    if (rounded.nanos !== exact.nanos) value[name] = formatQuantity(rounded);
  }
}
