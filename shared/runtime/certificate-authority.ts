/**
 * Requests for certificates (PKCS #10): what they ask for, and the certificate that an authority makes of one. Knows no rules about who may ask for what, and
 * touches no files. Of the subject only what clients are known by is taken over, each sort in one place.
 */
import { createPrivateKey, webcrypto, X509Certificate, type KeyObject } from 'node:crypto';
import type * as X509 from '@peculiar/x509';
import { loadX509 } from './pki';
import type { Random } from './random';

/** It cannot be read, or is not signed with its own key. */
export class RequestFault extends Error {}

export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly emails: readonly string[];
  readonly ips: readonly string[];
  readonly uris: readonly string[];
}

export interface ParsedRequest {
  /** '' = none; the last where there are several. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Values of the subject by number of their sort, in the order of certificates. */
  readonly subject: readonly (readonly [id: string, values: readonly string[]])[];
  readonly names: AlternativeNames;
  /** DER. */
  readonly publicKey: Uint8Array;
}

/** An authority that signs; read by {@link readAuthority}. */
export interface SigningAuthority {
  readonly certificate: string;
  readonly key: KeyObject;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
}

/** What a certificate may be used for. */
export interface CertificateUses {
  /** Bits of the key usage extension, as the library counts them. */
  readonly key: readonly KeyUse[];
  /** Numbers of the extended key usage extension. */
  readonly extended: readonly string[];
}

export type KeyUse =
  | 'digitalSignature'
  | 'nonRepudiation'
  | 'keyEncipherment'
  | 'dataEncipherment'
  | 'keyAgreement'
  | 'keyCertSign'
  | 'cRLSign'
  | 'encipherOnly'
  | 'decipherOnly';

export interface CertificateIssue {
  readonly request: ParsedRequest;
  readonly authority: SigningAuthority;
  readonly uses: CertificateUses;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

const MOST_BYTES = 64 * 1024;
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n([A-Za-z0-9+/=\s]*)-----END \1-----/;
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
/** Country, province, locality, street, postal code, organization, unit, common name, serial number. */
const SUBJECT = ['2.5.4.6', '2.5.4.8', '2.5.4.7', '2.5.4.9', '2.5.4.17', ORGANIZATION, '2.5.4.11', COMMON_NAME, '2.5.4.5'];
/** Of these there is one. */
const SINGLE: ReadonlySet<string> = new Set([COMMON_NAME, '2.5.4.5']);
const ALTERNATIVE_NAMES = '2.5.29.17';
const SUBJECT_KEY = '2.5.29.14';
const SERIAL_BYTES = 16;

/** Throws {@link RequestFault} on what is no request. The first block of the text counts. */
export async function readRequest(pem: string): Promise<ParsedRequest> {
  if (pem.length > MOST_BYTES) throw new RequestFault(`it is longer than ${MOST_BYTES} bytes`);
  const [, type, text = ''] = BLOCK.exec(pem) ?? [];
  if (type !== 'CERTIFICATE REQUEST') throw new RequestFault('PEM block type must be CERTIFICATE REQUEST');
  const x509 = await loadX509();
  const { request, isSigned } = await parsed(x509, Buffer.from(text, 'base64'));
  if (!isSigned) throw new RequestFault('it is not signed with its own key');
  const values = (id: string): readonly string[] => request.subjectName.getField(id);
  const subject = SUBJECT.flatMap((id): [string, readonly string[]][] => {
    const found = SINGLE.has(id) ? values(id).slice(-1) : values(id);
    return found.length === 0 ? [] : [[id, found]];
  });
  return {
    commonName: values(COMMON_NAME).at(-1) ?? '',
    organizations: values(ORGANIZATION),
    subject,
    names: namesOf(x509, request),
    publicKey: new Uint8Array(request.publicKey.rawData),
  };
}

async function parsed(x509: typeof X509, der: Buffer): Promise<{ request: X509.Pkcs10CertificateRequest; isSigned: boolean }> {
  try {
    const request = new x509.Pkcs10CertificateRequest(der);
    return { request, isSigned: await request.verify() };
  } catch (error) {
    throw new RequestFault(error instanceof Error ? error.message : String(error));
  }
}

function namesOf(x509: typeof X509, request: X509.Pkcs10CertificateRequest): AlternativeNames {
  const extension = request.getExtension(ALTERNATIVE_NAMES);
  const items = extension instanceof x509.SubjectAlternativeNameExtension ? extension.names.items : [];
  const of = (type: X509.GeneralNameType): readonly string[] => items.filter((item) => item.type === type).map(({ value }) => value);
  return { dns: of('dns'), emails: of('email'), ips: of('ip'), uris: of('url') };
}

/** Throws on texts that are no certificate and no key of it that signs with RSA or ECDSA. */
export function readAuthority(certificate: string, key: string): SigningAuthority {
  const read = new X509Certificate(certificate);
  const signing = createPrivateKey(key);
  if (!read.checkPrivateKey(signing)) throw new Error('the key is not that of the certificate');
  if (algorithmOf(signing) === undefined) throw new Error('the key is no RSA key and no ECDSA key of a known curve');
  return { certificate, key: signing, notAfter: Date.parse(read.validTo) };
}

/** The certificate (PEM). It never outlives its authority. */
export async function issueFor(
  { request, authority, uses, notBefore, notAfter }: CertificateIssue,
  random: Pick<Random, 'string'>,
): Promise<string> {
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(authority.certificate);
  const algorithm = algorithmOf(authority.key);
  if (algorithm === undefined) throw new Error('the authority cannot sign');
  const der = authority.key.export({ type: 'pkcs8', format: 'der' });
  const certificate = await x509.X509CertificateGenerator.create({
    // Positive, and never zero.
    serialNumber: `4${random.string(SERIAL_BYTES * 2 - 1, '0123456789abcdef')}`,
    notBefore: new Date(notBefore),
    notAfter: new Date(Math.min(notAfter, authority.notAfter)),
    subject: subjectOf(x509, request),
    issuer: issuer.subjectName,
    publicKey: new x509.PublicKey(request.publicKey),
    signingKey: await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']),
    signingAlgorithm: algorithm,
    extensions: extensionsOf(x509, request, issuer, uses),
  });
  return `${certificate.toString('pem').trimEnd()}\n`;
}

/** Values of one sort stand side by side, in the order of their encoding. */
function subjectOf(x509: typeof X509, { subject }: ParsedRequest): X509.Name {
  const order = (one: string, other: string): number => {
    const [a, b] = [Buffer.from(one), Buffer.from(other)];
    return a.length - b.length || a.compare(b);
  };
  // A bare text could be read as an encoding of another one.
  return new x509.Name(subject.map(([id, values]) => ({ [id]: [...values].sort(order).map((utf8String) => ({ utf8String })) })));
}

function extensionsOf(x509: typeof X509, request: ParsedRequest, issuer: X509.X509Certificate, uses: CertificateUses): X509.Extension[] {
  const bits = uses.key.reduce((all, use) => all | x509.KeyUsageFlags[use], 0);
  const issuerKey = issuer.getExtension(SUBJECT_KEY);
  const { dns, emails, ips, uris } = request.names;
  const names: X509.JsonGeneralNames = [
    ...dns.map((value) => ({ type: 'dns' as const, value })),
    ...emails.map((value) => ({ type: 'email' as const, value })),
    ...ips.map((value) => ({ type: 'ip' as const, value })),
    ...uris.map((value) => ({ type: 'url' as const, value })),
  ];
  return [
    ...(bits === 0 ? [] : [new x509.KeyUsagesExtension(bits, true)]),
    ...(uses.extended.length === 0 ? [] : [new x509.ExtendedKeyUsageExtension([...uses.extended])]),
    new x509.BasicConstraintsExtension(false, undefined, true),
    ...(issuerKey instanceof x509.SubjectKeyIdentifierExtension ? [new x509.AuthorityKeyIdentifierExtension(issuerKey.keyId)] : []),
    // Without a subject the names are all that it is known by.
    ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names, request.subject.length === 0)]),
  ];
}

const CURVES: Readonly<Record<string, { readonly namedCurve: string; readonly hash: string }>> = {
  prime256v1: { namedCurve: 'P-256', hash: 'SHA-256' },
  secp384r1: { namedCurve: 'P-384', hash: 'SHA-384' },
  secp521r1: { namedCurve: 'P-521', hash: 'SHA-512' },
};

function algorithmOf(key: KeyObject): { name: string; hash: string; namedCurve?: string } | undefined {
  if (key.asymmetricKeyType === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const curve = key.asymmetricKeyType === 'ec' ? CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''] : undefined;
  return curve === undefined ? undefined : { name: 'ECDSA', ...curve };
}
