/**
 * Parses certificate signing requests (PKCS #10) and verifies their signature, with the error messages of Go's
 * crypto/x509. Of the subject it keeps the attributes of Go's `pkix.Name`, and groups the values of each. Signing is in
 * certificate-authority.ts.
 */
import { constants, createPublicKey, verify, type KeyObject } from 'node:crypto';
import {
  DER_TAGS,
  parseObjectIdentifier,
  requireDerTag,
  parseDerContainer,
  parseDer,
  DerError,
  parseDerChildren,
  type DerValue,
} from '../values/encoding/der';
import { parseGoUrl } from '../values/network/go-url';
import { formatIpAddress, parseIpAddress } from '../values/network/ip-address';
import { firstPemBlock } from '../values/encoding/pem';

/** The request is malformed, or not signed with its own key. */
export class CertificateRequestError extends Error {}

/** Subject alternative names by type, in the order of the request. */
export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly emails: readonly string[];
  readonly ips: readonly string[];
  readonly uris: readonly string[];
}

/** A certificate request with a verified signature. */
export interface ParsedCertificateRequest {
  /** The last of several; `''` when there is none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Values of the subject by object identifier, in the order of {@link SUBJECT_ATTRIBUTES}. */
  readonly subject: readonly (readonly [id: string, values: readonly string[]])[];
  readonly names: AlternativeNames;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
}

/** Limit of a request in PEM; real ones have some 2 KiB. */
const MAX_BYTES = 64 * 1024;
const ORGANIZATION = '2.5.4.10';
const COMMON_NAME = '2.5.4.3';
const SERIAL_NUMBER = '2.5.4.5';
const SUBJECT_ATTRIBUTES = [
  '2.5.4.6', // country
  '2.5.4.8', // province
  '2.5.4.7', // locality
  '2.5.4.9', // street
  '2.5.4.17', // postal code
  ORGANIZATION,
  '2.5.4.11', // organizational unit
  COMMON_NAME,
  SERIAL_NUMBER,
];
/** Attributes of which only the last value is kept. */
const SINGLE_VALUED: ReadonlySet<string> = new Set([COMMON_NAME, SERIAL_NUMBER]);
/** The attribute with the requested extensions (PKCS #9). */
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
/** The tag `[0]`, constructed: it marks the attributes of a request, and the hash in the parameters of RSA-PSS. */
const CONTEXT_TAG_0 = 0xa0;

/** Parses the first PEM block of the text. Throws {@link CertificateRequestError}. */
export function parseCertificateRequest(pem: string): ParsedCertificateRequest {
  if (pem.length > MAX_BYTES) throw new CertificateRequestError(`it is longer than ${MAX_BYTES} bytes`);
  const block = firstPemBlock(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') throw new CertificateRequestError('PEM block type must be CERTIFICATE REQUEST');
  try {
    return parseDerRequest(block.bytes);
  } catch (error) {
    throw error instanceof DerError ? new CertificateRequestError(error.message) : error;
  }
}

function parseDerRequest(bytes: Buffer): ParsedCertificateRequest {
  const [info, algorithm, signature] = parseDerContainer(parseDer(bytes), DER_TAGS.sequence);
  const [, name, key, ...attributes] = parseDerContainer(info, DER_TAGS.sequence);
  const publicKey = requireDerTag(key, DER_TAGS.sequence).whole;
  checkSignature(requireDerTag(info, DER_TAGS.sequence).whole, algorithm, signature, readKey(publicKey));
  const attributeValues = subjectValuesById(name);
  const values = (id: string): readonly string[] => attributeValues.get(id) ?? [];
  const subject = SUBJECT_ATTRIBUTES.flatMap((id): [string, readonly string[]][] => {
    const kept = SINGLE_VALUED.has(id) ? values(id).slice(-1) : values(id);
    return kept.length === 0 ? [] : [[id, kept]];
  });
  return {
    commonName: values(COMMON_NAME).at(-1) ?? '',
    organizations: values(ORGANIZATION),
    subject,
    names: alternativeNamesOf(attributes.find(({ tag }) => tag === CONTEXT_TAG_0)),
    publicKey: new Uint8Array(publicKey),
  };
}

/** The values of {@link SUBJECT_ATTRIBUTES} by object identifier. Empty values are ignored. */
function subjectValuesById(name: DerValue | undefined): ReadonlyMap<string, readonly string[]> {
  const attributeValues = new Map<string, string[]>();
  for (const part of parseDerContainer(name, DER_TAGS.sequence).flatMap((set) => parseDerContainer(set, DER_TAGS.set))) {
    const [id, value] = parseDerContainer(part, DER_TAGS.sequence);
    const attribute = parseObjectIdentifier(id);
    const text = value === undefined || !SUBJECT_ATTRIBUTES.includes(attribute) ? '' : textOf(value);
    if (text === '') continue;
    const values = attributeValues.get(attribute);
    if (values === undefined) attributeValues.set(attribute, [text]);
    else values.push(text);
  }
  return attributeValues;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const UTF8_STRING = 0x0c;
/** NumericString, PrintableString, TeletexString, IA5String. */
const ASCII_STRINGS: ReadonlySet<number> = new Set([0x12, 0x13, 0x14, 0x16]);
/** BMPString: UTF-16, big-endian. */
const BMP_STRING = 0x1e;

function textOf({ tag, content }: DerValue): string {
  if (tag === UTF8_STRING) return utf8Of(content);
  if (ASCII_STRINGS.has(tag)) return asciiOf(content, 'asn1: syntax error: a string contains an invalid character');
  if (tag !== BMP_STRING || content.length % 2 !== 0)
    throw new CertificateRequestError(`asn1: structure error: a string of type ${tag} cannot be read`);
  return Buffer.from(content).swap16().toString('utf16le');
}

function utf8Of(content: Buffer): string {
  try {
    return strictUtf8.decode(content);
  } catch {
    throw new CertificateRequestError('asn1: syntax error: UTF8String contains invalid characters');
  }
}

function asciiOf(content: Buffer, error: string): string {
  if (content.some((byte) => byte >= 0x80)) throw new CertificateRequestError(error);
  return content.toString('latin1');
}

/** Tags of GeneralName (RFC 5280). Names of other types are ignored. */
const GENERAL_NAME_TAGS = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const;

/** @param attributes of the request; `undefined` when it has none */
function alternativeNamesOf(attributes: DerValue | undefined): AlternativeNames {
  const generalNames = requestedGeneralNames(attributes);
  const valuesWithTag = (expectedTag: number, read: (content: Buffer) => string): readonly string[] =>
    generalNames.filter(({ tag }) => tag === expectedTag).map(({ content }) => read(content));
  const ascii = (type: string) => (content: Buffer) => asciiOf(content, `x509: SAN ${type} is malformed`);
  return {
    emails: valuesWithTag(GENERAL_NAME_TAGS.email, ascii('rfc822Name')),
    dns: valuesWithTag(GENERAL_NAME_TAGS.dns, ascii('dNSName')),
    uris: valuesWithTag(GENERAL_NAME_TAGS.uri, uriOf),
    ips: valuesWithTag(GENERAL_NAME_TAGS.ip, ipOf),
  };
}

/** The GeneralNames of the requested extension `subjectAltName`; empty when the request has none. */
function requestedGeneralNames(attributes: DerValue | undefined): readonly DerValue[] {
  if (attributes === undefined) return [];
  for (const attribute of parseDerChildren(attributes)) {
    const [id, values] = parseDerContainer(attribute, DER_TAGS.sequence);
    if (parseObjectIdentifier(id) !== EXTENSION_REQUEST) continue;
    for (const extension of parseDerContainer(parseDerContainer(values, DER_TAGS.set)[0], DER_TAGS.sequence)) {
      const parts = parseDerContainer(extension, DER_TAGS.sequence);
      if (parseObjectIdentifier(parts[0]) === SUBJECT_ALTERNATIVE_NAME)
        return parseDerContainer(parseDer(requireDerTag(parts.at(-1), DER_TAGS.octetString).content), DER_TAGS.sequence);
    }
  }
  return [];
}

function uriOf(content: Buffer): string {
  const text = asciiOf(content, 'x509: SAN uniformResourceIdentifier is malformed');
  const read = parseGoUrl(text);
  if (read.type === 'bad') throw new CertificateRequestError(`x509: cannot parse URI "${text}": ${read.error}`);
  return text;
}

/** The canonical text of an address; an IPv4-mapped IPv6 address is an IPv4 address, as in Go. */
function ipOf(content: Buffer): string {
  if (content.length === 4) return content.join('.');
  if (content.length !== 16) throw new CertificateRequestError(`x509: cannot parse IP address of length ${content.length}`);
  const groups = Array.from({ length: 8 }, (_, index) => content.readUInt16BE(index * 2).toString(16)).join(':');
  const address = parseIpAddress(groups);
  return address === undefined ? groups : formatIpAddress(address);
}

const CURVES: ReadonlySet<string> = new Set(['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1']);

function readKey(der: Buffer): KeyObject {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    throw new CertificateRequestError('x509: the public key cannot be read');
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'ec' && !CURVES.has(details?.namedCurve ?? '')) throw new CertificateRequestError('x509: unsupported elliptic curve');
  return key;
}

/** Signature algorithms by object identifier. The hash is `undefined` when the key type determines it. */
const ALGORITHMS: Readonly<Record<string, { readonly key: 'rsa' | 'ec' | 'ed25519'; readonly hash: string | undefined }>> = {
  '1.2.840.113549.1.1.5': { key: 'rsa', hash: 'sha1' },
  '1.2.840.113549.1.1.11': { key: 'rsa', hash: 'sha256' },
  '1.2.840.113549.1.1.12': { key: 'rsa', hash: 'sha384' },
  '1.2.840.113549.1.1.13': { key: 'rsa', hash: 'sha512' },
  '1.2.840.10045.4.1': { key: 'ec', hash: 'sha1' },
  '1.2.840.10045.4.3.2': { key: 'ec', hash: 'sha256' },
  '1.2.840.10045.4.3.3': { key: 'ec', hash: 'sha384' },
  '1.2.840.10045.4.3.4': { key: 'ec', hash: 'sha512' },
  '1.3.101.112': { key: 'ed25519', hash: undefined },
};
const VERIFICATION_FAILURES = {
  rsa: 'crypto/rsa: verification error',
  ec: 'x509: ECDSA verification failure',
  ed25519: 'x509: Ed25519 verification failure',
};
/** RSASSA-PSS. Its parameters name the hash. */
const PSS = '1.2.840.113549.1.1.10';
const PSS_HASHES: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

function checkSignature(signed: Buffer, algorithm: DerValue | undefined, signature: DerValue | undefined, key: KeyObject): void {
  const [id, parameters] = parseDerContainer(algorithm, DER_TAGS.sequence);
  const isPss = parseObjectIdentifier(id) === PSS;
  const scheme = isPss ? ({ key: 'rsa', hash: pssHash(parameters) } as const) : ALGORITHMS[parseObjectIdentifier(id)];
  const { content } = requireDerTag(signature, DER_TAGS.bitString);
  if (scheme === undefined || scheme.key !== key.asymmetricKeyType)
    throw new CertificateRequestError('x509: cannot verify signature: algorithm unimplemented');
  const padding = isPss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
  // The first byte of a BIT STRING is the number of unused bits in its last byte.
  const isGood = content[0] === 0 && isVerified(() => verify(scheme.hash, signed, { key, ...padding }, content.subarray(1)));
  if (!isGood) throw new CertificateRequestError(VERIFICATION_FAILURES[scheme.key]);
}

/** The result of `check`, which calls `verify`: that throws when the key is too small for the hash. */
function isVerified(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}

function pssHash(parameters: DerValue | undefined): string {
  const [field] = parseDerContainer(parameters, DER_TAGS.sequence);
  const hash =
    field?.tag === CONTEXT_TAG_0
      ? PSS_HASHES[parseObjectIdentifier(parseDerContainer(parseDer(field.content), DER_TAGS.sequence)[0])]
      : undefined;
  if (hash === undefined) throw new CertificateRequestError('x509: cannot verify signature: algorithm unimplemented');
  return hash;
}
