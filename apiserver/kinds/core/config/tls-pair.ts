/**
 * Checks that a certificate and a private key match, with upstream's messages. Validity times, names and issuers are
 * not checked.
 */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';

/** `-----BEGIN RSA PRIVATE KEY-----` */
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----/g;

/** The error text; undefined for a valid pair. */
export function tlsPairError(certificate: string, key: string): string | undefined {
  const inCertificate = blockTypes(certificate);
  if (inCertificate.length === 0) return 'tls: failed to find any PEM data in certificate input';
  if (!inCertificate.includes('CERTIFICATE')) {
    const isKey = inCertificate.length === 1 && isPrivateKey(inCertificate[0]);
    return isKey
      ? 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched'
      : `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${inCertificate.join(' ')}]`;
  }
  const inKey = blockTypes(key);
  if (inKey.length === 0) return 'tls: failed to find any PEM data in key input';
  if (!inKey.some(isPrivateKey)) {
    return inKey.length === 1 && inKey[0] === 'CERTIFICATE'
      ? 'tls: found a certificate rather than a key in the PEM for the private key'
      : `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${inKey.join(' ')}]`;
  }
  const parsed = parse(() => new X509Certificate(certificate));
  if (parsed === undefined) return 'x509: malformed certificate';
  const privateKey: KeyObject | undefined = parse(() => createPrivateKey(key));
  if (privateKey === undefined) return 'tls: failed to parse private key';
  return parsed.checkPrivateKey(privateKey) ? undefined : 'tls: private key does not match public key';
}

const blockTypes = (text: string): readonly string[] => [...text.matchAll(BLOCK)].map((match) => match[1] ?? '');
const isPrivateKey = (type: string | undefined): boolean => type?.endsWith('PRIVATE KEY') === true;

/** Undefined when reading throws. */
function parse<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
