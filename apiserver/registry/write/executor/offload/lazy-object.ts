/**
 * An object that a worker thread sends to the server's thread in parts. A part is parsed when a plug-in reads it, so
 * unread parts, such as labels and owner references, cost that thread nothing. Only changed parts are sent back.
 */
import { parseStoredJson } from '../../../../../shared/serialization';
import { isObject, ownMember, setMember, stringifyJson, type JsonObject, type JsonValue } from '../../../../../shared/values/json';

/** Members by name, as JSON. In changes, `undefined` stands for a member that was removed. */
type Parts = readonly (readonly [string, string | undefined])[];

/** An object as a message to another thread: its members apart from the metadata, and the members of the metadata. */
export interface ObjectParts {
  readonly members: Parts;
  readonly metadata: Parts;
}

const METADATA = 'metadata';

/** Encodes each part of an object. */
export function toObjectParts(object: JsonObject): ObjectParts {
  const { metadata, ...members } = object;
  return { members: partsOf(members), metadata: partsOf(isObject(metadata) ? metadata : {}) };
}

const partsOf = (object: JsonObject): Parts => Object.keys(object).map((name) => [name, stringifyPart(ownMember(object, name) ?? null)]);

/** JSON.stringify is twice as fast, but fails for bigints and very deep values. */
function stringifyPart(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    return stringifyJson(value);
  }
}

/** The object on the receiving thread. */
export class LazyObject {
  readonly object: JsonObject = {};
  private readonly metadata: JsonObject = {};

  constructor(private readonly parts: ObjectParts) {
    for (const [name, text] of parts.metadata) defineLazyMember(this.metadata, name, text ?? 'null');
    this.object[METADATA] = this.metadata;
    for (const [name, text] of parts.members) defineLazyMember(this.object, name, text ?? 'null');
  }

  /** The parts that differ from those received. */
  changes(): ObjectParts {
    const metadata = ownMember(this.object, METADATA);
    return {
      members: changesOf(this.parts.members, this.object),
      metadata: changesOf(this.parts.metadata, isObject(metadata) ? metadata : {}),
    };
  }
}

/** The text is wrapped, because the parser of stored values accepts only objects. */
function parsePart(text: string): JsonValue {
  const wrapped = `{"part":${text}}`;
  return ownMember(parseStoredJson(wrapped), 'part') ?? null;
}

/** Defines a member that becomes a plain one when it is first read or written. */
function defineLazyMember(object: JsonObject, name: string, text: string): void {
  const setPlain = (value: JsonValue): JsonValue => {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
    return value;
  };
  Object.defineProperty(object, name, { get: () => setPlain(parsePart(text)), set: setPlain, enumerable: true, configurable: true });
}

function changesOf(before: Parts, object: JsonObject): Parts {
  const changed: (readonly [string, string | undefined])[] = [];
  const previous = new Map(before);
  for (const [name] of before) if (!Object.hasOwn(object, name)) changed.push([name, undefined]);
  for (const name of Object.keys(object)) {
    // An unread part is unchanged. Metadata is compared part by part.
    if (name === METADATA || Object.getOwnPropertyDescriptor(object, name)?.get !== undefined) continue;
    const text = stringifyPart(ownMember(object, name) ?? null);
    if (text !== previous.get(name)) changed.push([name, text]);
  }
  return changed;
}

/** Applies changes from the other thread to the object that was sent. */
export function applyChanges(object: JsonObject, { members, metadata }: ObjectParts): void {
  applyPartsTo(object, members);
  const targetMetadata = ownMember(object, METADATA);
  if (isObject(targetMetadata)) applyPartsTo(targetMetadata, metadata);
}

function applyPartsTo(object: JsonObject, changes: Parts): void {
  for (const [name, text] of changes) {
    if (text === undefined) delete object[name];
    else setMember(object, name, parsePart(text));
  }
}
