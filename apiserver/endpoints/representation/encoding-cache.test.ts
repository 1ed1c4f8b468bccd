/** How often encodings are created, and how much memory the cache holds. */
import type { Entry } from '../../cache/cache';
import { EncodingCache } from './encoding-cache';

/** An entry of its own with so many bytes. */
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
  const encode = jest.fn(() => ({ bytes: Buffer.from('x') }));
  const first = cache.get(cached, 'yaml', 'cached', encode);
  expect(cache.get(cached, 'yaml', 'cached', encode)).toBe(first);
  expect(encode).toHaveBeenCalledTimes(1);
});

it('EncodingCache creates an encoding for each key and each entry', () => {
  const cache = new EncodingCache();
  const [first, second] = [entry(10), entry(10)];
  const encode = jest.fn(() => ({ bytes: Buffer.from('x') }));
  cache.get(first, 'yaml', 'cached', encode);
  cache.get(first, 'table', 'cached', encode);
  cache.get(second, 'yaml', 'cached', encode);
  expect(encode).toHaveBeenCalledTimes(3);
});

it('EncodingCache stores nothing with the policy uncached', () => {
  const cache = new EncodingCache();
  cache.get(entry(10), 'yaml', 'uncached', () => ({ bytes: Buffer.alloc(5000) }));
  expect(cache.bytes).toBe(0);
});

it('EncodingCache never exceeds its maximum size', () => {
  const cache = new EncodingCache(10_000);
  for (let index = 0; index < 20; index += 1) cache.get(entry(100), 'yaml', 'cached', () => ({ bytes: Buffer.alloc(2000) }));
  expect(cache.bytes).toBeGreaterThan(0);
  expect(cache.bytes).toBeLessThanOrEqual(10_000);
});

it('EncodingCache copies an encoding out of the block of memory that it was allocated in', () => {
  const cache = new EncodingCache();
  const block = Buffer.alloc(8192, 'x');
  const { bytes } = cache.get(entry(10), 'yaml', 'cached', () => ({ bytes: block.subarray(0, 100) }));
  expect(bytes).toEqual(Buffer.alloc(100, 'x'));
  expect(bytes.buffer.byteLength).toBe(100);
});

it('EncodingCache copies an encoding that a worker thread has created out of its block of memory', () => {
  const cache = new EncodingCache();
  const cached = entry(10);
  cache.add(cached, new Map([['yaml', { bytes: Buffer.alloc(8192, 'x').subarray(0, 100) }]]));
  const bytes = cache.encodingsOf(cached).get('yaml')?.bytes;
  expect(bytes).toEqual(Buffer.alloc(100, 'x'));
  expect(bytes?.buffer.byteLength).toBe(100);
});
