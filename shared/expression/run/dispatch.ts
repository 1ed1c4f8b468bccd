/** Which of a function's overloads is called at run time, what that costs, and how it is said that none fits. */
import { UNFIT, type FunctionRow, type Sizes } from '../library/function';
import { NO_OVERLOAD } from '../library/operators';
import { measure } from '../values/equality';
import { Failure, ListValue, sizeOf, typeName, type Value } from '../values/value';
import { NO_SUCH_OVERLOAD } from './evaluator';
import type { Meter } from './meter';

class ActualSizes implements Sizes {
  constructor(
    private readonly args: readonly Value[],
    private readonly meter: Pick<Meter, 'spend' | 'spellings'>,
  ) {}

  size(argument: number): number {
    const value = this.args[argument] ?? null;
    return typeof value === 'string' ? measure(value, this.meter) : sizeOf(value);
  }

  count(argument: number): number | undefined {
    const value = this.args[argument];
    return typeof value === 'bigint' ? Number(value) : undefined;
  }

  /** The mean. */
  itemSize(argument: number): number {
    const list = this.args[argument];
    if (!(list instanceof ListValue) || list.size === 0) return 0;
    let total = 0;
    for (const item of list) {
      this.meter.spend(1);
      total += typeof item === 'string' ? measure(item, this.meter) : sizeOf(item);
    }
    return total / list.size;
  }
}

type Account = Pick<Meter, 'charge' | 'spend' | 'spellings'>;

/** Its caller has charged for it. */
export const uncharged = (meter: Meter): Account => ({
  charge: () => undefined,
  spend: (steps) => {
    meter.spend(steps);
  },
  spellings: meter.spellings,
});
export const UNLIMITED: Account = { charge: () => undefined, spend: () => undefined, spellings: 'names' };

/** The first row that takes the arguments. */
export function dispatch(name: string, rows: readonly FunctionRow[], args: readonly Value[], meter: Account): Value {
  for (const row of rows) {
    const cost = row.charge === undefined ? (row.estimate?.(new ActualSizes(args, meter)) ?? 1) : undefined;
    if (rows.length === 1 && cost !== undefined) meter.charge(cost);
    const value = row.call(args, meter);
    if (value === UNFIT) continue;
    if (rows.length > 1 || cost === undefined) meter.charge(cost ?? row.charge?.(args, value) ?? 1);
    return value;
  }
  return misfit(name, args);
}

const PLAIN = new Set(['startsWith', 'endsWith', 'contains', 'matches']);

/** Types that answer every operator themselves, and which others know an operator: those say no more than that the other side does not fit. */
const OUTSPOKEN = ['string', 'google.protobuf.Timestamp', 'google.protobuf.Duration'];
const NUMERIC = ['int', 'uint', 'double'];
const COMPARABLE = [...NUMERIC, 'bool', 'bytes'];
const KNOWN_TO: ReadonlyMap<string, readonly string[]> = new Map([
  ['_+_', [...NUMERIC, 'bytes', 'list']],
  ['_-_', NUMERIC],
  ['_*_', NUMERIC],
  ['_/_', NUMERIC],
  ['_%_', ['int', 'uint']],
  ...['_<_', '_<=_', '_>_', '_>=_'].map((name) => [name, COMPARABLE] as const),
]);

/** Functions of libraries say what they were called with; operators do not. */
function misfit(name: string, args: readonly Value[]): Failure {
  if (name === 'size') return new Failure(`${NO_OVERLOAD}: size`);
  const known = KNOWN_TO.get(name);
  if (known !== undefined) {
    const left = typeName(args[0] ?? null);
    return known.includes(left) || OUTSPOKEN.includes(left) ? NO_SUCH_OVERLOAD : new Failure(`${NO_OVERLOAD}: ${name}`);
  }
  if (/\W/.test(name) || PLAIN.has(name)) return NO_SUCH_OVERLOAD;
  return new Failure(`${NO_OVERLOAD}: ${name}(${args.map(typeName).join(', ')})`);
}
