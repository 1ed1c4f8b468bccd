/** Objects and lists as YAML: what the JSON encoder of the same shape writes, member by member, so that long lists stay streams. */
import { arrayAt, isObject, sortedKeys, type JsonArray, type JsonObject } from '../../../shared/values/json';
import { YAML_MEDIA_TYPE } from '../../../shared/names/dialect';
import { parseJson, stringifyYaml } from '../../../shared/serialization';
import type { Entry } from '../../cache/cache';
import type { ShownPage } from '../../registry/verbs';
import { ByteSink, ChunkPool } from './byte-sink';
import type { Encoder, ListEncoder } from './encoder';

export class YamlEncoder implements Encoder {
  readonly key: string;
  readonly contentType = YAML_MEDIA_TYPE;
  readonly firstDiffers = false;

  constructor(private readonly json: Encoder) {
    this.key = `yaml/${json.key}`;
  }

  object(entry: Entry): Buffer {
    return yamlOf(this.json.object(entry));
  }

  /** The list around the items is written as JSON first, then as YAML in two halves: members are sorted, the items stand among them. */
  list(page: ShownPage): ListEncoder {
    const items = this.json.list(page);
    let head: Buffer = NOTHING;
    let after = '';
    let empty = '';
    let started = false;
    const write = (sink: ByteSink, shown: JsonArray): void => {
      if (shown.length === 0) return;
      if (!started) sink.byte(0x0a);
      started = true;
      for (const item of shown) sink.text(asListItem(stringifyYaml(item)));
    };
    return {
      start: (sink) => {
        head = collect((part) => items.start(part));
        const around = objectOf(Buffer.concat([head, collect((part) => this.json.list(page).end(part))]));
        const member = 'rows' in around ? 'rows' : 'items';
        sink.text(yamlText(pick(around, (name) => name < member)));
        after = yamlText(pick(around, (name) => name > member));
        empty = ` ${stringifyYaml(around[member] ?? null)}`;
        sink.ascii(`${member}:`);
      },
      item: (sink, entry) => write(sink, itemsOf(collect((part) => items.item(part, entry)))),
      end: (sink) => {
        // Lists that have an order of their own have kept items back.
        const rest = collect((part) => items.end(part));
        if (rest[0] !== CLOSE_LIST) write(sink, lastItems(head, rest));
        if (!started) sink.text(empty);
        sink.text(after);
      },
    };
  }

  frame(): Buffer {
    throw new Error('YAML is not streamed: negotiation never picks it for a watch');
  }

  errorFrame(): Buffer {
    return this.frame();
  }
}

const scratch = new ChunkPool();

function collect(write: (sink: ByteSink) => void): Buffer {
  const parts: Buffer[] = [];
  const sink = new ByteSink(scratch, (bytes, _last, done) => {
    parts.push(Buffer.from(bytes));
    done(true);
  });
  write(sink);
  sink.end();
  return Buffer.concat(parts);
}

const NOTHING = Buffer.alloc(0);
const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');
const [OPEN_LIST, CLOSE_LIST, COMMA] = [0x5b, 0x5d, 0x2c];

const isBetween = (byte: number | undefined): boolean => byte === COMMA || byte === OPEN_LIST;
const withoutFirst = (json: Buffer): Buffer => (isBetween(json[0]) ? json.subarray(1) : json);

/** Of a part of a list: none, one or several, behind what separates them from those before. */
function itemsOf(json: Buffer): JsonArray {
  const { value } = parseJson(Buffer.concat([OPEN, withoutFirst(json), CLOSE]));
  return Array.isArray(value) ? value : [];
}

/** Of a list whose beginning and end these are. */
function lastItems(head: Buffer, end: Buffer): JsonArray {
  const list = objectOf(Buffer.concat([head, withoutFirst(end)]));
  return arrayAt(list, 'rows') ?? arrayAt(list, 'items') ?? [];
}

function objectOf(json: Buffer): JsonObject {
  const { value } = parseJson(json);
  return isObject(value) ? value : {};
}

function yamlOf(json: Buffer): Buffer {
  return Buffer.from(stringifyYaml(objectOf(json)));
}

function yamlText(object: JsonObject): string {
  return Object.keys(object).length === 0 ? '' : stringifyYaml(object);
}

function pick(object: JsonObject, wanted: (name: string) => boolean): JsonObject {
  const picked: JsonObject = {};
  for (const name of sortedKeys(object)) if (wanted(name)) picked[name] = object[name] ?? null;
  return picked;
}

/** Block lines of a list item: `- ` before the first, two blanks before the others. */
function asListItem(yaml: string): string {
  const lines = yaml.endsWith('\n') ? yaml.slice(0, -1).split('\n') : yaml.split('\n');
  return `${lines.map((line, index) => (index === 0 ? `- ${line}` : line === '' ? line : `  ${line}`)).join('\n')}\n`;
}
