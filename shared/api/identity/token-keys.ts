/**
 * The keys of service account tokens: read from PEM files, named after themselves (`kid`), and published as a key set.
 * Never signs and never checks.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { JsonObject } from '../../values/json';

/** A file holds no key that can be used; the message names the file. */
export class KeyFileError extends Error {}

type Algorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

export interface TokenKey {
  /** What tokens name the key by: the digest of its public half. */
  readonly id: string;
  /** The one algorithm that tokens of this key are signed with. */
  readonly algorithm: Algorithm;
  /** Public to check with, private to sign with. */
  readonly key: KeyObject;
}

/** The keys at the moment; other objects once their files have changed. */
export interface TokenKeys {
  /** What tokens are checked with. */
  readonly checking: readonly TokenKey[];
  readonly signing: TokenKey;
}

const CURVES: Readonly<Record<string, Algorithm>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** Shorter ones are within reach of whoever wants to forge tokens. */
const LEAST_RSA_BITS = 2048;

/** Every public key in a file, also those of certificates and of private keys. Throws {@link KeyFileError}. */
export function readPublicKeys(file: string, text: string): readonly TokenKey[] {
  const keys = blocks(text).flatMap(
    (block) =>
      tokenKey(
        file,
        attempt(() => createPublicKey(block)),
      ) ?? [],
  );
  if (keys.length === 0)
    throw new KeyFileError(`error reading public key file ${file}: data does not contain any valid RSA or ECDSA public keys`);
  return keys;
}

/** The first private key in a file. Throws {@link KeyFileError}. */
export function readPrivateKey(file: string, text: string): TokenKey {
  for (const block of blocks(text)) {
    const key = tokenKey(
      file,
      attempt(() => createPrivateKey(block)),
    );
    if (key !== undefined) return key;
  }
  throw new KeyFileError(`error reading private key file ${file}: data does not contain a valid RSA or ECDSA private key`);
}

/** The public halves as others get to see them. */
export function keySet(keys: readonly TokenKey[]): JsonObject {
  return { keys: keys.map(publishedKey) };
}

function publishedKey({ id, algorithm, key }: TokenKey): JsonObject {
  const { kty = '', crv = '', n = '', e = '', x = '', y = '' } = key.export({ format: 'jwk' });
  const head = { use: 'sig', kty, kid: id };
  return kty === 'RSA' ? { ...head, alg: algorithm, n, e } : { ...head, crv, alg: algorithm, x, y };
}

function blocks(text: string): readonly string[] {
  return text.match(/-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g) ?? [];
}

function attempt(read: () => KeyObject): KeyObject | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Undefined for what is no key, or a key of another kind. */
function tokenKey(file: string, key: KeyObject | undefined): TokenKey | undefined {
  if (key === undefined) return undefined;
  const algorithm = algorithmOf(file, key);
  if (algorithm === undefined) return undefined;
  const publicHalf = key.type === 'private' ? createPublicKey(key) : key;
  const id = createHash('sha256')
    .update(publicHalf.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  return { id, algorithm, key };
}

function algorithmOf(file: string, key: KeyObject): Algorithm | undefined {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ec') return CURVES[namedCurve];
  if (key.asymmetricKeyType !== 'rsa') return undefined;
  if (modulusLength < LEAST_RSA_BITS)
    throw new KeyFileError(`error reading key file ${file}: an RSA key needs at least ${LEAST_RSA_BITS} bits`);
  return 'RS256';
}
