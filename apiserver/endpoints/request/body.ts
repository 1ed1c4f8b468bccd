/**
 * Reads request bodies within their size limit, determines their format by Content-Type, and rejects others with
 * upstream's messages. Parses no body.
 */
import type { KindRow } from '../../../shared/api/kinds';
import { requestTooLarge, unsupportedMediaType, unsupportedPatchType, type StatusError } from '../../../shared/api/errors/status';
import { JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE, YAML_MEDIA_TYPE, type Dialect } from '../../../shared/names/dialect';
import type { PatchType } from '../../registry/verbs';
import type { Exchange } from './exchange';
import { bodyTypes, type Media } from './negotiation';

/** Limit of a request body, as upstream's. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;
/** Limit for bodies that are not stored: operations, and delete options. */
export const MAX_OPERATION_BYTES = 64 * 1024;

/** The members of an exchange with which its body is read. */
export interface BodyExchange extends Pick<Exchange, 'acquireSlot' | 'header' | 'progress' | 'trace'> {
  readonly input: {
    readonly aborted: boolean;
    on(event: 'data', listener: (chunk: Buffer) => void): unknown;
    on(event: 'end' | 'close', listener: () => void): unknown;
  };
}

/** Thrown when the client disconnects, or is cut off, while it sends its body. No response can be sent. */
export class BodyAborted extends Error {}

/**
 * Reads the whole body; resolves with it once the request has a slot on the event loop, in which it may process the
 * body. Rejects with 413 as soon as the body is known to be longer than `limit` bytes, and then keeps none of it.
 */
export async function readBody(exchange: BodyExchange, limit = MAX_BODY_BYTES): Promise<Buffer> {
  const declared = Number(exchange.header('content-length') ?? '0');
  if (declared > limit) throw tooLargeError(exchange, limit);
  const body = await new Promise<Buffer>((resolve, reject) => collect(exchange, limit, resolve, reject));
  exchange.progress.acceptBody(body.length);
  exchange.trace?.addEvent('limitedReadBody succeeded', { len: body.length });
  const slot = exchange.acquireSlot();
  if (slot !== undefined) await slot;
  return body;
}

/** Collects the chunks of a body. Calls `resolve` or `reject` once; later events are ignored. */
function collect(exchange: BodyExchange, limit: number, resolve: (body: Buffer) => void, reject: (error: Error) => void): void {
  const { input, progress } = exchange;
  const chunks: Buffer[] = [];
  let isTooLong = false;
  progress.startBody();
  input.on('data', (chunk: Buffer) => {
    if (progress.addBodyBytes(chunk.length) <= limit) {
      chunks.push(chunk);
    } else if (!isTooLong) {
      isTooLong = true;
      chunks.length = 0;
      reject(tooLargeError(exchange, limit));
    }
  });
  let isComplete = false;
  input.on('end', () => {
    // A stream that was reset emits `end` too.
    isComplete = !input.aborted;
    if (!isComplete) return;
    progress.endBody();
    resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
  });
  input.on('close', () => {
    if (!isComplete) reject(new BodyAborted('the client disconnected'));
  });
}

/** Returns the error for a body that is too long, and leaves the rest of the body unread. */
function tooLargeError({ progress }: Pick<BodyExchange, 'progress'>, limit: number): StatusError {
  progress.refuseBody();
  return requestTooLarge(`limit is ${limit}`);
}

/** The format of a body of the kind by its Content-Type; JSON when that is missing or empty. Throws 415. */
export function bodyFormat(header: string | undefined, naming: Dialect, { custom }: Pick<KindRow, 'custom'> = {}): Media {
  if (header === undefined || header === '' || header === JSON_MEDIA_TYPE) return 'json';
  switch (mediaType(header)) {
    case JSON_MEDIA_TYPE:
      return 'json';
    case YAML_MEDIA_TYPE:
      return 'yaml';
    case PROTOBUF_MEDIA_TYPE.platform:
    case PROTOBUF_MEDIA_TYPE.kubernetes:
      // Members of custom kinds have no protobuf field numbers.
      if (custom !== undefined) throw unsupportedMediaType(bodyTypes(naming));
      return 'protobuf';
    default:
      throw unsupportedMediaType(bodyTypes(naming));
  }
}

/** The patch types by media type. */
const PATCH_TYPES: ReadonlyMap<string, PatchType> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);
/** The media types of patches that custom kinds support: a strategic merge patch needs a Go type. */
export const CUSTOM_PATCH_TYPES: readonly string[] = [...PATCH_TYPES.keys()].filter((text) => PATCH_TYPES.get(text) !== 'strategic');

/** A media type without its parameters. */
export const plainType = (header: string | undefined): string => (header ?? '').split(';', 1)[0]?.trim() ?? '';

/** The patch type of the Content-Type. Throws 415. */
export function patchType(header: string | undefined): PatchType {
  const type = PATCH_TYPES.get(plainType(header));
  if (type === undefined) throw unsupportedPatchType();
  return type;
}

/** A parameter of a media type, with a token or a quoted string as its value: `charset=utf-8`, `title="a \" b"`. */
const PARAMETER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|"(?:[^"\\]|\\.)*")$/;

/** The media type in lower case; `undefined` when its parameters are malformed. A semicolon at the end is allowed. */
function mediaType(header: string): string | undefined {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim());
  if (parameters.at(-1) === '') parameters.pop();
  return parameters.every((parameter) => PARAMETER.test(parameter)) ? type.toLowerCase() : undefined;
}
