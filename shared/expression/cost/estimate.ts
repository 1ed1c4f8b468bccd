/**
 * What an expression may cost at most, found without running it: the published rules over the sizes that the schema allows. Sizes are known of what is
 * reached from a variable, of constants and of what some functions make; everything else may be of any size.
 */
import type { Checked, ResolvedCall } from '../check/checker';
import type { Sizes } from '../library/function';
import { CONDITIONAL, INDEX, OPERATORS, OPTIONAL_INDEX, OPTIONAL_SELECT, type Comprehension, type Expr } from '../syntax/ast';
import { MESSAGE_COST } from '../messages/build';
import type { Type } from '../types/type';
import { sizeOf } from '../values/value';

/** The largest 64-bit number: nothing costs more. */
export const UNBOUNDED = 18446744073709551615;

export interface Range {
  readonly min: number;
  readonly max: number;
}

const range = (min: number, max = min): Range => ({ min: Math.min(min, UNBOUNDED), max: Math.min(max, UNBOUNDED) });
const plus = (...parts: readonly Range[]): Range =>
  range(
    parts.reduce((sum, part) => sum + part.min, 0),
    parts.reduce((sum, part) => sum + part.max, 0),
  );
const times = (a: Range, b: Range): Range => range(a.min * b.min, a.max * b.max);
const union = (a: Range, b: Range): Range => range(Math.min(a.min, b.min), Math.max(a.max, b.max));

const ZERO = range(0);
const ONE = range(1);
const ANY_SIZE = range(0, UNBOUNDED);

/** A place below the variable: member names, `@items`, `@keys`, `@values`. The first part names the variable and does not count. */
type Path = readonly string[];

const SCALARS: ReadonlySet<Type['kind']> = new Set<Type['kind']>(['bool', 'int', 'uint', 'double', 'timestamp', 'duration']);

const countOf = (expr: Expr | undefined): number | undefined =>
  expr?.kind === 'literal' && typeof expr.value === 'bigint' ? Number(expr.value) : undefined;

export function estimateCost(expr: Expr, checked: Checked, root: Type): Range {
  return new Estimator(checked, root).cost(expr);
}

class Estimator {
  /** Macros put some parts into the tree twice; they are looked at once and counted twice. */
  private readonly costs = new Map<Expr, Range>();
  private readonly sizes = new Map<Expr, Range>();
  private readonly paths = new Map<Expr, Path>();
  private readonly loops: { readonly name: string; readonly path: Path | undefined }[] = [];

  constructor(
    private readonly checked: Checked,
    private readonly root: Type,
  ) {}

  cost(expr: Expr): Range {
    const known = this.costs.get(expr);
    if (known !== undefined) return known;
    const cost = this.costOf(expr);
    this.costs.set(expr, cost);
    return cost;
  }

  private costOf(expr: Expr): Range {
    switch (expr.kind) {
      case 'literal':
        this.sizes.set(expr, range(sizeOf(expr.value)));
        return ZERO;
      case 'ident':
        return this.ident(expr, expr.name);
      case 'select': {
        const name = this.checked.names.get(expr);
        if (name !== undefined) return this.ident(expr, name);
        const operand = this.cost(expr.operand);
        // Whether a member is there is a boolean, whatever the member is.
        if (expr.testOnly) return operand;
        this.paths.set(expr, [...(this.paths.get(expr.operand) ?? []), expr.field]);
        return this.checked.typeAt(expr.operand).kind === 'optional' ? operand : plus(operand, ONE);
      }
      case 'call':
        return this.call(expr);
      case 'list':
        this.sizes.set(expr, range(expr.items.length - expr.optional.size, expr.items.length));
        return plus(range(10), ...expr.items.map((item) => this.cost(item)));
      case 'map':
        this.sizes.set(expr, range(expr.entries.filter((entry) => !entry.optional).length, expr.entries.length));
        return plus(range(30), ...expr.entries.flatMap((entry) => [this.cost(entry.key), this.cost(entry.value)]));
      case 'struct':
        return plus(range(MESSAGE_COST), ...expr.fields.map((field) => this.cost(field.value)));
      case 'comprehension':
        return this.comprehension(expr);
    }
  }

  private ident(expr: Expr, name: string): Range {
    const loop = this.loops.findLast((each) => each.name === name);
    if (loop === undefined) this.paths.set(expr, [name]);
    else if (loop.path !== undefined) this.paths.set(expr, loop.path);
    return ONE;
  }

  /** What a path leads to in the schema; the estimate forgets which variable it began with. */
  private typeOf(path: Path): Type | undefined {
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

  private sizeOf(expr: Expr): Range {
    const known = this.sizes.get(expr);
    if (known !== undefined) return known;
    const path = this.paths.get(expr);
    const type = path === undefined ? undefined : this.typeOf(path);
    if (type !== undefined) return range(0, 'max' in type ? (type.max ?? 0) : 0);
    return SCALARS.has(this.checked.typeAt(expr).kind) ? ONE : ANY_SIZE;
  }

  /** The size of a list's items, known only where the schema says it. */
  private itemSizeOf(expr: Expr): Range {
    const path = this.paths.get(expr);
    const type = path === undefined ? undefined : this.typeOf([...path, '@items']);
    if (type !== undefined) return range(0, 'max' in type ? (type.max ?? 0) : 0);
    const of = this.checked.typeAt(expr);
    return of.kind === 'list' && SCALARS.has(of.item.kind) ? ZERO : ANY_SIZE;
  }

  private call(expr: Expr): Range {
    const resolved = this.checked.calls.get(expr);
    if (resolved === undefined) return this.selection(expr);
    const { name, args } = resolved;
    const costs = args.map((arg) => this.cost(arg));
    const [first = ZERO, second = ZERO, third = ZERO] = costs;
    switch (name) {
      case CONDITIONAL: {
        const [, yes, no] = args;
        if (yes !== undefined && no !== undefined) this.sizes.set(expr, union(this.sizeOf(yes), this.sizeOf(no)));
        return plus(first, union(second, third));
      }
      case OPERATORS['&&']:
      case OPERATORS['||']:
        return plus(first, union(ZERO, second));
      case INDEX:
      case OPTIONAL_INDEX:
        if (name === INDEX) this.element(expr, args);
        return plus(first, second, ONE);
      default:
        return plus(...costs, this.own(expr, resolved));
    }
  }

  /** `a.?b` is no function of the library. */
  private selection(expr: Expr): Range {
    if (expr.kind !== 'call' || expr.name !== OPTIONAL_SELECT) return ZERO;
    const [operand] = expr.args;
    return operand === undefined ? ZERO : plus(this.cost(operand), ONE);
  }

  private element(expr: Expr, [container]: readonly Expr[]): void {
    if (container === undefined) return;
    const { kind } = this.checked.typeAt(container);
    // What an optional holds is not followed.
    if (kind === 'optional') return;
    const step = kind === 'map' ? '@values' : '@items';
    this.paths.set(expr, [...(this.paths.get(container) ?? []), step]);
  }

  private own(expr: Expr, { rows, args }: ResolvedCall): Range {
    const sizes = args.map((arg) => this.sizeOf(arg));
    const items = args.map((arg) => this.itemSizeOf(arg));
    const [least, most] = (['min', 'max'] as const).map((end): Sizes => ({
      size: (index) => sizes[index]?.[end] ?? 0,
      itemSize: (index) => items[index]?.[end] ?? 0,
      count: (index) => countOf(args[index]),
    }));
    if (least === undefined || most === undefined) return ZERO;
    const each = rows.map(({ estimate }) => (estimate === undefined ? ONE : range(estimate(least), estimate(most))));
    const [row] = rows;
    if (row?.size !== undefined) this.sizes.set(expr, range(row.size(least), row.size(most)));
    return each.reduce((sum, part) => union(sum, part), each[0] ?? ZERO);
  }

  private comprehension(expr: Comprehension): Range {
    const over = this.cost(expr.range);
    const init = this.cost(expr.init);
    const size = this.sizeOf(expr.range);
    const step = this.checked.typeAt(expr.range).kind === 'map' ? '@keys' : '@items';
    this.loops.push({ name: expr.accumulator, path: expr.loop.macro === 'bind' ? [expr.accumulator] : undefined });
    this.loops.push({ name: expr.variable, path: [...(this.paths.get(expr.range) ?? []), step] });
    const each = plus(this.cost(expr.condition), this.cost(expr.step));
    this.loops.pop();
    const result = this.cost(expr.result);
    this.loops.pop();
    const kind = this.checked.typeAt(expr).kind;
    if (kind === 'list' || kind === 'map') this.sizes.set(expr, expr.loop.macro === 'bind' ? ANY_SIZE : size);
    return plus(over, init, times(size, each), result);
  }
}
