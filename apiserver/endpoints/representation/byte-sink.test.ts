/** The chunks in which responses are collected: their content, their number in flight and their sizes. */
import fc from 'fast-check';
import { ByteSink, ChunkPool, createMemorySink, type ReturnChunk } from './byte-sink';

it('ByteSink writes all pieces in order, whatever their lengths', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 700_000 }))), (pieces) => {
      const { sink, finish } = createMemorySink(new ChunkPool());
      const expected: Buffer[] = [];
      for (const piece of pieces) {
        const bytes = typeof piece === 'string' ? Buffer.from(piece) : Buffer.alloc(piece, 'x');
        expected.push(bytes);
        if (typeof piece === 'string') sink.text(piece);
        else sink.bytes(bytes);
      }
      expect(finish().equals(Buffer.concat(expected))).toBe(true);
      expect(sink.length).toBe(Buffer.concat(expected).length);
    }),
    { numRuns: 30 },
  );
});

it('ByteSink is full while two chunks are in flight', async () => {
  const pending: ReturnChunk[] = [];
  /** Keeps the chunk in flight until `pending` gives it back. */
  const hold = (_bytes: Buffer, done: ReturnChunk): void => void pending.push(done);
  const sink = new ByteSink(new ChunkPool(), { write: hold, end: hold });
  while (!sink.isFull) sink.bytes(Buffer.alloc(64 * 1024));
  expect(pending).toHaveLength(2);
  let isReady = false;
  const ready = sink.ready().then(() => (isReady = true));
  await Promise.resolve();
  expect(isReady).toBe(false);
  pending[0]?.('free');
  await ready;
  expect(sink.isFull).toBe(false);
});

it('ChunkPool returns small chunks when 64 large ones are in use', () => {
  const pool = new ChunkPool();
  const sizes = Array.from({ length: 70 }, () => pool.acquire().length);
  expect(sizes.filter((size) => size === 256 * 1024)).toHaveLength(64);
  expect(sizes.at(-1)).toBe(15 * 1024);
});
