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

test('Table row has as many cells as columns, even for an empty or malformed object', () => {
  const malformed: JsonObject = {
    metadata: [],
    spec: 'x',
    status: 7,
    data: null,
    secrets: 'x',
    involvedObject: [],
    source: 1,
    message: {},
  };
  for (const row of STORED_KINDS) {
    expect(tableConvertor.rowCells(row, {})).toHaveLength(tableConvertor.columnDefinitions(row).length);
    expect(tableConvertor.rowCells(row, malformed)).toHaveLength(tableConvertor.columnDefinitions(row).length);
  }
});

test('Table of a kind without its own columns shows name and creation time', () => {
  const row: KindRow = { ...rowOf('ConfigMap'), kind: 'Other' };
  expect(tableConvertor.columnDefinitions(row).map(({ name, type }) => [name, type])).toEqual([
    ['Name', 'string'],
    ['Created At', 'date'],
  ]);
  expect(tableConvertor.rowCells(row, { metadata: { name: 'x', creationTimestamp: '2024-01-02T03:04:05Z' } })).toEqual([
    'x',
    '2024-01-02T03:04:05Z',
  ]);
});

test('cached Table row gives the same cells as a new one at any time', () => {
  for (const { kind, at, object } of ROWS) {
    const cells = tableConvertor.rowCells(rowOf(kind), object);
    const template = tableConvertor.cellTemplate(cells);
    for (const now of [at, at + 3_600_000, at - 86_400_000]) {
      expect(JSON.parse(tableConvertor.renderCells(template, now))).toEqual(tableConvertor.fillAges(cells, now));
    }
  }
});

test('cached Table row escapes JSON as upstream does', () => {
  const template = tableConvertor.cellTemplate(['<none>', 3, { before: '1 (', since: 0, after: ' ago)' }, null]);
  expect(tableConvertor.renderCells(template, 5_000)).toBe('["\\u003cnone\\u003e",3,"1 (5s ago)",null]');
  expect(tableConvertor.renderCells(template, -5_000)).toBe('["\\u003cnone\\u003e",3,"1 (\\u003cinvalid\\u003e ago)",null]');
});

test('Table row of a Node shows roles from labels in either spelling', () => {
  const labels = { 'node-role.platform.io/b': '', 'node-role.kubernetes.io/a': '', 'platform.io/role': 'c' };
  const [, , roles] = tableConvertor.rowCells(rowOf('Node'), { metadata: { labels } });
  expect(roles).toBe('a,b,c');
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
