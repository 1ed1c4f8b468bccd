import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { jsonWebKeySet, readPrivateKey, readPublicKeys } from './token-keys';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const privatePem = ({ privateKey }: { readonly privateKey: KeyObject }): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const publicPem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();

it('readPublicKeys reads public keys and private keys, several in one file', () => {
  expect(readPublicKeys('f', `${publicPem}\n${privatePem(ec)}`).map(({ algorithm }) => algorithm)).toEqual(['RS256', 'ES256']);
});

it('jsonWebKeySet publishes the public part of keys', () => {
  const keys = readPublicKeys('f', `${publicPem}\n${privatePem(ec)}`);
  expect(jsonWebKeySet(keys)).toMatchObject({
    keys: [
      { use: 'sig', kty: 'RSA', kid: keys[0]?.id, alg: 'RS256', e: 'AQAB' },
      { use: 'sig', kty: 'EC', crv: 'P-256', alg: 'ES256' },
    ],
  });
  expect(JSON.stringify(jsonWebKeySet(keys))).not.toContain('"d"');
});

it('readPublicKeys and readPrivateKey reject a file without a valid key', () => {
  expect(() => readPublicKeys('f', 'junk')).toThrow(
    'error reading public key file f: data does not contain any valid RSA or ECDSA public keys',
  );
  expect(() => readPrivateKey('f', publicPem)).toThrow(
    'error reading private key file f: data does not contain a valid RSA or ECDSA private key',
  );
  expect(() => readPrivateKey('f', privatePem(generateKeyPairSync('ed25519')))).toThrow('does not contain');
  expect(() => readPrivateKey('f', privatePem(generateKeyPairSync('rsa', { modulusLength: 1024 })))).toThrow(
    'an RSA key needs at least 2048 bits',
  );
});
