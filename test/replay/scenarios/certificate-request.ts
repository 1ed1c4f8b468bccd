/** Creates certificate signing requests (PKCS #10) with a new or a given key. */
import { generateKeyPairSync, sign, type KeyObject, type SigningOptions } from 'node:crypto';
import { isIP } from 'node:net';
import { listOf, oneOf, shape, text, tupleOf, type Checked } from '../shape';

export const isCertificateRequestFields = shape(
  {},
  {
    organizations: listOf(text),
    /** Further attributes at the end of the subject: object identifiers in hexadecimal DER, and values. */
    others: listOf(tupleOf(text, text)),
    /** Absent for a subject without a common name. */
    commonName: text,
    dns: listOf(text),
    /** IPv4 addresses. */
    ips: listOf(text),
    emails: listOf(text),
    uris: listOf(text),
    /** Signs with the request's key by default, or with another key. */
    signature: oneOf('whole', 'of another key'),
  },
);
export type CertificateRequestFields = Checked<typeof isCertificateRequestFields>;

/** Tags of DER (X.690); a context tag is 0xa0 for a constructed value, and 0x80 and a number for a general name. */
const TAG = { bitString: 0x03, octetString: 0x04, utf8String: 0x0c, sequence: 0x30, set: 0x31, attributes: 0xa0 } as const;
const GENERAL_NAME = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87 } as const;
/** The version 0, as an INTEGER. */
const VERSION = '020100';
/** Object identifiers, in hexadecimal DER. */
const ORGANIZATION = '060355040a';
const COMMON_NAME = '0603550403';
const ALTERNATIVE_NAMES = '0603551d11';
/** PKCS #9 attribute for requested extensions. */
const EXTENSION_REQUEST = '06092a864886f70d01090e';
const ECDSA_WITH_SHA256 = '06082a8648ce3d040302';

export interface SignatureAlgorithm {
  /** The algorithm's identifier and parameters, in hexadecimal DER. */
  readonly algorithm: string;
  /** `undefined` when the key type implies the hash. */
  readonly hash: string | undefined;
  readonly options?: SigningOptions;
}

const WITH_ECDSA: SignatureAlgorithm = { algorithm: ECDSA_WITH_SHA256, hash: 'sha256' };

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** PEM, with a new key. */
export const certificateRequest = (requested: CertificateRequestFields): string => certificateRequestOf(requested, newKeys());

/** PEM, with this key. `signing` is the algorithm of the signature: ECDSA with SHA-256 by default. */
export function certificateRequestOf(
  requested: CertificateRequestFields,
  { publicKey, privateKey }: Keys,
  signing: SignatureAlgorithm = WITH_ECDSA,
): string {
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const info = derElement(TAG.sequence, hex(VERSION), nameOf(requested), key, attributesOf(requested));
  const signingKey = requested.signature === 'of another key' ? newKeys().privateKey : privateKey;
  const algorithm = derElement(TAG.sequence, hex(signing.algorithm));
  const signature = sign(signing.hash, info, { key: signingKey, ...signing.options });
  // The first byte of a BIT STRING is the number of unused bits.
  const signatureBits = derElement(TAG.bitString, Buffer.of(0), signature);
  return pem('CERTIFICATE REQUEST', derElement(TAG.sequence, info, algorithm, signatureBits));
}

const newKeys = (): Keys => generateKeyPairSync('ec', { namedCurve: 'P-256' });

function pem(type: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join('\n')}\n-----END ${type}-----\n`;
}

/** The subject: a sequence of sets with one attribute each. */
function nameOf({ organizations = [], commonName, others = [] }: CertificateRequestFields): Buffer {
  const parts = [
    ...organizations.map((value) => [ORGANIZATION, value] as const),
    ...(commonName === undefined ? [] : [[COMMON_NAME, commonName] as const]),
    ...others,
  ];
  const attributes = parts.map(([id, value]) => derElement(TAG.sequence, hex(id), derElement(TAG.utf8String, Buffer.from(value))));
  return derElement(TAG.sequence, ...attributes.map((attribute) => derElement(TAG.set, attribute)));
}

/** The attributes of the request: the extension with the alternative names, if there are any. */
function attributesOf({ dns = [], ips = [], emails = [], uris = [] }: CertificateRequestFields): Buffer {
  const names = [
    ...dns.map((name) => derElement(GENERAL_NAME.dns, Buffer.from(name))),
    ...emails.map((name) => derElement(GENERAL_NAME.email, Buffer.from(name))),
    ...ips.filter((ip) => isIP(ip) === 4).map((ip) => derElement(GENERAL_NAME.ip, Buffer.from(ip.split('.').map(Number)))),
    ...uris.map((name) => derElement(GENERAL_NAME.uri, Buffer.from(name))),
  ];
  if (names.length === 0) return derElement(TAG.attributes);
  const extension = derElement(TAG.sequence, hex(ALTERNATIVE_NAMES), derElement(TAG.octetString, derElement(TAG.sequence, ...names)));
  const extensions = derElement(TAG.set, derElement(TAG.sequence, extension));
  return derElement(TAG.attributes, derElement(TAG.sequence, hex(EXTENSION_REQUEST), extensions));
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** Tag, length (X.690, 8.1.3) and content. Contents are shorter than 64 KiB. */
function derElement(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag, ...lengthBytes(content.length)), content]);
}

/** One byte, or the number of bytes that follow, with the highest bit set, and these. */
function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
