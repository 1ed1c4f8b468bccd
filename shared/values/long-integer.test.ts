import { parseLongInteger } from './long-integer';

it.each<[string, bigint | undefined]>([
  ['9007199254740991', undefined],
  ['9007199254740992', 9_007_199_254_740_992n],
  ['-9007199254740991', undefined],
  ['-9007199254740993', -9_007_199_254_740_993n],
  ['9223372036854775807', 9_223_372_036_854_775_807n],
  ['9223372036854775808', undefined],
  ['-9223372036854775808', -9_223_372_036_854_775_808n],
  ['-9223372036854775809', undefined],
  ['9'.repeat(100_000), undefined],
  ['9007199254740993.0', undefined],
  ['9007199254740993e1', undefined],
])('parseLongInteger returns a bigint only for integers that fit into 64 bits and not into a double (case %#)', (literal, expected) =>
  expect(parseLongInteger(literal)).toBe(expected),
);
