/**
 * Turns a checked expression into functions that evaluate it, a function for each node. Every node charges what it costs when it is evaluated.
 */
import type { Checked, ResolvedCall } from '../check/checker';
import { lookUpOptional } from '../library/operators';
import { compilePattern } from '../library/regex';
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
import { buildMessage, MESSAGE_COST, type GivenField } from '../messages/build';
import { messageNamed, MESSAGES, NULL_CONSTANT } from '../messages/messages';
import { NAMED_TYPES } from '../types/type';
import {
  ArrayList,
  EntryMap,
  Failure,
  keyOf,
  ListValue,
  type MapKey,
  MapValue,
  OptionalValue,
  TypeValue,
  type Value,
} from '../values/value';
import { typeNameOf } from '../types/type-names';
import { conditional, isPresent, logical, otherwise, UNINDEXED } from './branches';
import { dispatch, uncharged, UNLIMITED } from './dispatch';
import { NO_SUCH_OVERLOAD, type Evaluator } from './evaluator';
import { LOOPS } from './loops';
import { Budget, Meter } from './meter';

/** A constant part of the expression cannot be evaluated; the message is upstream's. */
export class ConstantFault extends Error {}

export interface Program {
  /** Throws `CostExceeded`. */
  run(variables: ReadonlyMap<string, Value>, limit: number, budget: Budget): Value;
}

/** Throws {@link ConstantFault}. */
export function compileProgram(expr: Expr, checked: Checked, variables: readonly string[]): Program {
  const compiler = new Compiler(checked, variables);
  const step = compiler.compile(expr);
  const { places } = compiler;
  return {
    run(values, limit, budget) {
      const meter = new Meter(limit, budget);
      const slots: Value[] = Array.from({ length: places }, () => null);
      variables.forEach((name, index) => {
        const value = values.get(name);
        slots[index] = value === undefined ? new Failure(`no such attribute(s): ${name}`) : value;
      });
      try {
        return step({ slots, meter });
      } finally {
        budget.cost -= meter.cost;
      }
    },
  };
}

/** Conversions whose constant argument is converted once and for all. */
const FOLDED = new Set(['bool', 'bytes', 'double', 'duration', 'int', 'string', 'timestamp', 'uint']);
const PATTERNED = new Set(['find', 'findAll', 'matches']);

class Compiler {
  private readonly scopes: { readonly name: string; readonly slot: number }[];
  private readonly steps = new Map<Expr, Evaluator>();
  /** The number of slots. */
  places: number;

  constructor(
    private readonly checked: Checked,
    variables: readonly string[],
  ) {
    this.scopes = variables.map((name, slot) => ({ name, slot }));
    this.places = variables.length;
  }

  compile(expr: Expr): Evaluator {
    const known = this.steps.get(expr);
    if (known !== undefined) return known;
    const step = this.make(expr);
    this.steps.set(expr, step);
    return step;
  }

  private make(expr: Expr): Evaluator {
    switch (expr.kind) {
      case 'literal': {
        const { value } = expr;
        return () => value;
      }
      case 'ident':
        return this.name(this.checked.names.get(expr) ?? expr.name);
      case 'select':
        return this.select(expr);
      case 'call':
        return this.call(expr);
      case 'list':
        return isConstant(expr) ? once(this.list(expr)) : this.list(expr);
      case 'map':
        return isConstant(expr) ? once(this.map(expr)) : this.map(expr);
      case 'struct':
        return this.struct(expr);
      case 'comprehension':
        return this.comprehension(expr);
    }
  }

  private name(name: string): Evaluator {
    const found = this.scopes.findLast((scope) => scope.name === name);
    if (found === undefined) {
      if (name === NULL_CONSTANT) return () => 0n;
      const type = NAMED_TYPES.get(name);
      if (type === undefined && MESSAGES.has(name)) throw new ConstantFault(`reference to undefined type: ${name}`);
      const value = type === undefined ? new Failure(`no such attribute(s): ${name}`) : new TypeValue(typeNameOf(type));
      return () => value;
    }
    const { slot } = found;
    return ({ slots, meter }) => {
      meter.charge(1);
      return slots[slot] ?? null;
    };
  }

  private select(expr: Select): Evaluator {
    const name = this.checked.names.get(expr);
    if (name !== undefined) return this.name(name);
    const operand = this.compile(expr.operand);
    const { field } = expr;
    if (expr.testOnly) return (frame) => isPresent(operand(frame), field);
    const missing = new Failure(`no such key: ${field}`);
    return (frame) => {
      const from = operand(frame);
      if (from instanceof Failure) return from;
      frame.meter.charge(1);
      if (from instanceof MapValue) {
        const found = from.find(field);
        return found === undefined ? missing : found;
      }
      if (from instanceof ListValue) return UNINDEXED;
      if (!(from instanceof OptionalValue)) return missing;
      return lookUpOptional(from, field, frame.meter);
    };
  }

  private call(expr: Call): Evaluator {
    if (expr.name === OPTIONAL_SELECT) return this.optionalSelect(expr);
    const resolved = this.checked.calls.get(expr);
    if (resolved === undefined) return () => NO_SUCH_OVERLOAD;
    const [first, second, third] = resolved.args;
    if (first === undefined || second === undefined) return this.strict(resolved);
    switch (resolved.name) {
      case OPERATORS['&&']:
        return logical(this.compile(first), this.compile(second), false);
      case OPERATORS['||']:
        return logical(this.compile(first), this.compile(second), true);
      case CONDITIONAL:
        return third === undefined ? this.strict(resolved) : conditional(this.compile(first), this.branch(second), this.branch(third));
      case 'or':
      case 'orValue':
        return otherwise(this.compile(first), this.compile(second), resolved.name === 'or');
      default:
        return this.strict(resolved);
    }
  }

  /** Upstream does not count the name with which a branch begins. */
  private branch(expr: Expr): Evaluator {
    const step = this.compile(expr);
    if (!isAttribute(expr)) return step;
    return (frame) => {
      frame.meter.charge(-1);
      return step(frame);
    };
  }

  private optionalSelect({ args: [operand, field] }: Call): Evaluator {
    if (operand === undefined || field?.kind !== 'literal') return () => NO_SUCH_OVERLOAD;
    const step = this.compile(operand);
    const { value: name } = field;
    return (frame) => {
      const from = step(frame);
      if (from instanceof Failure) return from;
      frame.meter.charge(1);
      return lookUpOptional(from, name, frame.meter);
    };
  }

  private strict(resolved: ResolvedCall): Evaluator {
    const { args, name, rows } = resolved;
    const steps = args.map((arg) => this.compile(arg));
    this.checkConstants(resolved);
    const folded = FOLDED.has(name) && args.length === 1 ? args[0] : undefined;
    if (folded?.kind === 'literal') {
      const value = dispatch(name, rows, [folded.value], UNLIMITED);
      if (value instanceof Failure) throw new ConstantFault(value.message);
      return () => value;
    }
    const isFree = name === OPERATORS.in && args[1]?.kind === 'list' && isConstant(args[1]);
    return (frame) => {
      const values = steps.map((step) => step(frame));
      for (const value of values) if (value instanceof Failure) return value;
      return dispatch(name, rows, values, isFree ? uncharged(frame.meter) : frame.meter);
    };
  }

  /** Constant patterns are compiled when the program is, and constant keys are looked at. */
  private checkConstants({ name, args }: ResolvedCall): void {
    if (name === INDEX || name === OPTIONAL_INDEX) this.checkKey(args[1]);
    const pattern = args[1];
    if (!PATTERNED.has(name) || pattern?.kind !== 'literal' || typeof pattern.value !== 'string') return;
    const regex = compilePattern(pattern.value);
    if (regex instanceof Failure) throw new ConstantFault(regex.message);
  }

  private checkKey(key: Expr | undefined): void {
    if (key?.kind === 'call' && key.name === 'dyn') return this.checkKey(key.args[0]);
    const type = key === undefined ? undefined : unfitKey(key);
    if (type !== undefined) throw new ConstantFault(`invalid qualifier type: ${type}`);
  }

  private list(expr: ListExpr): Evaluator {
    const { items, optional } = expr;
    const steps = items.map((item) => this.compile(item));
    return (frame) => {
      const made: Value[] = [];
      for (const [index, step] of steps.entries()) {
        const value = step(frame);
        if (value instanceof Failure) return value;
        if (!optional.has(index)) made.push(value);
        else if (!(value instanceof OptionalValue)) return NO_SUCH_OVERLOAD;
        else if (value.value !== undefined) made.push(value.value);
      }
      frame.meter.charge(10);
      return new ArrayList(made);
    };
  }

  private map(expr: MapExpr): Evaluator {
    const entries = expr.entries.map(({ key, value, optional }) => ({ key: this.compile(key), value: this.compile(value), optional }));
    return (frame) => {
      const made = new Map<MapKey | symbol, readonly [Value, Value]>();
      for (const entry of entries) {
        const key = entry.key(frame);
        if (key instanceof Failure) return key;
        const given = entry.value(frame);
        if (given instanceof Failure) return given;
        if (entry.optional && !(given instanceof OptionalValue)) return NO_SUCH_OVERLOAD;
        const value = entry.optional && given instanceof OptionalValue ? given.value : given;
        // Keys that nothing can be looked up by are kept, but never found.
        if (value !== undefined) made.set(keyOf(key) ?? Symbol('no key'), [key, value]);
      }
      frame.meter.charge(30);
      return new EntryMap(made);
    };
  }

  private struct(expr: StructExpr): Evaluator {
    const message = messageNamed(expr.name);
    if (message === undefined) return () => NO_SUCH_OVERLOAD;
    const fields = expr.fields.map(({ name, value, optional }) => ({ name, optional, step: this.compile(value) }));
    return (frame) => {
      const given: GivenField[] = [];
      for (const { name, optional, step } of fields) {
        const value = step(frame);
        if (value instanceof Failure) return value;
        given.push({ name, optional, value });
      }
      frame.meter.charge(MESSAGE_COST);
      return buildMessage(message, given, frame.meter);
    };
  }

  private comprehension(expr: Comprehension): Evaluator {
    const { macro } = expr.loop;
    if (macro === 'bind') return this.bind(expr);
    const range = this.compile(expr.range);
    const slot = this.open(expr.variable);
    const body = expr.loop.body === undefined ? undefined : this.compile(expr.loop.body);
    const filter = expr.loop.filter === undefined ? undefined : this.compile(expr.loop.filter);
    this.scopes.pop();
    const always: Evaluator = () => true;
    const loop = LOOPS[macro](body ?? always, filter, slot);
    return (frame) => {
      const over = range(frame);
      if (over instanceof Failure) return over;
      if (over instanceof ListValue) return loop(frame, over);
      if (!(over instanceof MapValue)) return NO_SUCH_OVERLOAD;
      frame.meter.spend(over.size >> 4);
      return loop(frame, over.keys());
    };
  }

  private open(name: string): number {
    const slot = this.places;
    this.places += 1;
    this.scopes.push({ name, slot });
    return slot;
  }

  /** A name for a value. */
  private bind(expr: Comprehension): Evaluator {
    const init = this.compile(expr.init);
    const slot = this.open(expr.accumulator);
    const result = this.compile(expr.result);
    this.scopes.pop();
    return (frame) => {
      const value = init(frame);
      frame.slots[slot] = value;
      return result(frame);
    };
  }
}

/** Lists and maps of constants are made when the expression is compiled, and cost nothing. */
function isConstant(expr: Expr): boolean {
  if (expr.kind === 'list') return expr.optional.size === 0 && expr.items.every(isConstant);
  if (expr.kind !== 'map') return expr.kind === 'literal';
  return expr.entries.every(({ key, value, optional }) => !optional && isConstant(key) && isConstant(value));
}

function once(step: Evaluator): Evaluator {
  const value = step({ slots: [], meter: new Meter(Infinity, new Budget(0)) });
  return () => value;
}

/** What a constant that is no key is called; undefined where it may be one. */
function unfitKey(key: Expr): string | undefined {
  switch (key.kind) {
    case 'list':
      return isConstant(key) ? '*types.baseList' : undefined;
    case 'map':
      return isConstant(key) ? '*types.baseMap' : undefined;
    case 'literal':
      return key.value === null ? 'types.Null' : key.value instanceof Uint8Array ? 'types.Bytes' : undefined;
    case 'call':
      return key.args[0]?.kind === 'literal' && typeof key.args[0].value === 'string' ? UNFIT_KEYS.get(key.name) : undefined;
    default:
      return undefined;
  }
}

const UNFIT_KEYS: ReadonlyMap<string, string> = new Map([
  ['timestamp', 'types.Timestamp'],
  ['duration', 'types.Duration'],
  ['bytes', 'types.Bytes'],
]);

/** A name and what is reached from it. */
function isAttribute(expr: Expr): boolean {
  if (expr.kind === 'select') return !expr.testOnly && isAttribute(expr.operand);
  return expr.kind === 'ident' || (expr.kind === 'call' && expr.name === INDEX && expr.args[0] !== undefined && isAttribute(expr.args[0]));
}
