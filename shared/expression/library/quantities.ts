/**
 * Quantities (`100m`, `1.5Gi`) as values: comparison, sums, conversion to numbers.
 */
import { formatQuantity, parseQuantity, QuantityFault, type Quantity } from '../../values/quantity';
import type { Work } from '../values/equality';
import { INT_MAX, INT_MIN } from '../syntax/literals';
import { Failure, OpaqueValue } from '../values/value';
import { binary, isInt, isOpaque, isString, traverses, unary, type FunctionRow, type ValueGuard } from './function';

const BILLION = 1_000_000_000n;

export class QuantityValue extends OpaqueValue {
  readonly typeName = 'kubernetes.Quantity';

  constructor(
    readonly quantity: Quantity,
    /** The power of ten that upstream keeps with a small number; undefined when it keeps something larger. It decides what counts as an integer. */
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

function parse(text: string, work: Work): QuantityValue | Failure {
  // Reading a long number takes the square of its length.
  work.spend(Math.ceil((text.length * text.length) / 1000));
  try {
    return new QuantityValue(parseQuantity(text), scaleOf(text));
  } catch (error) {
    if (error instanceof QuantityFault) return new Failure(error.message);
    throw error;
  }
}

const SHAPE = /^[+-]?(\d*)(?:\.(\d*))?(?:([numkMGTPE])|([KMGTPE]i)|[eE]([+-]?\d+))?$/;
const POWERS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const DIGITS = 18;
const SHIFTS: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40 };
const LARGE = 1n << 50n;

function scaleOf(text: string): number | undefined {
  const match = SHAPE.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = '', decimal, binary, exponent] = match;
  if (whole.replace(/^0+/, '').length + fraction.length > DIGITS) return undefined;
  if (binary !== undefined)
    return fraction === '' && BigInt(whole === '' ? '0' : whole) << BigInt(SHIFTS[binary] ?? 64) < LARGE ? 0 : undefined;
  return (decimal === undefined ? Number(exponent ?? 0) : (POWERS[decimal] ?? 0)) - fraction.length;
}

const isWhole = ({ quantity, scale }: QuantityValue): boolean => {
  const whole = quantity.nanos / BILLION;
  return scale !== undefined && scale >= 0 && whole >= INT_MIN && whole <= INT_MAX;
};

const sign = (nanos: bigint): bigint => (nanos < 0n ? -1n : nanos > 0n ? 1n : 0n);

function plus({ quantity, scale }: QuantityValue, nanos: bigint, other: number | undefined): QuantityValue {
  const sum = { nanos: quantity.nanos + nanos, format: quantity.format };
  if (nanos === 0n) return new QuantityValue(sum, scale);
  if (quantity.nanos === 0n) return new QuantityValue(sum, other);
  return new QuantityValue(sum, scale === undefined || other === undefined ? undefined : Math.min(scale, other));
}

export const QUANTITY_ROWS: readonly FunctionRow[] = [
  unary('quantity(string): kubernetes.Quantity', isString, parse, traverses()),
  unary('isQuantity(string): bool', isString, (text, work) => !(parse(text, work) instanceof Failure), traverses()),
  unary('kubernetes.Quantity.sign(): int', isQuantity, ({ quantity }) => sign(quantity.nanos)),
  unary('kubernetes.Quantity.isInteger(): bool', isQuantity, isWhole),
  unary('kubernetes.Quantity.asInteger(): int', isQuantity, (value) =>
    isWhole(value) ? value.quantity.nanos / BILLION : new Failure('cannot convert value to integer'),
  ),
  unary('kubernetes.Quantity.asApproximateFloat(): double', isQuantity, ({ quantity }) => Number(quantity.nanos) / 1e9),
  binary(
    'kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool',
    isQuantity,
    isQuantity,
    (a, b) => a.quantity.nanos > b.quantity.nanos,
  ),
  binary(
    'kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool',
    isQuantity,
    isQuantity,
    (a, b) => a.quantity.nanos < b.quantity.nanos,
  ),
  binary('kubernetes.Quantity.compareTo(kubernetes.Quantity): int', isQuantity, isQuantity, (a, b) =>
    sign(a.quantity.nanos - b.quantity.nanos),
  ),
  binary('kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity', isQuantity, isQuantity, (a, b) =>
    plus(a, b.quantity.nanos, b.scale),
  ),
  binary('kubernetes.Quantity.add(int): kubernetes.Quantity', isQuantity, isInt, (a, b) => plus(a, b * BILLION, 0)),
  binary('kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity', isQuantity, isQuantity, (a, b) =>
    plus(a, -b.quantity.nanos, b.scale),
  ),
  binary('kubernetes.Quantity.sub(int): kubernetes.Quantity', isQuantity, isInt, (a, b) => plus(a, -b * BILLION, 0)),
];
