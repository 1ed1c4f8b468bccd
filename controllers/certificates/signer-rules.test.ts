/** The order of the checks of the built-in signers, and uses and validity of the certificates that they issue. */
import type { ParsedCertificateRequest } from '../../shared/pki/certificate-request';
import { certificateUses, validateForSigner, validityPeriod } from './signer-rules';

const NAMES = { dns: [], emails: [], ips: [], uris: [] };
const kubeletRequest: ParsedCertificateRequest = {
  commonName: 'system:node:one',
  organizations: ['system:nodes'],
  subject: [],
  names: NAMES,
  publicKey: new Uint8Array(),
};
const CLIENT = ['digital signature', 'key encipherment', 'client auth'];
const SERVER = ['digital signature', 'server auth'];
const named = (more: Partial<ParsedCertificateRequest['names']>): ParsedCertificateRequest => ({
  ...kubeletRequest,
  names: { ...NAMES, ...more },
});

// What each signer accepts, and upstream's messages, are recorded (test/replay). These tests cover the order of the checks.
type OrderCase = readonly [title: string, request: ParsedCertificateRequest, usages: readonly string[], error: string];

test.each<OrderCase>([
  ['the organization before the names', { ...named({ dns: ['a'] }), organizations: [] }, [], 'subject organization is not system:nodes'],
  [
    'DNS names before the other names',
    named({ dns: ['a'], emails: ['b'], ips: ['c'], uris: ['d'] }),
    [],
    'DNS subjectAltNames are not allowed',
  ],
  ['emails before IPs and URIs', named({ emails: ['b'], ips: ['c'], uris: ['d'] }), [], 'Email subjectAltNames are not allowed'],
  ['the common name before usages', { ...kubeletRequest, commonName: 'one' }, [], 'subject common name does not begin with system:node:'],
  ['the usages last', kubeletRequest, ['client auth'], 'usages did not match [client auth digital signature key encipherment]'],
])('validateForSigner checks %s for a kubelet client certificate', (_title, request, usages, error) => {
  expect(validateForSigner('platform.io/kube-apiserver-client-kubelet', request, usages)).toBe(error);
});

test.each<OrderCase>([
  ['for DNS names and IPs before URIs', named({ uris: ['d'] }), SERVER, 'DNS or IP subjectAltName is required'],
  ['for URIs after DNS names and IPs', named({ dns: ['a'], uris: ['d'] }), SERVER, 'URI subjectAltNames are not allowed'],
  ['the usages last', named({ ips: ['a'] }), CLIENT, 'usages did not match [digital signature key encipherment server auth]'],
])('validateForSigner checks %s for a kubelet serving certificate', (_title, request, usages, error) => {
  expect(validateForSigner('platform.io/kubelet-serving', request, usages)).toBe(error);
});

test('validateForSigner accepts valid requests of kubelets, with a usage listed twice too', () => {
  expect(validateForSigner('platform.io/kube-apiserver-client-kubelet', kubeletRequest, CLIENT)).toBeUndefined();
  expect(validateForSigner('platform.io/kube-apiserver-client-kubelet', kubeletRequest, [...CLIENT, 'client auth'])).toBeUndefined();
  expect(validateForSigner('platform.io/kubelet-serving', named({ ips: ['a'] }), SERVER)).toBeUndefined();
});

test('certificateUses lists each usage once and skips unknown ones', () => {
  expect(certificateUses(['signing', 'digital signature', 'cert sign', 'client auth', 'toString'])).toEqual({
    keyUsages: ['digitalSignature', 'keyCertSign'],
    extendedKeyUsages: ['1.3.6.1.5.5.7.3.2'],
  });
});

/** Seconds that a certificate is valid before it is issued. */
const BACKDATING = 300;
const EIGHT_HOURS = 8 * 3600;
const YEAR = 365 * 24 * 3600;

test.each([
  ['for the default lifetime without expirationSeconds', undefined, YEAR],
  ['with the back-dating added to a short lifetime', 600, 600 + BACKDATING],
  ['for at least ten minutes', 1, 600 + BACKDATING],
  ['with the back-dating added just below eight hours', EIGHT_HOURS - 1, EIGHT_HOURS - 1 + BACKDATING],
  ['without the back-dating added from eight hours on', EIGHT_HOURS, EIGHT_HOURS],
  ['for at most the maximum of the signer', 2_000_000_000, YEAR],
])('validityPeriod issues a certificate %s', (_title, expirationSeconds, lifetime) => {
  const startOfSecond = Date.UTC(2026, 0, 1);
  const { notBefore, notAfter } = validityPeriod({ expirationSeconds }, YEAR * 1000, startOfSecond + 789);
  expect(notBefore).toBe(startOfSecond - BACKDATING * 1000);
  expect((notAfter - notBefore) / 1000).toBe(lifetime);
});
