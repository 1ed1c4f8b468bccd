/** Compares Tables of custom resources with those of release 1.31.1 (custom/columns). */
import { readRecording } from '../../test/replay/recording';
import { anything, body, either, listOf, mapOf, nullValue, number, oneOf, shape, text, type Check } from '../../test/replay/shape';
import { expandBody } from '../../test/replay/formats/request-body';
import { readSchema } from '../../shared/api/structural/read-schema';
import type { CustomVersion, PrinterColumn } from '../../shared/api/structural/version';
import { isObject, type JsonObject, type JsonValue } from '../../shared/values/json';
import type { KindRow } from '../../shared/api/kinds';
import { customTable } from './custom-columns';
import { tableConvertor } from './table';

const isColumn: Check<Partial<PrinterColumn>> = shape(
  { name: text, type: oneOf('integer', 'number', 'string', 'boolean', 'date'), jsonPath: text },
  { format: text, description: text, priority: number },
);

/** A recorded CustomResourceDefinition, and the columns of the Table that release 1.31.1 returned for its objects. */
interface RecordedDefinition {
  /** The `additionalPrinterColumns`; null when there are none. */
  readonly columns: readonly Partial<PrinterColumn>[] | null;
  /** When the Table was returned. */
  readonly at: string;
  readonly columnDefinitions: readonly JsonObject[];
}

const isRecordedDefinition: Check<RecordedDefinition> = shape({
  columns: either(listOf(isColumn), nullValue),
  at: text,
  columnDefinitions: listOf(body),
});
const { head, cases } = readRecording(
  'custom/columns',
  shape({ format: text, definitions: mapOf(isRecordedDefinition) }),
  shape({ definition: text, sent: body, cells: listOf(anything) }),
);

const row = { group: 'columns.schema.example.com', version: 'v2', kind: 'Thing' } as KindRow;

function versionOf(columns: RecordedDefinition['columns']): CustomVersion {
  const completeColumns = (columns ?? []).map(
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
    schemaText: () => Buffer.from('{}'),
    schemaId: '',
    displayId: '',
    versions: new Map(),
    storageVersion: 'v1',
    columns: completeColumns,
    scale: undefined,
    webhook: undefined,
  };
}

/** An age below 100 s, such as `5s`. */
const SHORT_AGE = /^\d{1,2}s$/;

/**
 * A cell in a form that can be compared. Replaces short ages, which differ from run to run, because the objects were
 * created while they were recorded. The recording has no bigints.
 */
function comparable(value: JsonValue | undefined): JsonValue {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && SHORT_AGE.test(value) ? '<seconds>' : (value ?? null);
}

describe.each(Object.entries(head.definitions))('Table of the recorded definition "%s"', (title, { columns, at, columnDefinitions }) => {
  const { columns: definitions, cells } = customTable(row, versionOf(columns));

  it('has the columns of release 1.31.1', () => {
    // The description of the default column is this server's own text.
    const anyDescription = columns === null ? { description: expect.any(String) } : {};
    expect(definitions.slice(1)).toEqual(columnDefinitions.slice(1).map((column) => ({ ...column, ...anyDescription })));
  });

  const casesOfDefinition = cases.filter(({ definition }) => definition === title);
  test.each(casesOfDefinition.map((recorded, index) => [index, recorded] as const))(
    'has the cells of release 1.31.1 for object %i',
    (index, { sent, cells: expected }) => {
      const object = expandBody(sent);
      if (!isObject(object)) throw new Error('no object');
      const metadata = {
        ...(isObject(object['metadata']) ? object['metadata'] : {}),
        name: `t${index}`,
        creationTimestamp: `${at.slice(0, 19)}Z`,
      };
      const cellValues = tableConvertor.fillAges(cells({ ...object, metadata }), Date.parse(at));
      const byColumn = (values: readonly JsonValue[]): Record<string, JsonValue> =>
        Object.fromEntries(definitions.map(({ name }, column) => [`${column} ${name}`, comparable(values[column])]));
      expect(byColumn(cellValues)).toEqual(byColumn(expected));
    },
  );
});
