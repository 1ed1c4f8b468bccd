import * as fc from 'fast-check';
import { absentFrom, commonSize, formatIndexes, hasIndex, parseIndexes, sizeOf, withIndexes } from './indexes';

it('parseIndexes and formatIndexes convert ranges and skip invalid or excess indexes', () => {
  expect(formatIndexes(parseIndexes('0,2-4,5,9', 100))).toBe('0,2-5,9');
  expect(formatIndexes(parseIndexes('0,1', 100))).toBe('0,1');
  expect(formatIndexes(parseIndexes('3-9', 6))).toBe('3-5');
  expect(formatIndexes(parseIndexes('x,-1,7', 6))).toBe('');
});

it('sizeOf, hasIndex and commonSize handle two billion indexes in a few ranges', () => {
  const many = parseIndexes('0-2147483646', 2_147_483_647);
  expect([sizeOf(many), hasIndex(many, 2_000_000_000), commonSize(many, parseIndexes('5,7-9', 10))]).toEqual([2_147_483_647, true, 4]);
});

const small = fc.uniqueArray(fc.nat(40));

it('withIndexes, commonSize, absentFrom and hasIndex behave like operations of a set', () => {
  fc.assert(
    fc.property(small, small, fc.nat(45), (one, other, bound) => {
      const indexes = withIndexes([], one);
      const both = withIndexes(indexes, other);
      expect(sizeOf(both)).toBe(new Set([...one, ...other]).size);
      expect(parseIndexes(formatIndexes(both), 50)).toEqual(both);
      expect(commonSize(indexes, withIndexes([], other))).toBe(one.filter((index) => other.includes(index)).length);
      const all = Array.from({ length: bound }, (_, index) => index);
      expect([...absentFrom(indexes, bound)]).toEqual(all.filter((index) => !one.includes(index)));
      expect(all.filter((index) => hasIndex(indexes, index))).toEqual(all.filter((index) => one.includes(index)));
    }),
  );
});
