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

/** YAML takes ten times as long to parse as JSON. */
export const OFFLOAD_LIMITS: OffloadLimits = { bytes: 16 * 1024, yamlBytes: 4 * 1024, values: 6_000 };

const COMMA = 0x2c;
const BRACE = 0x7b;
const BRACKET = 0x5b;
const ANCHOR = 0x26;

/** Counts commas, braces and brackets, also in strings, so an object with few values but such strings may be offloaded too. */
export function hasManyValues(bytes: Uint8Array, limits: OffloadLimits): boolean {
  const { length } = bytes;
  if (length <= limits.bytes) return false;
  let values = 0;
  for (let index = 0; index < length; index += 1) {
    const byte = bytes[index];
    if (byte !== COMMA && byte !== BRACE && byte !== BRACKET) continue;
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

/** A few copy operations can produce a very large object. `\\u` may hide the letters of `copy` in an escape. */
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

/** An alias may expand to many values. */
function isLargeYaml(bytes: Buffer, limits: OffloadLimits): boolean {
  const isLong = bytes[0] === BRACE ? hasManyValues(bytes, limits) : bytes.length > limits.yamlBytes;
  return isLong || bytes.includes(ANCHOR);
}
