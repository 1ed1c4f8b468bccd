/**
 * Selects the algorithm with which a private key signs certificates: RSA, which kubeadm uses, or ECDSA. Rejects other
 * keys with a message for the operator.
 */
import type { KeyObject } from 'node:crypto';

/** An algorithm in the terms of WebCrypto. */
export interface SigningAlgorithm {
  readonly name: 'RSASSA-PKCS1-v1_5' | 'ECDSA';
  readonly hash: string;
  readonly namedCurve?: string;
}

/** By OpenSSL's names of the curves, which are those of Node's key details. */
const CURVES: ReadonlyMap<string | undefined, Pick<SigningAlgorithm, 'hash' | 'namedCurve'>> = new Map([
  ['prime256v1', { namedCurve: 'P-256', hash: 'SHA-256' }],
  ['secp384r1', { namedCurve: 'P-384', hash: 'SHA-384' }],
  ['secp521r1', { namedCurve: 'P-521', hash: 'SHA-512' }],
]);

/** Throws when the key is neither an RSA key nor on one of the curves. */
export function signingAlgorithmOf(key: KeyObject): SigningAlgorithm {
  if (key.asymmetricKeyType === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const curve = key.asymmetricKeyType === 'ec' ? CURVES.get(key.asymmetricKeyDetails?.namedCurve) : undefined;
  if (curve !== undefined) return { name: 'ECDSA', ...curve };
  const keyType = [key.asymmetricKeyType, key.asymmetricKeyDetails?.namedCurve].filter((part) => part !== undefined).join(' on ');
  throw new Error(`a certificate authority needs an RSA key, or an ECDSA key on P-256, P-384 or P-521; this key is ${keyType}`);
}
