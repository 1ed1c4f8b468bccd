import type { Entry } from '../../cache/cache';
import { EncodingCache } from './encoding-cache';

const entry = (size: number): Entry => ({
  key: 'a',
  revision: 1,
  bytes: Buffer.alloc(size),
  labels: {},
  fields: {},
  isDialectSensitive: false,
});

it('EncodingCache creates each encoding of an entry once', () => {
  const cache = new EncodingCache();
  const cached = entry(10);
  const make = jest.fn(() => ({ bytes: Buffer.from('x') }));
  const first = cache.get(cached, 'yaml', 'cached', make);
  expect(cache.get(cached, 'yaml', 'cached', make)).toBe(first);
  cache.get(cached, 'table', 'cached', make);
  cache.get(entry(10), 'yaml', 'cached', make);
  expect(make).toHaveBeenCalledTimes(3);
});

it('EncodingCache stores nothing with the policy uncached, and never exceeds its maximum size', () => {
  const cache = new EncodingCache(10_000);
  cache.get(entry(10), 'yaml', 'uncached', () => ({ bytes: Buffer.alloc(5000) }));
  expect(cache.bytes).toBe(0);
  for (let index = 0; index < 20; index += 1) cache.get(entry(100), 'yaml', 'cached', () => ({ bytes: Buffer.alloc(2000) }));
  expect(cache.bytes).toBeGreaterThan(0);
  expect(cache.bytes).toBeLessThanOrEqual(10_000);
});

it('EncodingCache keeps only the bytes of an encoding in memory, not the block that they were allocated in', () => {
  const cache = new EncodingCache();
  const block = Buffer.alloc(8192, 'x');
  const { bytes } = cache.get(entry(10), 'yaml', 'cached', () => ({ bytes: block.subarray(0, 100) }));
  expect(bytes).toEqual(Buffer.alloc(100, 'x'));
  expect(bytes.buffer.byteLength).toBe(100);
});

it('EncodingCache keeps only the bytes of encodings that a worker thread has created', () => {
  const cache = new EncodingCache();
  const cached = entry(10);
  cache.add(cached, new Map([['yaml', { bytes: Buffer.alloc(8192, 'x').subarray(0, 100) }]]));
  const bytes = cache.encodingsOf(cached).get('yaml')?.bytes;
  expect(bytes).toEqual(Buffer.alloc(100, 'x'));
  expect(bytes?.buffer.byteLength).toBe(100);
});
