/**
 * Keys of service account tokens: reads them from PEM files, derives their key ID (`kid`) and publishes them as a JSON
 * Web Key Set. Does not sign or verify.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { JsonObject } from '../../values/json';

/** A file contains no usable key, or an RSA key that is too short; the message names the file. */
export class KeyFileError extends Error {}

type Algorithm = 'RS256' | 'ES256' | 'ES384' | 'ES512';

/** A key of service account tokens. */
export interface TokenKey {
  /** The key ID in tokens: the digest of the public key. */
  readonly id: string;
  /** The only algorithm for tokens of this key. */
  readonly algorithm: Algorithm;
  /** A public key for verifying, a private key for signing. */
  readonly key: KeyObject;
}

/** The current keys; a new object each time the files change. */
export interface TokenKeys {
  /** Keys that tokens are verified with. */
  readonly verifying: readonly TokenKey[];
  readonly signing: TokenKey;
}

/** The algorithm for keys of a curve, by the name of the curve in Node. */
const CURVES: Readonly<Record<string, Algorithm>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** Shorter RSA keys can be broken to forge tokens. */
const MIN_RSA_BITS = 2048;

/** Reads every public key in a file, including those of certificates and private keys. Throws {@link KeyFileError}. */
export function readPublicKeys(file: string, text: string): readonly TokenKey[] {
  const keys = pemBlocks(text).flatMap((block) => tokenKey(file, parseKey(block, createPublicKey)) ?? []);
  if (keys.length === 0)
    throw new KeyFileError(`error reading public key file ${file}: data does not contain any valid RSA or ECDSA public keys`);
  return keys;
}

/** Reads the first private key in a file. Throws {@link KeyFileError}. */
export function readPrivateKey(file: string, text: string): TokenKey {
  for (const block of pemBlocks(text)) {
    const key = tokenKey(file, parseKey(block, createPrivateKey));
    if (key !== undefined) return key;
  }
  throw new KeyFileError(`error reading private key file ${file}: data does not contain a valid RSA or ECDSA private key`);
}

/** The public keys as a JSON Web Key Set. */
export function jsonWebKeySet(keys: readonly TokenKey[]): JsonObject {
  return { keys: keys.map(jsonWebKey) };
}

function jsonWebKey({ id, algorithm, key }: TokenKey): JsonObject {
  const { kty = '', crv = '', n = '', e = '', x = '', y = '' } = key.export({ format: 'jwk' });
  const common = { use: 'sig', kty, kid: id };
  return kty === 'RSA' ? { ...common, alg: algorithm, n, e } : { ...common, crv, alg: algorithm, x, y };
}

/** From `-----BEGIN PUBLIC KEY-----` to the end line of the same label. */
const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g;

function pemBlocks(text: string): readonly string[] {
  return text.match(PEM_BLOCK) ?? [];
}

/** `undefined` for a block that does not contain such a key, for example a certificate where a private key is read. */
function parseKey(block: string, parse: (pem: string) => KeyObject): KeyObject | undefined {
  try {
    return parse(block);
  } catch {
    return undefined;
  }
}

/**
 * `undefined` for a block that could not be parsed, and for a key that is neither RSA nor ECDSA. Throws
 * {@link KeyFileError} for a short RSA key.
 */
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
  if (modulusLength < MIN_RSA_BITS)
    throw new KeyFileError(`error reading key file ${file}: an RSA key needs at least ${MIN_RSA_BITS} bits`);
  return 'RS256';
}
