/**
 * The ciphers whose keys stand in the configuration: what each does with one value under one key, in upstream's layout of bytes and with its words for
 * what fails. Knows neither the names of keys nor where a value is kept.
 */
import { createCipheriv, createDecipheriv, type CipherGCMTypes } from 'node:crypto';
import type { RandomBytes } from '../../../shared/runtime/random';

/** What goes wrong with one value; the message is for the client. */
export class TransformFault extends Error {
  override readonly name = 'TransformFault';

  constructor(
    message: string,
    /** What a service said of it, in gRPC's words; counted by. */
    readonly code?: string,
  ) {
    super(message);
  }
}

/** One key at work. `place` is the key under which the value is stored. */
export interface Cipher {
  seal(plain: Buffer, place: string): Buffer;
  /** Throws {@link TransformFault}. */
  open(sealed: Buffer, place: string): Buffer;
}

const BLOCK = 16;

/** A random initial vector before the blocks; nothing proves where, or by whom, they were written. */
export function aesCbc(secret: Buffer, random: RandomBytes): Cipher {
  const algorithm = `aes-${secret.length * 8}-cbc`;
  return {
    seal(plain) {
      const vector = random(BLOCK);
      const cipher = createCipheriv(algorithm, secret, vector);
      return Buffer.concat([vector, cipher.update(plain), cipher.final()]);
    },
    open(sealed) {
      if (sealed.length < BLOCK) throw new TransformFault('the stored data was shorter than the required size');
      if (sealed.length % BLOCK !== 0) throw new TransformFault('the stored data is not a multiple of the block size');
      if (sealed.length === BLOCK) throw new TransformFault('invalid padded data (not a multiple of block size or empty)');
      const decipher = createDecipheriv(algorithm, secret, sealed.subarray(0, BLOCK));
      return attempted('invalid padding on input', () => Buffer.concat([decipher.update(sealed.subarray(BLOCK)), decipher.final()]));
    },
  };
}

const NONCE = 12;
const TAG = 16;
const UNPROVEN = 'cipher: message authentication failed';

/** A random nonce before the bytes, the tag behind them; the place is proved with them, so that no value can be put into another's. */
export function aesGcm(secret: Buffer, random: RandomBytes): Cipher {
  const algorithm = gcmOf(secret);
  return {
    seal(plain, place) {
      const nonce = random(NONCE);
      const cipher = createCipheriv(algorithm, secret, nonce, { authTagLength: TAG });
      cipher.setAAD(Buffer.from(place));
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, place) {
      if (sealed.length < NONCE) throw new TransformFault('the stored data was shorter than the required size');
      if (sealed.length < NONCE + TAG) throw new TransformFault(UNPROVEN);
      const end = sealed.length - TAG;
      const decipher = createDecipheriv(algorithm, secret, sealed.subarray(0, NONCE), { authTagLength: TAG });
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(sealed.subarray(end));
      return attempted(UNPROVEN, () => Buffer.concat([decipher.update(sealed.subarray(NONCE, end)), decipher.final()]));
    },
  };
}

function gcmOf({ length }: Buffer): CipherGCMTypes {
  switch (length) {
    case 16:
      return 'aes-128-gcm';
    case 24:
      return 'aes-192-gcm';
    default:
      return 'aes-256-gcm';
  }
}

const BOX_NONCE = 24;

type Salsa = typeof import('@noble/ciphers/salsa.js');

/** XSalsa20 and Poly1305, which Node's own library lacks. */
export function secretbox({ xsalsa20poly1305 }: Salsa, secret: Buffer, random: RandomBytes): Cipher {
  return {
    seal(plain) {
      const nonce = random(BOX_NONCE);
      return Buffer.concat([nonce, xsalsa20poly1305(secret, nonce).encrypt(plain)]);
    },
    open(sealed) {
      if (sealed.length < BOX_NONCE) throw new TransformFault('the stored data was shorter than the required size');
      const box = xsalsa20poly1305(secret, sealed.subarray(0, BOX_NONCE));
      const opened = attempted('output array was not large enough for encryption', () => box.decrypt(sealed.subarray(BOX_NONCE)));
      return Buffer.from(opened.buffer, opened.byteOffset, opened.byteLength);
    },
  };
}

function attempted<T>(fault: string, open: () => T): T {
  try {
    return open();
  } catch {
    throw new TransformFault(fault);
  }
}
