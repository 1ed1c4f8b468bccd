/**
 * Reads the flags of authenticating proxies: the names of their certificates, and the headers with the user. Reads no
 * file.
 */
import type { FrontProxyOptions } from '../../authentication/front-proxy';
import type { ServerFlags } from '../flags/flags';

const HEADER_FLAGS = ['requestheader-username-headers', 'requestheader-group-headers', 'requestheader-extra-headers-prefix'] as const;

type HeaderFlag = (typeof HEADER_FLAGS)[number];
type ProxyFlags = Pick<ServerFlags, HeaderFlag | 'requestheader-client-ca-file' | 'requestheader-allowed-names'>;

const DEFAULTS: Readonly<Record<HeaderFlag, string>> = {
  'requestheader-username-headers': 'X-Remote-User',
  'requestheader-group-headers': 'X-Remote-Group',
  'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
};

/** True when any header flag is set. */
export const hasProxyHeaderFlags = (flags: ProxyFlags): boolean => HEADER_FLAGS.some((name) => flags[name].length > 0);

/** The names and headers, in lower case; `undefined` when no certificate authority of proxies is configured. */
export function frontProxyOptions(flags: ProxyFlags): FrontProxyOptions | undefined {
  if (flags['requestheader-client-ca-file'] === '') return undefined;
  // A proxy removes the headers that it sets from its clients' requests. If any header is named, the defaults are not
  // read: the proxy might let them through.
  const usesDefaults = !hasProxyHeaderFlags(flags);
  const headers = (name: HeaderFlag): readonly string[] =>
    (usesDefaults ? [DEFAULTS[name]] : flags[name]).map((header) => header.toLowerCase());
  return {
    allowedNames: flags['requestheader-allowed-names'],
    usernameHeaders: headers('requestheader-username-headers'),
    groupHeaders: headers('requestheader-group-headers'),
    extraPrefixes: headers('requestheader-extra-headers-prefix'),
  };
}
