/**
 * Checks the literals of a type-checked expression. Errors are invalid durations, timestamps and patterns, clauses of
 * `format` that do not fit their arguments, and lists and maps with elements of different types.
 */
import { appendAll } from '../../values/append';
import { ownMember } from '../../values/json';
import { findClauseError, clausesOf } from '../library/format';
import { readDuration, readTimestamp } from '../library/printing';
import { compileRegex } from '../library/regex';
import type { Call, Expr, ListExpr, MapExpr } from '../syntax/ast';
import type { Issue } from '../syntax/issues';
import { printType, unwrapType, type Type } from '../types/type';
import { typeNameOf } from '../types/type-names';
import { isSameType } from '../types/assign';
import { ErrorValue } from '../values/value';
import type { CheckedExpression } from './checked-expression';

/** Appends an issue for each error. The expression must have no type errors. */
export function checkLiterals(expr: Expr, checked: CheckedExpression, issues: Issue[]): void {
  // The list of arguments of `format`, and what is in them, may have elements of different types.
  const formatArguments = new Set<Expr>();
  visitNodes(expr, (node) => {
    if (node.kind === 'call') checkCall(node, checked, issues);
    if (node.kind === 'call' && node.name === 'format') for (const arg of node.args) visitNodes(arg, (part) => formatArguments.add(part));
    if (formatArguments.has(node)) return;
    if (node.kind === 'list') checkList(node, checked, issues);
    else if (node.kind === 'map') checkMap(node, checked, issues);
  });
}

/** Visits every node once, parents first. */
export function visitNodes(expr: Expr, visitNode: (expr: Expr) => void): void {
  const seen = new Set<Expr>();
  const walk = (node: Expr): void => {
    if (seen.has(node)) return;
    seen.add(node);
    visitNode(node);
    childrenOf(node).forEach(walk);
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

function checkCall(call: Call, checked: CheckedExpression, issues: Issue[]): void {
  const [first] = call.args;
  if (call.name === 'format' && call.target !== undefined) checkFormat(call, call.target, checked, issues);
  if (call.name === 'matches') {
    const pattern = call.target === undefined ? call.args[1] : first;
    if (pattern !== undefined && isConstantString(pattern, (text) => compileRegex(text) instanceof ErrorValue)) {
      issues.push({ at: pattern.at, message: 'invalid matches argument' });
    }
  }
  if (call.target !== undefined || first === undefined) return;
  if (call.name === 'duration' && isConstantString(first, (text) => readDuration(text) === undefined)) {
    issues.push({ at: first.at, message: 'invalid duration argument' });
  }
  if (call.name === 'timestamp' && isConstantString(first, (text) => readTimestamp(text) === undefined)) {
    issues.push({ at: first.at, message: 'invalid timestamp argument' });
  }
}

/** Whether the expression is a constant string that satisfies the predicate. */
const isConstantString = (expr: Expr, holds: (text: string) => boolean): boolean =>
  expr.kind === 'literal' && typeof expr.value === 'string' && holds(expr.value);

/** The types that each clause of `format` accepts, and the message about any other type. */
const CLAUSES: Readonly<Record<string, { readonly kinds: readonly Type['kind'][]; readonly message: string }>> = {
  s: {
    kinds: ['string', 'bool', 'bytes', 'int', 'uint', 'double', 'map', 'list', 'type', 'duration', 'timestamp', 'null'],
    message: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  },
  d: { kinds: ['int', 'uint'], message: 'decimal clause can only be used on integers' },
  f: { kinds: ['double', 'string'], message: 'fixed-point clause can only be used on doubles' },
  e: { kinds: ['double', 'string'], message: 'scientific clause can only be used on doubles' },
  b: { kinds: ['int', 'uint', 'bool'], message: 'only integers and bools can be formatted as binary' },
  o: { kinds: ['int', 'uint'], message: 'octal clause can only be used on integers' },
  x: { kinds: ['int', 'uint', 'string', 'bytes'], message: 'only integers, byte buffers, and strings can be formatted as hex' },
};

/** Checks the clauses of a constant format with a list of arguments. Reports only the first error. */
function checkFormat(call: Call, format: Expr, checked: CheckedExpression, issues: Issue[]): void {
  const [args] = call.args;
  if (format.kind !== 'literal' || typeof format.value !== 'string' || args?.kind !== 'list') return;
  const error = findClauseError(format.value);
  if (error !== undefined) {
    issues.push({ at: call.at, message: error });
    return;
  }
  const clauses = clausesOf(format.value);
  for (const [index, clause] of clauses.entries()) {
    const arg = args.items[index];
    if (arg === undefined) {
      issues.push({ at: call.at, message: `index ${index} out of range` });
      return;
    }
    const type = unwrapType(checked.typeAt(arg));
    const rule = ownMember(CLAUSES, clause.toLowerCase());
    const isUnknown = type.kind === 'dyn' || type.kind === 'error';
    if (rule === undefined || isUnknown || rule.kinds.includes(type.kind)) continue;
    issues.push({ at: arg.at, message: `error during formatting: ${rule.message}, was given ${typeNameOf(type)}` });
    return;
  }
  if (args.items.length > clauses.length) {
    issues.push({
      at: call.at,
      message: `too many arguments supplied to string.format (expected ${clauses.length}, got ${args.items.length})`,
    });
  }
}

function checkList(list: ListExpr, checked: CheckedExpression, issues: Issue[]): void {
  const elements = list.items.map((item, index) => ({ expr: item, isOptional: list.optionalIndexes.has(index) }));
  // Upstream reports only the first mismatch in a list, but all in a map.
  appendAll(issues, typeMismatches(elements, checked).slice(0, 1));
}

function checkMap(map: MapExpr, checked: CheckedExpression, issues: Issue[]): void {
  const keys = map.entries.map(({ key }) => ({ expr: key, isOptional: false }));
  const values = map.entries.map(({ value, isOptional }) => ({ expr: value, isOptional }));
  appendAll(issues, typeMismatches(keys, checked));
  appendAll(issues, typeMismatches(values, checked));
}

interface Element {
  readonly expr: Expr;
  readonly isOptional: boolean;
}

/** An issue for each element that does not have the type of the first one. */
function typeMismatches(elements: readonly Element[], checked: CheckedExpression): readonly Issue[] {
  const mismatches: Issue[] = [];
  let first: Type | undefined;
  for (const { expr, isOptional } of elements) {
    const given = checked.typeAt(expr);
    const type = isOptional && given.kind === 'optional' ? given.inner : given;
    if (first === undefined) first = type;
    else if (!isSameType(first, type))
      mismatches.push({ at: expr.at, message: `expected type '${printType(first)}' but found '${printType(type)}'` });
  }
  return mismatches;
}
