/**
 * Parses signed tokens and verifies their signatures. The result depends on the token and the keys only, so it can be
 * cached. The token does not choose how it is verified: a key has one algorithm, and a token can only name a known key.
 */
import { compactVerify } from 'jose/jws/compact/verify';
import { isObject, ownMember, stringAt, type JsonObject } from '../../../shared/values/json';
import { parseJson, ParseError, type ParsedText } from '../../../shared/serialization';
import type { TokenKey } from '../../../shared/api/identity/token-keys';

/** The signature of a token is invalid, or its payload is ambiguous; the message is upstream's. */
export class TokenError extends Error {}

/** A parsed token; nothing is verified. */
export interface UnverifiedToken {
  readonly text: string;
  readonly payload: JsonObject;
  /** Paths (`a.b`) of members of the payload that occur twice: parsers could disagree about the value. */
  readonly duplicateMembers: readonly string[];
  /** The `kid` of the header; `undefined` when it is absent or empty. */
  readonly keyId: string | undefined;
  /** The header has `crit`: the token requires an extension that is not supported. */
  readonly hasCriticalHeader: boolean;
}

/** `eyJhbGciOi.eyJpc3MiOi.c2ln`, with header and payload as groups. The signature may be empty here. */
const COMPACT_JWS = /^([\w-]+)\.([\w-]+)\.[\w-]*$/;
/** Longer texts are not parsed. Bounds the work for a token; those of service accounts and OpenID providers are shorter. */
const MAX_TOKEN_LENGTH = 16 * 1024;

/** `undefined` when the text is too long, or no compact JWS with objects as header and payload. */
export function parseToken(text: string): UnverifiedToken | undefined {
  if (text.length > MAX_TOKEN_LENGTH) return undefined;
  const [, head, body] = COMPACT_JWS.exec(text) ?? [];
  if (head === undefined || body === undefined) return undefined;
  const header = parsePart(head);
  const payload = parsePart(body);
  if (header === undefined || payload === undefined) return undefined;
  const keyId = stringAt(header.value, 'kid');
  return {
    text,
    payload: payload.value,
    duplicateMembers: payload.duplicates,
    keyId: keyId === '' ? undefined : keyId,
    hasCriticalHeader: ownMember(header.value, 'crit') !== undefined,
  };
}

function parsePart(text: string): { readonly value: JsonObject; readonly duplicates: ParsedText['duplicates'] } | undefined {
  try {
    const { value, duplicates } = parseJson(Buffer.from(text, 'base64url'));
    return isObject(value) ? { value, duplicates } : undefined;
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

/**
 * Resolves when one of the keys verifies the signature, of those with the token's key ID if it has one. Otherwise, and for
 * a signed token in which a member occurs twice, rejects with {@link TokenError}.
 */
export async function verifySignature(token: UnverifiedToken, keys: readonly TokenKey[]): Promise<void> {
  const candidates = token.keyId === undefined ? keys : keys.filter(({ id }) => id === token.keyId);
  if (candidates.length === 0) throw new TokenError('invalid signature, no keys found');
  for (const { key, algorithm } of candidates) {
    if (!token.hasCriticalHeader && (await isSignedBy(token.text, key, algorithm))) return requireUnambiguous(token);
  }
  throw new TokenError('square/go-jose: error in cryptographic primitive');
}

/** Keys were validated at startup, so every failure is due to the token. */
async function isSignedBy(text: string, key: TokenKey['key'], algorithm: string): Promise<boolean> {
  try {
    await compactVerify(text, key, { algorithms: [algorithm] });
    return true;
  } catch {
    return false;
  }
}

/** Checked after the signature, so that a forged token is reported as forged. */
function requireUnambiguous({ duplicateMembers }: UnverifiedToken): void {
  const [first] = duplicateMembers;
  if (first !== undefined) throw new TokenError(`json: duplicate key '${first.slice(first.lastIndexOf('.') + 1)}' in object`);
}
