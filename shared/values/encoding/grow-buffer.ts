/**
 * Copies the first `filled` bytes to a buffer of at least `needed` bytes and twice the size, so that appending has
 * amortized constant cost.
 */
export function growBuffer(bytes: Buffer, filled: number, needed: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, bytes.length * 2));
  bytes.copy(larger, 0, 0, filled);
  return larger;
}
