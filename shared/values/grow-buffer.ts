/** The first `filled` bytes in a memory that takes `needed`, and at least twice as large as before, so that what grows by pieces is copied seldom. */
export function growBuffer(bytes: Buffer, filled: number, needed: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, bytes.length * 2));
  bytes.copy(larger, 0, 0, filled);
  return larger;
}
