/** Authenticating proxies as the flags describe them: which certificates they have, and in which headers they name users. */
import type { FrontProxyOptions } from '../authentication/front-proxy';
import type { ServerFlags } from './flags';

const HEADER_FLAGS = ['requestheader-username-headers', 'requestheader-group-headers', 'requestheader-extra-headers-prefix'] as const;

type HeaderFlag = (typeof HEADER_FLAGS)[number];
type ProxyFlags = Pick<ServerFlags, HeaderFlag | 'requestheader-client-ca-file' | 'requestheader-allowed-names'>;

const DEFAULTS: Readonly<Record<HeaderFlag, string>> = {
  'requestheader-username-headers': 'X-Remote-User',
  'requestheader-group-headers': 'X-Remote-Group',
  'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
};

/** Whether some flag names headers. */
export const namesProxyHeaders = (flags: ProxyFlags): boolean => HEADER_FLAGS.some((name) => flags[name].length > 0);

/** `undefined` without an authority of proxies. */
export function frontProxyOptions(flags: ProxyFlags): FrontProxyOptions | undefined {
  if (flags['requestheader-client-ca-file'] === '') return undefined;
  // A proxy removes the headers that it knows from what its clients send: where one is named, no other is read that it might let through.
  const usesDefaults = !namesProxyHeaders(flags);
  const headers = (name: HeaderFlag): readonly string[] =>
    (usesDefaults ? [DEFAULTS[name]] : flags[name]).map((header) => header.toLowerCase());
  return {
    allowedNames: flags['requestheader-allowed-names'],
    usernameHeaders: headers('requestheader-username-headers'),
    groupHeaders: headers('requestheader-group-headers'),
    extraPrefixes: headers('requestheader-extra-headers-prefix'),
  };
}
