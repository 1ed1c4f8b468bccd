import * as fc from 'fast-check';
import { absentIndexes, intersectionCount, formatIndexes, hasIndex, parseIndexes, indexCount, withIndexes } from './index-intervals';

it('parseIndexes and formatIndexes convert intervals and skip invalid or excess indexes', () => {
  expect(formatIndexes(parseIndexes('0,2-4,5,9', 100))).toBe('0,2-5,9');
  expect(formatIndexes(parseIndexes('0,1', 100))).toBe('0,1');
  expect(formatIndexes(parseIndexes('3-9', 6))).toBe('3-5');
  expect(formatIndexes(parseIndexes('x,-1,7', 6))).toBe('');
});

it('indexCount, hasIndex and intersectionCount handle two billion indexes in a few intervals', () => {
  const many = parseIndexes('0-2147483646', 2_147_483_647);
  expect(indexCount(many)).toBe(2_147_483_647);
  expect(hasIndex(many, 2_000_000_000)).toBe(true);
  expect(intersectionCount(many, parseIndexes('5,7-9', 10))).toBe(4);
});

const small = fc.uniqueArray(fc.nat(40));

it('withIndexes, intersectionCount, absentIndexes and hasIndex behave like operations on a set', () => {
  fc.assert(
    fc.property(small, small, fc.nat(45), (first, second, completions) => {
      const intervals = withIndexes([], first);
      const both = withIndexes(intervals, second);
      expect(indexCount(both)).toBe(new Set([...first, ...second]).size);
      expect(parseIndexes(formatIndexes(both), 50)).toEqual(both);
      expect(intersectionCount(intervals, withIndexes([], second))).toBe(first.filter((index) => second.includes(index)).length);
      const range = Array.from({ length: completions }, (_, index) => index);
      expect([...absentIndexes(intervals, completions)]).toEqual(range.filter((index) => !first.includes(index)));
      expect(range.filter((index) => hasIndex(intervals, index))).toEqual(range.filter((index) => first.includes(index)));
    }),
  );
});
