/**
 * Recognizes stored values that cannot be read. There are two forms:
 * - a value with an encryption prefix, where no provider decrypts it;
 * - the placeholder that the encrypting store (encryption/) returns in place of a value that it failed to decrypt. It
 *   contains the reason, so that lists and watch streams continue past the value. It is never stored.
 */
import { ENCRYPTED_PREFIXES } from '../../shared/names/dialect';

const PLACEHOLDER_PREFIX = Buffer.from('\0unreadable:');
const ENCRYPTION_PREFIXES = Object.values(ENCRYPTED_PREFIXES).map((prefix) => Buffer.from(prefix));

/** Upstream's error for a value with an encryption prefix that is read by the identity transformer. */
export const ENCRYPTED_READ_AS_IDENTITY = 'identity transformer tried to read encrypted data';

/** Whether the first bytes of `value` are `prefix`. */
export const bufferStartsWith = (value: Buffer, prefix: Buffer): boolean =>
  value.length >= prefix.length && value.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;

/** Whether the value starts with an encryption prefix. */
export const hasEncryptionPrefix = (value: Buffer): boolean => ENCRYPTION_PREFIXES.some((prefix) => bufferStartsWith(value, prefix));

/** The placeholder for a value that cannot be decrypted; {@link unreadableReason} reads the reason. */
export function unreadableValue(reason: string): Buffer {
  return Buffer.concat([PLACEHOLDER_PREFIX, Buffer.from(reason)]);
}

/** The reason why a value cannot be read; undefined when it can be. */
export function unreadableReason(value: Buffer): string | undefined {
  if (bufferStartsWith(value, PLACEHOLDER_PREFIX)) return value.toString('utf8', PLACEHOLDER_PREFIX.length);
  return hasEncryptionPrefix(value) ? ENCRYPTED_READ_AS_IDENTITY : undefined;
}
