/**
 * Table rows of built-in kinds: compared with recordings of release 1.31.1, for empty and malformed objects, and from
 * the cache.
 */
import { readCases } from '../../test/replay/recording';
import { body, either, listOf, nullValue, number, shape, text, boolean, type Check } from '../../test/replay/shape';
import type { JsonObject, JsonPrimitive } from '../../shared/values/json';
import { STORED_KINDS, type KindRow } from '../../shared/api/kinds';
import { formatAge } from './table/age';
import { CELLS } from './cells';
import { COLUMNS } from './columns';
import { tableConvertor } from './table';

/** A row as release 1.31.1 printed it at `at`, and the members of its object that the cells depend on. */
interface RecordedRow {
  readonly note: string;
  readonly kind: string;
  readonly at: number;
  readonly object: JsonObject;
  readonly cells: readonly JsonPrimitive[];
  readonly conditions?: readonly JsonObject[];
}

const isRecordedRow: Check<RecordedRow> = shape(
  { note: text, kind: text, at: number, object: body, cells: listOf(either(either(text, number), either(boolean, nullValue))) },
  { conditions: listOf(body) },
);
const ROWS = readCases('printers/rows', isRecordedRow);

function rowOf(kind: string): KindRow {
  const row = STORED_KINDS.find((candidate) => candidate.kind === kind);
  if (row === undefined) throw new Error(`no row for ${kind}`);
  return row;
}

test.each(ROWS.map((row) => [`${row.kind}: ${row.note}`, row] as const))(
  'Table row equals that of release 1.31.1 for %s',
  (_title, { kind, at, object, cells, conditions }) => {
    const row = rowOf(kind);
    expect(tableConvertor.fillAges(tableConvertor.rowCells(row, object), at)).toEqual(cells);
    expect(tableConvertor.rowConditions(row, object)).toEqual(conditions);
  },
);

test('Table recording contains a row of every served kind', () => {
  expect(new Set(ROWS.map(({ kind }) => kind))).toEqual(new Set(STORED_KINDS.map(({ kind }) => kind)));
});

test('every kind with cells of its own has columns of its own', () => {
  expect(Object.keys(CELLS).sort()).toEqual(Object.keys(COLUMNS).sort());
});

const MALFORMED: JsonObject = {
  metadata: [],
  spec: 'x',
  status: 7,
  data: null,
  secrets: 'x',
  involvedObject: [],
  source: 1,
  message: {},
};

test.each([
  ['an empty object', {}],
  ['a malformed object', MALFORMED],
])('Table row of every kind has as many cells as columns for %s', (_title, object) => {
  for (const row of STORED_KINDS) {
    expect(tableConvertor.rowCells(row, object)).toHaveLength(tableConvertor.columnDefinitions(row).length);
  }
});

describe('Table of a kind without its own columns', () => {
  const row: KindRow = { ...rowOf('ConfigMap'), kind: 'Other' };

  test('has columns for name and creation time', () => {
    expect(tableConvertor.columnDefinitions(row).map(({ name, type }) => [name, type])).toEqual([
      ['Name', 'string'],
      ['Created At', 'date'],
    ]);
  });

  test('shows name and creation time in its rows', () => {
    const creationTimestamp = '2024-01-02T03:04:05Z';
    expect(tableConvertor.rowCells(row, { metadata: { name: 'x', creationTimestamp } })).toEqual(['x', creationTimestamp]);
  });
});

test.each([
  ['when the row was recorded', 0],
  ['an hour later', 3_600_000],
  ['a day earlier', -86_400_000],
])('cached Table row gives the same cells as a new one %s', (_title, offsetMs) => {
  for (const { kind, at, object } of ROWS) {
    const now = at + offsetMs;
    const cells = tableConvertor.rowCells(rowOf(kind), object);
    const template = tableConvertor.cellTemplate(cells);
    expect(JSON.parse(tableConvertor.renderCells(template, now))).toEqual(tableConvertor.fillAges(cells, now));
  }
});

test.each([
  ['an age', 5_000, '["\\u003cnone\\u003e",3,"1 (5s ago)",null]'],
  ['an invalid age', -5_000, '["\\u003cnone\\u003e",3,"1 (\\u003cinvalid\\u003e ago)",null]'],
])('cached Table row with %s escapes JSON as upstream does', (_title, now, json) => {
  const template = tableConvertor.cellTemplate(['<none>', 3, { before: '1 (', since: 0, after: ' ago)' }, null]);
  expect(tableConvertor.renderCells(template, now)).toBe(json);
});

test('Table row of a Node shows roles from labels in either spelling', () => {
  const labels = { 'node-role.platform.io/b': '', 'node-role.kubernetes.io/a': '', 'platform.io/role': 'c' };
  const rolesColumn = tableConvertor.columnDefinitions(rowOf('Node')).findIndex(({ name }) => name === 'Roles');
  expect(tableConvertor.rowCells(rowOf('Node'), { metadata: { labels } })[rolesColumn]).toBe('a,b,c');
});

test.each([
  [-2_000, '<invalid>'],
  [-1_999, '0s'],
  [1_999, '1s'],
  [119_999, '119s'],
  [120_000, '2m'],
  [601_000, '10m'],
  [10_860_000, '3h1m'],
])('age of %d ms is %s', (milliseconds, text) => {
  expect(formatAge(milliseconds)).toBe(text);
});
