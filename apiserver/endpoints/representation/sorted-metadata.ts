/**
 * Sorts the members of a custom object's metadata by name, as upstream encodes objects that it has no type for. The
 * stored value, PartialObjectMetadata and Tables have the order of the type. Works on JSON text in the dialect of the
 * response: values are moved, not parsed.
 */
import { parseStoredJson } from '../../../shared/serialization';
import { endOfString, endOfValue } from '../../../shared/serialization/json/json-tokens';
import { stringifyJson } from '../../../shared/values/json';

const START = '"metadata":';
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
/** The members of metadata that are lists of objects; the members of these objects are sorted too. */
const TYPED_LISTS: ReadonlySet<string> = new Set(['managedFields', 'ownerReferences']);
/**
 * Matches field sets that may have elements which are stored in numeric order: indexes (`i:3`), numbers in a set
 * (`v:8080`), and keys that contain numbers (`k:{"containerPort":8080}`). Upstream sorts these as texts. Other field sets
 * are sorted already.
 */
const NUMBERED = /"(?:i:|v:-?\d|k:\{[^}]*:-?\d)/;

/**
 * The member with its object's members in order of their names. `member` is `"metadata":{…}` in canonical form; the
 * result has the same length.
 */
export function sortedMetadata(member: Buffer): Buffer {
  // latin1 has a character for every byte, so the text keeps all bytes.
  const sorter = new MetadataSorter(member.toString('latin1'), START.length);
  return Buffer.from(START + sorter.readObject(), 'latin1');
}

interface Member {
  readonly name: string;
  /** Name and value. */
  readonly text: string;
}

/** Reads the text once, from the value of `metadata` on. */
class MetadataSorter {
  constructor(
    private readonly text: string,
    private position: number,
  ) {}

  /** Reads the object that starts at the current position. Returns it with sorted members. */
  readObject(): string {
    const members: Member[] = [];
    this.position += 1;
    while (this.text.charCodeAt(this.position) === QUOTE) {
      members.push(this.readMember());
      if (this.text.charCodeAt(this.position) === COMMA) this.position += 1;
    }
    this.position += 1;
    members.sort((a, b) => (a.name < b.name ? -1 : 1));
    return `{${members.map((member) => member.text).join(',')}}`;
  }

  /** Reads a member. The objects in its value are sorted where upstream sorts them. */
  private readMember(): Member {
    const { position: start, text } = this;
    const nameEnd = endOfString(text, start);
    const name = text.slice(start + 1, nameEnd);
    const value = nameEnd + 2;
    this.position = value;
    if (TYPED_LISTS.has(name) && text.charCodeAt(value) === OPEN_LIST) return { name, text: `"${name}":${this.readList()}` };
    this.position = endOfValue(text, value);
    if (name === 'fieldsV1') return { name, text: `"fieldsV1":${sortedFields(text.slice(value, this.position))}` };
    return { name, text: text.slice(start, this.position) };
  }

  /** Reads a list of objects. Returns it with the members of each object sorted. */
  private readList(): string {
    const items: string[] = [];
    this.position += 1;
    while (this.text.charCodeAt(this.position) === OPEN_OBJECT) {
      items.push(this.readObject());
      if (this.text.charCodeAt(this.position) === COMMA) this.position += 1;
    }
    this.position += 1;
    return `[${items.join(',')}]`;
  }
}

/** A field set with its elements in the order of their texts. */
function sortedFields(fields: string): string {
  if (!NUMBERED.test(fields)) return fields;
  const bytes = Buffer.from(fields, 'latin1');
  return Buffer.from(stringifyJson(parseStoredJson(bytes.toString()), 'sorted')).toString('latin1');
}
