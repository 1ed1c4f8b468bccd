/**
 * Exact arithmetic on amounts of resources (the ResourceList of the API). Which amounts an object has is computed in
 * pod-amounts.ts and usage.ts.
 */
import type { Quantity } from '../values/quantity';

/** Amounts by resource name (`requests.cpu`). */
export type ResourceAmounts = ReadonlyMap<string, Quantity>;

const BILLION = 1_000_000_000n;

/** A number of objects as a quantity. */
export const wholeQuantity = (count: number): Quantity => ({ nanos: BigInt(count) * BILLION, format: 'decimal' });

/** Adds each amount to `sum`, which is changed. */
export function addAmounts(sum: Map<string, Quantity>, added: ResourceAmounts): void {
  for (const [name, amount] of added) {
    const known = sum.get(name);
    sum.set(name, known === undefined ? amount : { nanos: known.nanos + amount.nanos, format: formatOfSum(known, amount) });
  }
}

/**
 * Binary if a part of the sum is binary, so that the format does not depend on the order of the parts. The format of a
 * part that is zero does not count.
 */
function formatOfSum(a: Quantity, b: Quantity): Quantity['format'] {
  if (a.nanos === 0n) return b.format;
  if (b.nanos === 0n || a.format === b.format) return a.format;
  return b.format === 'binary' ? 'binary' : a.format;
}

/** Raises each amount of `maximum`, which is changed, to that of `others` if the latter is larger; adds missing ones. */
export function raiseToMaximum(maximum: Map<string, Quantity>, others: ResourceAmounts): void {
  for (const [name, amount] of others) {
    const known = maximum.get(name);
    if (known === undefined || amount.nanos > known.nanos) maximum.set(name, amount);
  }
}
