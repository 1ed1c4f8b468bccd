/** What columns of all types and paths show of many objects, as a real server shows it (test/recordings/custom.ts). */
import { recordedAnswers } from '../../test/recordings/answers';
import type { Body } from '../../test/recordings/reference';
import { expand } from '../../test/support/recorded-rules';
import { readSchema } from '../../shared/api/structural/read-schema';
import type { CustomVersion, PrinterColumn } from '../../shared/api/structural/version';
import { isObject, type JsonObject, type JsonValue } from '../../shared/values/json';
import type { KindRow } from '../../shared/api/kinds';
import { customTable } from './custom-columns';
import { fillAges } from './table';

interface Recorded {
  readonly title: string;
  readonly columns: readonly Partial<PrinterColumn>[] | null;
  readonly tables: readonly Body[];
  readonly table: {
    readonly at: string;
    readonly columnDefinitions: readonly JsonObject[];
    readonly rows: readonly (readonly JsonValue[])[];
  };
}

const row = { group: 'columns.schema.example.com', version: 'v2', kind: 'Thing' } as KindRow;

function versionOf(columns: Recorded['columns']): CustomVersion {
  const read = (columns ?? []).map(
    ({ name = '', type = 'string', format = '', description = '', priority = 0, jsonPath = '' }): PrinterColumn => ({
      name,
      type,
      format,
      description,
      priority,
      jsonPath,
    }),
  );
  return {
    definition: '',
    schema: readSchema({}),
    schemaId: '',
    shownId: '',
    versions: new Map(),
    storageVersion: 'v1',
    columns: read,
    scale: undefined,
    needsWebhook: false,
  };
}

/** Ages of things made while recording differ from run to run. */
const steady = (value: JsonValue | undefined): JsonValue => {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && /^\d{1,2}s$/.test(value) ? '<seconds>' : (value ?? null);
};

describe.each(recordedAnswers<readonly Recorded[]>('printers/custom-column-values').map((one) => [one.title, one] as const))(
  '%s',
  (_title, { columns, tables, table }) => {
    const { columns: definitions, cells } = customTable(row, versionOf(columns));

    it('has the columns', () => {
      // What columns are described as that every table may have is our own text.
      const ours = columns === null ? { description: expect.any(String) } : {};
      expect(definitions.slice(1)).toEqual(table.columnDefinitions.slice(1).map((column) => ({ ...column, ...ours })));
    });

    test.each(tables.map((sent, index) => [index, sent] as const))('shows object %i', (index, sent) => {
      const object = expand(sent);
      if (!isObject(object)) throw new Error('no object');
      const metadata = {
        ...(isObject(object['metadata']) ? object['metadata'] : {}),
        name: `t${index}`,
        creationTimestamp: `${table.at.slice(0, 19)}Z`,
      };
      const found = fillAges(cells({ ...object, metadata }), Date.parse(table.at));
      const shown = (list: readonly JsonValue[]): Record<string, JsonValue> =>
        Object.fromEntries(definitions.map(({ name }, at) => [`${at} ${name}`, steady(list[at])]));
      expect(shown(found)).toEqual(shown(table.rows[index] ?? []));
    });
  },
);
