/**
 * Decides which writes run in a worker thread, from the size and format of the request and of the stored object, and
 * from the kind. A write that stays on the server's thread takes about 20 ms at most. Inspects bytes only.
 */
import type { Entry } from '../../../../cache/cache';
import type { Strategy } from '../../../strategy';
import type { PatchBody, RawBody } from '../../../verbs';
import type { OffloadedRequest } from './offloaded-attempt';
import type { OffloadLimits } from './messages';
import { payloadBytes } from './transfer';

/** The limit of YAML is lower, because YAML takes ten times as long to parse as JSON. */
export const OFFLOAD_LIMITS: OffloadLimits = { bytes: 16 * 1024, yamlBytes: 4 * 1024, values: 6_000 };

/** `,`, `{` and `[` in JSON: each value but the first follows one of them. */
const COMMA = 0x2c;
const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;
/** `&`: begins an anchor in YAML. */
const ANCHOR = 0x26;

/**
 * Whether JSON may have more values than the limit. Counts commas and opening braces and brackets, also in strings, so an
 * object with few values but such strings may be offloaded too.
 */
export function hasManyValues(bytes: Uint8Array, limits: OffloadLimits): boolean {
  const { length } = bytes;
  if (length <= limits.bytes) return false;
  let values = 0;
  for (let index = 0; index < length; index += 1) {
    const byte = bytes[index];
    if (byte !== COMMA && byte !== OPENING_BRACE && byte !== OPENING_BRACKET) continue;
    values += 1;
    if (values > limits.values) return true;
  }
  return false;
}

/** Whether the endpoint leaves the body unparsed for a worker thread. */
export function shouldOffloadBody({ bytes, format }: RawBody, { maxInlineBytes = Infinity }: Strategy, limits: OffloadLimits): boolean {
  if (bytes.length > maxInlineBytes) return true;
  switch (format) {
    case 'json':
      return hasManyValues(bytes, limits);
    case 'yaml':
      return isLargeYaml(bytes, limits);
    case 'protobuf':
      return bytes.length > limits.bytes;
  }
}

/**
 * Texts without which a JSON patch has no copy operation, a few of which can produce a very large object. `\u`: JSON may
 * write a letter of `copy` as an escape.
 */
const COPY_MARKS = ['copy', '\\u'];

/** Whether the endpoint leaves the patch unparsed for a worker thread. */
export function shouldOffloadPatch({ type, bytes }: PatchBody, limits: OffloadLimits): boolean {
  switch (type) {
    case 'apply':
      return isLargeYaml(bytes, limits);
    case 'json':
      return hasManyValues(bytes, limits) || COPY_MARKS.some((text) => bytes.includes(text));
    case 'merge':
    case 'strategic':
      return hasManyValues(bytes, limits);
  }
}

/** Also considers the stored object, which another writer may have enlarged since the last attempt. */
export function shouldOffloadAttempt(
  { isUnparsed, payload }: OffloadedRequest,
  entry: Entry | undefined,
  { maxInlineBytes = Infinity }: Strategy,
  limits: OffloadLimits,
): boolean {
  if (isUnparsed || (entry !== undefined && hasManyValues(entry.bytes, limits))) return true;
  const body = payloadBytes(payload);
  return body !== undefined && body.length + (entry?.bytes.length ?? 0) > maxInlineBytes;
}

/** JSON is also YAML, and is then counted like JSON. Any anchor counts as large, because its aliases may expand to many values. */
function isLargeYaml(bytes: Buffer, limits: OffloadLimits): boolean {
  const isLong = bytes[0] === OPENING_BRACE ? hasManyValues(bytes, limits) : bytes.length > limits.yamlBytes;
  return isLong || bytes.includes(ANCHOR);
}
