import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { certificateRequest } from '../../test/replay/scenarios/certificate-request';
import { signCertificateRequest, parseSigningAuthority } from './certificate-authority';
import { parseCertificateRequest } from './certificate-request';
import { createAuthority } from './certificates';
import { systemClock } from '../runtime/clock';
import { systemRandom } from '../runtime/random';

const DAY = 86_400_000;
/** Extended key usage. */
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';

async function createTestAuthority(lifetimeMs = 100 * DAY) {
  const created = await createAuthority({ subject: { commonName: 'test-ca' }, lifetimeMs, clock: systemClock });
  return parseSigningAuthority(created.certificate, created.key);
}

async function issue(text: string, lifetimeMs?: number): Promise<X509Certificate> {
  const request = parseCertificateRequest(text);
  const now = systemClock.now();
  const usages = { keyUsages: ['digitalSignature'], extendedKeyUsages: [CLIENT_AUTHENTICATION] } as const;
  return new X509Certificate(
    await signCertificateRequest(
      { request, authority: await createTestAuthority(lifetimeMs), usages, notBefore: now, notAfter: now + 50 * DAY },
      systemRandom,
    ),
  );
}

test('signCertificateRequest puts the subject and names of the request into the certificate', async () => {
  const requested = { organizations: ['b', 'a'], commonName: 'c', dns: ['d'], emails: ['e@f'], ips: ['192.0.2.1'], uris: ['g://h'] };
  const certificate = await issue(certificateRequest(requested));
  // The organizations are one set: DER sorts its elements.
  expect(certificate.subject).toBe('O=a + O=b\nCN=c');
  expect(certificate.subjectAltName).toBe('DNS:d, email:e@f, IP Address:192.0.2.1, URI:g://h');
  expect(certificate.ca).toBe(false);
});

test('signCertificateRequest keeps an organization that looks like an encoded value as text', async () => {
  // Decoded as hexadecimal DER it would be system:masters.
  const organizations = ['#0c0e73797374656d3a6d617374657273'];
  expect(parseCertificateRequest(certificateRequest({ organizations })).organizations).toEqual(organizations);
  expect((await issue(certificateRequest({ organizations }))).subject).toBe('O=\\#0c0e73797374656d3a6d617374657273');
});

test('signCertificateRequest limits the validity of a certificate to that of its authority', async () => {
  const certificate = await issue(certificateRequest({ commonName: 'c' }), 10 * DAY);
  expect(Date.parse(certificate.validTo)).toBeLessThanOrEqual(systemClock.now() + 10 * DAY);
});

test('signCertificateRequest gives every certificate a different serial number of 16 bytes', async () => {
  const [first, second] = await Promise.all([issue(certificateRequest({})), issue(certificateRequest({}))]);
  expect(first.serialNumber).toHaveLength(32);
  expect(first.serialNumber).not.toBe(second.serialNumber);
});

test.each([
  ['rsa', () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
  ['ed25519', () => generateKeyPairSync('ed25519').privateKey],
])('parseSigningAuthority rejects an %s key that does not match the certificate', async (_, key) => {
  const { certificate } = await createAuthority({ subject: { commonName: 'x' }, lifetimeMs: DAY, clock: systemClock });
  expect(() => parseSigningAuthority(certificate, key().export({ type: 'pkcs8', format: 'pem' }).toString())).toThrow(
    'the key does not belong to the certificate',
  );
});
