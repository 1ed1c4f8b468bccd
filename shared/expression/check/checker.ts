/**
 * Type checking of CEL expressions: infers the type of every node and the possible overloads of every call. Reports
 * errors with upstream's messages. In addition, map types that are too large are an error, which upstream does not limit.
 * check-literals.ts checks constants afterwards.
 */
import type { Call, Comprehension, Expr, ListExpr, MapExpr, Select, StructExpr } from '../syntax/ast';
import { OPERATORS, OPTIONAL_SELECT } from '../syntax/operators';
import type { Issue } from '../syntax/issues';
import {
  instantiateSignature,
  isSameType,
  moreGeneralType,
  resolveParam,
  substitute,
  Substitution,
  unifyAllAssignable,
  unifyAssignable,
} from '../types/assign';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  INT,
  listTypeOf,
  mapTypeOf,
  NAMED_TYPES,
  NULL,
  optionalTypeOf,
  printType,
  STRING,
  typeTypeOf,
  UINT,
  type Type,
} from '../types/type';
import { MESSAGES, findMessage, NULL_CONSTANT } from '../messages/messages';
import type { FunctionOverload } from '../library/function';
import type { CheckedExpression, Declarations, ResolvedCall } from './checked-expression';
import { Uint, type Value } from '../values/value';

/** A call before its overload is resolved. */
interface CallCandidate {
  readonly name: string;
  /** As in {@link ResolvedCall}. */
  readonly args: readonly Expr[];
  /** The types of `args`. */
  readonly types: readonly Type[];
  /** Whether the function is called on a target: `x.f()`. */
  readonly isMember: boolean;
  readonly overloads: readonly FunctionOverload[];
}

/** Checks the types of an expression. Appends errors to `issues`; the result may be used only when there are none. */
export function checkExpression(expr: Expr, declarations: Declarations, issues: Issue[]): CheckedExpression {
  const checker = new Checker(declarations, issues);
  const type = checker.check(expr);
  return {
    type: substitute(type, checker.substitution, 'dyn'),
    typeAt: (node) => substitute(checker.types.get(node) ?? DYN, checker.substitution, 'dyn'),
    names: checker.names,
    calls: checker.calls,
  };
}

/**
 * Limit of {@link Checker.typeWeight}: far above the weight of a useful type, and low enough that printing the type is
 * cheap. Only maps are checked. They have two inner types, so a map type that contains itself as key and value doubles
 * the weight with each level; a list or an optional only adds to it.
 */
const MAX_TYPE_WEIGHT = 1000;

class Checker {
  readonly types = new Map<Expr, Type>();
  readonly names = new Map<Expr, string>();
  readonly calls = new Map<Expr, ResolvedCall>();
  readonly substitution = new Substitution();
  /** The visible loop variables and accumulators, the innermost last. */
  private readonly scopes: { readonly name: string; readonly type: Type }[] = [];
  private readonly weights = new Map<Type, number>();
  /** The number of type parameters that {@link freshParam} has created. */
  private paramCount = 0;

  constructor(
    private readonly declarations: Declarations,
    private readonly issues: Issue[],
  ) {}

  /** The type of a node. Macro expansion may use a node twice; its type is inferred once. */
  check(expr: Expr): Type {
    const checkedType = this.types.get(expr);
    if (checkedType !== undefined) return checkedType;
    const type = this.infer(expr);
    this.types.set(expr, type);
    return type;
  }

  /** Adds an issue at an offset of the text, and returns the type of a node with an error. */
  private report(at: number, message: string): Type {
    this.issues.push({ at, message });
    return ERROR;
  }

  private reportMismatch(at: number, wanted: Type, actual: Type): Type {
    return this.report(at, `expected type '${this.print(wanted)}' but found '${this.print(actual)}'`);
  }

  private print(type: Type): string {
    return printType(substitute(type, this.substitution, 'keep'));
  }

  /** A new type parameter, named as upstream's messages name it. */
  private freshParam(): Type {
    this.paramCount += 1;
    return { kind: 'param', name: `_var${this.paramCount - 1}` };
  }

  private infer(expr: Expr): Type {
    switch (expr.kind) {
      case 'literal':
        return literalType(expr.value);
      case 'ident':
        return this.typeOfName(expr, expr.name) ?? this.reportUndeclared(expr.at, expr.name);
      case 'select':
        return this.inferSelect(expr);
      case 'call':
        return this.inferCall(expr);
      case 'list':
        return this.inferList(expr);
      case 'map':
        return this.inferMap(expr);
      case 'struct':
        return this.inferStruct(expr);
      case 'comprehension':
        return this.inferComprehension(expr);
    }
  }

  private reportUndeclared(at: number, name: string): Type {
    return this.report(at, `undeclared reference to '${name}' (in container '')`);
  }

  /** The type of a variable, or of a type name used as a value; `undefined` for an undeclared name. */
  private typeOfName(expr: Expr, name: string): Type | undefined {
    const isAbsolute = name.startsWith('.');
    const bare = isAbsolute ? name.slice(1) : name;
    const local = this.scopes.findLast((scope) => scope.name === bare);
    if (local !== undefined && !isAbsolute) return local.type;
    // A leading dot skips local variables, but not entirely: a declared variable of the same name stays hidden, so that
    // only a type can be denoted (upstream behaviour).
    const declared = local === undefined ? this.declarations.variables.get(bare) : undefined;
    const named = declared ?? typeOfTypeName(bare);
    if (named !== undefined) this.names.set(expr, bare);
    return named;
  }

  /** The type of `a.b`, which is a qualified name if there is a variable or a type `a.b`, and else a field of `a`. */
  private inferSelect(expr: Select): Type {
    const name = expr.testOnly ? undefined : qualifiedNameOf(expr);
    if (name !== undefined && !this.isLocal(name)) {
      const type = this.typeOfName(expr, name);
      if (type !== undefined) return type;
    }
    const operand = resolveParam(this.check(expr.operand), this.substitution);
    const field = this.fieldOf(operand, expr.field, expr.at);
    return expr.testOnly ? BOOL : field;
  }

  /** Whether the first part of a qualified name is a loop variable or an accumulator. */
  private isLocal(qualified: string): boolean {
    const first = qualified.split('.', 1)[0] ?? '';
    return this.scopes.some((scope) => scope.name === first);
  }

  private fieldOf(type: Type, field: string, at: number): Type {
    const operand = resolveParam(type, this.substitution);
    switch (operand.kind) {
      case 'object':
        return operand.fields.get(field) ?? this.report(at, `undefined field '${field}'`);
      case 'map':
        return operand.value;
      case 'optional': {
        const inner = this.fieldOf(operand.inner, field, at);
        return inner.kind === 'error' ? inner : optionalTypeOf(inner);
      }
      case 'param':
        return this.bindToDynamic(operand);
      case 'dyn':
        return DYN;
      case 'error':
        return ERROR;
      default:
        return this.report(at, `type '${this.print(operand)}' does not support field selection`);
    }
  }

  /** Binds the unbound type parameter to `dyn`, and returns `dyn`. */
  private bindToDynamic(param: Type): Type {
    unifyAssignable(param, DYN, this.substitution);
    return DYN;
  }

  private inferCall(expr: Call): Type {
    return expr.name === OPTIONAL_SELECT ? this.inferOptionalSelect(expr) : this.resolveCall(expr);
  }

  /** The type of `a.?b`: an optional. */
  private inferOptionalSelect(expr: Call): Type {
    const [operand, field] = expr.args;
    if (operand === undefined || field?.kind !== 'literal' || typeof field.value !== 'string') return ERROR;
    const type = resolveParam(this.check(operand), this.substitution);
    const inner = this.fieldOf(type, field.value, expr.at);
    if (inner.kind === 'optional') return inner;
    // The error is reported; an optional result prevents further errors about its type.
    return optionalTypeOf(inner.kind === 'error' ? DYN : inner);
  }

  private resolveCall(expr: Call): Type {
    const namespace = expr.target === undefined ? undefined : qualifiedNameOf(expr.target);
    // `sets.contains(…)` is parsed as a method call of `sets`, and is one when there is a loop variable `sets`.
    const qualified = namespace === undefined || this.isLocal(namespace) ? undefined : `${namespace}.${expr.name}`;
    const bare = expr.name.startsWith('.') ? expr.name.slice(1) : expr.name;
    const isNamespaced = qualified !== undefined && this.declarations.library.has(qualified);
    const name = isNamespaced ? qualified : bare;
    const args = isNamespaced || expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    const types = args.map((arg) => this.check(arg));
    const isMember = !isNamespaced && expr.target !== undefined;
    const overloads = this.declarations.library.get(name);
    if (overloads === undefined) return this.reportUndeclared(expr.at, expr.name);
    if (name === OPERATORS['&&'] || name === OPERATORS['||']) return this.inferLogical(expr, args, types, overloads);
    return this.resolveOverload(expr, { name, args, types, isMember, overloads });
  }

  /** `&&` and `||` report each operand that is not a bool, instead of a missing overload. */
  private inferLogical(expr: Call, args: readonly Expr[], types: readonly Type[], overloads: readonly FunctionOverload[]): Type {
    args.forEach((arg, index) => {
      const type = types[index] ?? ERROR;
      if (!unifyAssignable(type, BOOL, this.substitution)) this.reportMismatch(arg.at, BOOL, type);
    });
    this.calls.set(expr, { name: expr.name, overloads, args });
    return BOOL;
  }

  /** Records the overloads that accept the arguments, and returns their common result type. */
  private resolveOverload(expr: Call, { name, args, types, isMember, overloads }: CallCandidate): Type {
    let result: Type | undefined;
    const fitting: FunctionOverload[] = [];
    for (const overload of overloads) {
      if (overload.signature.isMethod !== isMember) continue;
      const { params, result: overloadResult } = instantiateSignature(overload.signature, () => this.freshParam());
      if (!unifyAllAssignable(types, params, this.substitution)) continue;
      fitting.push(overload);
      const type = substitute(overloadResult, this.substitution, 'keep');
      if (result === undefined) result = type;
      else if (!isSameType(result, type)) result = DYN;
    }
    this.calls.set(expr, { name, overloads: fitting, args });
    if (result !== undefined) return result;
    const [receiver = DYN, ...others] = types;
    const print = (type: Type): string => printType(substitute(type, this.substitution, 'dyn'));
    const listed = (list: readonly Type[]): string => `(${list.map(print).join(', ')})`;
    const applied = isMember ? `${print(receiver)}.${listed(others)}` : listed(types);
    return this.report(expr.at, `found no matching overload for '${name}' applied to '${applied}'`);
  }

  /** The common type of elements; `dyn` when they differ. check-literals.ts reports elements of different types. */
  private joinTypes(previous: Type | undefined, current: Type): Type {
    if (previous === undefined) return current;
    return unifyAssignable(previous, current, this.substitution)
      ? moreGeneralType(substitute(previous, this.substitution, 'keep'), current)
      : DYN;
  }

  /** The type of the value in an element `?x`, which must be optional. */
  private unwrapOptional(type: Type, at: number): Type {
    const resolved = resolveParam(type, this.substitution);
    if (resolved.kind === 'optional') return resolved.inner;
    if (resolved.kind === 'dyn' || resolved.kind === 'error') return resolved;
    this.reportMismatch(at, optionalTypeOf(resolved), resolved);
    return ERROR;
  }

  /** The type of an element of a list, a map or a message; of the value in it when it is written as `?x`. */
  private checkElement(expr: Expr, { isOptional }: { readonly isOptional: boolean }): Type {
    const type = this.check(expr);
    return isOptional ? this.unwrapOptional(type, expr.at) : type;
  }

  private inferList(expr: ListExpr): Type {
    let item: Type | undefined;
    expr.items.forEach((each, index) => {
      item = this.joinTypes(item, this.checkElement(each, { isOptional: expr.optionalIndexes.has(index) }));
    });
    return listTypeOf(item ?? this.freshParam());
  }

  private inferMap(expr: MapExpr): Type {
    let key: Type | undefined;
    let value: Type | undefined;
    for (const entry of expr.entries) {
      key = this.joinTypes(key, this.check(entry.key));
      value = this.joinTypes(value, this.checkElement(entry.value, { isOptional: entry.isOptional }));
    }
    const type = mapTypeOf(key ?? this.freshParam(), value ?? this.freshParam());
    return this.typeWeight(type) > MAX_TYPE_WEIGHT ? this.report(expr.at, 'type is too large') : type;
  }

  /** The number of names in the printed type: 3 for `map(string, int)`. */
  private typeWeight(type: Type): number {
    const resolved = resolveParam(type, this.substitution);
    const known = this.weights.get(resolved);
    if (known !== undefined) return known;
    let weight = 1;
    if (resolved.kind === 'list') weight += this.typeWeight(resolved.item);
    else if (resolved.kind === 'map') weight += this.typeWeight(resolved.key) + this.typeWeight(resolved.value);
    else if (resolved.kind === 'optional' || resolved.kind === 'type') weight += this.typeWeight(resolved.inner);
    this.weights.set(resolved, weight);
    return weight;
  }

  private inferStruct(expr: StructExpr): Type {
    const message = findMessage(expr.name);
    if (message === undefined) return this.reportUndeclared(expr.at, expr.name);
    for (const { at, name, value, isOptional } of expr.fields) {
      const field = message.fields.get(name);
      const given = this.checkElement(value, { isOptional });
      if (field === undefined) this.report(at, `undefined field '${name}'`);
      else if (!unifyAssignable(given, field.type, this.substitution)) {
        this.report(at, `expected type of field '${name}' is '${this.print(field.type)}' but provided type is '${this.print(given)}'`);
      }
    }
    return message.type;
  }

  private inferComprehension(expr: Comprehension): Type {
    const range = resolveParam(this.check(expr.range), this.substitution);
    const accumulator = this.check(expr.init);
    this.scopes.push({ name: expr.accumulator, type: accumulator }, { name: expr.variable, type: this.variableType(range, expr.range.at) });
    const condition = this.check(expr.condition);
    if (!unifyAssignable(condition, BOOL, this.substitution)) this.reportMismatch(expr.condition.at, BOOL, condition);
    const step = this.check(expr.step);
    if (!unifyAssignable(step, accumulator, this.substitution)) this.reportMismatch(expr.step.at, accumulator, step);
    this.scopes.pop();
    // The result may refer to the accumulator, not to the loop variable.
    const result = this.check(expr.result);
    this.scopes.pop();
    return substitute(result, this.substitution, 'keep');
  }

  /** The type of the variable of a loop over `range`. */
  private variableType(range: Type, at: number): Type {
    switch (range.kind) {
      case 'list':
        return range.item;
      case 'map':
        return range.key;
      case 'param':
        return this.bindToDynamic(range);
      case 'dyn':
      case 'error':
        return range;
      default:
        return this.report(
          at,
          `expression of type '${this.print(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
    }
  }
}

/** The type of a type name or of the enum constant; `undefined` for another name. */
function typeOfTypeName(name: string): Type | undefined {
  if (name === NULL_CONSTANT) return INT;
  const type = NAMED_TYPES.get(name) ?? MESSAGES.get(name)?.type;
  return type === undefined ? undefined : typeTypeOf(type);
}

function literalType(value: Value): Type {
  if (value === null) return NULL;
  if (typeof value === 'boolean') return BOOL;
  if (typeof value === 'bigint') return INT;
  if (typeof value === 'number') return DOUBLE;
  if (typeof value === 'string') return STRING;
  return value instanceof Uint ? UINT : BYTES;
}

/** `a.b.c` as one name; `undefined` for an expression of another form. */
export function qualifiedNameOf(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.testOnly) return undefined;
  const operand = qualifiedNameOf(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}
