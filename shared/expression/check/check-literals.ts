/**
 * What can be said of constants in a checked expression before it runs: durations, times and patterns that are none, formats that fit no values, lists
 * of different types.
 */
import { own } from '../../values/json';
import { clauseFault, clausesOf } from '../library/format';
import { readDuration, readTimestamp } from '../library/printing';
import { compilePattern } from '../library/regex';
import type { Call, Expr, ListExpr, MapExpr } from '../syntax/ast';
import type { Issue } from '../syntax/issues';
import { printType, unwrapped, type Type } from '../types/type';
import { typeNameOf } from '../types/type-names';
import { sameType } from '../types/assign';
import { Failure } from '../values/value';
import type { Checked } from './checker';

export function checkLiterals(expr: Expr, checked: Checked, issues: Issue[]): void {
  // What is formatted may be of any types.
  const free = new Set<Expr>();
  visit(expr, (each) => {
    if (each.kind === 'call') checkCall(each, checked, issues);
    if (each.kind === 'call' && each.name === 'format') for (const arg of each.args) visit(arg, (part) => free.add(part));
    if (free.has(each)) return;
    if (each.kind === 'list') checkList(each, checked, issues);
    else if (each.kind === 'map') checkMap(each, checked, issues);
  });
}

/** Every node once, outer ones first. */
export function visit(expr: Expr, see: (expr: Expr) => void): void {
  const seen = new Set<Expr>();
  const walk = (each: Expr): void => {
    if (seen.has(each)) return;
    seen.add(each);
    see(each);
    childrenOf(each).forEach(walk);
  };
  walk(expr);
}

function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.items;
    case 'map':
      return expr.entries.flatMap((entry) => [entry.key, entry.value]);
    case 'struct':
      return expr.fields.map((field) => field.value);
    case 'comprehension':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
    case 'literal':
    case 'ident':
      return [];
  }
}

function checkCall(call: Call, checked: Checked, issues: Issue[]): void {
  const [first] = call.args;
  if (call.name === 'format' && call.target !== undefined) checkFormat(call, call.target, checked, issues);
  if (call.name === 'matches') {
    const pattern = call.target === undefined ? call.args[1] : first;
    if (pattern !== undefined && textOf(pattern, (text) => compilePattern(text) instanceof Failure)) {
      issues.push({ at: pattern.at, message: 'invalid matches argument' });
    }
  }
  if (call.target !== undefined || first === undefined) return;
  if (call.name === 'duration' && textOf(first, (text) => readDuration(text) === undefined)) {
    issues.push({ at: first.at, message: 'invalid duration argument' });
  }
  if (call.name === 'timestamp' && textOf(first, (text) => readTimestamp(text) === undefined)) {
    issues.push({ at: first.at, message: 'invalid timestamp argument' });
  }
}

/** Whether the expression is a constant string of which something holds. */
const textOf = (expr: Expr, holds: (text: string) => boolean): boolean =>
  expr.kind === 'literal' && typeof expr.value === 'string' && holds(expr.value);

const CLAUSES: Readonly<Record<string, { readonly kinds: readonly Type['kind'][]; readonly what: string }>> = {
  s: {
    kinds: ['string', 'bool', 'bytes', 'int', 'uint', 'double', 'map', 'list', 'type', 'duration', 'timestamp', 'null'],
    what: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  },
  d: { kinds: ['int', 'uint'], what: 'decimal clause can only be used on integers' },
  f: { kinds: ['double', 'string'], what: 'fixed-point clause can only be used on doubles' },
  e: { kinds: ['double', 'string'], what: 'scientific clause can only be used on doubles' },
  b: { kinds: ['int', 'uint', 'bool'], what: 'only integers and bools can be formatted as binary' },
  o: { kinds: ['int', 'uint'], what: 'octal clause can only be used on integers' },
  x: { kinds: ['int', 'uint', 'string', 'bytes'], what: 'only integers, byte buffers, and strings can be formatted as hex' },
};

function checkFormat(call: Call, format: Expr, checked: Checked, issues: Issue[]): void {
  const [args] = call.args;
  if (format.kind !== 'literal' || typeof format.value !== 'string' || args?.kind !== 'list') return;
  const fault = clauseFault(format.value);
  if (fault !== undefined) {
    issues.push({ at: call.at, message: fault });
    return;
  }
  const clauses = clausesOf(format.value);
  for (const [index, clause] of clauses.entries()) {
    const arg = args.items[index];
    if (arg === undefined) {
      issues.push({ at: call.at, message: `index ${index} out of range` });
      return;
    }
    const type = unwrapped(checked.typeAt(arg));
    const rule = own(CLAUSES, clause.toLowerCase());
    if (rule === undefined || type.kind === 'dyn' || type.kind === 'error' || rule.kinds.includes(type.kind)) continue;
    issues.push({ at: arg.at, message: `error during formatting: ${rule.what}, was given ${typeNameOf(type)}` });
    return;
  }
  if (args.items.length > clauses.length) {
    issues.push({
      at: call.at,
      message: `too many arguments supplied to string.format (expected ${clauses.length}, got ${args.items.length})`,
    });
  }
}

function checkList(list: ListExpr, checked: Checked, issues: Issue[]): void {
  checkAlike(
    list.items.map((item, index) => ({ expr: item, optional: list.optional.has(index) })),
    checked,
    issues,
    true,
  );
}

function checkMap(map: MapExpr, checked: Checked, issues: Issue[]): void {
  checkAlike(
    map.entries.map(({ key }) => ({ expr: key, optional: false })),
    checked,
    issues,
  );
  checkAlike(
    map.entries.map(({ value, optional }) => ({ expr: value, optional })),
    checked,
    issues,
  );
}

interface Element {
  readonly expr: Expr;
  readonly optional: boolean;
}

/** All are to be of the first one's type; of a list the first that is not is told. */
function checkAlike(elements: readonly Element[], checked: Checked, issues: Issue[], isOnce = false): void {
  let first: Type | undefined;
  for (const { expr, optional } of elements) {
    const given = checked.typeAt(expr);
    const type = optional && given.kind === 'optional' ? given.of : given;
    if (first === undefined) first = type;
    else if (!sameType(first, type)) {
      issues.push({ at: expr.at, message: `expected type '${printType(first)}' but found '${printType(type)}'` });
      if (isOnce) return;
    }
  }
}
