/** Objects and lists as YAML: what the JSON encoder of the same shape writes, member by member, so that long lists stay streams. */
import { isObject, sortedKeys, type JsonObject } from '../../../shared/values/json';
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
    let started = false;
    let after = '';
    return {
      start: (sink) => {
        const empty = this.json.list(page);
        const around = objectOf(
          collect((whole) => {
            empty.start(whole);
            empty.end(whole);
          }),
        );
        const member = 'rows' in around ? 'rows' : 'items';
        sink.text(yamlText(pick(around, (name) => name < member)));
        after = yamlText(pick(around, (name) => name > member));
        sink.ascii(`${member}:`);
      },
      item: (sink, entry) => {
        if (!started) sink.byte(0x0a);
        started = true;
        // As the only item of a list of its own the item is complete JSON between the brackets.
        const one = this.json.list(page);
        const list = objectOf(
          collect((whole) => {
            one.start(whole);
            one.item(whole, entry);
            one.end(whole);
          }),
        );
        const items = list['rows'] ?? list['items'];
        const item = Array.isArray(items) ? items[0] : undefined;
        sink.text(asListItem(stringifyYaml(item ?? {})));
      },
      end: (sink) => {
        if (!started) sink.ascii(' []\n');
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
