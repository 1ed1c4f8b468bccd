/** Chunks that are compressed apart and joined to one gzip stream. */
import { gunzipSync } from 'node:zlib';
import { gzipOf, totalLength, compressChunk, gunzipToBuffer } from './chunk';

/** Bytes without a pattern, as text. */
const incompressibleText = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7919) % 251)).toString('latin1');

const TEXTS = ['', 'a', 'paths'.repeat(100_000), '', incompressibleText];
const CHUNKS = TEXTS.map((text) => compressChunk(text));

test('gzipOf joins chunks to one gzip stream of their contents', () => {
  // Fails unless the length and the checksum at the end of the stream are correct.
  expect(gunzipSync(gzipOf(CHUNKS)).toString()).toBe(TEXTS.join(''));
});

test('gzipOf of no chunks is an empty gzip stream', () => {
  expect(gunzipSync(gzipOf([]))).toHaveLength(0);
});

test('gunzipToBuffer decompresses a gzip stream', async () => {
  expect((await gunzipToBuffer(gzipOf(CHUNKS))).toString()).toBe(TEXTS.join(''));
});

test('totalLength adds up the bytes before compression', () => {
  expect(totalLength(CHUNKS)).toBe(Buffer.byteLength(TEXTS.join('')));
});
