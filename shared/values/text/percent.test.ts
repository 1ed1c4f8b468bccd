import { decodePercent, decodePercentOrKeep } from './percent';

it('decodePercent replaces invalid UTF-8 by replacement characters, and rejects malformed escapes', () => {
  expect(decodePercent('a%ff')).toBe('a\ufffd');
  expect(decodePercent('%e4%b8')).toBe('\ufffd');
  expect(decodePercent('%4')).toBeUndefined();
});

it('decodePercentOrKeep returns text that cannot be decoded unchanged', () => {
  expect(['a%2fb', 'a%zz', 'a%ff'].map(decodePercentOrKeep)).toEqual(['a/b', 'a%zz', 'a%ff']);
});
