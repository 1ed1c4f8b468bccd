/**
 * Compiles a checked expression into evaluators, one function per node. Each node charges its cost when it is
 * evaluated.
 */
import type { CheckedExpression, ResolvedCall } from '../check/checker';
import { lookUpOptional } from '../library/operators';
import { compileRegex } from '../library/regex';
import {
  CONDITIONAL,
  INDEX,
  OPTIONAL_INDEX,
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

/** A constant part of the expression cannot be evaluated; the message is upstream's. */
export class InstantiationError extends Error {}

/** A compiled expression that can be run. */
export interface Program {
  /** Throws CostExceededError. */
  run(variables: ReadonlyMap<string, Value>, limit: number, budget: CostBudget): Value;
}

/** Throws {@link InstantiationError}. */
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
        budget.cost -= meter.cost;
      }
    },
  };
}

/** Conversions of a constant argument are evaluated at compile time. */
const FOLDED_CONVERSIONS = new Set(['bool', 'bytes', 'double', 'duration', 'int', 'string', 'timestamp', 'uint']);
const PATTERN_FUNCTIONS = new Set(['find', 'findAll', 'matches']);

class Compiler {
  /** Visible variables, the innermost last. */
  private readonly scopes: { readonly name: string; readonly slot: number }[];
  /** By node, because expanded macros share nodes. */
  private readonly evaluators = new Map<Expr, Evaluator>();
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
    if (expr.testOnly) return (frame) => testPresence(operand(frame), field);
    const missing = new ErrorValue(`no such key: ${field}`);
    return (frame) => {
      const operandValue = operand(frame);
      if (operandValue instanceof ErrorValue) return operandValue;
      frame.meter.charge(1);
      if (operandValue instanceof MapValue) {
        const member = operandValue.find(field);
        return member === undefined ? missing : member;
      }
      if (operandValue instanceof ListValue) return UNSUPPORTED_INDEX;
      if (!(operandValue instanceof OptionalValue)) return missing;
      return lookUpOptional(operandValue, field, frame.meter);
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

  /** Upstream does not charge the variable at the start of a branch. */
  private compileBranch(expr: Expr): Evaluator {
    const step = this.compile(expr);
    if (!isAttribute(expr)) return step;
    return (frame) => {
      frame.meter.charge(-1);
      return step(frame);
    };
  }

  private compileOptionalSelect({ args: [operand, field] }: Call): Evaluator {
    if (operand === undefined || field?.kind !== 'literal') return () => NO_SUCH_OVERLOAD;
    const step = this.compile(operand);
    const { value: name } = field;
    return (frame) => {
      const operandValue = step(frame);
      if (operandValue instanceof ErrorValue) return operandValue;
      frame.meter.charge(1);
      return lookUpOptional(operandValue, name, frame.meter);
    };
  }

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
    const isUncharged = name === OPERATORS.in && args[1]?.kind === 'list' && isConstant(args[1]);
    return (frame) => {
      const values = steps.map((step) => step(frame));
      for (const value of values) if (value instanceof ErrorValue) return value;
      return dispatch(name, overloads, values, isUncharged ? withoutCharges(frame.meter) : frame.meter);
    };
  }

  /** Compiles constant patterns and checks constant keys. */
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
    return (frame) => {
      const values: Value[] = [];
      for (const [index, step] of steps.entries()) {
        const value = step(frame);
        if (value instanceof ErrorValue) return value;
        if (!optionalIndexes.has(index)) values.push(value);
        else if (!(value instanceof OptionalValue)) return NO_SUCH_OVERLOAD;
        else if (value.value !== undefined) values.push(value.value);
      }
      frame.meter.charge(10);
      return new ArrayList(values);
    };
  }

  private compileMap(expr: MapExpr): Evaluator {
    const entries = expr.entries.map(({ key, value, isOptional }) => ({ key: this.compile(key), value: this.compile(value), isOptional }));
    return (frame) => {
      const valuesByKey = new Map<MapKey | symbol, readonly [Value, Value]>();
      for (const entry of entries) {
        const key = entry.key(frame);
        if (key instanceof ErrorValue) return key;
        const initializer = entry.value(frame);
        if (initializer instanceof ErrorValue) return initializer;
        if (entry.isOptional && !(initializer instanceof OptionalValue)) return NO_SUCH_OVERLOAD;
        const value = entry.isOptional && initializer instanceof OptionalValue ? initializer.value : initializer;
        // Keys that cannot be looked up are kept, but never found.
        if (value !== undefined) valuesByKey.set(mapKeyOf(key) ?? Symbol('no key'), [key, value]);
      }
      frame.meter.charge(30);
      return new EntryMap(valuesByKey);
    };
  }

  private compileStruct(expr: StructExpr): Evaluator {
    const message = findMessage(expr.name);
    if (message === undefined) return () => NO_SUCH_OVERLOAD;
    const fields = expr.fields.map(({ name, value, isOptional }) => ({ name, isOptional, step: this.compile(value) }));
    return (frame) => {
      const initializers: FieldInitializer[] = [];
      for (const { name, isOptional, step } of fields) {
        const value = step(frame);
        if (value instanceof ErrorValue) return value;
        initializers.push({ name, isOptional, value });
      }
      frame.meter.charge(MESSAGE_COST);
      return buildMessage(message, initializers, frame.meter);
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
    return (frame) => {
      const rangeValue = range(frame);
      if (rangeValue instanceof ErrorValue) return rangeValue;
      if (rangeValue instanceof ListValue) return loop(frame, rangeValue);
      if (!(rangeValue instanceof MapValue)) return NO_SUCH_OVERLOAD;
      frame.meter.spend(rangeValue.size >> 4);
      return loop(frame, rangeValue.keys());
    };
  }

  private openScope(name: string): number {
    const slot = this.slotCount;
    this.slotCount += 1;
    this.scopes.push({ name, slot });
    return slot;
  }

  /** Binds a value to a name. */
  private compileBind(expr: Comprehension): Evaluator {
    const init = this.compile(expr.init);
    const slot = this.openScope(expr.accumulator);
    const result = this.compile(expr.result);
    this.scopes.pop();
    return (frame) => {
      const value = init(frame);
      frame.slots[slot] = value;
      return result(frame);
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

/** Lists and maps of constants are built at compile time and cost nothing. */
function isConstant(expr: Expr): boolean {
  if (expr.kind === 'list') return expr.optionalIndexes.size === 0 && expr.items.every(isConstant);
  if (expr.kind !== 'map') return expr.kind === 'literal';
  return expr.entries.every(({ key, value, isOptional }) => !isOptional && isConstant(key) && isConstant(value));
}

function evaluateOnce(step: Evaluator): Evaluator {
  const value = step({ slots: [], meter: new CostMeter(Infinity, new CostBudget(0)) });
  return () => value;
}

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
