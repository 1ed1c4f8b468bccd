/** How one value is encrypted under what the service has encrypted: with a key that is made of the seed for this value alone, or with the key that was kept. */
import { createHmac } from 'node:crypto';
import type { RandomBytes } from '../../../../shared/runtime/random';
import { aesGcm, TransformFault, type Cipher } from '../ciphers';
import type { SourceType } from './sealed-value';

export const SEED_LENGTH = 32;
/** What tells the keys of one seed apart, before the bytes that are encrypted. */
const INFO_LENGTH = 32;
const KEY_LENGTHS = [16, 24, 32];

/** Throws {@link TransformFault} where `secret` has not the length that it should. */
export function cipherOf(type: SourceType, secret: Buffer, random: RandomBytes): Cipher {
  switch (type) {
    case 'seed':
      if (secret.length < SEED_LENGTH) throw new TransformFault(`invalid seed length ${secret.length} used for key generation`);
      return seedCipher(secret, random);
    case 'key':
      if (!KEY_LENGTHS.includes(secret.length)) throw new TransformFault(`crypto/aes: invalid key size ${secret.length}`);
      return aesGcm(secret, random);
  }
}

function seedCipher(seed: Buffer, random: RandomBytes): Cipher {
  const under = (info: Buffer): Cipher => aesGcm(expanded(seed, info), random);
  return {
    seal(plain, place) {
      const info = random(INFO_LENGTH);
      return Buffer.concat([info, under(info).seal(plain, place)]);
    },
    open(sealed, place) {
      if (sealed.length < INFO_LENGTH) throw new TransformFault('the stored data was shorter than the required size');
      return under(sealed.subarray(0, INFO_LENGTH)).open(sealed.subarray(INFO_LENGTH), place);
    },
  };
}

/** HKDF (RFC 5869) with SHA-256, its second half and first block: the seed is random, so there is nothing to extract. */
function expanded(seed: Buffer, info: Buffer): Buffer {
  return createHmac('sha256', seed).update(info).update(FIRST_BLOCK).digest();
}

const FIRST_BLOCK = Buffer.from([1]);
