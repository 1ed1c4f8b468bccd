/** Selects the overload of a call at run time, charges its cost, and reports when no overload applies. */
import { NO_MATCH, type FunctionOverload, type ArgumentSizes } from '../library/function';
import { NO_OVERLOAD } from '../library/operators';
import { measureText } from '../values/equality';
import { ErrorValue, ListValue, valueSize, valueTypeName, type Value } from '../values/value';
import { NO_SUCH_OVERLOAD } from './evaluator';
import type { CostMeter } from './meter';

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

type MeterView = Pick<CostMeter, 'charge' | 'spend' | 'spellings'>;

/** A view of the meter without charges, for calls that upstream does not charge. */
export const withoutCharges = (meter: CostMeter): MeterView => ({
  charge: () => undefined,
  spend: (steps) => {
    meter.spend(steps);
  },
  spellings: meter.spellings,
});
export const UNMETERED: MeterView = { charge: () => undefined, spend: () => undefined, spellings: 'names' };

/** Calls the first overload that accepts the arguments. */
export function dispatch(name: string, overloads: readonly FunctionOverload[], args: readonly Value[], meter: MeterView): Value {
  for (const overload of overloads) {
    const cost = overload.charge === undefined ? (overload.estimate?.(new ActualSizes(args, meter)) ?? 1) : undefined;
    if (overloads.length === 1 && cost !== undefined) meter.charge(cost);
    const value = overload.call(args, meter);
    if (value === NO_MATCH) continue;
    if (overloads.length > 1 || cost === undefined) meter.charge(cost ?? overload.charge?.(args, value) ?? 1);
    return value;
  }
  return noOverloadError(name, args);
}

const PLAIN_ERROR_FUNCTIONS = new Set(['startsWith', 'endsWith', 'contains', 'matches']);

/**
 * Types that implement every operator in cel-go and report an unsupported operand without naming the operator; for the
 * types in OPERAND_TYPES this applies to some operators.
 */
const OWN_ERROR_TYPES = ['string', 'google.protobuf.Timestamp', 'google.protobuf.Duration'];
const NUMERIC = ['int', 'uint', 'double'];
const COMPARABLE = [...NUMERIC, 'bool', 'bytes'];
const OPERAND_TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['_+_', [...NUMERIC, 'bytes', 'list']],
  ['_-_', NUMERIC],
  ['_*_', NUMERIC],
  ['_/_', NUMERIC],
  ['_%_', ['int', 'uint']],
  ...['_<_', '_<=_', '_>_', '_>=_'].map((name) => [name, COMPARABLE] as const),
]);

/** The message for library functions lists the argument types; that for operators does not. */
function noOverloadError(name: string, args: readonly Value[]): ErrorValue {
  if (name === 'size') return new ErrorValue(`${NO_OVERLOAD}: size`);
  const known = OPERAND_TYPES.get(name);
  if (known !== undefined) {
    const left = valueTypeName(args[0] ?? null);
    return known.includes(left) || OWN_ERROR_TYPES.includes(left) ? NO_SUCH_OVERLOAD : new ErrorValue(`${NO_OVERLOAD}: ${name}`);
  }
  if (/\W/.test(name) || PLAIN_ERROR_FUNCTIONS.has(name)) return NO_SUCH_OVERLOAD;
  return new ErrorValue(`${NO_OVERLOAD}: ${name}(${args.map(valueTypeName).join(', ')})`);
}
