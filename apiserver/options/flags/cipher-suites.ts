/**
 * Maps upstream's names of TLS 1.2 cipher suites to OpenSSL names. TLS 1.3 suites are always offered, as on upstream's
 * server.
 */
import { FlagError, listFlag, type Flag } from '../../../shared/cli/flags';

/** OpenSSL's names by upstream's. The names with and without `_SHA256` mean the same ChaCha20 suite. */
const SUITES: ReadonlyMap<string, string> = new Map([
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
]);

/** The suites of TLS 1.3, which have the same names in OpenSSL. */
const TLS13_SUITES = ['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'];
/** HTTP/2 over TLS 1.2 requires one of these suites: the first for RSA certificates, the second for ECDSA ones. */
const HTTP2_SUITES = ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'];

/** The flag `--tls-cipher-suites`: upstream's names; empty for Node's defaults. `section` is its heading in the help. */
export function cipherSuitesFlag(section: string): Flag<readonly string[]> {
  const suiteList = listFlag({
    section,
    help: `Cipher suites of TLS 1.2: ${[...SUITES.keys()].join(', ')}. Empty: the defaults of Node.`,
    default: [],
  });
  return {
    ...suiteList,
    parse(text) {
      const names = suiteList.parse(text, undefined);
      const unknown = names.find((name) => !SUITES.has(name) && !TLS13_SUITES.includes(name));
      if (unknown !== undefined) throw new FlagError(`cipher suite ${unknown} not supported or doesn't exist`);
      return names;
    },
  };
}

/** The error of the suites for TLS 1.2; `undefined` when they are valid. */
export function cipherSuitesError(names: readonly string[]): string | undefined {
  if (names.length === 0 || HTTP2_SUITES.some((name) => names.includes(name))) return undefined;
  return `--tls-cipher-suites needs one of ${HTTP2_SUITES.join(' and ')}, which HTTP/2 requires`;
}

/** The option `ciphers` of node:tls; `undefined` for Node's defaults. */
export const opensslSuites = (names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : [...TLS13_SUITES, ...names.flatMap((name) => SUITES.get(name) ?? [])].join(':');
