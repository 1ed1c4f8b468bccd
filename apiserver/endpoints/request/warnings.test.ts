import { WarningList } from './warnings';

const headers = (...texts: string[]) => {
  const list = new WarningList();
  for (const text of texts) list.add(text);
  return list.headers();
};

it('WarningList quotes each warning once, in order', () => {
  expect(headers('unknown field "spec.foo"', 'b\\c', 'unknown field "spec.foo"')).toEqual([
    '299 - "unknown field \\"spec.foo\\""',
    '299 - "b\\\\c"',
  ]);
});

it('WarningList drops text that a header cannot contain', () => {
  expect(headers('two\nlines', '', 'bell\u0007')).toEqual(['299 - "bell"']);
  expect(Buffer.from(headers('ü')[0] ?? '', 'latin1').toString()).toBe('299 - "ü"');
});

it('WarningList shortens every warning to 256 characters when they are too long together, and drops those beyond the limit', () => {
  const texts = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(400, 'x'));
  const values = headers(...texts);
  // 16 shortened texts reach the limit of 4,096 characters.
  expect(values).toHaveLength(16);
  for (const value of values) expect(value).toHaveLength('299 - ""'.length + 256);
});
