/** Compares the cells of printer columns of every type and kind of path with those of release 1.31.1. */
import { readRecording } from '../../test/replay/recording';
import { anything, body, mapOf, shape, text } from '../../test/replay/shape';
import { readSchema } from '../../shared/api/structural/read-schema';
import type { CustomVersion, PrinterColumn } from '../../shared/api/structural/version';
import type { JsonObject } from '../../shared/values/json';
import type { KindRow } from '../../shared/api/kinds';
import { tableConvertor } from './table';

const NOW = Date.UTC(2026, 10, 22);

function rowWith(kind: string, columns: readonly PrinterColumn[]): KindRow {
  const schema = readSchema({});
  const custom: CustomVersion = {
    definition: 'cols.col.example.com',
    schema,
    schemaText: () => Buffer.from('{}'),
    schemaId: '',
    displayId: '',
    versions: new Map(),
    storageVersion: 'v1',
    webhook: undefined,
    columns,
    scale: undefined,
  };
  return {
    group: 'col.example.com',
    version: 'v1',
    kind,
    type: 'custom:x',
    custom,
    resource: 'cols',
    singular: 'col',
    namespaced: false,
    verbs: [],
    nameFormat: 'dns-subdomain',
  };
}

const column = (type: PrinterColumn['type'], jsonPath: string, more: Partial<PrinterColumn> = {}): PrinterColumn => ({
  name: 'c',
  type,
  format: '',
  description: '',
  priority: 0,
  jsonPath,
  ...more,
});

const metadata = {
  name: 'o',
  generation: 1,
  labels: { 'app.example.com/name': 'L', plain: 'P' },
  creationTimestamp: '2026-11-21T00:00:00Z',
};
const { head, cases } = readRecording('printers/custom-cells', shape({ spec: body }), shape({ path: text, cells: mapOf(anything) }));
const object: JsonObject = { metadata, spec: head.spec };

const TYPES = ['string', 'integer', 'number', 'boolean', 'date'] as const;

describe.each(TYPES)('printer column of type %s', (type) => {
  test.each(cases.map(({ path, cells }) => [path, cells[type]] as const))('prints the path %s as release 1.31.1 does', (path, expected) => {
    const row = rowWith(`Cols${type}`, [column(type, path)]);
    expect(tableConvertor.fillAges(tableConvertor.rowCells(row, object), NOW)).toEqual(['o', expected]);
  });
});

it('integer column prints 64-bit integers exactly and a number out of range as the lowest one', () => {
  const row = rowWith('Big', [column('integer', '.spec.big'), column('string', '.spec.big'), column('integer', '.spec.huge')]);
  const cells = tableConvertor.rowCells(row, { metadata, spec: { big: 12345678901234567n, huge: 1e21 } });
  expect(cells).toEqual(['o', 12345678901234567n, '12345678901234567', -9223372036854775808n]);
});

describe('custom resource Table without printer columns', () => {
  const plain = rowWith('Plain', []);

  it('has columns for name and age', () => {
    expect(tableConvertor.columnDefinitions(plain).map(({ name, type }) => [name, type])).toEqual([
      ['Name', 'string'],
      ['Age', 'date'],
    ]);
  });

  it('shows the age in its rows', () => {
    expect(tableConvertor.fillAges(tableConvertor.rowCells(plain, object), NOW)).toEqual(['o', '24h']);
  });
});

it('custom resource Table has the path of a column as its description when the definition has none', () => {
  const row = rowWith('Described', [
    column('string', '.spec.s'),
    column('date', '.spec.s', { description: 'Its text', priority: 1, format: 'x' }),
  ]);
  expect(tableConvertor.columnDefinitions(row).slice(1)).toEqual([
    { name: 'c', type: 'string', format: '', description: 'Custom resource definition column (in JSONPath format): .spec.s', priority: 0 },
    { name: 'c', type: 'date', format: 'x', description: 'Its text', priority: 1 },
  ]);
});

it('custom resource of kind Pod has no row conditions', () => {
  expect(tableConvertor.rowConditions(rowWith('Pod', []), { status: { phase: 'Failed' } })).toBeUndefined();
});

it('custom resource Table omits cells from the first unreadable path on', () => {
  const row = rowWith('Cut', [column('string', '.spec.s'), column('string', '.metadata.labels["plain"]'), column('string', '.spec.s')]);
  expect(tableConvertor.rowCells(row, object)).toEqual(['o', 'text']);
});
