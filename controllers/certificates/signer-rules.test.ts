import type { ParsedCertificateRequest } from '../../shared/pki/certificate-request';
import { certificateUses, validateForSigner, validityPeriod } from './signer-rules';

const NAMES = { dns: [], emails: [], ips: [], uris: [] };
const node: ParsedCertificateRequest = {
  commonName: 'system:node:one',
  organizations: ['system:nodes'],
  subject: [],
  names: NAMES,
  publicKey: new Uint8Array(),
};
const CLIENT = ['digital signature', 'key encipherment', 'client auth'];
const SERVER = ['digital signature', 'server auth'];
const named = (more: Partial<ParsedCertificateRequest['names']>): ParsedCertificateRequest => ({ ...node, names: { ...NAMES, ...more } });

// The recordings cover what each signer accepts, and upstream's messages. These tests cover the order of the
// checks.
type OrderCase = readonly [title: string, request: ParsedCertificateRequest, usages: readonly string[], error: string];

test.each<OrderCase>([
  ['the organization before the names', { ...named({ dns: ['a'] }), organizations: [] }, [], 'subject organization is not system:nodes'],
  ['DNS names first', named({ dns: ['a'], emails: ['b'], ips: ['c'], uris: ['d'] }), [], 'DNS subjectAltNames are not allowed'],
  ['emails before IPs and URIs', named({ emails: ['b'], ips: ['c'], uris: ['d'] }), [], 'Email subjectAltNames are not allowed'],
  ['the common name before usages', { ...node, commonName: 'one' }, [], 'subject common name does not begin with system:node:'],
  ['the usages last', node, ['client auth'], 'usages did not match [client auth digital signature key encipherment]'],
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
  expect(validateForSigner('platform.io/kube-apiserver-client-kubelet', node, CLIENT)).toBeUndefined();
  expect(validateForSigner('platform.io/kube-apiserver-client-kubelet', node, [...CLIENT, 'client auth'])).toBeUndefined();
  expect(validateForSigner('platform.io/kubelet-serving', named({ ips: ['a'] }), SERVER)).toBeUndefined();
});

test('certificateUses lists each usage once and skips unknown ones', () => {
  expect(certificateUses(['signing', 'digital signature', 'cert sign', 'client auth', 'toString'])).toEqual({
    keyUsages: ['digitalSignature', 'keyCertSign'],
    extendedKeyUsages: ['1.3.6.1.5.5.7.3.2'],
  });
});

test.each([
  ['for the default lifetime without expirationSeconds', undefined, 31_536_000, -300],
  ['with the back-dating added to a short lifetime', 600, 900, -300],
  ['for at least ten minutes', 1, 900, -300],
  ['with the back-dating added just below eight hours', 28_799, 29_099, -300],
  ['without the back-dating added from eight hours on', 28_800, 28_800, -300],
  ['for at most the maximum of the signer', 2_000_000_000, 31_536_000, -300],
])('validityPeriod issues a certificate %s', (_, expirationSeconds, lifetime, start) => {
  const now = Date.UTC(2026, 0, 1) + 789;
  const { notBefore, notAfter } = validityPeriod({ expirationSeconds }, 31_536_000_000, now);
  expect([(notAfter - notBefore) / 1000, (notBefore - (now - 789)) / 1000]).toEqual([lifetime, start]);
});
