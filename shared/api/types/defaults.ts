/**
 * Defaulting: applies upstream's defaults of each version of a kind, driven by default-values.ts and default-rules.ts.
 * Skips parts of an object that have no default at any depth.
 */
import { cloneJson, isObject, type JsonObject, type JsonValue } from '../../values/json';
import { DEFAULT_RULES } from './default-rules';
import { DEFAULT_VALUES } from './default-values';
import { formatQuantity, parseQuantity, roundUpToMilli } from '../../values/quantity';
import { schemaOf } from './tables';
import type { Presence } from './types';
import { createWalker, type ObjectVisitor } from './walker';

const walk = createWalker({
  objectVisitor: defaulterOf,
  // The resource amounts of a RuntimeClass are not rounded (upstream behaviour); those of its pods are.
  memberVisitor: ({ goType }, type) => (goType === 'v1.ResourceList' && type !== 'node.v1.Overhead' ? roundResources : undefined),
});

/** Applies the defaults of the type to a decoded object, in place. Idempotent. */
export function applyDefaults(type: string, object: JsonObject): void {
  walk(type)?.(object);
}

/** Presences of pointer fields: a zero value of such a field is set, so it does not get the default. */
const POINTER_PRESENCES: ReadonlySet<Presence | undefined> = new Set<Presence>(['pointer', 'null']);

/** Returns the visitor that applies the defaults of the type itself; the walker visits the types of its fields. */
function defaulterOf(type: string): ObjectVisitor | undefined {
  const values = Object.entries(DEFAULT_VALUES[type] ?? {}).map(([name, value]) => ({
    name,
    value,
    isPointer: POINTER_PRESENCES.has(schemaOf(type).field(name)?.presence),
  }));
  const rule = DEFAULT_RULES[type];
  if (values.length === 0) return rule;
  return (object) => {
    for (const { name, value, isPointer } of values) {
      const present = object[name];
      // `false` would be zero too, but every boolean with a default is a pointer.
      const isZero = !isPointer && (present === '' || present === 0);
      if (present === undefined || present === null || isZero) object[name] = cloneJson(value);
    }
    rule?.(object);
  };
}

/** A cheap check that spares most quantities the parser. It matches `1500n`, `0.0001` and `1e-6`, but also `1.5Gi`. */
const MAY_BE_FINER_THAN_MILLI = /[nu.]|e-/i;

/**
 * Rounds the quantities of a resource list up to milli-units, in place, as upstream's defaulting does. A quantity that is
 * a multiple of a milli-unit keeps its spelling.
 */
function roundResources(value: JsonValue): void {
  if (!isObject(value)) return;
  for (const [name, amount] of Object.entries(value)) {
    if (typeof amount !== 'string' || !MAY_BE_FINER_THAN_MILLI.test(amount)) continue;
    const exact = parseQuantity(amount);
    const rounded = roundUpToMilli(exact);
    if (rounded.nanos !== exact.nanos) value[name] = formatQuantity(rounded);
  }
}
