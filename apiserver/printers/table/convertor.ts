/**
 * The interface of the table convertor: columns by kind, and rows with cells that can be cached while ages are filled
 * in. Does not write the Table and does not read a clock: the time is a parameter.
 */
import type { JsonArray, JsonObject, JsonPrimitive } from '../../../shared/values/json';
import type { KindRow } from '../../../shared/api/kinds';

/** An entry of `columnDefinitions`, members in wire order. Names are the same in both spellings of the API. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** `name` for the object's name; for custom resources, what the definition has. */
  readonly format: string;
  readonly description: string;
  /** 0: always shown; 1: shown in wide output only. */
  readonly priority: number;
}

/** A cell that depends on the time of the response: `before` + age of `since` + `after`, as in `3 (5m ago)`. */
export interface AgeCell {
  readonly before: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly after: string;
}

/** A cell before its age is computed. */
export type Cell = JsonPrimitive | AgeCell;

/**
 * JSON of a row's `cells`, split at its ages: `texts[0] age(since[0]) texts[1] … texts[n]`, so there is one more text
 * than ages. Immutable.
 */
export interface CellTemplate {
  readonly texts: readonly string[];
  readonly since: readonly number[];
}

/** Columns and cells of all kinds. Stateless; results may be shared. */
export interface TableConvertor {
  /** Kinds without columns of their own have Name and Created At. Returns the same array for every call. */
  columnDefinitions(row: KindRow): readonly ColumnDefinition[];
  /** Whether rows and their conditions depend on the metadata alone, so that nothing else need be parsed. */
  needsMetadataOnly(row: KindRow): boolean;
  /**
   * Cells of an object in canonical form, as its kind is stored; kind and apiVersion may be absent. Never throws,
   * whatever the object contains.
   */
  rowCells(row: KindRow, object: JsonObject): Cell[];
  /** The sort key of rows, lowest first; equal keys keep the order of the list. `undefined` for the order of the list. */
  rowOrder(row: KindRow): ((object: JsonObject) => number) | undefined;
  /** The row's `conditions` (between `cells` and `object` on the wire); only finished pods have some. */
  rowConditions(row: KindRow, object: JsonObject): JsonArray | undefined;
  /** The cells of a response at `nowMs`. */
  fillAges(cells: readonly Cell[], nowMs: number): JsonPrimitive[];
  /** The cells as JSON without ages, to be cached with the entry. */
  cellTemplate(cells: readonly Cell[]): CellTemplate;
  /** `["x","1/1","Running","3 (5m ago)","2d"]` at `nowMs`. */
  renderCells(template: CellTemplate, nowMs: number): string;
}
