/**
 * The type of every part of an expression, and which rows each call may mean. Reports with upstream's texts. Never evaluates anything.
 */
import {
  OPERATORS,
  OPTIONAL_SELECT,
  type Call,
  type Comprehension,
  type Expr,
  type ListExpr,
  type MapExpr,
  type Select,
  type StructExpr,
} from '../syntax/ast';
import type { Issue } from '../syntax/issues';
import { areAssignable, isAssignable, moreGeneral, resolve, sameType, substitute, Substitution } from '../types/assign';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  INT,
  listOf,
  mapOf,
  NAMED_TYPES,
  NULL,
  optionalOf,
  printType,
  STRING,
  typeOf,
  UINT,
  type Type,
} from '../types/type';
import { MESSAGES, messageNamed, NULL_CONSTANT } from '../messages/messages';
import type { FunctionRow, Library } from '../library/function';
import { Uint } from '../values/value';

export interface Declarations {
  readonly variables: ReadonlyMap<string, Type>;
  readonly library: Library;
}

export interface ResolvedCall {
  /** The name under which the function was found: `sets.contains` is one although it looks like a method. */
  readonly name: string;
  readonly rows: readonly FunctionRow[];
  /** The target first, if there is one. */
  readonly args: readonly Expr[];
}

export interface Checked {
  readonly type: Type;
  typeAt(expr: Expr): Type;
  /** Names of types and variables written with dots. */
  readonly names: ReadonlyMap<Expr, string>;
  readonly calls: ReadonlyMap<Expr, ResolvedCall>;
}

/** Fills `issues`; the result is usable only when there are none. */
export function check(expr: Expr, declarations: Declarations, issues: Issue[]): Checked {
  const checker = new Checker(declarations, issues);
  const type = checker.check(expr);
  return {
    type: substitute(type, checker.known, 'dyn'),
    typeAt: (at) => substitute(checker.types.get(at) ?? DYN, checker.known, 'dyn'),
    names: checker.names,
    calls: checker.calls,
  };
}

const MOST_PARTS = 1000;

class Checker {
  readonly types = new Map<Expr, Type>();
  readonly names = new Map<Expr, string>();
  readonly calls = new Map<Expr, ResolvedCall>();
  readonly known = new Substitution();
  private readonly scopes: { readonly name: string; readonly type: Type }[] = [];
  private readonly weights = new Map<Type, number>();
  private free = 0;

  constructor(
    private readonly declarations: Declarations,
    private readonly issues: Issue[],
  ) {}

  /** Macros put some parts into the tree twice; they are looked at once. */
  check(expr: Expr): Type {
    const known = this.types.get(expr);
    if (known !== undefined) return known;
    const type = this.infer(expr);
    this.types.set(expr, type);
    return type;
  }

  private note(at: number, message: string): Type {
    this.issues.push({ at, message });
    return ERROR;
  }

  private mismatch(at: number, wanted: Type, found: Type): Type {
    return this.note(at, `expected type '${this.print(wanted)}' but found '${this.print(found)}'`);
  }

  private print(type: Type): string {
    return printType(substitute(type, this.known, 'keep'));
  }

  private fresh(): Type {
    this.free += 1;
    return { kind: 'param', name: `_var${this.free - 1}` };
  }

  private infer(expr: Expr): Type {
    switch (expr.kind) {
      case 'literal':
        return literalType(expr.value);
      case 'ident':
        return this.named(expr, expr.name) ?? this.undeclared(expr.at, expr.name);
      case 'select':
        return this.select(expr);
      case 'call':
        return this.call(expr);
      case 'list':
        return this.list(expr);
      case 'map':
        return this.map(expr);
      case 'struct':
        return this.struct(expr);
      case 'comprehension':
        return this.comprehension(expr);
    }
  }

  private undeclared(at: number, name: string): Type {
    return this.note(at, `undeclared reference to '${name}' (in container '')`);
  }

  /** The type of a variable, or of a type that is written as a value. */
  private named(expr: Expr, name: string): Type | undefined {
    const bare = name.startsWith('.') ? name.slice(1) : name;
    const local = name === bare ? this.scopes.findLast((scope) => scope.name === name) : undefined;
    if (local !== undefined) return local.type;
    const declared = name === bare || !this.scopes.some((scope) => scope.name === bare) ? this.declarations.variables.get(bare) : undefined;
    const named = declared ?? writtenType(bare);
    if (named !== undefined) this.names.set(expr, bare);
    return named;
  }

  private select(expr: Select): Type {
    const name = expr.testOnly ? undefined : qualifiedName(expr);
    if (name !== undefined && !this.isLocal(name)) {
      const type = this.named(expr, name);
      if (type !== undefined) return type;
    }
    const operand = resolve(this.check(expr.operand), this.known);
    const field = this.fieldOf(operand, expr.field, expr.at);
    return expr.testOnly ? BOOL : field;
  }

  private isLocal(qualified: string): boolean {
    const first = qualified.split('.', 1)[0] ?? '';
    return this.scopes.some((scope) => scope.name === first);
  }

  private fieldOf(type: Type, field: string, at: number): Type {
    const operand = resolve(type, this.known);
    switch (operand.kind) {
      case 'object':
        return operand.fields.get(field) ?? this.note(at, `undefined field '${field}'`);
      case 'map':
        return operand.value;
      case 'optional': {
        const inner = this.fieldOf(operand.of, field, at);
        return inner.kind === 'error' ? inner : optionalOf(inner);
      }
      case 'param':
        isAssignable(operand, DYN, this.known);
        return DYN;
      case 'dyn':
        return DYN;
      case 'error':
        return ERROR;
      default:
        return this.note(at, `type '${this.print(operand)}' does not support field selection`);
    }
  }

  private call(expr: Call): Type {
    return expr.name === OPTIONAL_SELECT ? this.optionalSelect(expr) : this.resolveCall(expr);
  }

  private optionalSelect(expr: Call): Type {
    const [operand, field] = expr.args;
    if (operand === undefined || field?.kind !== 'literal' || typeof field.value !== 'string') return ERROR;
    const type = resolve(this.check(operand), this.known);
    const inner = this.fieldOf(type, field.value, expr.at);
    if (inner.kind === 'optional') return inner;
    return optionalOf(inner.kind === 'error' ? DYN : inner);
  }

  private resolveCall(expr: Call): Type {
    const space = expr.target === undefined ? undefined : qualifiedName(expr.target);
    const qualified = space === undefined || this.isLocal(space) ? undefined : `${space}.${expr.name}`;
    const bare = expr.name.startsWith('.') ? expr.name.slice(1) : expr.name;
    const isSpaced = qualified !== undefined && this.declarations.library.has(qualified);
    const name = isSpaced ? qualified : bare;
    const args = isSpaced || expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    const types = args.map((arg) => this.check(arg));
    const member = !isSpaced && expr.target !== undefined;
    const rows = this.declarations.library.get(name);
    if (rows === undefined) return this.undeclared(expr.at, expr.name);
    if (name === OPERATORS['&&'] || name === OPERATORS['||']) return this.logical(expr, args, types, rows);
    return this.choose(expr, name, args, types, member, rows);
  }

  private logical(expr: Call, args: readonly Expr[], types: readonly Type[], rows: readonly FunctionRow[]): Type {
    args.forEach((arg, index) => {
      const type = types[index] ?? ERROR;
      if (!isAssignable(type, BOOL, this.known)) this.mismatch(arg.at, BOOL, type);
    });
    this.calls.set(expr, { name: expr.name, rows, args });
    return BOOL;
  }

  private choose(
    expr: Call,
    name: string,
    args: readonly Expr[],
    types: readonly Type[],
    member: boolean,
    rows: readonly FunctionRow[],
  ): Type {
    let result: Type | undefined;
    const fitting: FunctionRow[] = [];
    for (const row of rows) {
      if (row.signature.member !== member) continue;
      const fresh = this.instantiate(row.signature);
      if (!areAssignable(types, fresh.params, this.known)) continue;
      fitting.push(row);
      const type = substitute(fresh.result, this.known, 'keep');
      if (result === undefined) result = type;
      else if (!sameType(result, type)) result = DYN;
    }
    this.calls.set(expr, { name, rows: fitting, args });
    if (result !== undefined) return result;
    const [receiver = DYN, ...others] = types;
    const print = (type: Type): string => printType(substitute(type, this.known, 'dyn'));
    const listed = (list: readonly Type[]): string => `(${list.map(print).join(', ')})`;
    const applied = member ? `${print(receiver)}.${listed(others)}` : listed(types);
    return this.note(expr.at, `found no matching overload for '${name}' applied to '${applied}'`);
  }

  /** A signature whose parameters are its own. */
  private instantiate(signature: FunctionRow['signature']): { readonly params: readonly Type[]; readonly result: Type } {
    const own = new Map<string, Type>();
    const rename = (type: Type): Type => {
      switch (type.kind) {
        case 'param': {
          const renamed = own.get(type.name) ?? this.fresh();
          own.set(type.name, renamed);
          return renamed;
        }
        case 'list':
          return { ...type, item: rename(type.item) };
        case 'map':
          return { ...type, key: rename(type.key), value: rename(type.value) };
        case 'optional':
        case 'type':
          return { kind: type.kind, of: rename(type.of) };
        default:
          return type;
      }
    };
    return { params: signature.params.map(rename), result: rename(signature.result) };
  }

  /** The type that all items share; whether they may differ is not asked here. */
  private join(previous: Type | undefined, current: Type): Type {
    if (previous === undefined) return current;
    return isAssignable(previous, current, this.known) ? moreGeneral(substitute(previous, this.known, 'keep'), current) : DYN;
  }

  private unwrapped(type: Type, optional: boolean, at: number): Type {
    if (!optional) return type;
    const found = resolve(type, this.known);
    if (found.kind === 'optional') return found.of;
    if (found.kind === 'dyn' || found.kind === 'error') return found;
    this.mismatch(at, optionalOf(found), found);
    return ERROR;
  }

  private list(expr: ListExpr): Type {
    let item: Type | undefined;
    expr.items.forEach((each, index) => {
      item = this.join(item, this.unwrapped(this.check(each), expr.optional.has(index), each.at));
    });
    return listOf(item ?? this.fresh());
  }

  private map(expr: MapExpr): Type {
    let key: Type | undefined;
    let value: Type | undefined;
    for (const entry of expr.entries) {
      key = this.join(key, this.check(entry.key));
      value = this.join(value, this.unwrapped(this.check(entry.value), entry.optional, entry.value.at));
    }
    const type = mapOf(key ?? this.fresh(), value ?? this.fresh());
    return this.weight(type) > MOST_PARTS ? this.note(expr.at, 'type is too large') : type;
  }

  /** How many parts a type has; types that are put together of themselves grow fast. */
  private weight(type: Type): number {
    const found = resolve(type, this.known);
    const known = this.weights.get(found);
    if (known !== undefined) return known;
    let weight = 1;
    if (found.kind === 'list') weight += this.weight(found.item);
    else if (found.kind === 'map') weight += this.weight(found.key) + this.weight(found.value);
    else if (found.kind === 'optional' || found.kind === 'type') weight += this.weight(found.of);
    this.weights.set(found, weight);
    return weight;
  }

  private struct(expr: StructExpr): Type {
    const message = messageNamed(expr.name);
    if (message === undefined) return this.undeclared(expr.at, expr.name);
    for (const { at, name, value, optional } of expr.fields) {
      const field = message.fields.get(name);
      const given = this.unwrapped(this.check(value), optional, value.at);
      if (field === undefined) this.note(at, `undefined field '${name}'`);
      else if (!isAssignable(given, field.type, this.known)) {
        this.note(at, `expected type of field '${name}' is '${this.print(field.type)}' but provided type is '${this.print(given)}'`);
      }
    }
    return message.type;
  }

  private comprehension(expr: Comprehension): Type {
    const range = resolve(this.check(expr.range), this.known);
    const accumulator = this.check(expr.init);
    this.scopes.push({ name: expr.accumulator, type: accumulator }, { name: expr.variable, type: this.variableType(range, expr.range.at) });
    const condition = this.check(expr.condition);
    if (!isAssignable(condition, BOOL, this.known)) this.mismatch(expr.condition.at, BOOL, condition);
    const step = this.check(expr.step);
    if (!isAssignable(step, accumulator, this.known)) this.mismatch(expr.step.at, accumulator, step);
    this.scopes.pop();
    const result = this.check(expr.result);
    this.scopes.pop();
    return substitute(result, this.known, 'keep');
  }

  private variableType(range: Type, at: number): Type {
    switch (range.kind) {
      case 'list':
        return range.item;
      case 'map':
        return range.key;
      case 'param':
        isAssignable(range, DYN, this.known);
        return DYN;
      case 'dyn':
      case 'error':
        return range;
      default:
        return this.note(
          at,
          `expression of type '${this.print(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
    }
  }
}

/** The type of a name that is a type, or the constant of an enumeration. */
function writtenType(name: string): Type | undefined {
  if (name === NULL_CONSTANT) return INT;
  const type = NAMED_TYPES.get(name) ?? MESSAGES.get(name)?.type;
  return type === undefined ? undefined : typeOf(type);
}

function literalType(value: unknown): Type {
  if (value === null) return NULL;
  if (typeof value === 'boolean') return BOOL;
  if (typeof value === 'bigint') return INT;
  if (typeof value === 'number') return DOUBLE;
  if (typeof value === 'string') return STRING;
  return value instanceof Uint ? UINT : BYTES;
}

/** `a.b.c` as one name. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.testOnly) return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}
