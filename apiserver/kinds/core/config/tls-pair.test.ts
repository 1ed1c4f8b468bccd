import { generateKeyPairSync } from 'node:crypto';
import { createAuthority, type Credential } from '../../../../shared/pki/certificates';
import { ManualClock } from '../../../../test/support/clock/manual-clock';
import { tlsPairError } from './tls-pair';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const otherKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const block = (type: string): string => `-----BEGIN ${type}-----\nYWJj\n-----END ${type}-----\n`;
/** Placeholders for the pair that `beforeAll` issues. */
const CERTIFICATE = '<certificate>';
const KEY = '<key>';
let pair: Credential;
beforeAll(async () => {
  pair = await createAuthority({ subject: { commonName: 'a' }, lifetimeMs: 1_000_000, clock: new ManualClock() });
});

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
  ['a malformed certificate', block('CERTIFICATE'), KEY, 'x509: malformed certificate'],
  ['a malformed key', CERTIFICATE, block('PRIVATE KEY'), 'tls: failed to parse private key'],
])('tlsPairFault returns the result of upstream for %s', (_title, crt, pem, fault) => {
  const text = (input: string): string => (input === CERTIFICATE ? pair.certificate : input === KEY ? pair.key : input);
  expect(tlsPairError(text(crt), text(pem))).toBe(fault);
});
