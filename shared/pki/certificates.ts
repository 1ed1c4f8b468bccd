/**
 * Creates certificate authorities, certificates and signing keys for clusters, servers and tests, and reads
 * certificates. Created keys are ECDSA P-256; an existing authority may have an RSA key or a key on P-384 or P-521. The
 * X.509 library is loaded when the first certificate is created, so a process that only reads certificates does not
 * load it. Certificates and keys are passed as PEM texts; their files are up to the callers.
 */
import { createPrivateKey, createPublicKey, generateKeyPair, webcrypto, X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { isIP } from 'node:net';
// Node 20 breaks its own module `tls` when a certificate is read (`toLegacyObject`) before that module is loaded.
import 'node:tls';
import { promisify } from 'node:util';
import type * as X509 from '@peculiar/x509';
import type { Clock } from '../runtime/clock';
import { signingAlgorithmOf, type SigningAlgorithm } from './signing-algorithm';

/**
 * A certificate (PEM, one block) with its private key (PEM). Created keys are in SEC 1: Java clients accept elliptic
 * curve keys in no other form.
 */
export interface Credential {
  readonly certificate: string;
  readonly key: string;
}

/** The private key as PKCS #8 and the public key as SPKI, both PEM. */
export interface SigningKeyPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** The subject of a new certificate. */
export interface CertificateSubject {
  readonly commonName: string;
  /** The `O` attributes: in a client certificate the groups of the user. */
  readonly organizations?: readonly string[];
}

/** A self-signed authority. */
export interface AuthorityOptions {
  readonly subject: CertificateSubject;
  /** From now to the end of the validity. */
  readonly lifetimeMs: number;
  readonly clock: Clock;
}

/** The authority to renew, and the lifetime of its new certificate from now. */
export interface AuthorityRenewal {
  readonly authority: Credential;
  readonly lifetimeMs: number;
  readonly clock: Clock;
}

/** An intermediate authority, which `authority` signs. */
export interface SubordinateOptions extends AuthorityOptions {
  readonly authority: Credential;
}

/** `peer` is a server and a client: for members of an etcd cluster, which connect to each other. */
export type CertificateUsage = 'server' | 'client' | 'peer';

/** A certificate of a server or a client. */
export interface CertificateOptions extends SubordinateOptions {
  readonly usage: CertificateUsage;
  /** DNS names and IP addresses. */
  readonly names?: readonly string[];
}

/** What messages and checks need of a certificate. */
export interface CertificateInfo {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The common name of the issuer; `''` when it has none. */
  readonly issuer: string;
  /** Milliseconds since 1970, as is `notAfter`. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** New certificates are valid since five minutes ago, so that peers with slow clocks accept them. */
const BACKDATE_MS = 5 * 60_000;

/** A certificate should be renewed when less than this fraction of its validity is left. */
const RENEWAL_FRACTION = 0.2;

const EXTENDED_USAGES = { server: ['serverAuth'], client: ['clientAuth'], peer: ['serverAuth', 'clientAuth'] } as const;

const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Creates a self-signed authority that may sign end-entity certificates only. */
export async function createAuthority(request: AuthorityOptions): Promise<Credential> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const name = subjectName(x509, request.subject);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(request),
    name,
    keys,
    signingAlgorithm: KEY_ALGORITHM,
    extensions: await authorityExtensions(x509, keys),
  });
  return credentialOf(certificate, keys);
}

/**
 * Creates a self-signed certificate with the subject, key and key identifier of `authority` and a new validity. A
 * client that trusts either of the two certificates of the authority accepts what was signed under the other.
 */
export async function renewAuthority({ authority, lifetimeMs, clock }: AuthorityRenewal): Promise<Credential> {
  const x509 = await loadX509();
  const previous = new x509.X509Certificate(authority.certificate);
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity({ lifetimeMs, clock }),
    ...(await importSigningKey(authority.key)),
    subject: previous.subjectName,
    issuer: previous.subjectName,
    publicKey: previous.publicKey,
    extensions: previous.extensions,
  });
  return { certificate: toPem(certificate), key: authority.key };
}

/** Creates an intermediate authority that may sign end-entity certificates only. */
export async function createSubordinateAuthority(request: SubordinateOptions): Promise<Credential> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  return signCertificate(x509, request, keys, await authorityExtensions(x509, keys));
}

/** Issues a certificate. Its validity ends no later than that of the authority. */
export async function issueCertificate(request: CertificateOptions): Promise<Credential> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  return signCertificate(x509, request, keys, [
    // Not an authority.
    new x509.BasicConstraintsExtension(false, undefined, IS_CRITICAL),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, IS_CRITICAL),
    new x509.ExtendedKeyUsageExtension(EXTENDED_USAGES[request.usage].map((usage) => x509.ExtendedKeyUsage[usage])),
    await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ...alternativeNames(x509, request.names ?? []),
  ]);
}

/** Creates keys for signing tokens. */
export async function createSigningKeyPair(): Promise<SigningKeyPair> {
  return promisify(generateKeyPair)('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

/** The public key of a private key, both PEM. Throws when the text is not a private key. */
export function publicKeyOf(privateKey: string): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
}

/** Throws when the text is not a PEM certificate. */
export function readCertificate(pem: string): CertificateInfo {
  const certificate = new X509Certificate(pem);
  const { subject, issuer } = certificate.toLegacyObject();
  return {
    commonName: commonNameOf(subject),
    organizations: subjectValues(subject, 'O'),
    issuer: commonNameOf(issuer),
    notBefore: Date.parse(certificate.validFrom),
    notAfter: Date.parse(certificate.validTo),
  };
}

/** The common name of a subject as upstream reads it: the last of several, '' when there is none. */
export const commonNameOf = (subject: object | undefined): string => subjectValues(subject, 'CN').at(-1) ?? '';

/**
 * The values of an attribute of a subject in the form of Node's `toLegacyObject` and `getPeerCertificate`: an object
 * such as `{ CN: 'a', O: ['b', 'c'] }`, which has a list for an attribute that occurs several times.
 */
export function subjectValues(subject: object | undefined, attribute: string): readonly string[] {
  const value: unknown = Object.entries(subject ?? {}).find(([name]) => name === attribute)?.[1];
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((item) => typeof item === 'string');
}

/** Why a certificate is not valid at `now`, as the predicate of a message; `undefined` when it is valid. */
export function validityError(pem: string, now: number): string | undefined {
  const { notBefore, notAfter } = readCertificate(pem);
  if (now >= notAfter) return `has expired at ${new Date(notAfter).toISOString()}`;
  return now < notBefore ? `is not valid before ${new Date(notBefore).toISOString()}` : undefined;
}

/** Whether a certificate is expired, not yet valid, or has less than a fifth of its validity left. */
export function needsRenewal(pem: string, clock: Clock): boolean {
  const { notBefore, notAfter } = readCertificate(pem);
  const now = clock.now();
  return now < notBefore || notAfter - now < (notAfter - notBefore) * RENEWAL_FRACTION;
}

/** Whether a server certificate is valid for all `names` (DNS names and IP addresses). */
export function coversNames(pem: string, names: readonly string[]): boolean {
  const certificate = new X509Certificate(pem);
  return names.every((name) => (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined);
}

/** Whether the authority signed the certificate, and the credential's key belongs to it. False for malformed texts. */
export function isIssuedBy(credential: Credential, authorityCertificate: string): boolean {
  try {
    const certificate = new X509Certificate(credential.certificate);
    const authority = new X509Certificate(authorityCertificate);
    return (
      certificate.checkIssued(authority) &&
      certificate.verify(authority.publicKey) &&
      certificate.checkPrivateKey(createPrivateKey(credential.key))
    );
  } catch {
    return false;
  }
}

/** Loads the X.509 library, after the polyfill of `Reflect` metadata that it needs. */
export async function loadX509(): Promise<typeof X509> {
  await import('reflect-metadata');
  // While the last file that Node stat-ed is a pipe or a socket, its `realpathSync` returns paths with their symbolic
  // links (nodejs/node, lib/fs.js). Packages that are linked into place, as pnpm does, would not find their own
  // dependencies.
  statSync(__filename);
  return import('@peculiar/x509');
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify']);
}

/** The maximum number of intermediate authorities below an authority: it signs end-entity certificates only. */
const PATH_LENGTH = 0;
/** Clients must reject the certificate if they do not know the extension. */
const IS_CRITICAL = true;

const authorityExtensions = async (x509: typeof X509, { publicKey }: webcrypto.CryptoKeyPair): Promise<X509.Extension[]> => [
  new x509.BasicConstraintsExtension(true, PATH_LENGTH, IS_CRITICAL),
  new x509.KeyUsagesExtension(
    x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
    IS_CRITICAL,
  ),
  await x509.SubjectKeyIdentifierExtension.create(publicKey),
];

async function signCertificate(
  x509: typeof X509,
  request: SubordinateOptions,
  keys: webcrypto.CryptoKeyPair,
  extensions: readonly X509.Extension[],
): Promise<Credential> {
  const issuer = new x509.X509Certificate(request.authority.certificate);
  const { notBefore, notAfter } = validity(request);
  const certificate = await x509.X509CertificateGenerator.create({
    ...(await importSigningKey(request.authority.key)),
    notBefore,
    notAfter: notAfter < issuer.notAfter ? notAfter : issuer.notAfter,
    subject: subjectName(x509, request.subject),
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    extensions: [...extensions, await authorityKeyIdentifier(x509, issuer)],
  });
  return credentialOf(certificate, keys);
}

/** The private key of an authority (PEM) in the form that the X.509 library signs with. */
async function importSigningKey(pem: string): Promise<{ signingKey: webcrypto.CryptoKey; signingAlgorithm: SigningAlgorithm }> {
  const key = createPrivateKey(pem);
  const signingAlgorithm = signingAlgorithmOf(key);
  const der = key.export({ type: 'pkcs8', format: 'der' });
  return { signingKey: await webcrypto.subtle.importKey('pkcs8', der, signingAlgorithm, false, ['sign']), signingAlgorithm };
}

/**
 * Copies the authority's own key identifier if it has one, because clients compare the two, and authorities compute
 * theirs in different ways.
 */
async function authorityKeyIdentifier(x509: typeof X509, issuer: X509.X509Certificate): Promise<X509.Extension> {
  const keyIdentifier = issuer.getExtension(x509.SubjectKeyIdentifierExtension);
  return keyIdentifier === null
    ? x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey)
    : new x509.AuthorityKeyIdentifierExtension(keyIdentifier.keyId);
}

async function credentialOf(certificate: X509.X509Certificate, keys: webcrypto.CryptoKeyPair): Promise<Credential> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }).export({ type: 'sec1', format: 'pem' });
  return { certificate: toPem(certificate), key: key.toString() };
}

const toPem = (certificate: X509.X509Certificate): string => `${certificate.toString('pem').trimEnd()}\n`;

function validity(request: Pick<AuthorityOptions, 'lifetimeMs' | 'clock'>): { notBefore: Date; notAfter: Date } {
  const now = request.clock.now();
  return { notBefore: new Date(now - BACKDATE_MS), notAfter: new Date(now + request.lifetimeMs) };
}

function subjectName(x509: typeof X509, subject: CertificateSubject): X509.Name {
  const organizations = (subject.organizations ?? []).map((organization) => ({ O: [organization] }));
  return new x509.Name([...organizations, { CN: [subject.commonName] }]);
}

function alternativeNames(x509: typeof X509, names: readonly string[]): X509.Extension[] {
  if (names.length === 0) return [];
  return [new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value })))];
}
