/**
 * The table convertor: looks up the columns and row cells of every kind, built-in (columns.ts, cells.ts) or custom
 * (custom-columns.ts). Ages are kept as timestamps, so that rows can be cached. The interface {@link TableConvertor}
 * has the contracts of these functions. The endpoints write the Table documents.
 */
import type { CoreV1Pod, FlowcontrolV1FlowSchema } from '../../shared/api/types/generated/members';
import {
  ownMember,
  stringifyJsonString,
  stringifyJson,
  type JsonArray,
  type JsonObject,
  type JsonPrimitive,
} from '../../shared/values/json';
import type { KindRow } from '../../shared/api/kinds';
import { formatAge } from './table/age';
import { nameOf } from './table/cell';
import { CELLS, defaultCells } from './cells';
import { COLUMNS, DEFAULT_COLUMNS } from './columns';
import { customTable } from './custom-columns';
import type { AgeCell, Cell, CellTemplate, ColumnDefinition, TableConvertor } from './table/convertor';

function columnDefinitions(row: KindRow): readonly ColumnDefinition[] {
  if (row.custom !== undefined) return customTable(row, row.custom).columns;
  return ownMember(COLUMNS, row.kind) ?? DEFAULT_COLUMNS;
}

function needsMetadataOnly(row: KindRow): boolean {
  return row.custom === undefined && ownMember(CELLS, row.kind) === undefined;
}

function rowCells(row: KindRow, object: JsonObject): Cell[] {
  if (row.custom !== undefined) return customTable(row, row.custom).cells(object);
  try {
    return (ownMember(CELLS, row.kind) ?? defaultCells)(object);
  } catch (error) {
    // The object is not of its type: another program has stored it. The other rows are shown all the same.
    if (!(error instanceof TypeError)) throw error;
    return columnDefinitions(row).map(({ format }) => (format === 'name' ? nameOf(object) : null));
  }
}

/** Kinds with rows in another order than that of the list (upstream behaviour). */
const ROW_ORDERS: Readonly<Record<string, (object: JsonObject) => number>> = {
  FlowSchema: ({ spec }: FlowcontrolV1FlowSchema) => spec?.matchingPrecedence ?? 0,
};

function rowOrder(row: KindRow): ((object: JsonObject) => number) | undefined {
  return row.custom === undefined ? ownMember(ROW_ORDERS, row.kind) : undefined;
}

/** Messages of the condition `Completed`, by the phase of the pod. */
const COMPLETION_MESSAGES: Readonly<Record<string, string>> = {
  Succeeded: 'The pod has completed successfully.',
  Failed: 'The pod failed.',
};

function rowConditions(row: KindRow, object: JsonObject): JsonArray | undefined {
  if (row.kind !== 'Pod' || row.group !== '') return undefined;
  const { status = {} }: CoreV1Pod = object;
  const { phase = '' } = status;
  const message = ownMember(COMPLETION_MESSAGES, phase);
  return message === undefined ? undefined : [{ type: 'Completed', status: 'True', reason: phase, message }];
}

function fillAges(cells: readonly Cell[], nowMs: number): JsonPrimitive[] {
  return cells.map((cell) => (isAgeCell(cell) ? `${cell.before}${formatAge(nowMs - cell.since)}${cell.after}` : cell));
}

/**
 * An age stands within the JSON string of its cell, so the text before it ends without the closing quotation mark, and
 * the text after it starts without the opening one: the cells `['x', {before: '3 (', since: 5, after: ' ago)'}]` have
 * the texts `["x","3 (` and ` ago)"]`.
 */
function cellTemplate(cells: readonly Cell[]): CellTemplate {
  const texts: string[] = [];
  const since: number[] = [];
  let text = '[';
  cells.forEach((cell, index) => {
    if (index > 0) text += ',';
    if (isAgeCell(cell)) {
      texts.push(`${text}${stringifyJsonString(cell.before).slice(0, -1)}`);
      since.push(cell.since);
      text = stringifyJsonString(cell.after).slice(1);
    } else {
      text += stringifyJson(cell);
    }
  });
  texts.push(`${text}]`);
  return { texts, since };
}

function renderCells(template: CellTemplate, nowMs: number): string {
  const { texts, since } = template;
  let json = texts[0] ?? '';
  since.forEach((milliseconds, index) => {
    json += ageJson(nowMs - milliseconds) + (texts[index + 1] ?? '');
  });
  return json;
}

/** The age within a JSON string. `<invalid>` is the only age with characters that the JSON of the API escapes. */
function ageJson(milliseconds: number): string {
  const text = formatAge(milliseconds);
  return text.startsWith('<') ? stringifyJsonString(text).slice(1, -1) : text;
}

function isAgeCell(cell: Cell): cell is AgeCell {
  return typeof cell === 'object' && cell !== null;
}

/** The convertor of this server. */
export const tableConvertor: TableConvertor = {
  columnDefinitions,
  needsMetadataOnly,
  rowCells,
  rowOrder,
  rowConditions,
  fillAges,
  cellTemplate,
  renderCells,
};
