/**
 * Composes the first document of a YAML text to a JSON value: resolves anchors and merge keys within a budget, reports
 * duplicate keys with their lines and converts keys to strings. Works on the events of the parser, so that no
 * intermediate document is built.
 */
import {
  COLLECTION_STYLE,
  EVENT_ID,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
  type Event,
  type ScalarEvent,
} from 'js-yaml';
import {
  compareBytes,
  isObject,
  ownMember,
  setMember,
  stringifyJson,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../values/json';
import { ParseError } from '../json/parse-error';
import { explainYaml } from './explain-yaml';
import { IndentRepairer } from './yaml-indent';
import { isScalarTag, resolvePlain, resolveTagged, type YamlScalar } from './yaml-scalar';

/** The value of a document, and messages about its duplicate keys. */
export interface YamlDocument {
  value: JsonValue;
  /** Such as `line 5: key "type" already set in map`. */
  duplicates: string[];
}

/** Of nested collections, because the composer is recursive. */
const MAX_DEPTH = 500;
/** Limits of the values, and of the characters in strings, that all aliases together add to a document. */
const MAX_ALIASED_VALUES = 100_000;
const MAX_ALIASED_CHARACTERS = 3 * 1024 * 1024;
/** Duplicate keys that are collected; a client chooses how many there are. */
const MAX_DUPLICATES = 100;
/** In characters, in messages. */
const MAX_PRINTED_KEY_LENGTH = 1024;
/** In characters, including quotation marks. */
const MAX_KEY_LENGTH = 1024;
/** An escape in a double-quoted scalar: `\x41`, `\u0041`, `\U00000041`, or a backslash and any one character. */
const ESCAPE = /\\(x[^]{2}|u[^]{4}|U[^]{8}|[^])/g;
const LAST_CHARACTER = 0x10_ff_ff;
const FIRST_SURROGATE = 0xd8_00;
const LAST_SURROGATE = 0xdf_ff;
const TAG_PREFIX = 'tag:yaml.org,2002:';

/** The first document of the text; its value is null when there is none. Throws ParseError. */
export function composeYaml(text: string): YamlDocument {
  const repairer = new IndentRepairer(text);
  for (;;) {
    try {
      return new Composer(repairer.text, parseEvents(repairer.text, { maxDepth: MAX_DEPTH })).run();
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error;
      if (!repairer.repair(error)) throw new ParseError(`yaml: ${explainYaml(repairer.text, error)}`);
    }
  }
}

/** A composed node, with what it adds to the budget when an alias refers to it. */
interface Node {
  value: JsonValue;
  /** The number of values in it, including itself. */
  size: number;
  /** The characters of its strings and keys. */
  length: number;
  /** The pairs of a mapping in order of appearance, duplicates included; {@link NO_PAIRS} of other values. */
  pairs: readonly Pair[];
}

/** A key of a mapping, and where its value is. */
interface Pair {
  readonly name: string;
  /** The key as in messages, which distinguishes a number (`1`) from a string (`"1"`). */
  readonly display: string;
  readonly valueOffset: number;
}

const NO_PAIRS: readonly Pair[] = [];

/** A mapping that is being composed. */
interface Mapping {
  readonly value: JsonObject;
  /** The keys so far, as in {@link Pair.display}. */
  readonly seen: Set<string>;
  readonly pairs: Pair[];
}

/** `open` while the anchored node is being composed. */
type AnchorState = Node | 'open';
type MappingStyle = 'flow' | 'block';

/** Composes the events of one document. In an event of js-yaml, the offset -1 stands for a part that is absent. */
class Composer {
  private readonly duplicates: string[] = [];
  private readonly anchors = new Map<string, AnchorState>();
  /** The pairs of mappings that are items of a list, for a merge key with a list: `<<: [*a, *b]`. */
  private readonly pairsByMapping = new Map<JsonValue, readonly Pair[]>();
  /** What all aliases so far have added to the document. */
  private readonly aliased = { values: 0, characters: 0 };
  /** The index of the next event. */
  private cursor = 0;
  /** The line, from 1, of the offset {@link countedTo}; see {@link lineOf}. */
  private line = 1;
  /** The offset up to which {@link lineOf} has counted lines. */
  private countedTo = 0;

  constructor(
    private readonly text: string,
    private readonly events: readonly Event[],
  ) {}

  run(): YamlDocument {
    const first = this.events[0];
    if (first?.type !== EVENT_ID.DOCUMENT) return { value: null, duplicates: [] };
    for (const directive of first.directives) {
      if (directive.kind === 'yaml' && directive.version !== '1.1') throw new ParseError('yaml: found incompatible YAML document');
    }
    this.cursor = 1;
    const node = this.composeNode();
    return { value: node?.value ?? null, duplicates: this.duplicates };
  }

  /** The next node; `undefined` at the end of the current collection. */
  private composeNode(): Node | undefined {
    const event = this.events[this.cursor];
    this.cursor += 1;
    if (event === undefined) return undefined;
    switch (event.type) {
      case EVENT_ID.POP:
      case EVENT_ID.DOCUMENT:
        return undefined;
      case EVENT_ID.ALIAS:
        return this.resolveAlias(this.text.slice(event.anchorStart, event.anchorEnd));
      case EVENT_ID.SCALAR:
        return this.composeAnchored(event, () => leaf(this.resolveScalar(event)));
      case EVENT_ID.SEQUENCE:
        return this.composeAnchored(event, () => this.composeSequence());
      case EVENT_ID.MAPPING:
        return this.composeAnchored(event, () => this.composeMapping(event.style === COLLECTION_STYLE.FLOW ? 'flow' : 'block'));
    }
  }

  private composeAnchored(event: { anchorStart: number; anchorEnd: number }, compose: () => Node): Node {
    if (event.anchorStart < 0) return compose();
    const name = this.text.slice(event.anchorStart, event.anchorEnd);
    this.anchors.set(name, 'open');
    const node = compose();
    this.anchors.set(name, node);
    return node;
  }

  private resolveAlias(name: string): Node {
    const node = this.anchors.get(name);
    if (node === undefined) throw new ParseError(`yaml: unknown anchor '${name}' referenced`);
    if (node === 'open') throw new ParseError(`yaml: anchor '${name}' value contains itself`);
    this.aliased.values += node.size;
    this.aliased.characters += node.length;
    if (this.aliased.values > MAX_ALIASED_VALUES || this.aliased.characters > MAX_ALIASED_CHARACTERS)
      throw new ParseError('yaml: document contains excessive aliasing');
    return node;
  }

  private composeSequence(): Node {
    const value: JsonArray = [];
    let size = 1;
    let length = 0;
    for (let item = this.composeNode(); item !== undefined; item = this.composeNode()) {
      value.push(item.value);
      if (item.pairs !== NO_PAIRS) this.pairsByMapping.set(item.value, item.pairs);
      size += item.size;
      length += item.length;
    }
    return { value, size, length, pairs: NO_PAIRS };
  }

  private composeMapping(style: MappingStyle): Node {
    const target: Mapping = { value: {}, seen: new Set(), pairs: [] };
    let size = 1;
    let length = 0;
    for (;;) {
      const event = this.events[this.cursor];
      const isMerge = this.isMergeKey(event);
      const key = this.composeNode();
      if (key === undefined) break;
      const valueOffset = this.nodeOffset(this.cursor) ?? (event === undefined ? 0 : eventOffset(event));
      this.checkKey(event, valueOffset, style);
      const item = this.composeNode() ?? leaf(null);
      size += item.size + 1;
      length += item.length + key.length;
      if (isMerge) this.merge(target, item);
      else this.assign(target, { ...resolveKey(key.value, item.value), valueOffset }, item.value);
    }
    return { value: sortMembers(target.value), size, length, pairs: target.pairs };
  }

  private isMergeKey(event: Event | undefined): boolean {
    return event?.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN && getScalarValue(this.text, event) === '<<';
  }

  /** Assigns the pairs of the merged mappings. The first of several takes precedence, so it is assigned last. */
  private merge(target: Mapping, { value, pairs }: Node): void {
    const sources = Array.isArray(value) ? value : [value];
    if (!sources.every(isObject)) throw new ParseError('yaml: map merge requires map or sequence of maps as the value');
    for (const source of sources.filter(isObject).reverse()) {
      const sourcePairs = isObject(value) ? pairs : (this.pairsByMapping.get(source) ?? NO_PAIRS);
      for (const pair of sourcePairs) this.assign(target, pair, ownMember(source, pair.name) ?? null);
    }
  }

  private assign({ value, seen, pairs }: Mapping, pair: Pair, item: JsonValue): void {
    if (seen.has(pair.display) && this.duplicates.length < MAX_DUPLICATES) {
      this.duplicates.push(
        `line ${this.lineOf(pair.valueOffset)}: key ${pair.display.slice(0, MAX_PRINTED_KEY_LENGTH)} already set in map`,
      );
    }
    seen.add(pair.display);
    pairs.push(pair);
    setMember(value, pair.name, item);
  }

  /**
   * The offset of the node that begins with an event. A block collection has none of its own, so it is that of its first
   * item. `undefined` for a missing node.
   */
  private nodeOffset(eventIndex: number): number | undefined {
    for (let index = eventIndex; index < this.events.length; index += 1) {
      const event = this.events[index];
      if (event === undefined || event.type === EVENT_ID.POP || event.type === EVENT_ID.DOCUMENT) return undefined;
      const start = eventOffset(event);
      if (start >= 0) return start;
      if (event.type === EVENT_ID.SCALAR) return undefined;
    }
    return undefined;
  }

  private resolveScalar(event: ScalarEvent): YamlScalar {
    this.checkEscapes(event);
    const text = this.isCutOff(event) ? getScalarValue(this.text, event).replace(/\n$/, '') : getScalarValue(this.text, event);
    const tag =
      event.tagStart < 0
        ? ''
        : this.text
            .slice(event.tagStart, event.tagEnd)
            .replace(/^!<(.*)>$/, '$1')
            .replace(TAG_PREFIX, '!!');
    if (isScalarTag(tag)) return resolveTagged(tag, text);
    return tag === '' && event.style === SCALAR_STYLE.PLAIN ? resolvePlain(text) : text;
  }

  /** Rejects escapes that YAML 1.2, and so js-yaml, allows but YAML 1.1 does not: `\/`, and codes of no character. */
  private checkEscapes({ style, valueStart, valueEnd }: ScalarEvent): void {
    if (style !== SCALAR_STYLE.DOUBLE_QUOTED) return;
    const raw = this.text.slice(valueStart, valueEnd);
    if (!raw.includes('\\')) return;
    for (const { 1: escape = '', index } of raw.matchAll(ESCAPE)) {
      // Escapes shorter than `uXXXX` have no code, or one below 0x100, which is always a character.
      const code = escape.length < 5 ? 0 : parseInt(escape.slice(1), 16);
      const isCharacter = code <= LAST_CHARACTER && (code < FIRST_SURROGATE || code > LAST_SURROGATE);
      const message = escape === '/' ? 'found unknown escape character' : 'found invalid Unicode character escape code';
      if (escape === '/' || !isCharacter) throw this.scannerError(valueStart + index, message);
    }
  }

  /**
   * Rejects keys that upstream's scanner does not recognize: missing keys (`: a`), and keys that are longer than the
   * scanner looks back. A key that is marked by `?` is recognized in any case.
   */
  private checkKey(event: Event | undefined, valueOffset: number, style: MappingStyle): void {
    if (event?.type !== EVENT_ID.SCALAR) return;
    const { anchorStart, tagStart, valueStart, valueEnd } = event;
    const isMissing = valueStart < 0 && anchorStart < 0 && tagStart < 0;
    if (isMissing) {
      if (this.lastBefore(valueOffset, /[\s:]/) === '?') return;
      throw this.parserError(valueOffset, style === 'flow' ? 'did not find expected node content' : 'did not find expected key');
    }
    const quoteLength = event.style === SCALAR_STYLE.PLAIN ? 0 : 1;
    const maxLength = MAX_KEY_LENGTH - 2 * quoteLength;
    if (valueEnd - valueStart <= maxLength || [...this.text.slice(valueStart, valueEnd)].length <= maxLength) return;
    if (this.lastBefore(valueStart - quoteLength, /\s/) === '?') return;
    throw style === 'flow'
      ? this.parserError(valueStart, "did not find expected ',' or '}'")
      : this.scannerError(valueStart, 'mapping values are not allowed in this context');
  }

  /** The last character before an offset that does not match `skipped`; `''` when there is none. */
  private lastBefore(offset: number, skipped: RegExp): string {
    let index = offset - 1;
    while (index >= 0 && skipped.test(this.text.charAt(index))) index -= 1;
    return this.text.charAt(index);
  }

  /** An error of upstream's scanner, which counts lines from 1 and does not mention the first one. */
  private scannerError(offset: number, message: string): ParseError {
    const line = this.lineOf(offset);
    return new ParseError(line === 1 ? `yaml: ${message}` : `yaml: line ${line}: ${message}`);
  }

  /** An error of upstream's parser, which counts lines from 0 and does not mention the first one. */
  private parserError(offset: number, message: string): ParseError {
    const line = this.lineOf(offset);
    return new ParseError(line === 1 ? `yaml: ${message}` : `yaml: line ${line - 1}: ${message}`);
  }

  /**
   * Whether the event is a block scalar at the end of a text without a final line break. js-yaml adds the line break to
   * its value, upstream does not.
   */
  private isCutOff(event: ScalarEvent): boolean {
    return isBlock(event) && event.valueEnd >= this.text.length && this.text.slice(this.text.lastIndexOf('\n')).trim() !== '';
  }

  /** The line (from 1) of an offset. Continues counting from the offset of the last call. */
  private lineOf(offset: number): number {
    if (offset < this.countedTo) {
      this.line = 1;
      this.countedTo = 0;
    }
    for (let end = this.text.indexOf('\n', this.countedTo); end >= 0 && end < offset; end = this.text.indexOf('\n', end + 1)) {
      this.line += 1;
      this.countedTo = end + 1;
    }
    return this.line;
  }
}

function leaf(value: YamlScalar): Node {
  return { value, size: 1, length: typeof value === 'string' ? value.length : 0, pairs: NO_PAIRS };
}

const isBlock = ({ style }: ScalarEvent): boolean => style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK;

/**
 * The offset of the anchor or value of an event. -1 for collections in block style without an anchor, and for block
 * scalars without one: the `|` or `>` of a block scalar is on the line of its key.
 */
function eventOffset(event: Event): number {
  switch (event.type) {
    case EVENT_ID.SCALAR:
      return event.anchorStart >= 0 || isBlock(event) ? event.anchorStart : event.valueStart;
    case EVENT_ID.ALIAS:
      return event.anchorStart;
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING:
      if (event.anchorStart >= 0) return event.anchorStart;
      return event.style === COLLECTION_STYLE.FLOW ? event.start : -1;
    default:
      return -1;
  }
}

/** Sorts members by name: upstream converts documents through a sorted map, and reports errors in that order. */
function sortMembers(value: JsonObject): JsonObject {
  const keys = Object.keys(value);
  if (keys.every((key, index) => index === 0 || compareBytes(keys[index - 1] ?? '', key) < 0)) return value;
  const ordered: JsonObject = {};
  for (const key of keys.sort(compareBytes)) setMember(ordered, key, value[key] ?? null);
  return ordered;
}

/** @param value of the key, for an error message */
function resolveKey(key: JsonValue, value: JsonValue): { readonly name: string; readonly display: string } {
  const name = keyText(key, value);
  return { name, display: typeof key === 'string' ? JSON.stringify(name) : name };
}

function keyText(key: JsonValue, value: JsonValue): string {
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
  if (key === null) throw new ParseError(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${stringifyJson(value)}`);
  throw new ParseError(`yaml: invalid map key: ${JSON.stringify(key)}`);
}
