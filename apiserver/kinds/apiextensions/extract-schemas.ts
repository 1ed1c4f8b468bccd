/**
 * Splits the JSON of a stored CustomResourceDefinition into its schemas and a small object with the rest. The schemas are
 * most of a definition, and code that reads or changes only the rest need not parse them.
 */
import { parseStoredJson } from '../../../shared/serialization';
import type { JsonObject } from '../../../shared/values/json';

/** A definition without its schemas, which may be large. */
export interface DefinitionOutline {
  /** The definition, with each schema replaced by its index in {@link schemas}. */
  readonly object: JsonObject;
  /** The schemas as JSON: slices of the given bytes. */
  readonly schemas: readonly Buffer[];
}

/**
 * The start of a schema. It cannot occur within a string, where quotation marks are escaped. Outside of schemas, the
 * versions are the only objects with this member.
 */
const SCHEMA_MEMBER = Buffer.from('"openAPIV3Schema":{');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** `bytes` is the canonical JSON of a definition. */
export function extractSchemas(bytes: Buffer): DefinitionOutline {
  const schemas: Buffer[] = [];
  const outline: string[] = [];
  let position = 0;
  for (let memberStart = bytes.indexOf(SCHEMA_MEMBER); memberStart >= 0; memberStart = bytes.indexOf(SCHEMA_MEMBER, position)) {
    const start = memberStart + SCHEMA_MEMBER.length - 1;
    outline.push(bytes.toString('utf8', position, start), String(schemas.length));
    position = endOfObject(bytes, start);
    schemas.push(bytes.subarray(start, position));
  }
  outline.push(bytes.toString('utf8', position));
  return { object: parseStoredJson(outline.join('')), schemas };
}

/** Encoding of the member after its schema was replaced: an empty schema. */
const EMPTY_SCHEMA_MEMBER = `${SCHEMA_MEMBER.toString()}}`;

/**
 * Puts the schemas back into `body`, an encoded outline in which each schema is encoded as an empty one. Throws when the
 * number of empty schemas is not that of `schemas`.
 */
export function restoreSchemas(body: string, schemas: readonly Buffer[]): string {
  const [first = '', ...rest] = body.split(EMPTY_SCHEMA_MEMBER);
  if (rest.length !== schemas.length) throw new Error('schemas are missing from an outline');
  const memberName = EMPTY_SCHEMA_MEMBER.slice(0, -'{}'.length);
  return first + rest.map((text, index) => memberName + String(schemas[index]) + text).join('');
}

/** The index after the object that begins at `start`. */
function endOfObject(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let index = start; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === QUOTE) index = endOfString(bytes, index);
    else if (byte === OPEN_BRACE) depth += 1;
    else if (byte === CLOSE_BRACE) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  throw new Error('an object is not terminated');
}

/** The index of the quotation mark that ends the string beginning at `start`. An escaped one follows an odd number of backslashes. */
function endOfString(bytes: Buffer, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (bytes[end - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  throw new Error('a string is not terminated');
}
