/**
 * Which requests are offloaded to a worker thread: decided before the first step runs, from the size and format of what is sent and stored, and from the kind.
 * What stays on the server's thread takes some 20 ms at most, whatever it is. Looks at bytes only.
 */
import type { Entry } from '../../../../cache/cache';
import type { Strategy } from '../../../strategy';
import type { PatchBody, SentBody } from '../../../verbs';
import type { OffloadedRequest } from './offloaded-attempt';
import type { OffloadLimits } from './messages';
import { bytesOf } from './transfer';

/** YAML takes ten times as long as JSON. */
export const OFFLOAD_LIMITS: OffloadLimits = { bytes: 16 * 1024, yamlBytes: 4 * 1024, values: 6_000 };

const COMMA = 0x2c;
const BRACE = 0x7b;
const BRACKET = 0x5b;
const ANCHOR = 0x26;

/** Whether JSON has many values. Texts may look as if they had; then a small object is offloaded. */
export function hasManyValues(bytes: Uint8Array, limits: OffloadLimits): boolean {
  const { length } = bytes;
  if (length <= limits.bytes) return false;
  let values = 0;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at];
    if (byte !== COMMA && byte !== BRACE && byte !== BRACKET) continue;
    values += 1;
    if (values > limits.values) return true;
  }
  return false;
}

export function isOffloadedBody({ bytes, format }: SentBody, { mostInline = Infinity }: Strategy, limits: OffloadLimits): boolean {
  if (bytes.length > mostInline) return true;
  switch (format) {
    case 'json':
      return hasManyValues(bytes, limits);
    case 'yaml':
      return isLargeYaml(bytes, limits);
    case 'protobuf':
      return bytes.length > limits.bytes;
  }
}

/** Of a few copies much may come. */
const COPIES = ['copy', '\\u'];

export function isOffloadedPatch({ type, bytes }: PatchBody, limits: OffloadLimits): boolean {
  switch (type) {
    case 'apply':
      return isLargeYaml(bytes, limits);
    case 'json':
      return hasManyValues(bytes, limits) || COPIES.some((text) => bytes.includes(text));
    case 'merge':
    case 'strategic':
      return hasManyValues(bytes, limits);
  }
}

/** For an attempt at a write: by the stored object as well, which another writer may have made larger since the last attempt. */
export function isOffloadedAttempt(
  { isUnread, what }: OffloadedRequest,
  entry: Entry | undefined,
  { mostInline = Infinity }: Strategy,
  limits: OffloadLimits,
): boolean {
  if (isUnread || (entry !== undefined && hasManyValues(entry.bytes, limits))) return true;
  const sent = bytesOf(what);
  return sent !== undefined && sent.length + (entry?.bytes.length ?? 0) > mostInline;
}

/** An alias may stand for much. */
function isLargeYaml(bytes: Buffer, limits: OffloadLimits): boolean {
  const isLong = bytes[0] === BRACE ? hasManyValues(bytes, limits) : bytes.length > limits.yamlBytes;
  return isLong || bytes.includes(ANCHOR);
}
