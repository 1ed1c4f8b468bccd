/**
 * The front-proxy authenticator: a client with a certificate of the front-proxy CA sends the user in request headers.
 * Headers of other clients are ignored. Removing them before a request is forwarded is left to the callers of
 * {@link isIdentityHeader}.
 */
import { appendToKey } from '../../shared/values/append';
import { decodeHeader } from '../../shared/values/text/decode-header';
import { decodePercentOrKeep } from '../../shared/values/text/percent';
import { NO_CREDENTIALS, type AuthenticationOutcome, type Authenticator, type RequestCredentials } from './authenticator';

/** Which clients are front proxies, and which headers they send. Header names and prefixes are in lower case. */
export interface FrontProxyOptions {
  /** Allowed common names of the proxy's certificate; empty to allow every name. */
  readonly allowedNames: readonly string[];
  /** The first of these headers that is not empty names the user. */
  readonly usernameHeaders: readonly string[];
  /** All of these headers name groups, one in each. */
  readonly groupHeaders: readonly string[];
  /** `x-remote-extra-` makes `x-remote-extra-scopes: a` the value `a` of the extra key `scopes`. */
  readonly extraPrefixes: readonly string[];
}

/**
 * Creates the authenticator. It must come before authenticators that accept client certificates: otherwise a proxy's own
 * certificate would name the user.
 */
export function frontProxyAuthenticator(options: FrontProxyOptions): Authenticator {
  const { allowedNames } = options;
  return {
    authenticate({ certificate, rawHeaders }: RequestCredentials): AuthenticationOutcome {
      if (certificate?.isProxy !== true) return NO_CREDENTIALS;
      if (allowedNames.length > 0 && !allowedNames.includes(certificate.commonName)) return NO_CREDENTIALS;
      return readUser(options, rawHeaders);
    },
  };
}

/** `none` without a user name, also when there are groups. Groups are in the order of the configured headers. */
function readUser(
  { usernameHeaders, groupHeaders, extraPrefixes }: FrontProxyOptions,
  rawHeaders: readonly string[],
): AuthenticationOutcome {
  const namesByHeader = new Map<string, string>();
  const groupsByHeader = new Map<string, string[]>(groupHeaders.map((header) => [header, []]));
  const extra = new Map<string, string[]>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const header = rawHeaders[index]?.toLowerCase() ?? '';
    const value = decodeHeader(rawHeaders[index + 1] ?? '');
    if (usernameHeaders.includes(header) && !namesByHeader.has(header)) namesByHeader.set(header, value);
    if (value !== '') groupsByHeader.get(header)?.push(value);
    const prefix = extraPrefixes.find((extraPrefix) => header.startsWith(extraPrefix));
    if (prefix !== undefined) appendToKey(extra, decodePercentOrKeep(header.slice(prefix.length)), value);
  }
  const name = usernameHeaders.map((header) => namesByHeader.get(header) ?? '').find((value) => value !== '');
  if (name === undefined) return NO_CREDENTIALS;
  const groups = [...groupsByHeader.values()].flat();
  return { type: 'user', user: { name, groups, ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }) } };
}

/** Whether the header (in lower case) carries an identity. Such headers are not forwarded, whatever client sent them. */
export function isIdentityHeader({ usernameHeaders, groupHeaders, extraPrefixes }: FrontProxyOptions, header: string): boolean {
  return usernameHeaders.includes(header) || groupHeaders.includes(header) || extraPrefixes.some((prefix) => header.startsWith(prefix));
}
