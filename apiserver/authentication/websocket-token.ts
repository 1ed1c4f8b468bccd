/**
 * Bearer tokens among the sub-protocols of a WebSocket request, where browsers cannot set the Authorization header. Looks into requests only that ask for a
 * WebSocket; opens none.
 */
import { WEBSOCKET_TOKEN_PROTOCOL_PREFIXES } from '../../shared/names/dialect';
import { FAILED, NONE, type Authenticator } from './authenticator';
import { bearerTokens } from './bearer-token';
import type { AuthenticateToken } from './tokens';

export function webSocketTokens(authenticateToken: AuthenticateToken, audiences: readonly string[]): Authenticator {
  const tokens = bearerTokens(authenticateToken, audiences);
  return {
    authenticate(credentials) {
      const { rawHeaders } = credentials;
      if (!asksForWebSocket(rawHeaders)) return NONE;
      const protocols = listed(rawHeaders, 'sec-websocket-protocol');
      const carried = protocols.flatMap((protocol) => prefixedText(protocol) ?? []);
      const [encoded] = carried;
      if (encoded === undefined) return NONE;
      // The other protocol is the one that the server answers with: a token must not come back.
      if (carried.length > 1 || protocols.length === carried.length) return FAILED;
      const token = decoded(encoded);
      return token === undefined ? FAILED : tokens.authenticate({ ...credentials, authorization: `Bearer ${token}` });
    },
  };
}

function asksForWebSocket(rawHeaders: readonly string[]): boolean {
  if (!rawHeaders.some(isUpgrade)) return false;
  const has = (header: string, word: string): boolean => listed(rawHeaders, header).some((item) => item.toLowerCase() === word);
  return has('upgrade', 'websocket') && has('connection', 'upgrade');
}

/** Looked for first, because nearly every request has none. */
const isUpgrade = (header: string, at: number): boolean => header.length === 7 && at % 2 === 0 && header.toLowerCase() === 'upgrade';

/** The items of all headers of the name, which is in lower case. */
function listed(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.flatMap((header, at) => {
    const isMeant = at % 2 === 0 && header.toLowerCase() === name;
    return isMeant ? (rawHeaders[at + 1] ?? '').split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()])) : [];
  });
}

function prefixedText(protocol: string): string | undefined {
  const prefix = WEBSOCKET_TOKEN_PROTOCOL_PREFIXES.find((known) => protocol.startsWith(known));
  return prefix === undefined ? undefined : protocol.slice(prefix.length);
}

const PLAIN = /^[\x21-\x7e]+$/;

/** Undefined for what is not the one spelling of a token: base64 for addresses without padding. */
function decoded(text: string): string | undefined {
  const token = Buffer.from(text, 'base64url');
  const plain = token.toString('latin1');
  return token.toString('base64url') === text && PLAIN.test(plain) ? plain : undefined;
}
