/** Queries as Go parses them. */
import fc from 'fast-check';
import { Query } from './query';

it('Query returns the values of a repeated parameter in order, and the first of them alone', () => {
  const query = new Query('a=1&b=x&a=2');
  expect(query.get('a')).toBe('1');
  expect(query.getAll('a')).toEqual(['1', '2']);
});

it.each([
  { title: 'a plus sign and an escaped space', text: 'b=x+y%20z', name: 'b', value: 'x y z' },
  { title: 'escaped UTF-8 in names and values', text: '%61b=%C3%BC', name: 'ab', value: 'ü' },
  { title: 'a parameter without a value', text: 'c&=e', name: 'c', value: '' },
])('Query decodes $title', ({ text, name, value }) => {
  expect(new Query(text).get(name)).toBe(value);
});

it.each([
  { title: 'with a semicolon', text: 'a;b=1', name: 'a;b' },
  { title: 'with an invalid escape in its name', text: '%zz=1', name: '%zz' },
  { title: 'with an invalid escape in its value', text: 'd=%zz', name: 'd' },
])('Query drops a pair $title', ({ text, name }) => {
  expect(new Query(text).has(name)).toBe(false);
});

it('Query parses everything that URLSearchParams writes', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))), (pairs) => {
      const query = new Query(new URLSearchParams(pairs).toString());
      for (const [name] of pairs) {
        const values = pairs.filter(([otherName]) => otherName === name).map(([, value]) => value);
        expect(query.getAll(name)).toEqual(values);
      }
    }),
  );
});

it('Query parses its text again when a parameter is read after its release', () => {
  const query = new Query('a=1&b=2');
  query.release();
  expect(query.get('b')).toBe('2');
  expect(query.has('c')).toBe(false);
  expect(query.text).toBe('a=1&b=2');
  query.release();
  expect(query.getAll('a')).toEqual(['1']);
});
