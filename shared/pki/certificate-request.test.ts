/** The parsing of certificate requests: subjects, alternative names, signatures, and malformed bytes. */
import { constants, generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import { certificateRequest, certificateRequestOf, type SignatureAlgorithm } from '../../test/replay/scenarios/certificate-request';
import { parseCertificateRequest, CertificateRequestError } from './certificate-request';

test.each([
  ['an empty text', ''],
  ['text without a PEM block', 'hello'],
  ['a PEM block of another type', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'],
  ['a PEM block without content', '-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n'],
  ['a PEM block with malformed DER', '-----BEGIN CERTIFICATE REQUEST-----\nMIHKMHICAQAwEDEO\n-----END CERTIFICATE REQUEST-----\n'],
  ['a signature by another key', certificateRequest({ commonName: 'c', signature: 'of another key' })],
  ['a request that is too large', certificateRequest({ dns: Array.from({ length: 6_000 }, (_, n) => `name-${n}.example.com`) })],
])('parseCertificateRequest rejects %s', (_, text) => {
  expect(() => parseCertificateRequest(text)).toThrow(CertificateRequestError);
});

test('parseCertificateRequest rejects a request with an altered byte', () => {
  const text = certificateRequest({ commonName: 'c', dns: ['d'] });
  const der = Buffer.from(text.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  // Every third byte: enough to reach each element of the encoding.
  for (let index = 0; index < der.length; index += 3) {
    const changed = Buffer.from(der);
    changed[index] = (changed[index] ?? 0) ^ 0x55;
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${changed.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    expect(() => parseCertificateRequest(pem)).toThrow(CertificateRequestError);
  }
});

/** Created by another program: an attribute of the subject in several RDNs, and alternative names of every type. */
const NAMED = `-----BEGIN CERTIFICATE REQUEST-----
MIIBfTCCASMCAQAwWDEOMAwGA1UEAwwFZmlyc3QxCzAJBgNVBAYTAkRFMQowCAYD
VQQKDAFiMQowCAYDVQQKDAFhMQ0wCwYDVQQDDARsYXN0MRIwEAYJKoZIhvcNAQkB
FgN4QHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATVrCO0yN+r53qeeKEVnqHy
QIuTPgH102+xUf+Goxv6WLrp9PQBlNzbf+sN1JoJLo+afAsnRIGtTnLWTaSTDtVJ
oGkwZwYJKoZIhvcNAQkOMVowWDALBgNVHQ8EBAMCB4AwSQYDVR0RBEIwQIIBYYIB
YocEwAACAYcQIAENuAAAAAAAAAAAAAAAAYcQAAAAAAAAAAAAAP//wAACAoEDY0Bk
hgVlOi8vZogCKgMwCgYIKoZIzj0EAwIDSAAwRQIgD8bkqtnDUwpeuI2iN8g6LH69
rYeQVNYcPL0IM43K5m4CIQCM9yWnocO+wFYKaKM0ZL/EDO7QVXEpRY93FB2PcUt6
Vw==
-----END CERTIFICATE REQUEST-----
`;

test('parseCertificateRequest reads the subject and the names', () => {
  expect(parseCertificateRequest(NAMED)).toMatchObject({
    commonName: 'last',
    organizations: ['b', 'a'],
    subject: [
      ['2.5.4.6', ['DE']],
      ['2.5.4.10', ['b', 'a']],
      ['2.5.4.3', ['last']],
    ],
    names: { dns: ['a', 'b'], emails: ['c@d'], ips: ['192.0.2.1', '2001:db8::1', '192.0.2.2'], uris: ['e://f'] },
  });
});

// Algorithm identifiers in hexadecimal DER: `06`, the length and the bytes of the object identifier, then parameters.

/** @param id the end of the object identifier 1.2.840.10045.4: `01` for SHA-1, `03` and `02` to `04` for SHA-256 to SHA-512 */
const ecdsa = (id: string, hash: string): SignatureAlgorithm => ({
  algorithm: `06${id.length === 2 ? '07' : '08'}2a8648ce3d04${id}`,
  hash,
});
/** @param id the last byte of the object identifier 1.2.840.113549.1.1 */
const rsa = (id: string, hash: string): SignatureAlgorithm => ({ algorithm: `06092a864886f70d0101${id}0500`, hash });
/** @param id the last byte of the object identifier of the hash, 2.16.840.1.101.3.4.2: `01` for SHA-256, `03` for SHA-512 */
const pss = (hash: string, id: string): SignatureAlgorithm => ({
  algorithm: `06092a864886f70d01010a3034a00f300d06096086480165030402${id}0500a11c301a06092a864886f70d010108300d06096086480165030402${id}0500a203020120`,
  hash,
  options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
});
const curve = (namedCurve: string) => (): KeyPairKeyObjectResult => generateKeyPairSync('ec', { namedCurve });
/** A key pair per length: generating one of 2048 bits takes 0.2 s. */
const rsaKeys = new Map<number, KeyPairKeyObjectResult>();
const modulus = (modulusLength: number) => (): KeyPairKeyObjectResult => {
  const keys = rsaKeys.get(modulusLength) ?? generateKeyPairSync('rsa', { modulusLength });
  rsaKeys.set(modulusLength, keys);
  return keys;
};
const ED25519: SignatureAlgorithm = { algorithm: '06032b6570', hash: undefined };

test.each([
  ['P-224', curve('P-224'), ecdsa('0302', 'sha256')],
  ['P-256 and SHA-1', curve('P-256'), ecdsa('01', 'sha1')],
  ['P-384', curve('P-384'), ecdsa('0303', 'sha384')],
  ['P-521', curve('P-521'), ecdsa('0304', 'sha512')],
  ['RSA with 1024 bits and SHA-1', modulus(1024), rsa('05', 'sha1')],
  ['RSA and SHA-256', modulus(2048), rsa('0b', 'sha256')],
  ['RSA and SHA-384', modulus(2048), rsa('0c', 'sha384')],
  ['RSA and SHA-512', modulus(2048), rsa('0d', 'sha512')],
  ['RSA-PSS and SHA-256', modulus(2048), pss('sha256', '01')],
  ['RSA-PSS and SHA-512', modulus(2048), pss('sha512', '03')],
  ['Ed25519', () => generateKeyPairSync('ed25519'), ED25519],
])('parseCertificateRequest verifies a signature with %s', (_, keys, algorithm) => {
  expect(parseCertificateRequest(certificateRequestOf({ commonName: 'c' }, keys(), algorithm)).commonName).toBe('c');
});

test.each([
  ['an unsupported curve', curve('secp256k1'), ecdsa('0302', 'sha256'), 'x509: unsupported elliptic curve'],
  ['the unsupported hash MD5', modulus(1024), rsa('04', 'md5'), 'x509: cannot verify signature: algorithm unimplemented'],
  ['RSA-PSS with an unsupported hash', modulus(1024), pss('sha256', '04'), 'x509: cannot verify signature: algorithm unimplemented'],
  ['an algorithm that does not fit the key', curve('P-256'), rsa('0b', 'sha256'), 'x509: cannot verify signature: algorithm unimplemented'],
  ['another ECDSA hash than the stated one', curve('P-256'), ecdsa('0303', 'sha256'), 'x509: ECDSA verification failure'],
  ['another RSA hash than the stated one', modulus(1024), rsa('0c', 'sha256'), 'crypto/rsa: verification error'],
  ['a hash that is too long for the key', modulus(1024), pss('sha256', '03'), 'crypto/rsa: verification error'],
])('parseCertificateRequest rejects a signature with %s', (_, keys, algorithm, message) => {
  expect(() => parseCertificateRequest(certificateRequestOf({ commonName: 'c' }, keys(), algorithm))).toThrow(
    new CertificateRequestError(message),
  );
});

/** The object identifier of an organization, in hexadecimal DER. */
const ORGANIZATION = '060355040a';

test.each([
  ['a two-byte letter', { others: [[ORGANIZATION, 'dévs']] as const }, ['dévs']],
  ['a line break', { organizations: ['devs\nO=system:masters'] }, ['devs\nO=system:masters']],
])('parseCertificateRequest keeps an organization with %s unchanged', (_, requested, organizations) => {
  expect(parseCertificateRequest(certificateRequest(requested)).organizations).toEqual(organizations);
});

test('parseCertificateRequest ignores an empty organization', () => {
  expect(parseCertificateRequest(certificateRequest({ organizations: [''] })).organizations).toEqual([]);
});
