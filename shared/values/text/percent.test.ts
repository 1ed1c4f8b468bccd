import { decodePercent, decodePercentOrKeep } from './percent';

it('decodePercent replaces invalid UTF-8 by replacement characters, and rejects malformed escapes', () => {
  expect(decodePercent('a%ff')).toBe('a\ufffd');
  expect(decodePercent('%e4%b8')).toBe('\ufffd');
  expect(decodePercent('%4')).toBeUndefined();
});

it('decodePercentOrKeep returns text that cannot be decoded unchanged', () => {
  expect(decodePercentOrKeep('a%2fb')).toBe('a/b');
  expect(decodePercentOrKeep('a%zz')).toBe('a%zz');
  expect(decodePercentOrKeep('a%ff')).toBe('a%ff');
});
