/** The values of `Warning` headers. */
import { WarningList } from './warnings';

/** The header values of a list with these warnings. */
const headersOf = (...texts: string[]) => {
  const list = new WarningList();
  for (const text of texts) list.add(text);
  return list.headers();
};

it('WarningList quotes each warning once, in order', () => {
  expect(headersOf('unknown field "spec.foo"', 'b\\c', 'unknown field "spec.foo"')).toEqual([
    '299 - "unknown field \\"spec.foo\\""',
    '299 - "b\\\\c"',
  ]);
});

it('WarningList drops empty texts, texts with line breaks, and control characters', () => {
  expect(headersOf('two\nlines', '', 'bell\u0007')).toEqual(['299 - "bell"']);
});

it('WarningList writes characters outside of ASCII as UTF-8', () => {
  const [value = ''] = headersOf('ü');
  expect(Buffer.from(value, 'latin1').toString()).toBe('299 - "ü"');
});

it('WarningList shortens every warning to 256 characters when they are too long together, and drops those beyond the limit', () => {
  const texts = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(400, 'x'));
  const values = headersOf(...texts);
  // 16 shortened texts reach the limit of 4,096 characters.
  expect(values).toHaveLength(16);
  for (const value of values) expect(value).toHaveLength('299 - ""'.length + 256);
});
