import { decodePercent, unescaped } from './percent';

it('takes bytes that are no UTF-8 as replacement characters, and refuses broken escapes', () => {
  expect(decodePercent('a%ff')).toBe('a\ufffd');
  expect(decodePercent('%e4%b8')).toBe('\ufffd');
  expect(decodePercent('%4')).toBeUndefined();
});

it('leaves what cannot be decoded as it stands', () => {
  expect(['a%2fb', 'a%zz', 'a%ff'].map(unescaped)).toEqual(['a/b', 'a%zz', 'a%ff']);
});
