import { formatBytes, formatRemaining, formatSpan } from './units';

describe('formatSpan', () => {
  const hour = 3_600_000;
  it.each([
    [0, '0s'],
    [-5, '0s'],
    [999, '0s'],
    [61_000, '1m1s'],
    [2 * hour, '2h'],
    [26 * hour + 59_000, '1d2h'],
    [24 * hour + 59_000, '1d'],
  ])('of %d ms is %s', (span, text) => {
    expect(formatSpan(span)).toBe(text);
  });
});

test.each([
  [0, 'expired'],
  [-1, 'expired'],
  [1_000, '1s'],
])('formatRemaining of %d ms is %s', (span, text) => {
  expect(formatRemaining(span)).toBe(text);
});

test.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [1_536, '1.5 KiB'],
  [20 << 20, '20 MiB'],
  [2 ** 60, '1048576 TiB'],
])('formatBytes of %d is %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
