import { formatGoBytes } from './go-values';

test('formatGoBytes prints each byte, and only the first 2,048 of more bytes', () => {
  expect([formatGoBytes(undefined), formatGoBytes(''), formatGoBytes('AC3/')]).toEqual([
    '[]byte(nil)',
    '[]byte{}',
    '[]byte{0x0, 0x2d, 0xff}',
  ]);
  const many = (count: number) => formatGoBytes(Buffer.alloc(count).toString('base64'));
  expect(many(2048)).toBe(`[]byte{${'0x0, '.repeat(2047)}0x0}`);
  expect(many(2049)).toBe(`[]byte{${'0x0, '.repeat(2048)}…}`);
  expect(many(1_000_000)).toBe(many(2049));
});
