/**
 * Parses request bodies by format (JSON, YAML, protobuf) to plain JSON, with the error messages of upstream. Checks only
 * that the value is an object and that its kind and apiVersion can be read; decode-body.ts decodes it.
 */
import { jsonKindOf } from '../../../shared/api/types/decode-error';
import { parseApiVersion } from '../../../shared/api/identity/identity';
import type { KindRow } from '../../../shared/api/kinds';
import { isObject, stringAt, stringifyJson, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { badRequest, type StatusError } from '../../../shared/api/errors/status';
import type { Clock } from '../../../shared/runtime/clock';
import { runSteps } from '../../../shared/scheduling/steps';
import { NEVER_YIELDS, type Yielder } from '../../../shared/scheduling/yielding';
import { decodeProtobuf, parseYaml, parseJsonInSteps, ProtobufError, ParseError, type ParsedText } from '../../../shared/serialization';
import type { ParsedBody, RawBody } from '../verbs';

/** Parses an object of the given kind. Rejects with 400 and the message of upstream. */
export async function parseObjectBody(
  raw: RawBody,
  { kind, type, custom }: KindRow,
  clock: Clock,
  yielder: Yielder = NEVER_YIELDS,
): Promise<ParsedBody> {
  const { bytes, format } = raw;
  try {
    const body = await parseBody(raw, type, clock, yielder);
    checkTypeMeta(body.value);
    // apiVersion and kind of a custom kind have no defaults.
    if (custom !== undefined && (stringAt(body.value, 'kind') ?? '') === '') {
      throw new TypeMetaError(`Object 'Kind' is missing in '${format === 'json' ? bytes.toString() : stringifyJson(body.value)}'`);
    }
    return body;
  } catch (error) {
    if (error instanceof ParseError || error instanceof ProtobufError || error instanceof TypeMetaError) {
      throw unrecognizedBody(kind, error.message, excerptOfBytes(bytes));
    }
    throw error;
  }
}

/**
 * `apiVersion` and `kind` cannot be read: the text is not JSON, the value is no object, or one of the two is invalid.
 * The message is the one of upstream.
 */
export class TypeMetaError extends Error {}

/**
 * Parses any object. `type`: its name in the type tables, by which protobuf is decoded. Rejects with ParseError for
 * YAML, ProtobufError or TypeMetaError; `null` and an empty YAML document count as `{}`.
 */
export async function parseBody(
  { bytes, format }: RawBody,
  type: string,
  clock: Clock,
  yielder: Yielder = NEVER_YIELDS,
): Promise<ParsedBody> {
  switch (format) {
    case 'json':
      return toParsedBody(await parseJsonBody(bytes, yielder));
    case 'yaml':
      return toParsedBody(await parseYaml(bytes, clock));
    case 'protobuf': {
      const { object, apiVersion, kind } = decodeProtobuf(type, bytes);
      const typeMeta = { ...(kind === '' ? {} : { kind }), ...(apiVersion === '' ? {} : { apiVersion }) };
      return { value: { ...typeMeta, ...object }, duplicates: [], format };
    }
  }
}

const toParsedBody = (parsed: ParsedText): ParsedBody => ({ ...parsed, value: requireObject(parsed.value) });

const TYPE_META_PREFIX = "couldn't get version/kind; json parse error: ";

async function parseJsonBody(bytes: Buffer, yielder: Yielder): Promise<ParsedText> {
  try {
    return await runSteps(parseJsonInSteps(bytes), yielder);
  } catch (error) {
    throw error instanceof ParseError ? new TypeMetaError(TYPE_META_PREFIX + error.message) : error;
  }
}

function requireObject(value: JsonValue): ParsedBody['value'] {
  if (value === null) return {};
  if (isObject(value)) return value;
  const target = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  throw new TypeMetaError(`${TYPE_META_PREFIX}json: cannot unmarshal ${jsonKindOf(value)} into Go value of type ${target}`);
}

function checkTypeMeta(value: ParsedBody['value']): void {
  for (const member of ['apiVersion', 'kind']) {
    const memberValue = value[member];
    if (memberValue === undefined || memberValue === null || typeof memberValue === 'string') continue;
    throw new TypeMetaError(
      `${TYPE_META_PREFIX}json: cannot unmarshal ${jsonKindOf(memberValue)} into Go struct field .${member} of type string`,
    );
  }
  const { apiVersion } = value;
  if (typeof apiVersion === 'string' && parseApiVersion(apiVersion) === undefined) {
    throw new TypeMetaError(`unexpected GroupVersion string: ${apiVersion}`);
  }
}

/** Length of an excerpt: in bytes of an unparsed body, in characters of a parsed one. */
const EXCERPT_LENGTH = 30;

const OPENING_BRACE = 0x7b;

/** The first bytes of an unparsed body for an error message: as text when the body starts with `{`, otherwise in hexadecimal. */
function excerptOfBytes(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const start = bytes.subarray(0, EXCERPT_LENGTH);
  const text = bytes[0] === OPENING_BRACE ? start.toString('utf8') : start.toString('hex');
  return bytes.length > EXCERPT_LENGTH ? `${text} ...` : text;
}

/** The rejection of a body without a readable kind. `kind`: the expected one; `excerpt`: the beginning of the body. */
export function unrecognizedBody(kind: string, text: string, excerpt: string): StatusError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${text} (${excerpt})`);
}

/** The first characters of a parsed body, for an error message. */
export function excerptOfValue(value: JsonObject): string {
  const text = stringifyJson(value);
  return text.length > EXCERPT_LENGTH ? `${text.slice(0, EXCERPT_LENGTH)} ...` : text;
}
