/**
 * Continue tokens: where the next page of a list begins and at which revision. Upstream's format, unsigned: a token gives no more than
 * the list that it comes with, so it is only checked strictly (clean start below what is listed, a revision that exists).
 *
 * Format: base64url without padding of `{"v":"meta.<group suffix>/v1","rv":<revision>,"start":"<key relative to what was listed>"}`. A start that
 * ends in NUL means "after that key"; one with a leading slash is the other form upstream makes.
 */
import { canonicalApiVersion } from '../../../shared/names/dialect';
import { isObject, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { badRequest, type StatusError } from '../../../shared/api/errors/status';
import { parseJson, SyntaxFault, type ParsedText } from '../../../shared/serialization';
import type { Revision } from '../../storage/store';

export interface ContinueToken {
  /** The first page's revision; negative = whatever is newest ("inconsistent continuation"). */
  readonly revision: Revision;
  /** Where to go on, relative to the listed prefix; '' = from its beginning. */
  readonly start: string;
}

/** The revision of a continuation that gives up consistency. */
export const NEWEST: Revision = -1;

const VERSION = 'meta.platform.io/v1';

export function formatContinue(token: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: token.revision, start: token.start })).toString('base64url');
}

/** The start that follows a key relative to the listed prefix. */
export function startAfter(relativeKey: string): string {
  return `${relativeKey}\0`;
}

/** Throws StatusError 400 for anything that no server could have made. */
export function parseContinue(text: string): ContinueToken {
  const fields = decode(text);
  const version = stringField(fields, 'v');
  const revision = revisionField(fields);
  const start = stringField(fields, 'start');
  if (canonicalApiVersion(version) !== VERSION) throw refused(`server does not recognize this encoded version ${version}`);
  if (revision === 0) throw refused(`incorrect encoded start resourceVersion (version ${VERSION})`);
  if (start === '') throw refused(`encoded start key empty (version ${VERSION})`);
  if (!isClean(start)) throw refused(start);
  return { revision, start: start.startsWith('/') ? start.slice(1) : start };
}

function refused(reason: string): StatusError {
  return badRequest(`invalid continue token: continue key is not valid: ${reason}`);
}

/** True for a relative path (a leading slash is allowed) whose segments are neither empty, `.` nor `..`; and for `/` alone. */
function isClean(start: string): boolean {
  const relative = start.startsWith('/') ? start.slice(1) : start;
  if (relative === '') return true;
  return relative.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

function decode(text: string): ParsedText & { readonly value: JsonObject } {
  const fault = base64Fault(text);
  if (fault !== undefined) throw refused(`illegal base64 data at input byte ${fault}`);
  const parsed = parse(Buffer.from(text, 'base64url'));
  if (parsed.value === null) return { ...parsed, value: {} };
  if (!isObject(parsed.value))
    throw refused(`json: cannot unmarshal ${jsonTypeName(parsed.value)} into Go value of type storage.continueToken`);
  return { ...parsed, value: parsed.value };
}

function parse(bytes: Buffer): ParsedText {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (error instanceof SyntaxFault) throw refused(error.message);
    throw error;
  }
}

/** Index of the first character that cannot stand in unpadded base64url, or undefined. */
function base64Fault(text: string): number | undefined {
  const invalid = text.search(/[^A-Za-z0-9_\r\n-]/);
  if (invalid >= 0) return invalid;
  return text.replace(/[\r\n]/g, '').length % 4 === 1 ? text.length - 1 : undefined;
}

/** Member names are matched as upstream's decoder does: the exact spelling, or any that differs in case alone. */
function member(fields: JsonObject, name: string): string | undefined {
  if (Object.hasOwn(fields, name)) return name;
  return Object.keys(fields).find((key) => key.toLowerCase() === name);
}

function stringField({ value: fields }: { readonly value: JsonObject }, name: string): string {
  const key = member(fields, name);
  const value = key === undefined ? undefined : fields[key];
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string')
    throw refused(`json: cannot unmarshal ${jsonTypeName(value)} into Go struct field continueToken.${name} of type string`);
  return value;
}

function revisionField(parsed: ParsedText & { readonly value: JsonObject }): number {
  const fields = parsed.value;
  const key = member(fields, 'rv');
  const value = key === undefined ? undefined : fields[key];
  if (key === undefined || value === undefined || value === null) return 0;
  const mismatch = (found: string): StatusError =>
    refused(`json: cannot unmarshal ${found} into Go struct field continueToken.rv of type int64`);
  if (typeof value !== 'number' && typeof value !== 'bigint') throw mismatch(jsonTypeName(value));
  const literal = parsed.literals?.get(fields)?.get(key) ?? String(value);
  if (!/^-?[0-9]+$/.test(literal) || BigInt.asIntN(64, BigInt(literal)) !== BigInt(literal)) throw mismatch(`number ${literal}`);
  return Number(literal);
}

function jsonTypeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
