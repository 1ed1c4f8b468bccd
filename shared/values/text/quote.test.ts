import { quote } from './quote';

test.each([
  ['plain', '"plain"'],
  ['a"b\\c', '"a\\"b\\\\c"'],
  ['tab\tbell\u0007nul\u0000', '"tab\\tbell\\anul\\x00"'],
  ['<&>', '"<&>"'],
  ['é日本', '"é日本"'],
  ['zero\u200bwidth nb\u00a0sp', '"zero\\u200bwidth nb\\u00a0sp"'],
])('quote escapes %j as Go does', (text, quoted) => {
  expect(quote(text)).toBe(quoted);
});
