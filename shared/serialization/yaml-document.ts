/**
 * Composes the first document of a YAML text into JSON values: anchors and merge keys resolved within a budget, repeated keys reported with
 * their lines, keys made texts. Works on the parser's events, so that nothing is built twice.
 */
import { EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException, type Event, type ScalarEvent } from 'js-yaml';
import { compareBytes, isObject, setMember, type JsonArray, type JsonObject, type JsonValue } from '../api/json';
import { SyntaxFault } from './syntax-fault';
import { resolvePlain, type Scalar } from './yaml-scalar';

export interface YamlDocument {
  value: JsonValue;
  duplicates: string[];
}

const MAX_DEPTH = 500;
/** Values that aliases may add to a document, all together, and characters of their texts. */
const ALIASED_VALUES = 100_000;
const ALIASED_CHARACTERS = 3 * 1024 * 1024;
const MOST_DUPLICATES = 100;
/** Characters of a name in a message. */
const LONGEST_NAME = 1024;
const TAG_PREFIX = 'tag:yaml.org,2002:';

/** The first document of the text, null when there is none. Throws SyntaxFault. */
export function composeYaml(text: string): YamlDocument {
  let events: Event[];
  try {
    events = parseEvents(text, { maxDepth: MAX_DEPTH });
  } catch (error) {
    if (error instanceof YAMLException) throw new SyntaxFault(`yaml: ${explain(text, error)}`);
    throw error;
  }
  return new Composer(text, events).run();
}

interface Node {
  value: JsonValue;
  /** Values in it, itself included. */
  size: number;
  /** Characters of its texts and keys. */
  length: number;
}

type AnchorState = Node | 'open';

class Composer {
  private readonly duplicates: string[] = [];
  private readonly anchors = new Map<string, AnchorState>();
  private readonly aliased = { values: 0, characters: 0 };
  private at = 0;
  private line = 1;
  private countedTo = 0;

  constructor(
    private readonly text: string,
    private readonly events: readonly Event[],
  ) {}

  run(): YamlDocument {
    const first = this.events[0];
    if (first?.type !== EVENT_ID.DOCUMENT) return { value: null, duplicates: [] };
    for (const directive of first.directives) {
      if (directive.kind === 'yaml' && directive.version !== '1.1') throw new SyntaxFault('yaml: found incompatible YAML document');
    }
    this.at = 1;
    const node = this.node();
    return { value: node?.value ?? null, duplicates: this.duplicates };
  }

  /** The next node, or undefined at the end of the collection that is open. */
  private node(): Node | undefined {
    const event = this.events[this.at];
    this.at += 1;
    if (event === undefined) return undefined;
    switch (event.type) {
      case EVENT_ID.POP:
      case EVENT_ID.DOCUMENT:
        return undefined;
      case EVENT_ID.ALIAS:
        return this.alias(this.text.slice(event.anchorStart, event.anchorEnd));
      case EVENT_ID.SCALAR:
        return this.anchored(event, () => leaf(this.scalar(event)));
      case EVENT_ID.SEQUENCE:
        return this.anchored(event, () => this.sequence());
      case EVENT_ID.MAPPING:
        return this.anchored(event, () => this.mapping());
    }
  }

  private anchored(event: { anchorStart: number; anchorEnd: number }, compose: () => Node): Node {
    if (event.anchorStart < 0) return compose();
    const name = this.text.slice(event.anchorStart, event.anchorEnd);
    this.anchors.set(name, 'open');
    const node = compose();
    this.anchors.set(name, node);
    return node;
  }

  private alias(name: string): Node {
    const node = this.anchors.get(name);
    if (node === undefined) throw new SyntaxFault(`yaml: unknown anchor '${name}' referenced`);
    if (node === 'open') throw new SyntaxFault(`yaml: anchor '${name}' value contains itself`);
    this.aliased.values += node.size;
    this.aliased.characters += node.length;
    if (this.aliased.values > ALIASED_VALUES || this.aliased.characters > ALIASED_CHARACTERS)
      throw new SyntaxFault('yaml: document contains excessive aliasing');
    return node;
  }

  private sequence(): Node {
    const value: JsonArray = [];
    let [size, length] = [1, 0];
    for (let item = this.node(); item !== undefined; item = this.node()) {
      value.push(item.value);
      size += item.size;
      length += item.length;
    }
    return { value, size, length };
  }

  private mapping(): Node {
    const value: JsonObject = {};
    let [size, length] = [1, 0];
    for (;;) {
      const event = this.events[this.at];
      const isMerge = event?.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN && getScalarValue(this.text, event) === '<<';
      const key = this.node();
      if (key === undefined) break;
      const start = event?.type === EVENT_ID.SCALAR ? event.valueStart : 0;
      const item = this.node() ?? leaf(null);
      size += item.size + 1;
      length += item.length + key.length;
      if (isMerge) {
        for (const source of mergeSources(item.value)) {
          for (const [name, merged] of Object.entries(source)) if (!Object.hasOwn(value, name)) setMember(value, name, merged);
        }
        continue;
      }
      const name = keyText(key.value);
      if (Object.hasOwn(value, name) && this.duplicates.length < MOST_DUPLICATES) {
        const shown = typeof key.value === 'string' ? JSON.stringify(name.slice(0, LONGEST_NAME)) : name;
        this.duplicates.push(`line ${this.lineOf(start)}: key ${shown} already set in map`);
      }
      setMember(value, name, item.value);
    }
    return { value: sorted(value), size, length };
  }

  private scalar(event: ScalarEvent): Scalar {
    const text = getScalarValue(this.text, event);
    const tag =
      event.tagStart < 0
        ? ''
        : this.text
            .slice(event.tagStart, event.tagEnd)
            .replace(/^!<(.*)>$/, '$1')
            .replace(TAG_PREFIX, '!!');
    switch (tag) {
      case '':
        return event.style === SCALAR_STYLE.PLAIN ? resolvePlain(text) : text;
      case '!!binary':
        return Buffer.from(text, 'base64').toString('utf8');
      case '!!int':
      case '!!float':
      case '!!bool':
      case '!!null':
        return resolvePlain(text);
      default:
        return text;
    }
  }

  /** The line, from 1, of a place in the text. Counts on from the last place that was asked for. */
  private lineOf(place: number): number {
    if (place < this.countedTo) [this.line, this.countedTo] = [1, 0];
    for (let end = this.text.indexOf('\n', this.countedTo); end >= 0 && end < place; end = this.text.indexOf('\n', end + 1)) {
      this.line += 1;
      this.countedTo = end + 1;
    }
    return this.line;
  }
}

function leaf(value: Scalar): Node {
  return { value, size: 1, length: typeof value === 'string' ? value.length : 0 };
}

/** Members in the order of their names: upstream converts through a sorted map, and faults are reported in that order. */
function sorted(value: JsonObject): JsonObject {
  const keys = Object.keys(value);
  if (keys.every((key, index) => index === 0 || compareBytes(keys[index - 1] ?? '', key) < 0)) return value;
  const ordered: JsonObject = {};
  for (const key of keys.sort(compareBytes)) setMember(ordered, key, value[key] ?? null);
  return ordered;
}

function mergeSources(value: JsonValue): JsonObject[] {
  if (isObject(value)) return [value];
  if (Array.isArray(value) && value.every(isObject)) return value.filter(isObject);
  throw new SyntaxFault('yaml: map merge requires map or sequence of maps as the value');
}

function keyText(key: JsonValue): string {
  switch (typeof key) {
    case 'string':
      return key;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(key);
    default:
      break;
  }
  if (key === null) throw new SyntaxFault('unsupported map key of type: null');
  throw new SyntaxFault(`yaml: invalid map key: ${JSON.stringify(key)}`);
}

/** Upstream's words for the faults that people meet; the parser's own words for the others. */
const REASONS: readonly [RegExp, string][] = [
  [/^unexpected end of the stream within a (?:double|single) quoted scalar/, 'found unexpected end of stream'],
  [/^unknown escape sequence/, 'found unknown escape character'],
  [/^tab characters must not be used in indentation/, 'found character that cannot start any token'],
  [/^(?:bad indentation|end of the stream or a document separator is expected)/, 'did not find expected key'],
];

/** A flow collection that the text's end cuts off: after a value a separator is missing, else the value. */
function unfinished(text: string): string {
  let line = text.endsWith('\n') ? 0 : 1;
  for (const character of text) if (character === '\n') line += 1;
  const before = text.trimEnd();
  const open: string[] = [];
  let quote = '';
  for (let at = 0; at < before.length; at += 1) {
    const character = before.charAt(at);
    if (quote !== '') {
      if (character === '\\' && quote === '"') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '[' || character === '{') open.push(character === '[' ? ']' : '}');
    else if (character === open.at(-1)) open.pop();
  }
  const words = /[[{,:]$/.test(before) ? 'did not find expected node content' : `did not find expected ',' or '${open.at(-1) ?? ']'}'`;
  return `line ${line}: ${words}`;
}

function explain(text: string, fault: YAMLException): string {
  const reason = fault.reason;
  const place = fault.mark?.position ?? 0;
  const rest = text.slice(place).trimStart();
  const isTabbed = /^ *\t/.test(text.slice(text.lastIndexOf('\n', place - 1) + 1));
  if (/^[@`%]/.test(rest) || isTabbed) return 'found character that cannot start any token';
  if (reason.includes('non-printable')) return 'control characters are not allowed';
  if (/^- /.test(rest) && reason.startsWith('bad indentation')) return 'block sequence entries are not allowed in this context';
  if (/^[\]}]/.test(rest)) return 'did not find expected node content';
  if (/^:(?:\s|$)/.test(rest)) return 'mapping values are not allowed in this context';
  if (reason.startsWith('unexpected end of the stream within a flow collection')) return unfinished(text);
  const line = fault.mark?.line ?? 0;
  const words = REASONS.find(([pattern]) => pattern.test(reason))?.[1] ?? reason;
  return line > 0 ? `line ${line}: ${words}` : words;
}
