import { generateKeyPairSync } from 'node:crypto';
import { createAuthority } from '../../../../shared/pki/certificates';
import { ManualClock } from '../../../../test/support/clock/manual-clock';
import { useResource } from '../../../../test/support/use-resource';
import { tlsPairError } from './tls-pair';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const otherKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
/** A PEM block with a content that is neither a certificate nor a key. */
const malformedBlock = (type: string): string => `-----BEGIN ${type}-----\nYWJj\n-----END ${type}-----\n`;
/** Placeholders for the certificate and the key of `pair`, which does not exist yet when the table is read. */
const CERTIFICATE = '<certificate>';
const KEY = '<key>';
const pair = useResource(() => createAuthority({ subject: { commonName: 'a' }, lifetimeMs: 1_000_000, clock: new ManualClock() }));

function resolvePlaceholder(input: string): string {
  if (input === CERTIFICATE) return pair().certificate;
  return input === KEY ? pair().key : input;
}

it.each([
  ['a matching pair', CERTIFICATE, KEY, undefined],
  ['another key', CERTIFICATE, otherKey, 'tls: private key does not match public key'],
  ['a certificate input without PEM data', 'a', KEY, 'tls: failed to find any PEM data in certificate input'],
  ['a key input without PEM data', CERTIFICATE, 'a', 'tls: failed to find any PEM data in key input'],
  [
    'switched inputs',
    KEY,
    CERTIFICATE,
    'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
  ],
  [
    'a certificate in place of the key',
    CERTIFICATE,
    CERTIFICATE,
    'tls: found a certificate rather than a key in the PEM for the private key',
  ],
  ['a malformed certificate', malformedBlock('CERTIFICATE'), KEY, 'x509: malformed certificate'],
  ['a malformed key', CERTIFICATE, malformedBlock('PRIVATE KEY'), 'tls: failed to parse private key'],
])('tlsPairError returns the result of upstream for %s', (_title, certificate, key, error) => {
  expect(tlsPairError(resolvePlaceholder(certificate), resolvePlaceholder(key))).toBe(error);
});
