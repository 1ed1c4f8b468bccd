/**
 * What the endpoints need to answer with a Table: columns per kind, and rows whose constant cells can be kept while ages are filled in.
 *
 * What it never does: write the Table itself, or look at a clock (the time is a parameter).
 */
import type { JsonArray, JsonObject, JsonPrimitive } from '../../../shared/values/json';
import type { KindRow } from '../../../shared/api/kinds';

/** One entry of `columnDefinitions`, members in wire order. Columns are spelled alike in both dialects. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** `name` where the cell is the object's name; of custom kinds what their definition says. */
  readonly format: string;
  readonly description: string;
  /** 0 = always shown, 1 = only in wide output. */
  readonly priority: number;
}

/** A cell that depends on the time of the answer: `before` + the age of `since` + `after`, as in `3 (5m ago)`. */
export interface AgeHole {
  readonly before: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly after: string;
}

export type Cell = JsonPrimitive | AgeHole;

/** A row's `cells` as JSON text cut at its ages: `texts[0] age(since[0]) texts[1] … texts[n]`, so there is one text more than ages. Immutable. */
export interface CellTemplate {
  readonly texts: readonly string[];
  readonly since: readonly number[];
}

export interface TableModule {
  /** The columns of a kind; kinds without columns of their own have the default pair Name, Created At. The same array at every call. */
  columns(row: KindRow): readonly ColumnDefinition[];
  /** Whether rows and their conditions follow from the metadata alone: then nothing else need be parsed. */
  readsMetadataOnly(row: KindRow): boolean;
  /** One row's cells for an object as it is served (canonical form, kind and apiVersion not needed). Never throws, whatever the object holds. */
  tableRow(row: KindRow, object: JsonObject): Cell[];
  /** Which rows of a list stand first, the least of all, and each other in the list's order; undefined = the kind's rows stand as listed. */
  rank(row: KindRow): ((object: JsonObject) => number) | undefined;
  /** The row's `conditions` (between `cells` and `object` on the wire): finished pods have one, other rows none. */
  rowConditions(row: KindRow, object: JsonObject): JsonArray | undefined;
  /** The cells as they stand in an answer given at `nowMs`. */
  fillAges(cells: readonly Cell[], nowMs: number): JsonPrimitive[];
  /** The cells as JSON with holes: keep this per entry. */
  cellTemplate(cells: readonly Cell[]): CellTemplate;
  /** `["x","1/1","Running","3 (5m ago)","2d"]` at `nowMs`. */
  cellsJson(template: CellTemplate, nowMs: number): string;
}
