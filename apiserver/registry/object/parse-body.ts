/** From the bytes of a body to the object that they are, by their format; refused with upstream's texts. The structure of objects is for others to check. */
import { isObject, stringAt, stringifyJson, type JsonValue } from '../../../shared/values/json';
import { parseApiVersion } from '../../../shared/api/identity/identity';
import type { KindRow } from '../../../shared/api/kinds';
import { badRequest } from '../../../shared/api/errors/status';
import { runSteps } from '../../../shared/scheduling/steps';
import { NEVER_YIELDS } from '../../../shared/scheduling/yielding';
import type { Clock } from '../../../shared/runtime/clock';
import { decodeProtobuf, parseYaml, parseJsonInSteps, ProtobufFault, SyntaxFault, type ParsedText } from '../../../shared/serialization';
import type { BodyFormat, ParsedBody } from '../verbs';

/** An object of the given kind, decoded; throws 400 in upstream's words. */
export async function parseObject(
  bytes: Buffer,
  format: BodyFormat,
  { kind, type, custom }: KindRow,
  clock: Clock,
  yielder = NEVER_YIELDS,
): Promise<ParsedBody> {
  try {
    const body = await decode(bytes, format, type, clock, yielder);
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
export async function decode(bytes: Buffer, format: BodyFormat, type: string, clock: Clock, yielder = NEVER_YIELDS): Promise<ParsedBody> {
  switch (format) {
    case 'json':
      return withObject(await prefixed(async () => runSteps(parseJsonInSteps(bytes), yielder)));
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
