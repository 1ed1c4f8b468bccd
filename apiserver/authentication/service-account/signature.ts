/**
 * Who signed a token, and what it says: the part of checking that never changes for a token, so its result may be kept.
 * Nothing that the token says of itself chooses how it is checked: a key has one algorithm, and a token names a key of ours or none.
 */
import { compactVerify } from 'jose/jws/compact/verify';
import { isObject, own, stringAt, type JsonObject } from '../../../shared/values/json';
import { parseJson, SyntaxFault, type ParsedText } from '../../../shared/serialization';
import type { TokenKey } from '../../../shared/api/identity/token-keys';

/** The token is one of ours by its issuer, but something is wrong with it; the message is upstream's. */
export class TokenError extends Error {}

/** A token as parsed; nothing in it has been checked. */
export interface UnverifiedToken {
  readonly text: string;
  readonly payload: JsonObject;
  /** Members of the payload that occur twice: readers could differ about which one counts. */
  readonly repeated: readonly string[];
  readonly keyId: string | undefined;
  /** It is only good for who understands some extension. */
  readonly isExtended: boolean;
}

const COMPACT = /^([\w-]+)\.([\w-]+)\.[\w-]*$/;
/** What a request's head can hold; of a token in a body it bounds the work. */
const MAX_TOKEN_LENGTH = 16 * 1024;

/** Undefined for whatever is not of the form of a signed token with an object in it. */
export function parseToken(text: string): UnverifiedToken | undefined {
  if (text.length > MAX_TOKEN_LENGTH) return undefined;
  const [, head, body] = COMPACT.exec(text) ?? [];
  if (head === undefined || body === undefined) return undefined;
  const [header, payload] = [parsedPart(head), parsedPart(body)];
  if (header === undefined || payload === undefined) return undefined;
  const keyId = stringAt(header.value, 'kid');
  return {
    text,
    payload: payload.value,
    repeated: payload.duplicates,
    keyId: keyId === '' ? undefined : keyId,
    isExtended: own(header.value, 'crit') !== undefined,
  };
}

function parsedPart(text: string): { readonly value: JsonObject; readonly duplicates: ParsedText['duplicates'] } | undefined {
  try {
    const { value, duplicates } = parseJson(Buffer.from(text, 'base64url'));
    return isObject(value) ? { value, duplicates } : undefined;
  } catch (error) {
    if (error instanceof SyntaxFault) return undefined;
    throw error;
  }
}

/** Resolves when one of the keys signed the token; rejects with {@link TokenError}. */
export async function verifySignature(token: UnverifiedToken, keys: readonly TokenKey[]): Promise<void> {
  const candidates = token.keyId === undefined ? keys : keys.filter(({ id }) => id === token.keyId);
  if (candidates.length === 0) throw new TokenError('invalid signature, no keys found');
  for (const { key, algorithm } of candidates) {
    if (!token.isExtended && (await isSignedBy(token.text, key, algorithm))) return requireUnambiguous(token);
  }
  throw new TokenError('square/go-jose: error in cryptographic primitive');
}

/** The keys were found good at the start, so whatever fails here fails because of the token. */
async function isSignedBy(text: string, key: TokenKey['key'], algorithm: string): Promise<boolean> {
  try {
    await compactVerify(text, key, { algorithms: [algorithm] });
    return true;
  } catch {
    return false;
  }
}

function requireUnambiguous({ repeated }: UnverifiedToken): void {
  const [first] = repeated;
  if (first !== undefined) throw new TokenError(`json: duplicate key '${first.slice(first.lastIndexOf('.') + 1)}' in object`);
}
