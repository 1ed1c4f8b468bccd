import { compilePattern } from './pattern';

function matches(expression: string, text: string): boolean | string {
  const pattern = compilePattern(expression);
  return pattern.type === 'good' ? pattern.matches(text) : pattern.error;
}

test.each([
  ['b', 'abc', true],
  ['^b', 'abc', false],
  ['^.$', '\u{1F600}', true],
  ['^\\pL+\\z', 'éß', true],
  ['a\\Z', 'a', 'error parsing regexp: invalid escape sequence: `\\Z`'],
  ['[', '', 'error parsing regexp: missing closing ]: `[`'],
  ['(?=a)', '', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
  ['a{1001}', '', 'error parsing regexp: invalid repeat count: `{1001}`'],
])('compilePattern matches %s against %s with the result %s', (expression, text, expected) => {
  expect(matches(expression, text)).toBe(expected);
});

// The backtracking engine of JavaScript takes exponential time for these patterns.
it('compilePattern matches patterns with nested repetition in linear time', () => {
  expect(matches('^(a*)*$', `${'a'.repeat(100_000)}b`)).toBe(false);
  expect(matches('(x+x+)+y', 'x'.repeat(100_000))).toBe(false);
});
