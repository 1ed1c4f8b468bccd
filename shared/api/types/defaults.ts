/**
 * Defaulting: fills in what upstream's versioned defaulting adds, in place. Driven by default-rows.ts and default-rules.ts; only parts of an
 * object whose types have a default somewhere below are visited.
 */
import { cloneJson, isObject, type JsonObject, type JsonValue } from '../../values/json';
import { DEFAULT_RULES } from './default-rules';
import { DEFAULTS } from './default-rows';
import { formatQuantity, parseQuantity, roundUpToMilli } from '../../values/quantity';
import { schemaOf } from './tables';
import type { Presence } from './types';
import { walker, type ObjectVisitor } from './walker';

/** Fills in the defaults of a decoded object of the type, in place. Doing it twice changes nothing. */
export function applyDefaults(type: string, object: JsonObject): void {
  walk(type)?.(object);
}

/** Of these a zero is a value like others. */
const POINTERS: ReadonlySet<Presence | undefined> = new Set<Presence>(['pointer', 'null']);

const walk = walker({
  at: ownDefaults,
  // The amounts of a runtime class stay as they are (upstream behaviour); those of its pods are rounded.
  member: ({ goType }, type) => (goType === 'v1.ResourceList' && type !== 'node.v1.Overhead' ? roundResources : undefined),
});

/** Those of the type itself, without its members'. */
function ownDefaults(type: string): ObjectVisitor | undefined {
  const values = Object.entries(DEFAULTS[type] ?? {}).map(([name, value]) => ({
    name,
    value,
    isPointer: POINTERS.has(schemaOf(type).field(name)?.presence),
  }));
  const rule = DEFAULT_RULES[type];
  if (values.length === 0) return rule;
  return (object) => {
    for (const { name, value, isPointer } of values) {
      const present = object[name];
      if (present === undefined || present === null || (!isPointer && (present === '' || present === 0))) object[name] = cloneJson(value);
    }
    rule?.(object);
  };
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
