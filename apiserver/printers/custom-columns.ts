/**
 * Columns and cells of custom resources: the `additionalPrinterColumns` of the definition, or the age when there are
 * none. A cell shows the first value at the path of its column. From the first column with an invalid path on, columns
 * have no cells (upstream behaviour).
 */
import { formatGoNumber } from '../../shared/values/go-syntax';
import { PathBudget, readJsonPath, type JsonPath } from '../../shared/api/structural/json-path';
import type { CustomVersion, PrinterColumn } from '../../shared/api/structural/version';
import { apiVersionOf } from '../../shared/api/identity/identity';
import { stringifyJson, type JsonObject, type JsonValue } from '../../shared/values/json';
import type { KindRow } from '../../shared/api/kinds';
import { parseTimestamp } from '../../shared/api/metadata/object-meta';
import { TimeError } from '../../shared/values/time/time';
import { nameOf } from './table/cell';
import { NAME } from './table/column';
import type { Cell, ColumnDefinition } from './table/convertor';

const AGE_COLUMN: PrinterColumn = {
  name: 'Age',
  type: 'date',
  format: '',
  description: 'When the object was created.',
  priority: 0,
  jsonPath: '.metadata.creationTimestamp',
};

/** The columns of one version of a custom kind. Created per definition. */
export interface CustomTable {
  readonly columns: readonly ColumnDefinition[];
  /** The cells of an object in this version: one for each column up to the first with an invalid path. */
  cells(object: JsonObject): Cell[];
}

const tables = new WeakMap<CustomVersion, CustomTable>();

/** The table of a version, created once. */
export function customTable(row: KindRow, custom: CustomVersion): CustomTable {
  const existing = tables.get(custom);
  if (existing !== undefined) return existing;
  const created = createTable(row, custom);
  tables.set(custom, created);
  return created;
}

function createTable(row: KindRow, { columns }: CustomVersion): CustomTable {
  const effectiveColumns = columns.length === 0 ? [AGE_COLUMN] : columns;
  const typeMeta = { kind: row.kind, apiVersion: apiVersionOf(row) };
  const readers: ((object: JsonObject, budget: PathBudget) => Cell)[] = [];
  for (const column of effectiveColumns) {
    const path = readJsonPath(column.jsonPath);
    if (path === undefined) break;
    readers.push((object, budget) => cellOf(column.type, path, { ...typeMeta, ...object }, budget));
  }
  return {
    columns: [NAME, ...effectiveColumns.map(definitionOf)],
    cells(object) {
      const budget = new PathBudget();
      return [nameOf(object), ...readers.map((read) => read(object, budget))];
    },
  };
}

function definitionOf({ name, type, format, description, priority, jsonPath }: PrinterColumn): ColumnDefinition {
  const text = description === '' ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description;
  return { name, type, format, description: text, priority };
}

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

/** The cell of a value, by the type of the column. A value of another type has an empty cell. */
const CELL_BY_TYPE: Readonly<Record<PrinterColumn['type'], (value: JsonValue) => Cell>> = {
  string: textCell,
  integer: integerCell,
  number: (value) => (typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: dateCell,
};

function cellOf(type: PrinterColumn['type'], path: JsonPath, object: JsonObject, budget: PathBudget): Cell {
  const [value] = path(object, budget) ?? [];
  return value === undefined ? null : CELL_BY_TYPE[type](value);
}

function textCell(value: JsonValue): Cell {
  if (value === null) return '<no value>';
  if (typeof value === 'number') return formatGoNumber(value);
  return typeof value === 'string' ? value : stringifyJson(value, 'sorted');
}

/** Truncates fractions. A number outside the 64-bit range becomes the lowest integer (upstream behaviour). */
function integerCell(value: JsonValue): Cell {
  if (typeof value === 'bigint') return value >= MIN_INT64 && value <= MAX_INT64 ? value : MIN_INT64;
  if (typeof value !== 'number') return null;
  const whole = Math.trunc(value);
  return Number.isSafeInteger(whole) ? whole : integerCell(BigInt(whole));
}

function dateCell(value: JsonValue): Cell {
  if (typeof value !== 'string') return null;
  if (value === '') return '<unknown>';
  try {
    return { before: '', since: parseTimestamp(value) ?? 0, after: '' };
  } catch (error) {
    if (error instanceof TimeError) return '<invalid>';
    throw error;
  }
}
