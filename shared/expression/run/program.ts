/**
 * Compiles a checked expression into evaluators, one function for each node of the syntax tree (evaluator.ts). A node
 * charges its cost when it is evaluated; the costs are those of cel-go.
 */
import type { CheckedExpression, ResolvedCall } from '../check/checked-expression';
import { LIST_COST, MAP_COST } from '../library/function';
import { lookUpOptional } from '../library/operators';
import { compileRegex } from '../library/regex';
import type { Call, Comprehension, Expr, ListExpr, MapExpr, Select, StructExpr } from '../syntax/ast';
import { CONDITIONAL, INDEX, OPTIONAL_INDEX, OPERATORS, OPTIONAL_SELECT } from '../syntax/operators';
import { buildMessage, MESSAGE_COST, type FieldInitializer } from '../messages/build';
import { findMessage, MESSAGES, NULL_CONSTANT } from '../messages/messages';
import { NAMED_TYPES } from '../types/type';
import {
  ArrayList,
  EntryMap,
  ErrorValue,
  mapKeyOf,
  ListValue,
  type MapKey,
  MapValue,
  OptionalValue,
  TypeValue,
  type Value,
} from '../values/value';
import { typeNameOf } from '../types/type-names';
import { conditionalEvaluator, testPresence, logicalEvaluator, orElseEvaluator, UNSUPPORTED_INDEX } from './branches';
import { dispatch, withoutCharges, UNMETERED } from './dispatch';
import { NO_SUCH_OVERLOAD, type Evaluator } from './evaluator';
import { LOOPS } from './loops';
import { CostBudget, CostMeter } from './meter';

/** A constant part of the expression cannot be evaluated, such as `duration('x')`. The message is upstream's. */
export class InstantiationError extends Error {}

/** A compiled expression that can be run. */
export interface Program {
  /**
   * Evaluates the expression and deducts its cost from `budget`. A variable without a value is an error value. Throws
   * CostExceededError beyond `limit` or the work limit of the budget.
   */
  run(variables: ReadonlyMap<string, Value>, limit: number, budget: CostBudget): Value;
}

/** `variables` are the names of the declared variables. Throws {@link InstantiationError}. */
export function compileProgram(expr: Expr, checked: CheckedExpression, variables: readonly string[]): Program {
  const compiler = new Compiler(checked, variables);
  const evaluator = compiler.compile(expr);
  const { slotCount } = compiler;
  return {
    run(values, limit, budget) {
      const meter = new CostMeter(limit, budget);
      const slots: Value[] = Array.from({ length: slotCount }, () => null);
      variables.forEach((name, index) => {
        const value = values.get(name);
        slots[index] = value === undefined ? new ErrorValue(`no such attribute(s): ${name}`) : value;
      });
      try {
        return evaluator({ slots, meter });
      } finally {
        budget.remainingCost -= meter.cost;
      }
    },
  };
}

/** Functions that are evaluated at compile time when their argument is a literal. */
const FOLDED_CONVERSIONS = new Set(['bool', 'bytes', 'double', 'duration', 'int', 'string', 'timestamp', 'uint']);
/** Functions with a regular expression as the second of {@link ResolvedCall.args}. */
const PATTERN_FUNCTIONS = new Set(['find', 'findAll', 'matches']);

class Compiler {
  /** Visible variables, the innermost last. */
  private readonly scopes: { readonly name: string; readonly slot: number }[];
  /** By node, because expanded macros share nodes. */
  private readonly evaluators = new Map<Expr, Evaluator>();
  /** The number of slots that an activation needs: one for each declared variable, loop variable and bound name. */
  slotCount: number;

  constructor(
    private readonly checked: CheckedExpression,
    variables: readonly string[],
  ) {
    this.scopes = variables.map((name, slot) => ({ name, slot }));
    this.slotCount = variables.length;
  }

  compile(expr: Expr): Evaluator {
    const known = this.evaluators.get(expr);
    if (known !== undefined) return known;
    const evaluator = this.compileNode(expr);
    this.evaluators.set(expr, evaluator);
    return evaluator;
  }

  private compileNode(expr: Expr): Evaluator {
    switch (expr.kind) {
      case 'literal': {
        const { value } = expr;
        return () => value;
      }
      case 'ident':
        return this.compileName(this.checked.names.get(expr) ?? expr.name);
      case 'select':
        return this.compileSelect(expr);
      case 'call':
        return this.compileCall(expr);
      case 'list':
        return isConstant(expr) ? evaluateOnce(this.compileList(expr)) : this.compileList(expr);
      case 'map':
        return isConstant(expr) ? evaluateOnce(this.compileMap(expr)) : this.compileMap(expr);
      case 'struct':
        return this.compileStruct(expr);
      case 'comprehension':
        return this.compileComprehension(expr);
    }
  }

  /** A variable, or a constant that has this name. */
  private compileName(name: string): Evaluator {
    const variable = this.scopes.findLast((scope) => scope.name === name);
    if (variable === undefined) return compileConstantName(name);
    const { slot } = variable;
    return ({ slots, meter }) => {
      meter.charge(1);
      return slots[slot] ?? null;
    };
  }

  private compileSelect(expr: Select): Evaluator {
    const name = this.checked.names.get(expr);
    if (name !== undefined) return this.compileName(name);
    const operand = this.compile(expr.operand);
    const { field } = expr;
    if (expr.testOnly) return (activation) => testPresence(operand(activation), field);
    const missing = new ErrorValue(`no such key: ${field}`);
    return (activation) => {
      const operandValue = operand(activation);
      if (operandValue instanceof ErrorValue) return operandValue;
      activation.meter.charge(1);
      if (operandValue instanceof MapValue) {
        const member = operandValue.find(field);
        return member === undefined ? missing : member;
      }
      if (operandValue instanceof ListValue) return UNSUPPORTED_INDEX;
      if (!(operandValue instanceof OptionalValue)) return missing;
      return lookUpOptional(operandValue, field, activation.meter);
    };
  }

  private compileCall(expr: Call): Evaluator {
    if (expr.name === OPTIONAL_SELECT) return this.compileOptionalSelect(expr);
    const resolved = this.checked.calls.get(expr);
    if (resolved === undefined) return () => NO_SUCH_OVERLOAD;
    const [first, second, third] = resolved.args;
    if (first === undefined || second === undefined) return this.compileStrictCall(resolved);
    switch (resolved.name) {
      case OPERATORS['&&']:
        return logicalEvaluator('&&', this.compile(first), this.compile(second));
      case OPERATORS['||']:
        return logicalEvaluator('||', this.compile(first), this.compile(second));
      case CONDITIONAL:
        return third === undefined
          ? this.compileStrictCall(resolved)
          : conditionalEvaluator(this.compile(first), this.compileBranch(second), this.compileBranch(third));
      case 'or':
      case 'orValue':
        return orElseEvaluator(resolved.name, this.compile(first), this.compile(second));
      default:
        return this.compileStrictCall(resolved);
    }
  }

  /** A branch of the conditional operator. Upstream does not charge the 1 of the variable with which the branch begins. */
  private compileBranch(expr: Expr): Evaluator {
    const step = this.compile(expr);
    if (!isAttribute(expr)) return step;
    return (activation) => {
      activation.meter.charge(-1);
      return step(activation);
    };
  }

  private compileOptionalSelect({ args: [operand, field] }: Call): Evaluator {
    if (operand === undefined || field?.kind !== 'literal') return () => NO_SUCH_OVERLOAD;
    const step = this.compile(operand);
    const { value: name } = field;
    return (activation) => {
      const operandValue = step(activation);
      if (operandValue instanceof ErrorValue) return operandValue;
      activation.meter.charge(1);
      return lookUpOptional(operandValue, name, activation.meter);
    };
  }

  /** A call that evaluates all arguments; the first of them that is an error is its result. */
  private compileStrictCall(resolved: ResolvedCall): Evaluator {
    const { args, name, overloads } = resolved;
    const steps = args.map((arg) => this.compile(arg));
    this.checkConstants(resolved);
    const folded = FOLDED_CONVERSIONS.has(name) && args.length === 1 ? args[0] : undefined;
    if (folded?.kind === 'literal') {
      const value = dispatch(name, overloads, [folded.value], UNMETERED);
      if (value instanceof ErrorValue) throw new InstantiationError(value.message);
      return () => value;
    }
    // Upstream looks up a value in a constant list without charging for it.
    const isUncharged = name === OPERATORS.in && args[1]?.kind === 'list' && isConstant(args[1]);
    return (activation) => {
      const values = steps.map((step) => step(activation));
      for (const value of values) if (value instanceof ErrorValue) return value;
      return dispatch(name, overloads, values, isUncharged ? withoutCharges(activation.meter) : activation.meter);
    };
  }

  /** Throws InstantiationError for a constant pattern or a constant key of an index that is invalid. */
  private checkConstants({ name, args }: ResolvedCall): void {
    if (name === INDEX || name === OPTIONAL_INDEX) this.checkKey(args[1]);
    const pattern = args[1];
    if (!PATTERN_FUNCTIONS.has(name) || pattern?.kind !== 'literal' || typeof pattern.value !== 'string') return;
    const regex = compileRegex(pattern.value);
    if (regex instanceof ErrorValue) throw new InstantiationError(regex.message);
  }

  private checkKey(key: Expr | undefined): void {
    if (key?.kind === 'call' && key.name === 'dyn') return this.checkKey(key.args[0]);
    const type = key === undefined ? undefined : invalidKeyType(key);
    if (type !== undefined) throw new InstantiationError(`invalid qualifier type: ${type}`);
  }

  private compileList(expr: ListExpr): Evaluator {
    const { items, optionalIndexes } = expr;
    const steps = items.map((item) => this.compile(item));
    return (activation) => {
      const values: Value[] = [];
      for (const [index, step] of steps.entries()) {
        const value = step(activation);
        if (value instanceof ErrorValue) return value;
        if (!optionalIndexes.has(index)) values.push(value);
        else if (!(value instanceof OptionalValue)) return NO_SUCH_OVERLOAD;
        else if (value.value !== undefined) values.push(value.value);
      }
      activation.meter.charge(LIST_COST);
      return new ArrayList(values);
    };
  }

  private compileMap(expr: MapExpr): Evaluator {
    const entries = expr.entries.map(({ key, value, isOptional }) => ({ key: this.compile(key), value: this.compile(value), isOptional }));
    return (activation) => {
      const valuesByKey = new Map<MapKey | symbol, readonly [Value, Value]>();
      for (const entry of entries) {
        const key = entry.key(activation);
        if (key instanceof ErrorValue) return key;
        const initializer = entry.value(activation);
        if (initializer instanceof ErrorValue) return initializer;
        if (entry.isOptional && !(initializer instanceof OptionalValue)) return NO_SUCH_OVERLOAD;
        const value = entry.isOptional && initializer instanceof OptionalValue ? initializer.value : initializer;
        // A key that is no valid map key is kept under a symbol of its own, under which no lookup finds it.
        if (value !== undefined) valuesByKey.set(mapKeyOf(key) ?? Symbol('no key'), [key, value]);
      }
      activation.meter.charge(MAP_COST);
      return new EntryMap(valuesByKey);
    };
  }

  private compileStruct(expr: StructExpr): Evaluator {
    const message = findMessage(expr.name);
    if (message === undefined) return () => NO_SUCH_OVERLOAD;
    const fields = expr.fields.map(({ name, value, isOptional }) => ({ name, isOptional, step: this.compile(value) }));
    return (activation) => {
      const initializers: FieldInitializer[] = [];
      for (const { name, isOptional, step } of fields) {
        const value = step(activation);
        if (value instanceof ErrorValue) return value;
        initializers.push({ name, isOptional, value });
      }
      activation.meter.charge(MESSAGE_COST);
      return buildMessage(message, initializers, activation.meter);
    };
  }

  private compileComprehension(expr: Comprehension): Evaluator {
    const { macro } = expr.loop;
    if (macro === 'bind') return this.compileBind(expr);
    const range = this.compile(expr.range);
    const slot = this.openScope(expr.variable);
    const body = expr.loop.body === undefined ? undefined : this.compile(expr.loop.body);
    const filter = expr.loop.filter === undefined ? undefined : this.compile(expr.loop.filter);
    this.scopes.pop();
    const always: Evaluator = () => true;
    const loop = LOOPS[macro](body ?? always, filter, slot);
    return (activation) => {
      const rangeValue = range(activation);
      if (rangeValue instanceof ErrorValue) return rangeValue;
      if (rangeValue instanceof ListValue) return loop(activation, rangeValue);
      if (!(rangeValue instanceof MapValue)) return NO_SUCH_OVERLOAD;
      activation.meter.spend(rangeValue.size >> 4); // A step for 16 keys.
      return loop(activation, rangeValue.keys());
    };
  }

  /** Makes a name visible and returns its slot. The caller removes it from `scopes`. */
  private openScope(name: string): number {
    const slot = this.slotCount;
    this.slotCount += 1;
    this.scopes.push({ name, slot });
    return slot;
  }

  /** A comprehension without a loop, which only binds a value to a name: the body of `optMap`. */
  private compileBind(expr: Comprehension): Evaluator {
    const init = this.compile(expr.init);
    const slot = this.openScope(expr.accumulator);
    const result = this.compile(expr.result);
    this.scopes.pop();
    return (activation) => {
      const value = init(activation);
      activation.slots[slot] = value;
      return result(activation);
    };
  }
}

/** Compiles a name that is not a variable: the enum constant or a type. */
function compileConstantName(name: string): Evaluator {
  if (name === NULL_CONSTANT) return () => 0n;
  const type = NAMED_TYPES.get(name);
  if (type === undefined && MESSAGES.has(name)) throw new InstantiationError(`reference to undefined type: ${name}`);
  const value = type === undefined ? new ErrorValue(`no such attribute(s): ${name}`) : new TypeValue(typeNameOf(type));
  return () => value;
}

/** Whether the expression is a literal, or a list or map of literals, which is built at compile time and costs nothing. */
function isConstant(expr: Expr): boolean {
  if (expr.kind === 'list') return expr.optionalIndexes.size === 0 && expr.items.every(isConstant);
  if (expr.kind !== 'map') return expr.kind === 'literal';
  return expr.entries.every(({ key, value, isOptional }) => !isOptional && isConstant(key) && isConstant(value));
}

function evaluateOnce(step: Evaluator): Evaluator {
  const value = step({ slots: [], meter: new CostMeter(Infinity, new CostBudget(0)) });
  return () => value;
}

/** The Go types that these conversions return, which cannot be keys. */
const INVALID_KEY_TYPES: ReadonlyMap<string, string> = new Map([
  ['timestamp', 'types.Timestamp'],
  ['duration', 'types.Duration'],
  ['bytes', 'types.Bytes'],
]);

/** The Go type of a constant that is not a valid key; `undefined` when it may be valid. */
function invalidKeyType(key: Expr): string | undefined {
  switch (key.kind) {
    case 'list':
      return isConstant(key) ? '*types.baseList' : undefined;
    case 'map':
      return isConstant(key) ? '*types.baseMap' : undefined;
    case 'literal':
      if (key.value === null) return 'types.Null';
      return key.value instanceof Uint8Array ? 'types.Bytes' : undefined;
    case 'call':
      return key.args[0]?.kind === 'literal' && typeof key.args[0].value === 'string' ? INVALID_KEY_TYPES.get(key.name) : undefined;
    default:
      return undefined;
  }
}

/** A variable, or a value selected or indexed from one. */
function isAttribute(expr: Expr): boolean {
  if (expr.kind === 'select') return !expr.testOnly && isAttribute(expr.operand);
  return expr.kind === 'ident' || (expr.kind === 'call' && expr.name === INDEX && expr.args[0] !== undefined && isAttribute(expr.args[0]));
}
