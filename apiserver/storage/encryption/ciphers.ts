/**
 * The ciphers with keys from the encryption configuration: each encrypts and decrypts one value with one key,
 * in upstream's byte layout and with upstream's error texts. Key names and prefixes are left to encryption-rules.ts.
 */
import { createCipheriv, createDecipheriv, type CipherGCMTypes } from 'node:crypto';
import type { RandomBytes } from '../../../shared/runtime/random';

/** A value could not be encrypted or decrypted; the message is meant for the client. */
export class TransformError extends Error {
  override readonly name = 'TransformError';

  constructor(
    message: string,
    /** The gRPC status of the KMS plug-in, which metrics use as a label; absent when no plug-in was involved. */
    readonly code?: string,
  ) {
    super(message);
  }
}

/**
 * A cipher with its key. `storageKey` is the key under which the value is stored; authenticated ciphers bind the value
 * to it.
 */
export interface Cipher {
  /** Never fails. Equal plaintexts have different ciphertexts. */
  encrypt(plaintext: Buffer, storageKey: string): Buffer;
  /** Throws {@link TransformError}. */
  decrypt(ciphertext: Buffer, storageKey: string): Buffer;
}

/** Block of AES, which is also the length of the initialization vector of CBC. */
const BLOCK_BYTES = 16;

/**
 * AES-CBC with a random initialization vector before the blocks. Not authenticated: neither the author nor the storage
 * key of a value is verified.
 */
export function createAesCbcCipher(secret: Buffer, random: RandomBytes): Cipher {
  const algorithm = `aes-${secret.length * 8}-cbc`;
  return {
    encrypt(plaintext) {
      const iv = random(BLOCK_BYTES);
      const cipher = createCipheriv(algorithm, secret, iv);
      return Buffer.concat([iv, cipher.update(plaintext), cipher.final()]);
    },
    decrypt(ciphertext) {
      if (ciphertext.length < BLOCK_BYTES) throw new TransformError('the stored data was shorter than the required size');
      if (ciphertext.length % BLOCK_BYTES !== 0) throw new TransformError('the stored data is not a multiple of the block size');
      if (ciphertext.length === BLOCK_BYTES) throw new TransformError('invalid padded data (not a multiple of block size or empty)');
      const decipher = createDecipheriv(algorithm, secret, ciphertext.subarray(0, BLOCK_BYTES));
      return orTransformError('invalid padding on input', () =>
        Buffer.concat([decipher.update(ciphertext.subarray(BLOCK_BYTES)), decipher.final()]),
      );
    },
  };
}

/** Nonce and authentication tag of AES-GCM, as Go's crypto/cipher uses them. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const AUTHENTICATION_FAILED = 'cipher: message authentication failed';

/**
 * AES-GCM with a random nonce before the ciphertext and the tag behind it. The storage key is authenticated, so that a
 * value cannot be moved to another key.
 */
export function createAesGcmCipher(secret: Buffer, random: RandomBytes): Cipher {
  const algorithm = gcmAlgorithm(secret);
  return {
    encrypt(plaintext, storageKey) {
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv(algorithm, secret, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(storageKey));
      return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt(ciphertext, storageKey) {
      if (ciphertext.length < NONCE_BYTES) throw new TransformError('the stored data was shorter than the required size');
      if (ciphertext.length < NONCE_BYTES + TAG_BYTES) throw new TransformError(AUTHENTICATION_FAILED);
      const end = ciphertext.length - TAG_BYTES;
      const decipher = createDecipheriv(algorithm, secret, ciphertext.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(storageKey));
      decipher.setAuthTag(ciphertext.subarray(end));
      return orTransformError(AUTHENTICATION_FAILED, () =>
        Buffer.concat([decipher.update(ciphertext.subarray(NONCE_BYTES, end)), decipher.final()]),
      );
    },
  };
}

/** A switch, because the types of Node list the names of the algorithms. */
function gcmAlgorithm({ length }: Buffer): CipherGCMTypes {
  switch (length) {
    case 16:
      return 'aes-128-gcm';
    case 24:
      return 'aes-192-gcm';
    default:
      return 'aes-256-gcm';
  }
}

/** Nonce of XSalsa20. */
const SECRETBOX_NONCE_BYTES = 24;

type Salsa = typeof import('@noble/ciphers/salsa.js');

/**
 * XSalsa20-Poly1305 with a random nonce before the ciphertext. Node's crypto module lacks it, so the caller passes the
 * loaded library. Authenticates the value, but does not bind it to its storage key.
 */
export function createSecretboxCipher({ xsalsa20poly1305 }: Salsa, secret: Buffer, random: RandomBytes): Cipher {
  return {
    encrypt(plaintext) {
      const nonce = random(SECRETBOX_NONCE_BYTES);
      return Buffer.concat([nonce, xsalsa20poly1305(secret, nonce).encrypt(plaintext)]);
    },
    decrypt(ciphertext) {
      if (ciphertext.length < SECRETBOX_NONCE_BYTES) throw new TransformError('the stored data was shorter than the required size');
      const box = xsalsa20poly1305(secret, ciphertext.subarray(0, SECRETBOX_NONCE_BYTES));
      const plaintext = orTransformError('output array was not large enough for encryption', () =>
        box.decrypt(ciphertext.subarray(SECRETBOX_NONCE_BYTES)),
      );
      return Buffer.from(plaintext.buffer, plaintext.byteOffset, plaintext.byteLength);
    },
  };
}

/** Replaces any error of the crypto libraries by upstream's message. */
function orTransformError<T>(message: string, decrypt: () => T): T {
  try {
    return decrypt();
  } catch {
    throw new TransformError(message);
  }
}
