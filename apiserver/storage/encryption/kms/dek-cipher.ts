/**
 * The cipher of a DEK source. A seed derives a DEK of its own for each value; a key is the DEK of all values. Sources
 * are cached in dek-cache.ts and rotated in dek-seed-rotator.ts.
 */
import { createHmac } from 'node:crypto';
import type { RandomBytes } from '../../../../shared/runtime/random';
import { createAesGcmCipher, TransformError, type Cipher } from '../ciphers';
import type { DekSourceType } from './encrypted-object';

/** Length of a new seed, and the minimum length of a stored one. */
export const SEED_BYTES = 32;
/** Length of the random HKDF info that precedes each ciphertext and makes its DEK unique. */
const INFO_BYTES = 32;
/** Key lengths of AES-128, AES-192 and AES-256. */
const KEY_BYTES = [16, 24, 32];

/** The cipher of a decrypted DEK source. Throws {@link TransformError} when `secret` has an invalid length. */
export function createDekCipher(type: DekSourceType, secret: Buffer, random: RandomBytes): Cipher {
  switch (type) {
    case 'seed':
      if (secret.length < SEED_BYTES) throw new TransformError(`invalid seed length ${secret.length} used for key generation`);
      return createSeedCipher(secret, random);
    case 'key':
      if (!KEY_BYTES.includes(secret.length)) throw new TransformError(`crypto/aes: invalid key size ${secret.length}`);
      return createAesGcmCipher(secret, random);
  }
}

/** Stores the HKDF info of each value before its ciphertext. */
function createSeedCipher(seed: Buffer, random: RandomBytes): Cipher {
  const cipherFor = (info: Buffer): Cipher => createAesGcmCipher(deriveDek(seed, info), random);
  return {
    encrypt(plaintext, storageKey) {
      const info = random(INFO_BYTES);
      return Buffer.concat([info, cipherFor(info).encrypt(plaintext, storageKey)]);
    },
    decrypt(ciphertext, storageKey) {
      if (ciphertext.length < INFO_BYTES) throw new TransformError('the stored data was shorter than the required size');
      return cipherFor(ciphertext.subarray(0, INFO_BYTES)).decrypt(ciphertext.subarray(INFO_BYTES), storageKey);
    },
  };
}

/** The counter of the first block of HKDF's output. */
const FIRST_BLOCK = Buffer.from([1]);

/**
 * HKDF-SHA256 (RFC 5869), only the expand step and its first block: the seed is random already, so extracting is
 * unnecessary.
 */
function deriveDek(seed: Buffer, info: Buffer): Buffer {
  return createHmac('sha256', seed).update(info).update(FIRST_BLOCK).digest();
}
