/**
 * Bearer tokens in the sub-protocols of a WebSocket request, since browsers cannot set the Authorization header. Reads
 * only requests that ask for a WebSocket upgrade.
 */
import { appendAll } from '../../shared/values/append';
import { WEBSOCKET_TOKEN_PROTOCOL_PREFIXES } from '../../shared/names/stream-protocols';
import { INVALID_CREDENTIALS, NO_CREDENTIALS, type Authenticator } from './authenticator';
import { bearerTokenAuthenticator } from './bearer-token';
import type { AuthenticateToken } from './token-union';

/**
 * Accepts the token of a protocol such as `base64url.bearer.authorization.k8s.io.<token>`, with the token in base64url.
 * `audiences` are those of this server; see {@link TokenAuthenticator}.
 */
export function webSocketTokenAuthenticator(authenticateToken: AuthenticateToken, audiences: readonly string[]): Authenticator {
  const bearerTokens = bearerTokenAuthenticator(authenticateToken, audiences);
  return {
    authenticate(credentials) {
      const { rawHeaders } = credentials;
      if (!isWebSocketUpgrade(rawHeaders)) return NO_CREDENTIALS;
      const protocols = headerItems(rawHeaders, 'sec-websocket-protocol');
      const encodedTokens = protocols.flatMap((protocol) => encodedTokenOf(protocol) ?? []);
      const [encoded] = encodedTokens;
      if (encoded === undefined) return NO_CREDENTIALS;
      // Another protocol is required: the response names the protocol that was chosen, which must not be the token.
      if (encodedTokens.length > 1 || protocols.length === encodedTokens.length) return INVALID_CREDENTIALS;
      const token = decodeToken(encoded);
      return token === undefined ? INVALID_CREDENTIALS : bearerTokens.authenticate({ ...credentials, authorization: `Bearer ${token}` });
    },
  };
}

const UPGRADE = 'upgrade';

function isWebSocketUpgrade(rawHeaders: readonly string[]): boolean {
  if (!rawHeaders.some(isUpgradeHeader)) return false;
  const hasItem = (header: string, word: string): boolean => headerItems(rawHeaders, header).some((item) => item.toLowerCase() === word);
  return hasItem(UPGRADE, 'websocket') && hasItem('connection', UPGRADE);
}

/**
 * Checked first, because nearly every request has no such header. Names have even indexes in raw headers, values odd
 * ones.
 */
const isUpgradeHeader = (header: string, index: number): boolean =>
  header.length === UPGRADE.length && index % 2 === 0 && header.toLowerCase() === UPGRADE;

/** The comma-separated items of all headers with the name, which is in lower case. */
function headerItems(rawHeaders: readonly string[], name: string): readonly string[] {
  const items: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) appendAll(items, (rawHeaders[index + 1] ?? '').split(','));
  }
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

/** `undefined` when the protocol does not carry a token. */
function encodedTokenOf(protocol: string): string | undefined {
  const prefix = WEBSOCKET_TOKEN_PROTOCOL_PREFIXES.find((known) => protocol.startsWith(known));
  return prefix === undefined ? undefined : protocol.slice(prefix.length);
}

/** One or more printable characters and nothing else; a space is not among them. */
const PRINTABLE_ASCII = /^[\x21-\x7e]+$/;

/** `undefined` unless the text is the canonical base64url encoding of a printable token. */
function decodeToken(text: string): string | undefined {
  const token = Buffer.from(text, 'base64url');
  const plain = token.toString('latin1');
  return token.toString('base64url') === text && PRINTABLE_ASCII.test(plain) ? plain : undefined;
}
