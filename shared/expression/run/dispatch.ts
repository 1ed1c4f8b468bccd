/**
 * Selects the overload of a call at run time, charges its cost, and returns an error when no overload applies. A call is
 * charged at most once, with the cost of the overload that is called. The costs are part of the overloads
 * (library/function.ts).
 */
import { NO_MATCH, type FunctionOverload, type ArgumentSizes } from '../library/function';
import { NO_OVERLOAD } from '../library/operators';
import { measureText } from '../values/equality';
import { ErrorValue, ListValue, valueSize, valueTypeName, type Value } from '../values/value';
import { NO_SUCH_OVERLOAD } from './evaluator';
import type { CostMeter } from './meter';

/** The sizes of the arguments of one call. Measuring spends work, because an argument can be long. */
class ActualSizes implements ArgumentSizes {
  constructor(
    private readonly args: readonly Value[],
    private readonly meter: Pick<CostMeter, 'spend' | 'spellings'>,
  ) {}

  size(argument: number): number {
    const value = this.args[argument] ?? null;
    return typeof value === 'string' ? measureText(value, this.meter) : valueSize(value);
  }

  count(argument: number): number | undefined {
    const value = this.args[argument];
    return typeof value === 'bigint' ? Number(value) : undefined;
  }

  /** The mean size of the items. */
  itemSize(argument: number): number {
    const list = this.args[argument];
    if (!(list instanceof ListValue) || list.size === 0) return 0;
    let total = 0;
    for (const item of list) {
      this.meter.spend(1);
      total += typeof item === 'string' ? measureText(item, this.meter) : valueSize(item);
    }
    return total / list.size;
  }
}

/** What a call needs of a {@link CostMeter}. */
type MeterView = Pick<CostMeter, 'charge' | 'spend' | 'spellings'>;

/** A view of the meter that spends work but charges no cost, for calls that upstream does not charge. */
export const withoutCharges = (meter: CostMeter): MeterView => ({
  charge: () => undefined,
  spend: (steps) => {
    meter.spend(steps);
  },
  spellings: meter.spellings,
});

/** For a call on constants, which is made once when the expression is compiled. */
export const UNMETERED: MeterView = { charge: () => undefined, spend: () => undefined, spellings: 'names' };

/**
 * Calls the first overload that accepts the arguments, and charges its cost:
 * - before the call when there is a single overload, so that a call over the limit is not made
 * - after the call when there are several, because only the call shows which of them accepts the arguments
 * - after the call when the cost depends on the result (`charge`)
 */
export function dispatch(name: string, overloads: readonly FunctionOverload[], args: readonly Value[], meter: MeterView): Value {
  for (const overload of overloads) {
    const estimated = estimatedCost(overload, args, meter);
    const isChargedBefore = estimated !== undefined && overloads.length === 1;
    if (isChargedBefore) meter.charge(estimated);
    const value = overload.call(args, meter);
    if (value === NO_MATCH) continue;
    if (!isChargedBefore) meter.charge(estimated ?? overload.charge?.(args, value) ?? 1);
    return value;
  }
  return noOverloadError(name, args);
}

/** The cost that is known before the call; `undefined` when it depends on the result. */
function estimatedCost({ charge, estimate }: FunctionOverload, args: readonly Value[], meter: MeterView): number | undefined {
  if (charge !== undefined) return undefined;
  return estimate?.(new ActualSizes(args, meter)) ?? 1;
}

/** Methods for which cel-go reports {@link NO_SUCH_OVERLOAD} without the types of the arguments. */
const FUNCTIONS_WITH_PLAIN_ERROR = new Set(['startsWith', 'endsWith', 'contains', 'matches']);

/**
 * Left operands for which cel-go reports `no such overload` without the name of the operator: their types implement all
 * operators and refuse the right operand themselves.
 */
const TYPES_WITH_PLAIN_ERROR = ['string', 'google.protobuf.Timestamp', 'google.protobuf.Duration'];
const NUMERIC = ['int', 'uint', 'double'];
const COMPARABLE = [...NUMERIC, 'bool', 'bytes'];
/** Further left operands with such an error, by operator: the types that implement it. */
const IMPLEMENTING_TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['_+_', [...NUMERIC, 'bytes', 'list']],
  ['_-_', NUMERIC],
  ['_*_', NUMERIC],
  ['_/_', NUMERIC],
  ['_%_', ['int', 'uint']],
  ...['_<_', '_<=_', '_>_', '_>=_'].map((name) => [name, COMPARABLE] as const),
]);

/** cel-go's message: for most functions it lists the argument types, for operators it does not. */
function noOverloadError(name: string, args: readonly Value[]): ErrorValue {
  if (name === 'size') return new ErrorValue(`${NO_OVERLOAD}: size`);
  const implementingTypes = IMPLEMENTING_TYPES.get(name);
  if (implementingTypes !== undefined) {
    const left = valueTypeName(args[0] ?? null);
    return implementingTypes.includes(left) || TYPES_WITH_PLAIN_ERROR.includes(left)
      ? NO_SUCH_OVERLOAD
      : new ErrorValue(`${NO_OVERLOAD}: ${name}`);
  }
  const isOperator = /\W/.test(name);
  if (isOperator || FUNCTIONS_WITH_PLAIN_ERROR.has(name)) return NO_SUCH_OVERLOAD;
  return new ErrorValue(`${NO_OVERLOAD}: ${name}(${args.map(valueTypeName).join(', ')})`);
}
