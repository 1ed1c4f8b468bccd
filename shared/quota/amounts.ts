/**
 * Exact arithmetic on amounts of resources (the ResourceList of the API). Which amounts an object has is computed in
 * pod-amounts.ts and usage.ts.
 */
import type { Quantity } from '../values/quantity';

/** By resource name. */
export type ResourceAmounts = ReadonlyMap<string, Quantity>;

const BILLION = 1_000_000_000n;

/** A number of objects as a quantity. */
export const wholeQuantity = (count: number): Quantity => ({ nanos: BigInt(count) * BILLION, format: 'decimal' });

/** The binary format if either quantity has it, so that the format of a sum does not depend on the order. */
function formatOf(a: Quantity, b: Quantity): Quantity['format'] {
  if (a.nanos === 0n) return b.format;
  if (b.nanos === 0n || a.format === b.format) return a.format;
  return b.format === 'binary' ? 'binary' : a.format;
}

/** Adds each amount to `sum`, which is changed. */
export function addAmounts(sum: Map<string, Quantity>, added: ResourceAmounts): void {
  for (const [name, amount] of added) {
    const known = sum.get(name);
    sum.set(name, known === undefined ? amount : { nanos: known.nanos + amount.nanos, format: formatOf(known, amount) });
  }
}

/** Raises each amount of `sum` to that of `others` if the latter is larger. `sum` is changed. */
export function raiseToMaximum(sum: Map<string, Quantity>, others: ResourceAmounts): void {
  for (const [name, amount] of others) {
    const known = sum.get(name);
    if (known === undefined || amount.nanos > known.nanos) sum.set(name, amount);
  }
}
