/**
 * Tables: what a kind's rows show. Columns and cells are looked up by kind; ages are left as holes so that a row can be kept (table/printer.ts).
 * Never writes a Table document: the endpoints do, with these parts.
 */
import {
  own,
  objectAt,
  stringifyJsonString,
  stringAt,
  stringifyJson,
  type JsonArray,
  type JsonObject,
  type JsonPrimitive,
} from '../../shared/values/json';
import type { KindRow } from '../../shared/api/kinds';
import { age } from './table/age';
import { numberAt } from './table/cell';
import { CELLS, defaultCells } from './cells';
import { COLUMNS, DEFAULT_COLUMNS } from './columns';
import { customTable } from './custom-columns';
import type { AgeHole, Cell, CellTemplate, ColumnDefinition, TableModule } from './table/printer';

export function columns(row: KindRow): readonly ColumnDefinition[] {
  if (row.custom !== undefined) return customTable(row, row.custom).columns;
  return own(COLUMNS, row.kind) ?? DEFAULT_COLUMNS;
}

export function readsMetadataOnly(row: KindRow): boolean {
  return row.custom === undefined && own(CELLS, row.kind) === undefined;
}

export function tableRow(row: KindRow, object: JsonObject): Cell[] {
  if (row.custom !== undefined) return customTable(row, row.custom).cells(object);
  return (own(CELLS, row.kind) ?? defaultCells)(object);
}

/** By kind: rows of these stand in an order of their own, as upstream prints them. */
const RANKS: Readonly<Record<string, (object: JsonObject) => number>> = {
  FlowSchema: (object) => numberAt(objectAt(object, 'spec'), 'matchingPrecedence'),
};

export function rank(row: KindRow): ((object: JsonObject) => number) | undefined {
  return row.custom === undefined ? own(RANKS, row.kind) : undefined;
}

const FINISHED: Readonly<Record<string, string>> = {
  Succeeded: 'The pod has completed successfully.',
  Failed: 'The pod failed.',
};

export function rowConditions(row: KindRow, object: JsonObject): JsonArray | undefined {
  if (row.kind !== 'Pod' || row.group !== '') return undefined;
  const phase = stringAt(objectAt(object, 'status'), 'phase') ?? '';
  const message = own(FINISHED, phase);
  return message === undefined ? undefined : [{ type: 'Completed', status: 'True', reason: phase, message }];
}

export function fillAges(cells: readonly Cell[], nowMs: number): JsonPrimitive[] {
  return cells.map((cell) => (isHole(cell) ? `${cell.before}${age(nowMs - cell.since)}${cell.after}` : cell));
}

export function cellTemplate(cells: readonly Cell[]): CellTemplate {
  const texts: string[] = [];
  const since: number[] = [];
  let text = '[';
  cells.forEach((cell, index) => {
    if (index > 0) text += ',';
    if (isHole(cell)) {
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

export function cellsJson(template: CellTemplate, nowMs: number): string {
  const { texts, since } = template;
  let json = texts[0] ?? '';
  for (let i = 0; i < since.length; i += 1) json += ageJson(nowMs - (since[i] ?? nowMs)) + (texts[i + 1] ?? '');
  return json;
}

/** The only characters of an age that JSON escapes are those of `<invalid>`. */
function ageJson(milliseconds: number): string {
  const text = age(milliseconds);
  return text.startsWith('<') ? stringifyJsonString(text).slice(1, -1) : text;
}

function isHole(cell: Cell): cell is AgeHole {
  return typeof cell === 'object' && cell !== null;
}

/** All of it, as the endpoints see it. */
export const tables: TableModule = { columns, readsMetadataOnly, tableRow, rank, rowConditions, fillAges, cellTemplate, cellsJson };
