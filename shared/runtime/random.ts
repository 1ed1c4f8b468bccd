/** The interfaces through which all code obtains random values. Only this file uses the global random sources. */
import { randomBytes, randomUUID } from 'node:crypto';

/** The only source of random numbers; tests replace it. */
export interface Random {
  /** A number in [0, 1). */
  float(): number;
  /** A random (version 4) UUID. */
  uuid(): string;
  /** `length` characters of `alphabet`, which has at most 256 characters; each is equally likely. */
  string(length: number, alphabet: string): string;
}

export const systemRandom: Random = {
  float: () => Math.random(),
  uuid() {
    const id = randomUUID();
    // Node creates the text of 20 parts, 490 bytes in all; V8 joins them to 60 bytes when a character is read.
    id.charCodeAt(0);
    return id;
  },
  string(length, alphabet) {
    // Bytes from `limit` on are skipped: with them the first characters of the alphabet would be more likely.
    const limit = 256 - (256 % alphabet.length);
    let text = '';
    while (text.length < length) {
      for (const byte of randomBytes(length * 2)) {
        if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length];
      }
    }
    return text;
  },
};

/** Returns cryptographically secure random bytes, for keys and nonces. */
export type RandomBytes = (length: number) => Buffer;

export const systemRandomBytes: RandomBytes = (length) => randomBytes(length);
