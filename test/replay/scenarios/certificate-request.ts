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

/** PEM. */
export function certificateRequestOf(
  requested: CertificateRequestFields,
  { publicKey, privateKey }: Keys,
  signing: SignatureAlgorithm = WITH_ECDSA,
): string {
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const info = derElement(0x30, Buffer.from('020100', 'hex'), nameOf(requested), key, attributesOf(requested));
  const signingKey = requested.signature === 'of another key' ? newKeys().privateKey : privateKey;
  return pem(
    'CERTIFICATE REQUEST',
    derElement(
      0x30,
      info,
      derElement(0x30, hex(signing.algorithm)),
      derElement(0x03, Buffer.of(0), sign(signing.hash, info, { key: signingKey, ...signing.options })),
    ),
  );
}

const newKeys = (): Keys => generateKeyPairSync('ec', { namedCurve: 'P-256' });

function pem(type: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${type}-----\n${lines.join('\n')}\n-----END ${type}-----\n`;
}

function nameOf({ organizations = [], commonName, others = [] }: CertificateRequestFields): Buffer {
  const parts = [
    ...organizations.map((value) => [ORGANIZATION, value] as const),
    ...(commonName === undefined ? [] : [[COMMON_NAME, commonName] as const]),
    ...others,
  ];
  return derElement(0x30, ...parts.map(([id, value]) => derElement(0x31, derElement(0x30, hex(id), derElement(0x0c, Buffer.from(value))))));
}

function attributesOf({ dns = [], ips = [], emails = [], uris = [] }: CertificateRequestFields): Buffer {
  const names = [
    ...dns.map((name) => derElement(0x82, Buffer.from(name))),
    ...emails.map((name) => derElement(0x81, Buffer.from(name))),
    ...ips.filter((ip) => isIP(ip) === 4).map((ip) => derElement(0x87, Buffer.from(ip.split('.').map(Number)))),
    ...uris.map((name) => derElement(0x86, Buffer.from(name))),
  ];
  if (names.length === 0) return derElement(0xa0);
  const extension = derElement(0x30, hex(ALTERNATIVE_NAMES), derElement(0x04, derElement(0x30, ...names)));
  return derElement(0xa0, derElement(0x30, hex(EXTENSION_REQUEST), derElement(0x31, derElement(0x30, extension))));
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

function derElement(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.of(tag, ...length), content]);
}
