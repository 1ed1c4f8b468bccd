import { formatGoBytes } from './go-values';

test('formatGoBytes prints base64 as bytes, and undefined as nil', () => {
  expect(formatGoBytes('AC3/')).toBe('[]byte{0x0, 0x2d, 0xff}');
  expect(formatGoBytes('')).toBe('[]byte{}');
  expect(formatGoBytes(undefined)).toBe('[]byte(nil)');
});

test('formatGoBytes prints no more than the first 2,048 bytes', () => {
  const many = (count: number) => formatGoBytes(Buffer.alloc(count).toString('base64'));
  expect(many(2048)).toBe(`[]byte{${'0x0, '.repeat(2047)}0x0}`);
  expect(many(2049)).toBe(`[]byte{${'0x0, '.repeat(2048)}…}`);
  expect(many(1_000_000)).toBe(many(2049));
});
