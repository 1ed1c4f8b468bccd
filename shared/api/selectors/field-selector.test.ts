import fc from 'fast-check';
import { formatFieldSelector, parseFieldSelector } from './field-selector';

/** Recorded from release 1.31.1. */
test.each([
  ['foo', "invalid selector: 'foo'; can't understand 'foo'"],
  ['metadata.name!a', "invalid selector: 'metadata.name!a'; can't understand 'metadata.name!a'"],
  ['foo=x,zzz', "invalid selector: 'foo=x,zzz'; can't understand 'zzz'"],
  ['metadata.name=a\\,b,c', "invalid selector: 'metadata.name=a\\,b,c'; can't understand 'c'"],
  ['metadata.name===a', 'invalid field selector: unescaped character in value: 61'],
  ['metadata.name=a=b', 'invalid field selector: unescaped character in value: 61'],
  ['metadata.name\\=a=b', 'invalid field selector: unescaped character in value: 61'],
  ['foo!=a=b', 'invalid field selector: unescaped character in value: 61'],
  ['metadata.name=a\\x', 'invalid field selector: invalid escape sequence: \\x'],
  ['metadata.name!=\\', 'invalid field selector: invalid escape sequence: \\'],
])('parseFieldSelector rejects %j with the error of upstream', (selector, message) => {
  expect(() => parseFieldSelector(selector)).toThrow(expect.objectContaining({ name: 'SelectorError', message }));
});

test.each([
  ['', []],
  [',', []],
  ['=', []],
  ['!=', []],
  ['=x', [{ field: '', operator: '=', value: 'x' }]],
  ['foo=', [{ field: 'foo', operator: '=', value: '' }]],
  [
    'b!=1,,a==2,',
    [
      { field: 'a', operator: '=', value: '2' },
      { field: 'b', operator: '!=', value: '1' },
    ],
  ],
  ['a= x\\,y\\=z\\\\', [{ field: 'a', operator: '=', value: ' x,y=z\\' }]],
  [' a =b', [{ field: ' a ', operator: '=', value: 'b' }]],
  ['a!=b!c', [{ field: 'a', operator: '!=', value: 'b!c' }]],
])('parseFieldSelector parses %j', (selector, terms) => {
  expect(parseFieldSelector(selector)).toEqual(terms);
});

test('parseFieldSelector limits the length and the number of terms', () => {
  expect(() => parseFieldSelector(`a=${'x'.repeat(65_536)}`)).toThrow('longer than');
  expect(() => parseFieldSelector(Array.from({ length: 513 }, (_, i) => `k${i}=`).join(','))).toThrow('more than');
});

test('parseFieldSelector reads what formatFieldSelector writes, whatever characters the values have', () => {
  const term = fc.record({
    field: fc.stringMatching(/^[a-z.]{1,8}$/),
    operator: fc.constantFrom('=' as const, '!=' as const),
    value: fc.string(),
  });
  fc.assert(
    fc.property(fc.uniqueArray(term, { selector: ({ field }) => field, maxLength: 4 }), (terms) => {
      const read = parseFieldSelector(formatFieldSelector(terms));
      expect(read).toHaveLength(terms.length);
      expect(read).toEqual(expect.arrayContaining(terms));
    }),
  );
});
