/**
 * Checks that a certificate and a private key match, with upstream's messages. Validity times, names and issuers are
 * not checked.
 */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

/** `certificate` and `key` are PEM. Returns the text of the error; `undefined` for a valid pair. */
export function tlsPairError(certificate: string, key: string): string | undefined {
  const blockError = certificateBlockError(blockTypes(certificate)) ?? keyBlockError(blockTypes(key));
  if (blockError !== undefined) return blockError;
  const parsedCertificate = tryParse(() => new X509Certificate(certificate));
  if (parsedCertificate === undefined) return 'x509: malformed certificate';
  const parsedKey: KeyObject | undefined = tryParse(() => createPrivateKey(key));
  if (parsedKey === undefined) return 'tls: failed to parse private key';
  return parsedCertificate.checkPrivateKey(parsedKey) ? undefined : 'tls: private key does not match public key';
}

/** `types`: the types of the PEM blocks in the certificate input. */
function certificateBlockError(types: readonly string[]): string | undefined {
  if (types.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (types.includes('CERTIFICATE')) return undefined;
  return types.length === 1 && types.every(isPrivateKey)
    ? 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'
    : `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

/** `types`: the types of the PEM blocks in the key input. */
function keyBlockError(types: readonly string[]): string | undefined {
  if (types.length === 0) return 'tls: failed to find any PEM data in key input';
  if (types.some(isPrivateKey)) return undefined;
  return types.length === 1 && types.includes('CERTIFICATE')
    ? 'tls: found a certificate rather than a key in the PEM for the private key'
    : `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

/** The first line of a PEM block, such as `-----BEGIN RSA PRIVATE KEY-----`. */
const BEGIN_LINE = /-----BEGIN ([A-Z0-9 ]+)-----/g;

const blockTypes = (text: string): readonly string[] => [...text.matchAll(BEGIN_LINE)].map((match) => match[1] ?? '');
const isPrivateKey = (type: string): boolean => type.endsWith('PRIVATE KEY');

/** `undefined` when reading throws. */
function tryParse<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
