/** Objects, lists and watch events as a Table. Rows are kept with holes where ages go. */
import { isObject, stringifyJson, type JsonObject } from '../../../shared/values/json';
import type { Status } from '../../../shared/api/errors/status';
import { JSON_MEDIA_TYPE } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { parseJson } from '../../../shared/serialization';
import type { Entry } from '../../cache/cache';
import type { CellTemplate, TableModule } from '../../printers/table/printer';
import type { ShownPage } from '../../registry/verbs';
import type { ByteSink } from './byte-sink';
import { listMetadata, MAX_KEPT_ITEMS, type Encoder, type EventType, type ListEncoder } from './encoder';
import type { EncodingCache, Kept } from './encoding-cache';
import { metadataAlone, metadataMember, objectHead, withRevision } from './entry-json';
import { jsonErrorFrame } from './json-encoder';
import { ObjectText } from './object-text';
import type { Spelling } from './spelling';

/** What each row carries beside its cells. */
export type IncludeObject = 'Metadata' | 'Object' | 'None';

export interface TableParts {
  readonly table: TableModule;
  readonly clock: Clock;
  readonly cache: EncodingCache;
}

const MAX_RANKED_ROWS = 500;
const CLOSE_ROW = Buffer.from('}');
const NO_CELLS: CellTemplate = { texts: ['[]'], since: [] };

export class TableEncoder implements Encoder {
  readonly key: string;
  readonly contentType = JSON_MEDIA_TYPE;
  readonly firstDiffers = true;
  private readonly head: string;

  constructor(
    private readonly parts: TableParts,
    private readonly spelling: Spelling,
    private readonly metaVersion: string,
    private readonly include: IncludeObject,
  ) {
    this.key = `table/${metaVersion}/${include}/${spelling.key}`;
    this.head = objectHead('Table', metaVersion);
  }

  object(entry: Entry): Buffer {
    return Buffer.from(`${this.tableText(entry, entry.revision, true)}\n`);
  }

  list(page: ShownPage): ListEncoder {
    const rank = this.parts.table.rank(this.spelling.row);
    return rank === undefined ? this.inOrder(page) : this.ranked(page, rank);
  }

  frame(type: EventType, entry: Entry, revision: number, first: boolean): Buffer {
    return Buffer.from(`{"type":"${type}","object":${this.tableText(entry, revision, first)}}\n`);
  }

  errorFrame(status: Status): Buffer {
    return jsonErrorFrame(status, this.spelling.dialect);
  }

  private inOrder(page: ShownPage): ListEncoder {
    let count = 0;
    const now = this.parts.clock.now();
    return {
      start: (sink) => sink.text(`${this.head}"metadata":${listMetadata(page)},"columnDefinitions":${this.columns()},"rows":[`),
      item: (sink, entry) => {
        if (count > 0) sink.byte(0x2c);
        count += 1;
        this.writeRow(sink, entry, now, count <= MAX_KEPT_ITEMS);
      },
      end: (sink) => sink.ascii(']}\n'),
    };
  }

  /** Of kinds of which there are few: rows are held until all are there, or so many that to go on would hold up others. */
  private ranked(page: ShownPage, rank: (object: JsonObject) => number): ListEncoder {
    let held: { readonly entry: Entry; readonly rank: number }[] = [];
    const inOrder = this.inOrder(page);
    const release = (sink: ByteSink): void => {
      for (const { entry } of held.sort((one, other) => one.rank - other.rank)) inOrder.item(sink, entry);
      held = [];
    };
    return {
      ...inOrder,
      item: (sink, entry) => {
        held.push({ entry, rank: rank(parsed(this.spelling.canonicalBody(entry))) });
        if (held.length >= MAX_RANKED_ROWS) release(sink);
      },
      end: (sink) => {
        release(sink);
        inOrder.end(sink);
      },
    };
  }

  private columns(): string {
    return JSON.stringify(this.parts.table.columns(this.spelling.row));
  }

  private tableText(entry: Entry, revision: number, withColumns: boolean): string {
    const kept = this.rowOf(entry, false);
    const tail = withRevision(kept.bytes, entry.revision, revision).toString('utf8');
    const cells = this.parts.table.cellsJson(kept.cells ?? NO_CELLS, this.parts.clock.now());
    const columns = withColumns ? this.columns() : 'null';
    return `${this.head}"metadata":{"resourceVersion":"${revision}"},"columnDefinitions":${columns},"rows":[{"cells":${cells}${tail}]}`;
  }

  private writeRow(sink: ByteSink, entry: Entry, now: number, keep: boolean): void {
    const kept = this.rowOf(entry, keep);
    sink.text(`{"cells":${this.parts.table.cellsJson(kept.cells ?? NO_CELLS, now)}`);
    sink.bytes(kept.bytes);
  }

  private rowOf(entry: Entry, keep: boolean): Kept {
    return this.parts.cache.get(entry, this.key, keep, this.makeRow);
  }

  /** What follows the cells, up to the row's end, is kept as one piece. */
  private readonly makeRow = (entry: Entry): Kept => {
    const { table } = this.parts;
    const { row } = this.spelling;
    const body = this.spelling.canonicalBody(entry);
    const object = parsed(table.readsMetadataOnly(row) ? metadataAlone(body) : body);
    const cells = table.cellTemplate(table.tableRow(row, object));
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
        return Buffer.concat([...new ObjectText(spelling.row, spelling.apiVersion).pieces(spelling.body(entry, false), entry)]);
      case 'Metadata': {
        const metadata = metadataMember(spelling.metadataBody(entry, false));
        return Buffer.concat([Buffer.from(objectHead('PartialObjectMetadata', this.metaVersion)), metadata, Buffer.from('}')]);
      }
    }
  }
}

/** Stored JSON is ours, so it is always an object. */
function parsed(body: Buffer): JsonObject {
  const { value } = parseJson(body);
  return isObject(value) ? value : {};
}
