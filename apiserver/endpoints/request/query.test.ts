import fc from 'fast-check';
import { Query } from './query';

it('Query parses pairs as upstream does', () => {
  const query = new Query('a=1&b=x+y%20z&a=2&c&=e&bad;pair=1&%zz=1&d=%zz&%61b=%C3%BC');
  expect(query.get('a')).toBe('1');
  expect(query.getAll('a')).toEqual(['1', '2']);
  expect(query.get('b')).toBe('x y z');
  expect(query.get('c')).toBe('');
  expect(query.get('ab')).toBe('ü');
  expect(query.has('bad;pair')).toBe(false);
  expect(query.has('d')).toBe(false);
});

it('Query parses everything that URLSearchParams writes', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))), (pairs) => {
      const query = new Query(new URLSearchParams(pairs).toString());
      for (const [name] of pairs) expect(query.getAll(name)).toEqual(pairs.filter(([other]) => other === name).map(([, value]) => value));
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
