/**
 * An object that a worker thread shows to the server's thread, in parts: a part is parsed when a plug-in reads it, so that the labels, the owners and whatever else
 * nobody looks at cost that thread nothing. Only parts that have changed go back.
 */
import { parseStoredJson } from '../../../../../shared/serialization';
import { isObject, own, setMember, stringifyJson, type JsonObject, type JsonValue } from '../../../../../shared/values/json';

/** Members by name, as JSON. Undefined, on the way back: the member is gone. */
type Parts = readonly (readonly [string, string | undefined])[];

export interface ShownParts {
  readonly members: Parts;
  readonly metadata: Parts;
}

const METADATA = 'metadata';

export function shownParts(object: JsonObject): ShownParts {
  const { metadata, ...members } = object;
  return { members: partsOf(members), metadata: partsOf(isObject(metadata) ? metadata : {}) };
}

const partsOf = (object: JsonObject): Parts => Object.keys(object).map((name) => [name, textOf(own(object, name) ?? null)]);

/** The engine's own takes half the time. It has no text for what only a bigint holds, nor for what is nested very deeply. */
function textOf(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    return stringifyJson(value);
  }
}

/** What was parsed from the parts, on the thread that they are shown to. */
export class ShownObject {
  readonly object: JsonObject = {};
  private readonly metadata: JsonObject = {};

  constructor(private readonly parts: ShownParts) {
    for (const [name, text] of parts.metadata) define(this.metadata, name, text ?? 'null');
    this.object[METADATA] = this.metadata;
    for (const [name, text] of parts.members) define(this.object, name, text ?? 'null');
  }

  /** The parts that are not what they were. */
  changes(): ShownParts {
    const metadata = own(this.object, METADATA);
    return {
      members: changesOf(this.parts.members, this.object),
      metadata: changesOf(this.parts.metadata, isObject(metadata) ? metadata : {}),
    };
  }
}

function parse(text: string): JsonValue {
  const wrapped = `{"part":${text}}`;
  return own(parseStoredJson(Buffer.from(wrapped), wrapped), 'part') ?? null;
}

/** Becomes a plain member when it is read or written for the first time. */
function define(object: JsonObject, name: string, text: string): void {
  const settle = (value: JsonValue): JsonValue => {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
    return value;
  };
  Object.defineProperty(object, name, { get: () => settle(parse(text)), set: settle, enumerable: true, configurable: true });
}

function changesOf(before: Parts, object: JsonObject): Parts {
  const changed: (readonly [string, string | undefined])[] = [];
  const known = new Map(before);
  for (const [name] of before) if (!Object.hasOwn(object, name)) changed.push([name, undefined]);
  for (const name of Object.keys(object)) {
    // A part that has not been read is as it was. The metadata are parts of their own.
    if (name === METADATA || Object.getOwnPropertyDescriptor(object, name)?.get !== undefined) continue;
    const text = textOf(own(object, name) ?? null);
    if (text !== known.get(name)) changed.push([name, text]);
  }
  return changed;
}

/** Brings the changes into the object that has been shown. */
export function applyChanges(object: JsonObject, { members, metadata }: ShownParts): void {
  applyTo(object, members);
  const ofMetadata = own(object, METADATA);
  if (isObject(ofMetadata)) applyTo(ofMetadata, metadata);
}

function applyTo(object: JsonObject, changes: Parts): void {
  for (const [name, text] of changes) {
    if (text === undefined) delete object[name];
    else setMember(object, name, parse(text));
  }
}
