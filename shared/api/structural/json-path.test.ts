/** Compares the values of JSON paths with the string columns that kube-apiserver prints (custom/paths). */
import * as fc from 'fast-check';
import { readRecording } from '../../../test/replay/recording';
import { body, either, listOf, nullValue, oneOf, shape, text as texts } from '../../../test/replay/shape';
import { formatGoNumber } from '../../values/go-syntax';
import { isObject, stringifyJson, type JsonObject, type JsonValue } from '../../values/json';
import { PathBudget, readJsonPath } from './json-path';

const { head, cases } = readRecording(
  'custom/paths',
  shape({ format: texts, tables: listOf(body) }),
  shape({ path: texts, shown: either(oneOf('unreadable'), listOf(either(texts, nullValue))) }),
);
const OBJECTS = head.tables.map((object, index): JsonObject => {
  const { metadata } = object;
  return { apiVersion: 'v', kind: 'Thing', ...object, metadata: { ...(isObject(metadata) ? metadata : {}), name: `t${index}` } };
});

/**
 * The column of the path: for each object the first value, as `kubectl get` prints it, or null when there is none. For a
 * malformed path, `unreadable`.
 */
function columnOf(text: string): unknown {
  const path = readJsonPath(text);
  if (path === undefined) return 'unreadable';
  return OBJECTS.map((object) => {
    const [value] = path(object, new PathBudget()) ?? [];
    if (value === undefined) return null;
    if (value === null) return '<no value>';
    if (typeof value === 'string') return value;
    return typeof value === 'number' ? formatGoNumber(value) : stringifyJson(value, 'sorted');
  });
}

test.each(cases.map(({ path, shown: expected }) => [path, expected] as const))(
  'readJsonPath evaluates %s as recorded',
  (text, expected) => {
    expect(columnOf(text)).toEqual(expected);
  },
);

it('readJsonPath does not throw, whatever the path and the object', () => {
  const parts = fc.constantFrom(
    '.',
    '..',
    'a',
    '[',
    ']',
    '*',
    '?(',
    ')',
    '@',
    '==',
    '"',
    "'",
    '0',
    ':',
    ',',
    '-',
    '\\',
    ' ',
    '}',
    '{',
    '<',
  );
  const texts = fc.array(parts, { maxLength: 12 }).map((list) => `.${list.join('')}`);
  const values = fc.jsonValue().map((value) => value as JsonValue);
  fc.assert(
    fc.property(texts, values, (text, value) => {
      readJsonPath(text)?.(value, new PathBudget());
      return true;
    }),
    { numRuns: 2000 },
  );
});

it('readJsonPath rejects a descent that directly follows another one', () => {
  expect(readJsonPath('....a')).toBeUndefined();
});

it('readJsonPath abandons a path with repeated descents, which would grow exponentially', () => {
  let value: JsonValue = 1;
  for (let depth = 0; depth < 400; depth += 1) value = { a: value, b: [3] };
  expect(readJsonPath('..a..a..a..a..a..a')?.(value, new PathBudget())).toBeUndefined();
});

it('PathBudget stops a union that walks one list thousands of times', () => {
  const text = `.list[${Array(3000).fill('*').join(',')}]`;
  const list = Array.from({ length: 1000 }, (_, index): JsonValue => ({ x: { y: { z: [index, [index]] } } }));
  const budget = new PathBudget();
  const spend = jest.spyOn(budget, 'spend');
  expect(readJsonPath(text)?.({ list }, budget)).toBeUndefined();
  // Work is deducted from the budget before it is done.
  expect(spend.mock.calls.length).toBeLessThan(51_000);
  expect(() => budget.spend(1)).toThrow();
});

it('PathBudget is shared between the paths that are evaluated for one object', () => {
  const list = Array.from({ length: 10_000 }, (_, index): JsonValue => index);
  const budget = new PathBudget();
  const path = readJsonPath('.list[*]');
  const evaluations = Array.from({ length: 5 }, () => path?.({ list }, budget)?.length);
  // The budget of 50,000 values suffices for the first evaluations, and not for the last.
  expect(evaluations[0]).toBe(10_000);
  expect(evaluations[1]).toBe(10_000);
  expect(evaluations[4]).toBeUndefined();
});
