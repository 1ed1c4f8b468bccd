/**
 * Cost estimation: upstream's published rules of cost, applied to the sizes that a schema permits. The sizes of literals,
 * of values reached from a variable and of the results of some functions are known; any other value may have any size.
 */
import type { CheckedExpression, ResolvedCall } from '../check/checked-expression';
import { LIST_COST, MAP_COST, type ArgumentSizes } from '../library/function';
import type { Comprehension, Expr } from '../syntax/ast';
import { CONDITIONAL, INDEX, OPERATORS, OPTIONAL_INDEX, OPTIONAL_SELECT } from '../syntax/operators';
import { MESSAGE_COST } from '../messages/build';
import type { Type } from '../types/type';
import { valueSize } from '../values/value';

/** The maximum uint64 (as a double 2^64), at which costs saturate as upstream's. */
export const MAX_COST = 18446744073709551615;

/** The estimated cost of one evaluation, in upstream's units. */
export interface CostRange {
  readonly min: number;
  readonly max: number;
}

const rangeOf = (min: number, max = min): CostRange => ({ min: Math.min(min, MAX_COST), max: Math.min(max, MAX_COST) });
const addRanges = (...parts: readonly CostRange[]): CostRange =>
  rangeOf(
    parts.reduce((sum, part) => sum + part.min, 0),
    parts.reduce((sum, part) => sum + part.max, 0),
  );
const multiplyRanges = (a: CostRange, b: CostRange): CostRange => rangeOf(a.min * b.min, a.max * b.max);
const unionRanges = (a: CostRange, b: CostRange): CostRange => rangeOf(Math.min(a.min, b.min), Math.max(a.max, b.max));

const ZERO = rangeOf(0);
const ONE = rangeOf(1);
const ANY_SIZE = rangeOf(0, MAX_COST);

/**
 * A path to values: the name of a variable, and then member names, `@items`, `@keys` or `@values`. `['self', 'ports',
 * '@items']` are the items of `self.ports`.
 */
type SchemaPath = readonly string[];

/** Kinds of types that have the size 1. */
const SCALARS: ReadonlySet<Type['kind']> = new Set<Type['kind']>(['bool', 'int', 'uint', 'double', 'timestamp', 'duration']);

/** The value of an integer literal; `undefined` for another expression. */
const countOf = (expr: Expr | undefined): number | undefined =>
  expr?.kind === 'literal' && typeof expr.value === 'bigint' ? Number(expr.value) : undefined;

/**
 * The cost of one evaluation. The sizes of values reached from a variable are taken from `root`, the type with the sizes
 * that the schema permits.
 */
export function estimateCost(expr: Expr, checked: CheckedExpression, root: Type): CostRange {
  return new CostEstimator(checked, root).cost(expr);
}

class CostEstimator {
  /** Macro expansion may use a node twice; its cost is computed once and added twice. */
  private readonly costs = new Map<Expr, CostRange>();
  /** The sizes of nodes, where they are known from the expression. */
  private readonly sizes = new Map<Expr, CostRange>();
  /** The paths of nodes that are reached from a variable. */
  private readonly paths = new Map<Expr, SchemaPath>();
  /** The visible loop variables and accumulators, the innermost last. An accumulator of a loop has no path. */
  private readonly loops: { readonly name: string; readonly path: SchemaPath | undefined }[] = [];

  constructor(
    private readonly checked: CheckedExpression,
    private readonly root: Type,
  ) {}

  cost(expr: Expr): CostRange {
    const known = this.costs.get(expr);
    if (known !== undefined) return known;
    const cost = this.costOf(expr);
    this.costs.set(expr, cost);
    return cost;
  }

  private costOf(expr: Expr): CostRange {
    switch (expr.kind) {
      case 'literal':
        this.sizes.set(expr, rangeOf(valueSize(expr.value)));
        return ZERO;
      case 'ident':
        return this.estimateName(expr, expr.name);
      case 'select': {
        const name = this.checked.names.get(expr);
        if (name !== undefined) return this.estimateName(expr, name);
        const operand = this.cost(expr.operand);
        // A presence test is a boolean, whatever the type of the field.
        if (expr.testOnly) return operand;
        this.paths.set(expr, [...(this.paths.get(expr.operand) ?? []), expr.field]);
        return this.checked.typeAt(expr.operand).kind === 'optional' ? operand : addRanges(operand, ONE);
      }
      case 'call':
        return this.estimateCall(expr);
      case 'list':
        this.sizes.set(expr, rangeOf(expr.items.length - expr.optionalIndexes.size, expr.items.length));
        return addRanges(rangeOf(LIST_COST), ...expr.items.map((item) => this.cost(item)));
      case 'map':
        this.sizes.set(expr, rangeOf(expr.entries.filter((entry) => !entry.isOptional).length, expr.entries.length));
        return addRanges(rangeOf(MAP_COST), ...expr.entries.flatMap((entry) => [this.cost(entry.key), this.cost(entry.value)]));
      case 'struct':
        return addRanges(rangeOf(MESSAGE_COST), ...expr.fields.map((field) => this.cost(field.value)));
      case 'comprehension':
        return this.estimateComprehension(expr);
    }
  }

  /** The cost of a variable. Records its path. */
  private estimateName(expr: Expr, name: string): CostRange {
    const loop = this.loops.findLast((each) => each.name === name);
    if (loop === undefined) this.paths.set(expr, [name]);
    else if (loop.path !== undefined) this.paths.set(expr, loop.path);
    return ONE;
  }

  /** The type at a path of the schema. The variable at the start of the path is ignored, as upstream does. */
  private typeOf(path: SchemaPath): Type | undefined {
    let type: Type | undefined = this.root;
    for (const part of path.slice(1)) {
      if (type?.kind === 'list' && part === '@items') type = type.item;
      else if (type?.kind === 'map' && part === '@values') type = type.value;
      else if (type?.kind === 'map' && part === '@keys') type = type.key;
      else if (type?.kind === 'object') type = type.fields.get(part);
      else return undefined;
    }
    return type;
  }

  /** The size of a value. The caller has estimated the cost of `expr`, which also records sizes and paths. */
  private sizeOf(expr: Expr): CostRange {
    const known = this.sizes.get(expr);
    if (known !== undefined) return known;
    const path = this.paths.get(expr);
    const type = path === undefined ? undefined : this.typeOf(path);
    if (type !== undefined) return rangeOf(0, 'max' in type ? (type.max ?? 0) : 0);
    return SCALARS.has(this.checked.typeAt(expr).kind) ? ONE : ANY_SIZE;
  }

  /** The size of a list's items, known only from the schema. */
  private itemSizeOf(expr: Expr): CostRange {
    const path = this.paths.get(expr);
    const type = path === undefined ? undefined : this.typeOf([...path, '@items']);
    if (type !== undefined) return rangeOf(0, 'max' in type ? (type.max ?? 0) : 0);
    const checkedType = this.checked.typeAt(expr);
    return checkedType.kind === 'list' && SCALARS.has(checkedType.item.kind) ? ZERO : ANY_SIZE;
  }

  private estimateCall(expr: Expr): CostRange {
    const resolved = this.checked.calls.get(expr);
    if (resolved === undefined) return this.estimateOptionalSelect(expr);
    const { name, args } = resolved;
    const costs = args.map((arg) => this.cost(arg));
    const [first = ZERO, second = ZERO, third = ZERO] = costs;
    switch (name) {
      case CONDITIONAL: {
        const [, yes, no] = args;
        if (yes !== undefined && no !== undefined) this.sizes.set(expr, unionRanges(this.sizeOf(yes), this.sizeOf(no)));
        return addRanges(first, unionRanges(second, third));
      }
      case OPERATORS['&&']:
      case OPERATORS['||']:
        return addRanges(first, unionRanges(ZERO, second));
      case INDEX:
      case OPTIONAL_INDEX:
        if (name === INDEX) this.trackElement(expr, args);
        return addRanges(first, second, ONE);
      default:
        return addRanges(...costs, this.callCost(expr, resolved));
    }
  }

  /** The cost of `a.?b`, the only call that is not one of a library function. */
  private estimateOptionalSelect(expr: Expr): CostRange {
    if (expr.kind !== 'call' || expr.name !== OPTIONAL_SELECT) return ZERO;
    const [operand] = expr.args;
    return operand === undefined ? ZERO : addRanges(this.cost(operand), ONE);
  }

  /** Records the path of `container[index]`. */
  private trackElement(expr: Expr, [container]: readonly Expr[]): void {
    if (container === undefined) return;
    const { kind } = this.checked.typeAt(container);
    // The value of an optional is not tracked.
    if (kind === 'optional') return;
    const step = kind === 'map' ? '@values' : '@items';
    this.paths.set(expr, [...(this.paths.get(container) ?? []), step]);
  }

  /** The cost of a call without its arguments. Records the size of the result, if the first overload states it. */
  private callCost(expr: Expr, { overloads, args }: ResolvedCall): CostRange {
    const sizes = args.map((arg) => this.sizeOf(arg));
    const items = args.map((arg) => this.itemSizeOf(arg));
    const sizesAt = (bound: 'min' | 'max'): ArgumentSizes => ({
      size: (index) => sizes[index]?.[bound] ?? 0,
      itemSize: (index) => items[index]?.[bound] ?? 0,
      count: (index) => countOf(args[index]),
    });
    const minSizes = sizesAt('min');
    const maxSizes = sizesAt('max');
    const costs = overloads.map(({ estimate }) => (estimate === undefined ? ONE : rangeOf(estimate(minSizes), estimate(maxSizes))));
    const [first] = overloads;
    if (first?.size !== undefined) this.sizes.set(expr, rangeOf(first.size(minSizes), first.size(maxSizes)));
    return costs.reduce((union, cost) => unionRanges(union, cost), costs[0] ?? ZERO);
  }

  private estimateComprehension(expr: Comprehension): CostRange {
    const rangeCost = this.cost(expr.range);
    const init = this.cost(expr.init);
    const size = this.sizeOf(expr.range);
    const step = this.checked.typeAt(expr.range).kind === 'map' ? '@keys' : '@items';
    // A bound name counts as a variable, so the sizes of its members are looked up below `root` (upstream behaviour).
    this.loops.push({ name: expr.accumulator, path: expr.loop.macro === 'bind' ? [expr.accumulator] : undefined });
    this.loops.push({ name: expr.variable, path: [...(this.paths.get(expr.range) ?? []), step] });
    const each = addRanges(this.cost(expr.condition), this.cost(expr.step));
    this.loops.pop();
    const result = this.cost(expr.result);
    this.loops.pop();
    const kind = this.checked.typeAt(expr).kind;
    if (kind === 'list' || kind === 'map') this.sizes.set(expr, expr.loop.macro === 'bind' ? ANY_SIZE : size);
    return addRanges(rangeCost, init, multiplyRanges(size, each), result);
  }
}
