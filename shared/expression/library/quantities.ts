/**
 * Quantities (`100m`, `1.5Gi`) as values: comparison, sums, conversion to numbers.
 */
import { parseQuantity, QuantityFault, type Quantity } from '../../api/schema/quantity';
import { INT_MAX, INT_MIN } from '../syntax/literals';
import { Failure, OpaqueValue } from '../values/value';
import { binary, isInt, isOpaque, isString, traverses, unary, type FunctionRow, type Guard } from './function';

const BILLION = 1_000_000_000n;

export class QuantityValue extends OpaqueValue {
  readonly typeName = 'kubernetes.Quantity';

  constructor(readonly quantity: Quantity) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof QuantityValue && other.quantity.nanos === this.quantity.nanos;
  }
}

const isQuantity: Guard<QuantityValue> = isOpaque(QuantityValue);

function parse(text: string): QuantityValue | Failure {
  try {
    return new QuantityValue(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityFault) return new Failure(error.message);
    throw error;
  }
}

const isWhole = ({ quantity }: QuantityValue): boolean => {
  const whole = quantity.nanos / BILLION;
  return quantity.nanos % BILLION === 0n && whole >= INT_MIN && whole <= INT_MAX;
};

const sign = (nanos: bigint): bigint => (nanos < 0n ? -1n : nanos > 0n ? 1n : 0n);
const plus = ({ quantity }: QuantityValue, nanos: bigint): QuantityValue =>
  new QuantityValue({ nanos: quantity.nanos + nanos, format: quantity.format });

export const QUANTITY_ROWS: readonly FunctionRow[] = [
  unary('quantity(string): kubernetes.Quantity', isString, parse, traverses()),
  unary('isQuantity(string): bool', isString, (text) => !(parse(text) instanceof Failure), traverses()),
  unary('kubernetes.Quantity.sign(): int', isQuantity, ({ quantity }) => sign(quantity.nanos)),
  unary('kubernetes.Quantity.isInteger(): bool', isQuantity, isWhole),
  unary('kubernetes.Quantity.asInteger(): int', isQuantity, (value) =>
    isWhole(value) ? value.quantity.nanos / BILLION : new Failure('cannot convert value to integer'),
  ),
  unary('kubernetes.Quantity.asApproximateFloat(): double', isQuantity, ({ quantity }) => Number(quantity.nanos) / 1e9),
  binary('kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool', isQuantity, isQuantity, (a, b) => a.quantity.nanos > b.quantity.nanos),
  binary('kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool', isQuantity, isQuantity, (a, b) => a.quantity.nanos < b.quantity.nanos),
  binary('kubernetes.Quantity.compareTo(kubernetes.Quantity): int', isQuantity, isQuantity, (a, b) => sign(a.quantity.nanos - b.quantity.nanos)),
  binary('kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity', isQuantity, isQuantity, (a, b) => plus(a, b.quantity.nanos)),
  binary('kubernetes.Quantity.add(int): kubernetes.Quantity', isQuantity, isInt, (a, b) => plus(a, b * BILLION)),
  binary('kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity', isQuantity, isQuantity, (a, b) => plus(a, -b.quantity.nanos)),
  binary('kubernetes.Quantity.sub(int): kubernetes.Quantity', isQuantity, isInt, (a, b) => plus(a, -b * BILLION)),
];
