/**
 * Values that cannot be read although they are whole: those that are encrypted, for whoever has no key, and what stands in their place once somebody has
 * tried and says why, so that the stream and the pages go on over it. The latter is never stored.
 */
import { ENCRYPTED_PREFIXES } from '../../shared/names/dialect';

const MARK = Buffer.from('\0unreadable:');
const ENCRYPTED = Object.values(ENCRYPTED_PREFIXES).map((prefix) => Buffer.from(prefix));

/** What is said of an encrypted value that nothing tells to be encrypted. */
export const NOBODY_READS = 'identity transformer tried to read encrypted data';

export const startsWith = (value: Buffer, head: Buffer): boolean =>
  value.length >= head.length && value.compare(head, 0, head.length, 0, head.length) === 0;

/** Whether a value says of itself that it is encrypted. */
export const isEncrypted = (value: Buffer): boolean => ENCRYPTED.some((prefix) => startsWith(value, prefix));

export function unreadableValue(reason: string): Buffer {
  return Buffer.concat([MARK, Buffer.from(reason)]);
}

/** Why a value cannot be read; undefined = it is one that can. */
export function unreadableReason(value: Buffer): string | undefined {
  if (startsWith(value, MARK)) return value.toString('utf8', MARK.length);
  return isEncrypted(value) ? NOBODY_READS : undefined;
}
