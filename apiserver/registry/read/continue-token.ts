/**
 * Continue tokens in the format of upstream: position and revision of the next page of a list. Tokens are not signed,
 * because a token gives access to no more than the list it belongs to; they are only validated strictly.
 *
 * Format: base64url without padding of `{"v":"meta.<group suffix>/v1","rv":<revision>,"start":"<key relative to what
 * was listed>"}`. A start that ends in NUL means "after that key": `default/a\0` -> the first key after `default/a`. As in
 * upstream, a leading slash is accepted and dropped.
 */
import { jsonKindOf } from '../../../shared/api/types/decode-error';
import { canonicalApiVersion } from '../../../shared/names/dialect';
import { isObject, type JsonObject } from '../../../shared/values/json';
import { badRequest, type StatusError } from '../../../shared/api/errors/status';
import { parseJson, ParseError, type ParsedText } from '../../../shared/serialization';
import type { Revision } from '../../storage/store';

/** The content of a token. */
export interface ContinueToken {
  /** Revision of the first page; negative: the newest revision ("inconsistent continuation"). */
  readonly revision: Revision;
  /** First key of the page, relative to the listed prefix; empty: from the beginning. */
  readonly start: string;
}

/** Revision in the token of an inconsistent continuation. */
export const NEWEST_REVISION: Revision = -1;

const VERSION = 'meta.platform.io/v1';

/** The opaque text of a token, as clients send it back. */
export function formatContinueToken(token: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: token.revision, start: token.start })).toString('base64url');
}

/** The start after a key, relative to the listed prefix. */
export function startAfterKey(relativeKey: string): string {
  return `${relativeKey}\0`;
}

/** Throws StatusError 400 for a malformed text. A well-formed one need not have been produced by a server. */
export function parseContinueToken(text: string): ContinueToken {
  const fields = decodeFields(text);
  const version = stringField(fields, 'v');
  const revision = revisionField(fields);
  const start = stringField(fields, 'start');
  if (canonicalApiVersion(version) !== VERSION) throw invalidToken(`server does not recognize this encoded version ${version}`);
  if (revision === 0) throw invalidToken(`incorrect encoded start resourceVersion (version ${VERSION})`);
  if (start === '') throw invalidToken(`encoded start key empty (version ${VERSION})`);
  if (!isCleanPath(start)) throw invalidToken(start);
  return { revision, start: start.startsWith('/') ? start.slice(1) : start };
}

function invalidToken(reason: string): StatusError {
  return badRequest(`invalid continue token: continue key is not valid: ${reason}`);
}

/** True for `/`, and for a path without empty, `.` and `..` segments; a leading slash is allowed. */
function isCleanPath(start: string): boolean {
  const relative = start.startsWith('/') ? start.slice(1) : start;
  if (relative === '') return true;
  return relative.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

interface TokenFields extends ParsedText {
  readonly value: JsonObject;
}

function decodeFields(text: string): TokenFields {
  const errorIndex = base64ErrorIndex(text);
  if (errorIndex !== undefined) throw invalidToken(`illegal base64 data at input byte ${errorIndex}`);
  const parsed = parseTokenJson(Buffer.from(text, 'base64url'));
  if (parsed.value === null) return { ...parsed, value: {} };
  if (!isObject(parsed.value))
    throw invalidToken(`json: cannot unmarshal ${jsonKindOf(parsed.value)} into Go value of type storage.continueToken`);
  return { ...parsed, value: parsed.value };
}

function parseTokenJson(bytes: Buffer): ParsedText {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (error instanceof ParseError) throw invalidToken(error.message);
    throw error;
  }
}

/**
 * Index of the first character that is invalid in unpadded base64url, or `undefined`. As in Go, line breaks are skipped. A
 * last group of one character is invalid, because it holds less than a byte.
 */
function base64ErrorIndex(text: string): number | undefined {
  const invalid = text.search(/[^A-Za-z0-9_\r\n-]/);
  if (invalid >= 0) return invalid;
  return text.replace(/[\r\n]/g, '').length % 4 === 1 ? text.length - 1 : undefined;
}

/** Finds a member as Go's decoder does: by its exact name, otherwise ignoring case. */
function memberName(fields: JsonObject, name: string): string | undefined {
  if (Object.hasOwn(fields, name)) return name;
  return Object.keys(fields).find((key) => key.toLowerCase() === name);
}

/** Empty when the field is absent or null. */
function stringField({ value: fields }: TokenFields, name: string): string {
  const key = memberName(fields, name);
  const value = key === undefined ? undefined : fields[key];
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string')
    throw invalidToken(`json: cannot unmarshal ${jsonKindOf(value)} into Go struct field continueToken.${name} of type string`);
  return value;
}

/** 0 when the field is absent or null. */
function revisionField({ value: fields, literals }: TokenFields): number {
  const key = memberName(fields, 'rv');
  const value = key === undefined ? undefined : fields[key];
  if (key === undefined || value === undefined || value === null) return 0;
  const mismatch = (typeText: string): StatusError =>
    invalidToken(`json: cannot unmarshal ${typeText} into Go struct field continueToken.rv of type int64`);
  if (typeof value !== 'number' && typeof value !== 'bigint') throw mismatch(jsonKindOf(value));
  // As in Go, the field is an int64: neither `1.0` nor `1e3` nor a larger number fits, so the literal is checked.
  const literal = literals?.get(fields)?.get(key) ?? String(value);
  if (!/^-?[0-9]+$/.test(literal) || BigInt.asIntN(64, BigInt(literal)) !== BigInt(literal)) throw mismatch(`number ${literal}`);
  return Number(literal);
}
