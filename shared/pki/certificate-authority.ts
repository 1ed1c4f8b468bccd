/**
 * Issues certificates for certificate signing requests. Whether a request may be signed, and for which usages, is
 * decided by the caller.
 */
import { createPrivateKey, webcrypto, X509Certificate, type KeyObject } from 'node:crypto';
import type * as X509 from '@peculiar/x509';
import type { ParsedCertificateRequest } from './certificate-request';
import { loadX509 } from './certificates';
import type { Random } from '../runtime/random';
import { signingAlgorithmOf } from './signing-algorithm';

/** A CA certificate with its key, from {@link parseSigningAuthority}. */
export interface SigningAuthority {
  /** PEM. */
  readonly certificate: string;
  readonly key: KeyObject;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
}

/** What a certificate may be used for. */
export interface CertificateUsages {
  /** Bits of the key usage extension, under the names of the X.509 library. */
  readonly keyUsages: readonly KeyUsage[];
  /** Object identifiers of the extended key usage extension. */
  readonly extendedKeyUsages: readonly string[];
}

/** The key usages of X.509. */
export type KeyUsage =
  | 'digitalSignature'
  | 'nonRepudiation'
  | 'keyEncipherment'
  | 'dataEncipherment'
  | 'keyAgreement'
  | 'keyCertSign'
  | 'cRLSign'
  | 'encipherOnly'
  | 'decipherOnly';

/** What a certificate is signed from. */
export interface SigningInput {
  readonly request: ParsedCertificateRequest;
  readonly authority: SigningAuthority;
  readonly usages: CertificateUsages;
  /** Milliseconds since 1970, as is `notAfter`. */
  readonly notBefore: number;
  readonly notAfter: number;
}

const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';
/** Clients must reject the certificate if they do not know the extension. */
const IS_CRITICAL = true;
/** Length of a serial number: 128 bits; RFC 5280 allows 160. */
const SERIAL_BYTES = 16;

/** Parses a CA certificate and its private key, both PEM. Throws when they do not match, or the key is not RSA or ECDSA. */
export function parseSigningAuthority(certificate: string, key: string): SigningAuthority {
  const parsed = new X509Certificate(certificate);
  const privateKey = createPrivateKey(key);
  if (!parsed.checkPrivateKey(privateKey)) throw new Error('the key does not belong to the certificate');
  // Throws for a key that cannot sign: the operator learns it now, not at the first request.
  signingAlgorithmOf(privateKey);
  return { certificate, key: privateKey, notAfter: Date.parse(parsed.validTo) };
}

/** Returns the certificate as PEM. Its validity ends no later than that of the authority. */
export async function signCertificateRequest(
  { request, authority, usages, notBefore, notAfter }: SigningInput,
  random: Pick<Random, 'string'>,
): Promise<string> {
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(authority.certificate);
  const algorithm = signingAlgorithmOf(authority.key);
  const der = authority.key.export({ type: 'pkcs8', format: 'der' });
  const certificate = await x509.X509CertificateGenerator.create({
    // Hexadecimal. The first digit makes the number positive (its highest bit is 0) and other than zero.
    serialNumber: `4${random.string(SERIAL_BYTES * 2 - 1, '0123456789abcdef')}`,
    notBefore: new Date(notBefore),
    notAfter: new Date(Math.min(notAfter, authority.notAfter)),
    subject: subjectOf(x509, request),
    issuer: issuer.subjectName,
    publicKey: new x509.PublicKey(request.publicKey),
    signingKey: await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']),
    signingAlgorithm: algorithm,
    extensions: extensionsOf(x509, request, issuer, usages),
  });
  return `${certificate.toString('pem').trimEnd()}\n`;
}

/** A name with one RDN per attribute. An RDN is a set, which DER sorts by the encoding of its values. */
function subjectOf(x509: typeof X509, { subject }: ParsedCertificateRequest): X509.Name {
  // Values are not passed as plain strings: the library would decode one such as `#0c…` as hexadecimal DER.
  return new x509.Name(subject.map(([id, values]) => ({ [id]: [...values].sort(compareEncodings).map((utf8String) => ({ utf8String })) })));
}

/** Compares two texts by their DER encoding as UTF8String, in which the length precedes the bytes. */
function compareEncodings(a: string, b: string): number {
  const first = Buffer.from(a);
  const second = Buffer.from(b);
  return first.length - second.length || first.compare(second);
}

function extensionsOf(
  x509: typeof X509,
  request: ParsedCertificateRequest,
  issuer: X509.X509Certificate,
  usages: CertificateUsages,
): X509.Extension[] {
  const bits = usages.keyUsages.reduce((mask, use) => mask | x509.KeyUsageFlags[use], 0);
  const issuerKey = issuer.getExtension(SUBJECT_KEY_IDENTIFIER);
  const { dns, emails, ips, uris } = request.names;
  const names: X509.JsonGeneralNames = [
    ...dns.map((value) => ({ type: 'dns' as const, value })),
    ...emails.map((value) => ({ type: 'email' as const, value })),
    ...ips.map((value) => ({ type: 'ip' as const, value })),
    ...uris.map((value) => ({ type: 'url' as const, value })),
  ];
  return [
    ...(bits === 0 ? [] : [new x509.KeyUsagesExtension(bits, IS_CRITICAL)]),
    ...(usages.extendedKeyUsages.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension([...usages.extendedKeyUsages])]),
    // Not an authority.
    new x509.BasicConstraintsExtension(false, undefined, IS_CRITICAL),
    ...(issuerKey instanceof x509.SubjectKeyIdentifierExtension ? [new x509.AuthorityKeyIdentifierExtension(issuerKey.keyId)] : []),
    // RFC 5280: the extension is critical when the subject is empty.
    ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names, request.subject.length === 0)]),
  ];
}
