/** Quantities as the rules of autoscalers count with them: whole thousandths, rounded up. */
import { formatQuantity, parseQuantity, QuantityFault, roundUpToMilli } from '../../shared/values/quantity';

const NANOS = 1_000_000n;
/** Beyond it amounts are as good as endless. */
const MOST = 2n ** 63n - 1n;

/** Nothing where the text is no quantity: the API takes none, and what measures is asked again. */
export function milliOf(text: string): bigint {
  try {
    const milli = roundUpToMilli(parseQuantity(text)).nanos / NANOS;
    return milli > MOST ? MOST : milli < -MOST ? -MOST : milli;
  } catch (error) {
    if (error instanceof QuantityFault) return 0n;
    throw error;
  }
}

export const quantityOf = (milli: bigint): string => formatQuantity({ nanos: milli * NANOS, format: 'decimal' });

/** The next whole number, away from zero where there is a rest, of amounts that are not negative. */
export const divideUp = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by;
