/**
 * An authenticating proxy: a client whose certificate an authority of proxies signed says in headers who asks. Headers of anybody else say nothing, and
 * nobody later gets to see them.
 */
import { appendToKey } from '../../shared/values/append';
import { decodeHeader } from '../../shared/values/decode-header';
import { decodePercentOrKeep } from '../../shared/values/percent';
import { NONE, type AuthenticationOutcome, type Authenticator, type PresentedCredentials } from './authenticator';

/** Header names and prefixes in lower case. */
export interface FrontProxyOptions {
  /** Common names that a proxy's certificate may have; none = any. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

export function frontProxy(options: FrontProxyOptions): Authenticator {
  const { allowedNames } = options;
  return {
    authenticate({ certificate, rawHeaders }: PresentedCredentials): AuthenticationOutcome {
      if (certificate?.isProxy !== true) return NONE;
      if (allowedNames.length > 0 && !allowedNames.includes(certificate.commonName)) return NONE;
      return readUser(options, rawHeaders);
    },
  };
}

function readUser(
  { usernameHeaders, groupHeaders, extraPrefixes }: FrontProxyOptions,
  rawHeaders: readonly string[],
): AuthenticationOutcome {
  const names = new Map<string, string>();
  const groupsOf = new Map<string, string[]>(groupHeaders.map((header) => [header, []]));
  const extra = new Map<string, string[]>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]?.toLowerCase() ?? '';
    const value = decodeHeader(rawHeaders[at + 1] ?? '');
    if (usernameHeaders.includes(header) && !names.has(header)) names.set(header, value);
    if (value !== '') groupsOf.get(header)?.push(value);
    const prefix = extraPrefixes.find((known) => header.startsWith(known));
    if (prefix !== undefined) appendToKey(extra, decodePercentOrKeep(header.slice(prefix.length)), value);
  }
  const name = usernameHeaders.map((header) => names.get(header) ?? '').find((given) => given !== '');
  if (name === undefined) return NONE;
  const groups = [...groupsOf.values()].flat();
  return { type: 'user', user: { name, groups, ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }) } };
}

/** What must not be seen by anyone after authentication, whoever sent it. */
export function isRemoteHeader({ usernameHeaders, groupHeaders, extraPrefixes }: FrontProxyOptions, header: string): boolean {
  return usernameHeaders.includes(header) || groupHeaders.includes(header) || extraPrefixes.some((prefix) => header.startsWith(prefix));
}
