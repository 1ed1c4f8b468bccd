/**
 * Encodes objects and lists as YAML, by converting the output of a JSON encoder. Lists are converted item by item, so that
 * long ones remain streams. There are no watches in YAML: negotiation refuses them.
 */
import { arrayAt, isObject, sortedKeys, type JsonArray, type JsonObject } from '../../../shared/values/json';
import { YAML_MEDIA_TYPE } from '../../../shared/names/dialect';
import { parseJson, stringifyYaml } from '../../../shared/serialization';
import type { Entry } from '../../cache/cache';
import type { ResponsePage } from '../../registry/verbs';
import { ChunkPool, createMemorySink, type ByteSink } from './byte-sink';
import type { Encoder, ListEncoder } from './encoder';
import type { CachePolicy } from './encoding-cache';

const NO_BYTES = Buffer.alloc(0);
const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const NEW_LINE = 0x0a;

/** The encoder of the kind of `json`. */
export class YamlEncoder implements Encoder {
  readonly key: string;
  readonly contentType = YAML_MEDIA_TYPE;
  readonly hasDistinctFirstFrame = false;

  constructor(private readonly json: Encoder) {
    this.key = `yaml/${json.key}`;
  }

  object(entry: Entry, policy: CachePolicy): Buffer {
    return toYaml(this.json.object(entry, policy));
  }

  /**
   * The envelope of the list (the list without its items) is encoded as JSON first. YAML sorts members by name, so some
   * members of the envelope are written before the items and the others after them.
   */
  list(page: ResponsePage): ListEncoder {
    const jsonList = this.json.list(page);
    /** The JSON before the items. */
    let head: Buffer = NO_BYTES;
    /** The YAML after the items. */
    let tail = '';
    /** The YAML in place of the items when there are none: ` []` or ` null`. */
    let noItems = '';
    let hasItems = false;
    const writeItems = (sink: ByteSink, items: JsonArray): void => {
      if (items.length === 0) return;
      if (!hasItems) sink.byte(NEW_LINE);
      hasItems = true;
      for (const item of items) sink.text(asListItem(stringifyYaml(item)));
    };
    return {
      start: (sink) => {
        head = collect((part) => jsonList.start(part));
        const envelope = parseJsonObject(Buffer.concat([head, collect((part) => this.json.list(page).end(part))]));
        const member = 'rows' in envelope ? 'rows' : 'items';
        sink.text(membersToYaml(pick(envelope, (name) => name < member)));
        tail = membersToYaml(pick(envelope, (name) => name > member));
        noItems = ` ${stringifyYaml(envelope[member] ?? null)}`;
        sink.ascii(`${member}:`);
      },
      item: (sink, entry) => writeItems(sink, parseItems(collect((part) => jsonList.item(part, entry)))),
      end: (sink) => {
        // Lists that are sorted by rank hold items back until the end.
        const listEnd = collect((part) => jsonList.end(part));
        if (listEnd[0] !== CLOSE_LIST) writeItems(sink, lastItems(head, listEnd));
        if (!hasItems) sink.text(noItems);
        sink.text(tail);
      },
    };
  }

  /** Throws: negotiation selects no YAML for a watch. */
  frame(): Buffer {
    throw new Error('YAML is not streamed: negotiation never picks it for a watch');
  }

  /** Throws like {@link frame}. */
  errorFrame(): Buffer {
    return this.frame();
  }
}

const scratchPool = new ChunkPool();

/** The bytes that `write` adds to a sink. */
function collect(write: (sink: ByteSink) => void): Buffer {
  const { sink, finish } = createMemorySink(scratchPool);
  write(sink);
  return finish();
}

const isSeparator = (byte: number | undefined): boolean => byte === COMMA || byte === OPEN_LIST;
const withoutSeparator = (json: Buffer): Buffer => (isSeparator(json[0]) ? json.subarray(1) : json);

/** Parses a part of a list: any number of items, after a separator. */
function parseItems(json: Buffer): JsonArray {
  const { value } = parseJson(Buffer.concat([OPEN, withoutSeparator(json), CLOSE]));
  return Array.isArray(value) ? value : [];
}

/** The items in the end of a list, which is parsed together with `head`, the start of the list. */
function lastItems(head: Buffer, end: Buffer): JsonArray {
  const list = parseJsonObject(Buffer.concat([head, withoutSeparator(end)]));
  return arrayAt(list, 'rows') ?? arrayAt(list, 'items') ?? [];
}

function parseJsonObject(json: Buffer): JsonObject {
  const { value } = parseJson(json);
  return isObject(value) ? value : {};
}

function toYaml(json: Buffer): Buffer {
  return Buffer.from(stringifyYaml(parseJsonObject(json)));
}

function membersToYaml(object: JsonObject): string {
  return Object.keys(object).length === 0 ? '' : stringifyYaml(object);
}

function pick(object: JsonObject, isWanted: (name: string) => boolean): JsonObject {
  const picked: JsonObject = {};
  for (const name of sortedKeys(object)) if (isWanted(name)) picked[name] = object[name] ?? null;
  return picked;
}

/** Indents the lines of a list item: `- ` before the first, two spaces before the others. */
function asListItem(yaml: string): string {
  const lines = yaml.endsWith('\n') ? yaml.slice(0, -1).split('\n') : yaml.split('\n');
  const indented = lines.map((line, index) => {
    if (index === 0) return `- ${line}`;
    return line === '' ? line : `  ${line}`;
  });
  return `${indented.join('\n')}\n`;
}
