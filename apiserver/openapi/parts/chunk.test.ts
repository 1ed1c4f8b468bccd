import { gunzipSync } from 'node:zlib';
import { gzipOf, totalLength, compressChunk, gunzipToBuffer } from './chunk';

// Empty ones, one that compresses well, and one that hardly does.
const texts = [
  '',
  'a',
  'paths'.repeat(100_000),
  '',
  Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7919) % 251)).toString('latin1'),
];

test('gzipOf joins packed chunks to one gzip stream of their contents', async () => {
  const chunks = texts.map((text) => compressChunk(text));
  const whole = texts.join('');
  expect(totalLength(chunks)).toBe(Buffer.byteLength(whole));
  // Checks the length and the checksum at the end.
  expect(gunzipSync(gzipOf(chunks)).toString()).toBe(whole);
  expect((await gunzipToBuffer(gzipOf(chunks))).toString()).toBe(whole);
  expect(gunzipSync(gzipOf([])).length).toBe(0);
});
