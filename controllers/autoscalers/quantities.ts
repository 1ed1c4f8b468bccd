/** Quantities in the arithmetic of the autoscaler: whole thousandths, rounded up. */
import { formatQuantity, parseQuantity, QuantityError, roundUpToMilli } from '../../shared/values/quantity';

const NANOS_PER_MILLI = 1_000_000n;
/** Upstream holds thousandths as int64; larger quantities are capped. */
const MAX_MILLI = 2n ** 63n - 1n;

/**
 * Parses a quantity into thousandths. Returns 0 for text that is no quantity: the API server rejects such a spec, and a
 * metrics server may report such a value.
 */
export function parseMilli(text: string): bigint {
  try {
    const milli = roundUpToMilli(parseQuantity(text)).nanos / NANOS_PER_MILLI;
    if (milli > MAX_MILLI) return MAX_MILLI;
    return milli < -MAX_MILLI ? -MAX_MILLI : milli;
  } catch (error) {
    if (error instanceof QuantityError) return 0n;
    throw error;
  }
}

/** The quantity of this many thousandths, in its canonical form. */
export const formatMilli = (milli: bigint): string => formatQuantity({ nanos: milli * NANOS_PER_MILLI, format: 'decimal' });

/** The quotient, rounded up. For amounts that are not negative. */
export const divideUp = (amount: bigint, divisor: bigint): bigint => (amount + divisor - 1n) / divisor;
