import { equalIgnoringEmptyLists, type JsonValue } from './json';

it.each<[JsonValue | undefined, JsonValue | undefined, boolean]>([
  [undefined, null, true],
  [[], null, true],
  [[], undefined, true],
  [{}, null, false],
  [{ a: [] }, {}, true],
  [{}, { a: null }, true],
  [{ a: { b: [] } }, { a: { b: null } }, true],
  [{ a: [] }, { a: [1] }, false],
  [{ a: 1 }, {}, false],
  [{}, { a: 1 }, false],
  [{ a: 1, b: [] }, { a: 1, c: null }, true],
  [[{ a: [] }], [{}], true],
  [[null], [[]], true],
  [[1], [1, null], false],
  [{ a: '' }, {}, false],
])('equalIgnoringEmptyLists of %j and %j is %s', (a, b, expected) => {
  expect(equalIgnoringEmptyLists(a, b)).toBe(expected);
  expect(equalIgnoringEmptyLists(b, a)).toBe(expected);
});

it('equalIgnoringEmptyLists reads each field a bounded number of times, whatever the depth', () => {
  const DEPTH = 1_000;
  let reads = 0;
  const nested = (end: JsonValue): JsonValue => {
    let value = end;
    for (let depth = 0; depth < DEPTH; depth++) {
      const inner = value;
      value = Object.defineProperty({}, 'a', { enumerable: true, get: () => ((reads += 1), inner) });
    }
    return value;
  };
  expect(equalIgnoringEmptyLists(nested({ b: [] }), nested({}))).toBe(true);
  expect(reads).toBeLessThan(10 * DEPTH);
});
