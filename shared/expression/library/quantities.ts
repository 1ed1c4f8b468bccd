/**
 * The quantity library (`100m`, `1.5Gi`): comparison, addition and conversion to numbers. Quantities are exact; they are
 * held in billionths (`nanos`).
 */
import { formatQuantity, parseQuantity, QuantityError, type Quantity } from '../../values/quantity';
import type { WorkContext } from '../values/equality';
import { INT_MAX, INT_MIN } from '../syntax/literals';
import { ErrorValue, OpaqueValue } from '../values/value';
import { binary, isInt, isOpaque, isString, traversalCosts, unary, type FunctionOverload, type ValueGuard } from './function';

const BILLION = 1_000_000_000n;

/** A quantity of the API. */
export class QuantityValue extends OpaqueValue {
  readonly typeName = 'kubernetes.Quantity';

  constructor(
    readonly quantity: Quantity,
    /**
     * The decimal exponent with which upstream stores a number that fits into an int64: -3 for `100m`. `undefined` for a
     * number that upstream stores with arbitrary precision. Upstream decides by it whether the quantity is an integer, so
     * that `1000m` is none.
     */
    readonly scale: number | undefined,
  ) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof QuantityValue && other.quantity.nanos === this.quantity.nanos;
  }

  override print(): string {
    return formatQuantity(this.quantity);
  }
}

const isQuantity: ValueGuard<QuantityValue> = isOpaque(QuantityValue);

function parseQuantityValue(text: string, work: WorkContext): QuantityValue | ErrorValue {
  // Parsing a long number is quadratic in its length.
  work.spend(Math.ceil((text.length * text.length) / 1000));
  try {
    return new QuantityValue(parseQuantity(text), scaleOf(text));
  } catch (error) {
    if (error instanceof QuantityError) return new ErrorValue(error.message);
    throw error;
  }
}

/** Groups: whole part, fraction, decimal suffix, binary suffix, exponent; `1`, `5` and `Gi` of `1.5Gi`. */
const SHAPE = /^[+-]?(\d*)(?:\.(\d*))?(?:([numkMGTPE])|([KMGTPE]i)|[eE]([+-]?\d+))?$/;
/** Decimal suffixes as powers of ten. */
const POWERS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
/** A number with more digits is stored with arbitrary precision upstream. */
const MAX_DIGITS = 18;
/** Binary suffixes as powers of two. A number with another one is never small. */
const SHIFTS: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40 };
const SHIFT_OF_OTHER_SUFFIXES = 64;
/** A whole number with a binary suffix that is below this is stored as an int64 upstream. */
const MAX_SMALL_BINARY = 1n << 50n;

/** The value of {@link QuantityValue.scale} for a quantity written as `text`. */
function scaleOf(text: string): number | undefined {
  const match = SHAPE.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = '', decimal, binary, exponent] = match;
  if (whole.replace(/^0+/, '').length + fraction.length > MAX_DIGITS) return undefined;
  if (binary !== undefined) {
    const isSmall =
      fraction === '' && BigInt(whole === '' ? '0' : whole) << BigInt(SHIFTS[binary] ?? SHIFT_OF_OTHER_SUFFIXES) < MAX_SMALL_BINARY;
    return isSmall ? 0 : undefined;
  }
  return (decimal === undefined ? Number(exponent ?? 0) : (POWERS[decimal] ?? 0)) - fraction.length;
}

/** Whether upstream converts the quantity to an int. */
const isWhole = ({ quantity, scale }: QuantityValue): boolean => {
  const whole = quantity.nanos / BILLION;
  return scale !== undefined && scale >= 0 && whole >= INT_MIN && whole <= INT_MAX;
};

function signOf(nanos: bigint): bigint {
  if (nanos === 0n) return 0n;
  return nanos < 0n ? -1n : 1n;
}

/**
 * Adds a quantity of `nanos` with its own scale. The sum has the smaller scale, but adding zero keeps the scale of the
 * quantity that is not zero.
 */
function addNanos({ quantity, scale }: QuantityValue, nanos: bigint, otherScale: number | undefined): QuantityValue {
  const sum = { nanos: quantity.nanos + nanos, format: quantity.format };
  if (nanos === 0n) return new QuantityValue(sum, scale);
  if (quantity.nanos === 0n) return new QuantityValue(sum, otherScale);
  return new QuantityValue(sum, scale === undefined || otherScale === undefined ? undefined : Math.min(scale, otherScale));
}

/** The overloads, each with its signature, its checks of arguments, its function and its costs. */
export const QUANTITY_FUNCTIONS: readonly FunctionOverload[] = [
  unary('quantity(string): kubernetes.Quantity', isString, parseQuantityValue, traversalCosts()),
  unary('isQuantity(string): bool', isString, (text, work) => !(parseQuantityValue(text, work) instanceof ErrorValue), traversalCosts()),
  unary('kubernetes.Quantity.sign(): int', isQuantity, ({ quantity }) => signOf(quantity.nanos)),
  unary('kubernetes.Quantity.isInteger(): bool', isQuantity, isWhole),
  unary('kubernetes.Quantity.asInteger(): int', isQuantity, (value) =>
    isWhole(value) ? value.quantity.nanos / BILLION : new ErrorValue('cannot convert value to integer'),
  ),
  unary('kubernetes.Quantity.asApproximateFloat(): double', isQuantity, ({ quantity }) => Number(quantity.nanos) / 1e9),
  binary(
    'kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool',
    [isQuantity, isQuantity],
    (a, b) => a.quantity.nanos > b.quantity.nanos,
  ),
  binary(
    'kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool',
    [isQuantity, isQuantity],
    (a, b) => a.quantity.nanos < b.quantity.nanos,
  ),
  binary('kubernetes.Quantity.compareTo(kubernetes.Quantity): int', [isQuantity, isQuantity], (a, b) =>
    signOf(a.quantity.nanos - b.quantity.nanos),
  ),
  binary('kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity', [isQuantity, isQuantity], (a, b) =>
    addNanos(a, b.quantity.nanos, b.scale),
  ),
  binary('kubernetes.Quantity.add(int): kubernetes.Quantity', [isQuantity, isInt], (a, b) => addNanos(a, b * BILLION, 0)),
  binary('kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity', [isQuantity, isQuantity], (a, b) =>
    addNanos(a, -b.quantity.nanos, b.scale),
  ),
  binary('kubernetes.Quantity.sub(int): kubernetes.Quantity', [isQuantity, isInt], (a, b) => addNanos(a, -b * BILLION, 0)),
];
