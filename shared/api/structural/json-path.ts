/**
 * Evaluates the JSON paths of printer columns, with the quirks of client-go's `jsonpath` (recorded in
 * test/replay/answers/custom/paths.jsonl). parse-json-path.ts defines the syntax. A path is parsed once and evaluated
 * within a budget, because unions and filters visit the same values repeatedly.
 */
import { appendAll } from '../../values/append';
import { isObject, ownMember, sortedKeys, type JsonValue } from '../../values/json';
import { JsonPathSyntaxError, parseJsonPath, type JsonPathNode, type JsonPathNodes } from './parse-json-path';

/**
 * A parsed path. Returns all values at the path, in order. Returns `undefined` when the budget is exhausted, or when the
 * path does not apply to the value; an example is an index beyond the end of a list.
 */
export type JsonPath = (value: JsonValue, budget: PathBudget) => readonly JsonValue[] | undefined;

/** The evaluation budget that the paths of one object share. */
export class PathBudget {
  /** The number of values that may still be visited. */
  private remaining = 50_000;

  /** Deducts the values that are about to be visited. Throws when the budget is exhausted, and from then on. */
  spend(values: number): void {
    this.remaining -= values;
    if (this.remaining < 0) throw new BudgetExhausted();
  }
}

/** Parses a path; `undefined` when the text is not a supported path. */
export function readJsonPath(text: string): JsonPath | undefined {
  let nodes: JsonPathNodes;
  try {
    nodes = parseJsonPath(text);
  } catch (error) {
    if (error instanceof JsonPathSyntaxError) return undefined;
    throw error;
  }
  return (value, budget) => {
    try {
      return evaluatePath(nodes, [value], budget);
    } catch (error) {
      if (error instanceof PathMismatch || error instanceof BudgetExhausted) return undefined;
      throw error;
    }
  };
}

/** The path does not apply to the object. */
class PathMismatch extends Error {}

/** The budget is exhausted. Unlike {@link PathMismatch}, no part of a path may catch it. */
class BudgetExhausted extends Error {}

function evaluatePath(path: JsonPathNodes, values: readonly JsonValue[], budget: PathBudget): readonly JsonValue[] {
  let matches = values;
  for (const node of path) {
    budget.spend(1 + matches.length);
    matches = evaluateNode(node, matches, budget);
  }
  return matches;
}

function evaluateNode(node: JsonPathNode, values: readonly JsonValue[], budget: PathBudget): readonly JsonValue[] {
  switch (node.kind) {
    case 'field':
      return values.flatMap((value) => (isObject(value) ? asList(ownMember(value, node.name)) : []));
    case 'slice':
      return evaluateSlice(node, values, budget);
    case 'wildcard':
      return evaluateWildcard(values, budget);
    case 'recursive':
      return evaluateRecursive(values, budget);
    case 'union':
      return node.paths.flatMap((path) => evaluatePath(path, values, budget));
    case 'filter':
      return values.flatMap((value) => evaluateFilter(node, value, budget));
    case 'literal':
      return values.map(() => node.value);
    case 'unknown':
      throw new PathMismatch();
  }
}

const asList = (value: JsonValue | undefined): readonly JsonValue[] => (value === undefined ? [] : [value]);

function childrenOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? sortedKeys(value).map((name) => value[name] ?? null) : [];
}

function evaluateWildcard(values: readonly JsonValue[], budget: PathBudget): readonly JsonValue[] {
  const matches: JsonValue[] = [];
  for (const value of values) {
    const childValues = childrenOf(value);
    budget.spend(childValues.length);
    appendAll(matches, childValues);
  }
  return matches;
}

/** The values themselves and all values below them that are non-empty objects or lists, parents first. */
function evaluateRecursive(values: readonly JsonValue[], budget: PathBudget): readonly JsonValue[] {
  const matches: JsonValue[] = [];
  const stack = [...values].reverse();
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    const childValues = childrenOf(value);
    if (childValues.length === 0) continue;
    budget.spend(childValues.length);
    matches.push(value);
    for (let i = childValues.length - 1; i >= 0; i -= 1) stack.push(childValues[i] ?? null);
  }
  return matches;
}

/**
 * The selected items of each list; nulls are skipped. As in upstream, an index out of range is an error for the path as a
 * whole, and an empty slice of one list ends the result: the lists after it are not visited.
 */
function evaluateSlice(
  node: Extract<JsonPathNode, { kind: 'slice' }>,
  values: readonly JsonValue[],
  budget: PathBudget,
): readonly JsonValue[] {
  const matches: JsonValue[] = [];
  for (const value of values) {
    if (value === null) continue;
    if (!Array.isArray(value)) throw new PathMismatch();
    const { length } = value;
    let from = node.from ?? 0;
    if (from < 0) from += length;
    let to = node.isIndex ? (node.from ?? 0) + 1 : (node.to ?? length);
    // The end of a slice counts from the end of the list when it is negative. That of the index -1 is 0.
    if (to < 0 || (to === 0 && node.isIndex)) to += length;
    if (from === to) return matches;
    const isInList = from >= 0 && from < length && from <= to && to <= length;
    if (!isInList) throw new PathMismatch();
    const step = node.step ?? 1;
    if (step <= 0) throw new PathMismatch();
    budget.spend(to - from);
    for (let i = from; i < to; i += step) matches.push(value[i] ?? null);
  }
  return matches;
}

function evaluateFilter(
  { left, operator, right }: Extract<JsonPathNode, { kind: 'filter' }>,
  value: JsonValue,
  budget: PathBudget,
): readonly JsonValue[] {
  if (!Array.isArray(value)) throw new PathMismatch();
  budget.spend(value.length);
  return value.filter((item) => {
    if (operator === 'exists') return evaluateOrEmpty(left, item, budget).length > 0;
    const [leftValue, ...moreLeft] = evaluatePath(left, [item], budget);
    if (leftValue === undefined) return false;
    const [rightValue, ...moreRight] = evaluatePath(right, [item], budget);
    // Only single values can be compared.
    if (moreLeft.length > 0 || moreRight.length > 0) throw new PathMismatch();
    return rightValue !== undefined && compare(leftValue, operator, rightValue);
  });
}

/** {@link evaluatePath}; no values when the path does not apply. */
function evaluateOrEmpty(path: JsonPathNodes, item: JsonValue, budget: PathBudget): readonly JsonValue[] {
  try {
    return evaluatePath(path, [item], budget);
  } catch (error) {
    if (error instanceof PathMismatch) return [];
    throw error;
  }
}

/**
 * Throws {@link PathMismatch} for values that cannot be compared: values of different types (an integer and a number
 * with a fraction are different types), nulls, objects and lists, and booleans by their order.
 */
function compare(a: JsonValue, operator: string, b: JsonValue): boolean {
  const kind = comparisonKind(a);
  const areScalars = a !== null && b !== null && typeof a !== 'object' && typeof b !== 'object';
  if (kind !== comparisonKind(b) || !areScalars) throw new PathMismatch();
  const isEqual = a === b || (kind === 'integer' && BigInt(a) === BigInt(b));
  if (operator === '==') return isEqual;
  if (operator === '!=') return !isEqual;
  if (kind === 'boolean') throw new PathMismatch();
  switch (operator) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    default:
      throw new PathMismatch();
  }
}

function comparisonKind(value: JsonValue): string {
  if (typeof value === 'bigint') return 'integer';
  return typeof value === 'number' && Number.isSafeInteger(value) ? 'integer' : typeof value;
}
