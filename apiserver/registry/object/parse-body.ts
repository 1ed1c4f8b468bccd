/**
 * Parses request bodies by format (JSON, YAML, protobuf). Rejects with the error messages of upstream. Does not check
 * the structure of objects.
 */
import { jsonKindOf } from '../../../shared/api/types/decode-error';
import { isObject, stringAt, stringifyJson, type JsonValue } from '../../../shared/values/json';
import { parseApiVersion } from '../../../shared/api/identity/identity';
import type { KindRow } from '../../../shared/api/kinds';
import { badRequest } from '../../../shared/api/errors/status';
import { runSteps } from '../../../shared/scheduling/steps';
import { NEVER_YIELDS } from '../../../shared/scheduling/yielding';
import type { Clock } from '../../../shared/runtime/clock';
import { decodeProtobuf, parseYaml, parseJsonInSteps, ProtobufError, ParseError, type ParsedText } from '../../../shared/serialization';
import type { BodyFormat, ParsedBody } from '../verbs';

/** Parses an object of the given kind. Throws 400 with the message of upstream. */
export async function parseObjectBody(
  bytes: Buffer,
  format: BodyFormat,
  { kind, type, custom }: KindRow,
  clock: Clock,
  yielder = NEVER_YIELDS,
): Promise<ParsedBody> {
  try {
    const body = await parseBody(bytes, format, type, clock, yielder);
    checkTypeMeta(body.value);
    // apiVersion and kind of a custom kind have no defaults.
    if (custom !== undefined && (stringAt(body.value, 'kind') ?? '') === '') {
      throw new TypeMetaError(`Object 'Kind' is missing in '${format === 'json' ? bytes.toString() : stringifyJson(body.value)}'`);
    }
    return body;
  } catch (error) {
    if (error instanceof ParseError || error instanceof ProtobufError || error instanceof TypeMetaError) {
      throw badRequest(`the object provided is unrecognized (must be of type ${kind}): ${error.message} (${excerpt(bytes)})`);
    }
    throw error;
  }
}

/** `apiVersion` or `kind` is invalid. The message is the one of upstream. */
export class TypeMetaError extends Error {}

/**
 * Parses any object. Throws ParseError, ProtobufError or TypeMetaError; `null` and an empty YAML document count as
 * `{}`.
 */
export async function parseBody(
  bytes: Buffer,
  format: BodyFormat,
  type: string,
  clock: Clock,
  yielder = NEVER_YIELDS,
): Promise<ParsedBody> {
  switch (format) {
    case 'json':
      return toParsedBody(await withTypeMetaErrors(async () => runSteps(parseJsonInSteps(bytes), yielder)));
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

async function withTypeMetaErrors<T>(parse: () => Promise<T>): Promise<T> {
  try {
    return await parse();
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
    const given = value[member];
    if (given === undefined || given === null || typeof given === 'string') continue;
    throw new TypeMetaError(
      `${TYPE_META_PREFIX}json: cannot unmarshal ${jsonKindOf(given)} into Go struct field .${member} of type string`,
    );
  }
  const { apiVersion } = value;
  if (typeof apiVersion === 'string' && parseApiVersion(apiVersion) === undefined) {
    throw new TypeMetaError(`unexpected GroupVersion string: ${apiVersion}`);
  }
}

const EXCERPT_BYTES = 30;

/** The first bytes of a body for an error message: as text when the body starts with `{`, otherwise in hexadecimal. */
function excerpt(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const start = bytes.subarray(0, EXCERPT_BYTES);
  const text = bytes[0] === 0x7b ? start.toString('utf8') : start.toString('hex');
  return bytes.length > EXCERPT_BYTES ? `${text} ...` : text;
}
