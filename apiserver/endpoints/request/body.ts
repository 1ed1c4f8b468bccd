/**
 * Request bodies: read within their bound, decoded by Content-Type, refused with upstream's texts.
 * Knows no kind; the structure of objects is the registry's to check.
 */
import { isObject, stringAt, stringifyJson, type JsonValue } from '../../../shared/values/json';
import { parseApiVersion } from '../../../shared/api/identity/identity';
import type { KindRow } from '../../../shared/api/kinds';
import {
  badRequest,
  requestTooLarge,
  unsupportedMediaType,
  unsupportedPatchType,
  type StatusError,
} from '../../../shared/api/errors/status';
import { withPasses, type GiveWay } from '../../../shared/values/steps';
import type { Clock } from '../../../shared/runtime/clock';
import { JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE, YAML_MEDIA_TYPE, type Dialect } from '../../../shared/names/dialect';
import { decodeProtobuf, parseYaml, parsingJson, ProtobufFault, SyntaxFault, type ParsedText } from '../../../shared/serialization';
import type { ParsedBody, PatchType } from '../../registry/verbs';
import type { Exchange } from './exchange';
import { bodyTypes, type Media } from './negotiation';

export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** The client went away, or was cut off, while sending its body. */
export class BodyAborted extends Error {}

/** The whole body, when it is the request's turn to be worked on. Rejects with 413 as soon as it is known to be longer than `limit` bytes; nothing more is read then. */
export async function readBody(exchange: Exchange, limit = MAX_BODY_BYTES): Promise<Buffer> {
  const declared = Number(exchange.header('content-length') ?? '0');
  if (declared > limit) throw tooLarge(exchange, limit);
  const body = await new Promise<Buffer>((resolve, reject) => collect(exchange, limit, resolve, reject));
  const turn = exchange.turn();
  if (turn !== undefined) await turn;
  return body;
}

function collect(exchange: Exchange, limit: number, resolve: (body: Buffer) => void, reject: (error: Error) => void): void {
  const { input } = exchange;
  const chunks: Buffer[] = [];
  const received = { bytes: 0 };
  exchange.receiving = received;
  input.on('data', (chunk: Buffer) => {
    received.bytes += chunk.length;
    if (received.bytes <= limit) {
      chunks.push(chunk);
    } else if (chunks.length > 0) {
      chunks.length = 0;
      reject(tooLarge(exchange, limit));
    }
  });
  let complete = false;
  input.on('end', () => {
    // A stream that was reset ends like one that is complete.
    complete = !input.aborted;
    if (!complete) return;
    exchange.receiving = undefined;
    resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
  });
  input.on('close', () => {
    if (!complete) reject(new BodyAborted('the client went away'));
  });
}

function tooLarge(exchange: Exchange, limit: number): StatusError {
  exchange.refuseBody();
  return requestTooLarge(`limit is ${limit}`);
}

/** The format that Content-Type names; missing or empty = JSON. Throws 415. */
export function bodyFormat(header: string | undefined, naming: Dialect, { custom }: Pick<KindRow, 'custom'> = {}): Media {
  if (header === undefined || header === '' || header === JSON_MEDIA_TYPE) return 'json';
  switch (mediaType(header)) {
    case JSON_MEDIA_TYPE:
      return 'json';
    case YAML_MEDIA_TYPE:
      return 'yaml';
    case PROTOBUF_MEDIA_TYPE.platform:
    case PROTOBUF_MEDIA_TYPE.kubernetes:
      // There are no numbers for the members of custom kinds.
      if (custom !== undefined) throw unsupportedMediaType(bodyTypes(naming));
      return 'protobuf';
    default:
      throw unsupportedMediaType(bodyTypes(naming));
  }
}

const PATCH_TYPES: ReadonlyMap<string, PatchType> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);
/** Those that need no more of a kind than its schema. */
export const CUSTOM_PATCH_TYPES: readonly string[] = [...PATCH_TYPES].flatMap(([text, type]) => (type === 'strategic' ? [] : [text]));

/** A media type without its parameters. */
export const plainType = (header: string | undefined): string => (header ?? '').split(';', 1)[0]?.trim() ?? '';

/** The kind of patch that Content-Type names. Throws 415. */
export function patchType(header: string | undefined): PatchType {
  const type = PATCH_TYPES.get(plainType(header));
  if (type === undefined) throw unsupportedPatchType();
  return type;
}

const PARAMETER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|"(?:[^"\\]|\\.)*")$/;

/** The media type in lower case; undefined when its parameters are malformed. */
function mediaType(header: string): string | undefined {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim());
  if (!parameters.every((parameter, index) => PARAMETER.test(parameter) || (parameter === '' && index === parameters.length - 1)))
    return undefined;
  return type.toLowerCase();
}

/** What is parsed in a few milliseconds needs no breaks. */
const NO_BREAKS: GiveWay = () => undefined;

/** An object of the given kind, decoded; throws 400 in upstream's words. */
export async function parseObject(
  bytes: Buffer,
  format: Media,
  { kind, type, custom }: KindRow,
  clock: Clock,
  pass = NO_BREAKS,
): Promise<ParsedBody> {
  try {
    const body = await decode(bytes, format, type, clock, pass);
    checkHead(body.value);
    // Of a body of a custom kind nothing is filled in.
    if (custom !== undefined && (stringAt(body.value, 'kind') ?? '') === '') {
      throw new HeadFault(`Object 'Kind' is missing in '${format === 'json' ? bytes.toString() : stringifyJson(body.value)}'`);
    }
    return body;
  } catch (error) {
    if (error instanceof SyntaxFault || error instanceof ProtobufFault || error instanceof HeadFault) {
      throw badRequest(`the object provided is unrecognized (must be of type ${kind}): ${error.message} (${excerpt(bytes)})`);
    }
    throw error;
  }
}

/** Something is wrong with the members that tell what the body is. The message is upstream's. */
export class HeadFault extends Error {}

/** Any object. Throws SyntaxFault, ProtobufFault or HeadFault with upstream's texts; `null` and an empty YAML document count as `{}`. */
export async function decode(bytes: Buffer, format: Media, type: string, clock: Clock, pass = NO_BREAKS): Promise<ParsedBody> {
  switch (format) {
    case 'json':
      return withObject(await prefixed(() => withPasses(parsingJson(bytes, 'merged'), pass)));
    case 'yaml':
      return withObject(await parseYaml(bytes, clock));
    case 'protobuf': {
      const { object, apiVersion, kind } = decodeProtobuf(type, bytes);
      const head = { ...(kind === '' ? {} : { kind }), ...(apiVersion === '' ? {} : { apiVersion }) };
      return { value: { ...head, ...object }, duplicates: [], format };
    }
  }
}

function withObject({ value, literals, text, ...parsed }: ParsedText): ParsedBody {
  return {
    ...parsed,
    value: objectOf(value),
    ...(literals === undefined ? {} : { literals }),
    ...(text === undefined ? {} : { text }),
  };
}

const HEAD_PREFIX = "couldn't get version/kind; json parse error: ";

async function prefixed<T>(parse: () => Promise<T>): Promise<T> {
  try {
    return await parse();
  } catch (error) {
    throw error instanceof SyntaxFault ? new HeadFault(HEAD_PREFIX + error.message) : error;
  }
}

function objectOf(value: JsonValue): ParsedBody['value'] {
  if (value === null) return {};
  if (isObject(value)) return value;
  const target = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  throw new HeadFault(`${HEAD_PREFIX}json: cannot unmarshal ${jsonType(value)} into Go value of type ${target}`);
}

function checkHead(value: ParsedBody['value']): void {
  for (const member of ['apiVersion', 'kind']) {
    const found = value[member];
    if (found === undefined || found === null || typeof found === 'string') continue;
    throw new HeadFault(`${HEAD_PREFIX}json: cannot unmarshal ${jsonType(found)} into Go struct field .${member} of type string`);
  }
  const { apiVersion } = value;
  if (typeof apiVersion === 'string' && parseApiVersion(apiVersion) === undefined) {
    throw new HeadFault(`unexpected GroupVersion string: ${apiVersion}`);
  }
}

function jsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

const EXCERPT_BYTES = 30;

/** The first bytes of a body as they stand in a message: text when it starts like an object, else hexadecimal. */
function excerpt(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const start = bytes.subarray(0, EXCERPT_BYTES);
  const text = bytes[0] === 0x7b ? start.toString('utf8') : start.toString('hex');
  return bytes.length > EXCERPT_BYTES ? `${text} ...` : text;
}
