/**
 * Encodes objects, lists and watch events as Tables. Rows are cached with placeholders for ages, which are filled in
 * for every response. Columns and cells are left to the table convertor.
 */
import { stringifyJson, type JsonObject } from '../../../shared/values/json';
import type { Status } from '../../../shared/api/errors/status';
import { JSON_MEDIA_TYPE } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { parseStoredJson } from '../../../shared/serialization';
import type { Entry } from '../../cache/cache';
import type { CellTemplate, TableConvertor } from '../../printers/table/convertor';
import type { ResponsePage } from '../../registry/verbs';
import type { ByteSink } from './byte-sink';
import { itemCachePolicy, listMetadata, type Encoder, type EventType, type FramePosition, type ListEncoder } from './encoder';
import type { CachedEncoding, CachePolicy, EncodingCache } from './encoding-cache';
import type { IncludeObject } from './encoding-offload';
import { metadataAlone, metadataMember, objectHead, withRevision } from './entry-json';
import { jsonErrorFrame } from './json-encoder';
import { ObjectText } from './object-text';
import type { Spelling } from './spelling';

/** What the Table encoders of a server share. */
export interface TableDependencies {
  /** Columns and cells of all kinds. */
  readonly table: TableConvertor;
  /** For the ages in cells. */
  readonly clock: Clock;
  readonly cache: EncodingCache;
}

/** Maximum number of rows that are held to be sorted: writing them at once blocks the event loop. */
const MAX_HELD_ROWS = 500;
const COMMA = 0x2c;
const CLOSE_ROW = Buffer.from('}');
const NO_CELLS: CellTemplate = { texts: ['[]'], since: [] };

/** The encoder of Tables of one kind and spelling. */
export class TableEncoder implements Encoder {
  readonly key: string;
  readonly contentType = JSON_MEDIA_TYPE;
  readonly hasDistinctFirstFrame = true;
  private readonly head: string;

  constructor(
    private readonly deps: TableDependencies,
    private readonly spelling: Spelling,
    /** The `apiVersion` of the Table, `meta.platform.io/v1` in the dialect. */
    private readonly metaVersion: string,
    private readonly include: IncludeObject,
  ) {
    this.key = `table/${metaVersion}/${include}/${spelling.key}`;
    this.head = objectHead('Table', metaVersion);
  }

  object(entry: Entry): Buffer {
    return Buffer.from(`${this.tableText(entry, entry.revision, 'first')}\n`);
  }

  list(page: ResponsePage): ListEncoder {
    const rank = this.deps.table.rowOrder(this.spelling.row);
    return rank === undefined ? this.listInOrder(page) : this.listByRank(page, rank);
  }

  frame(type: EventType, entry: Entry, revision: number, position: FramePosition): Buffer {
    return Buffer.from(`{"type":"${type}","object":${this.tableText(entry, revision, position)}}\n`);
  }

  errorFrame(status: Status): Buffer {
    return jsonErrorFrame(status, this.spelling.dialect);
  }

  private listInOrder(page: ResponsePage): ListEncoder {
    let count = 0;
    const now = this.deps.clock.now();
    return {
      start: (sink) => sink.text(`${this.head}"metadata":${listMetadata(page)},"columnDefinitions":${this.columns()},"rows":[`),
      item: (sink, entry) => {
        if (count > 0) sink.byte(COMMA);
        count += 1;
        this.writeRow(sink, entry, now, itemCachePolicy(count));
      },
      end: (sink) => sink.ascii(']}\n'),
    };
  }

  /**
   * Sorts the rows by rank, for kinds with few objects. Rows are held until the end of the list, or until there are
   * {@link MAX_HELD_ROWS}; a longer list is sorted only within each group of so many rows.
   */
  private listByRank(page: ResponsePage, rank: (object: JsonObject) => number): ListEncoder {
    let held: { readonly entry: Entry; readonly rank: number }[] = [];
    const list = this.listInOrder(page);
    const writeHeld = (sink: ByteSink): void => {
      for (const { entry } of held.sort((a, b) => a.rank - b.rank)) list.item(sink, entry);
      held = [];
    };
    return {
      ...list,
      item: (sink, entry) => {
        held.push({ entry, rank: rank(parseStoredJson(this.spelling.canonicalBody(entry).toString())) });
        if (held.length >= MAX_HELD_ROWS) writeHeld(sink);
      },
      end: (sink) => {
        writeHeld(sink);
        list.end(sink);
      },
    };
  }

  private columns(): string {
    return JSON.stringify(this.deps.table.columnDefinitions(this.spelling.row));
  }

  /** A Table with one row. Only the first Table of a stream has the columns. */
  private tableText(entry: Entry, revision: number, position: FramePosition): string {
    const cached = this.rowOf(entry, 'uncached');
    const tail = withRevision(cached.bytes, entry.revision, revision).toString('utf8');
    const cells = this.deps.table.renderCells(cached.cells ?? NO_CELLS, this.deps.clock.now());
    const columns = position === 'first' ? this.columns() : 'null';
    return `${this.head}"metadata":{"resourceVersion":"${revision}"},"columnDefinitions":${columns},"rows":[{"cells":${cells}${tail}]}`;
  }

  private writeRow(sink: ByteSink, entry: Entry, now: number, policy: CachePolicy): void {
    const cached = this.rowOf(entry, policy);
    sink.text(`{"cells":${this.deps.table.renderCells(cached.cells ?? NO_CELLS, now)}`);
    sink.bytes(cached.bytes);
  }

  private rowOf(entry: Entry, policy: CachePolicy): CachedEncoding {
    return this.deps.cache.get(entry, this.key, policy, this.makeRow);
  }

  /** Creates a row: the template of its cells, and the text after them up to the end of the row as one piece. */
  private readonly makeRow = (entry: Entry): CachedEncoding => {
    const { table } = this.deps;
    const { row } = this.spelling;
    const body = this.spelling.canonicalBody(entry);
    const stored = table.needsMetadataOnly(row) ? metadataAlone(body) : body;
    const object = parseStoredJson(stored.toString());
    const cells = table.cellTemplate(table.rowCells(row, object));
    const conditions = table.rowConditions(row, object);
    const start = conditions === undefined ? ',"object":' : `,"conditions":${stringifyJson(conditions)},"object":`;
    return { cells, bytes: Buffer.concat([Buffer.from(start), this.rowObject(entry), CLOSE_ROW]) };
  };

  private rowObject(entry: Entry): Buffer {
    const { spelling } = this;
    switch (this.include) {
      case 'None':
        return Buffer.from('null');
      case 'Object':
        return Buffer.concat([...new ObjectText(spelling.row, spelling.apiVersion).pieces(spelling.body(entry, 'uncached'), entry)]);
      case 'Metadata': {
        const metadata = metadataMember(spelling.metadataBody(entry, 'uncached'));
        return Buffer.concat([Buffer.from(objectHead('PartialObjectMetadata', this.metaVersion)), metadata, Buffer.from('}')]);
      }
    }
  }
}
