/**
 * Options of one API server as its flags state them. Opens nothing but the files that are read once at the start; files
 * that are followed, ports and stores are left to program.ts.
 */
import { readFileSync } from 'node:fs';
import { formatFlagLines } from '../shared/cli/flag-lines';
import { readFlagFilesSync } from '../shared/runtime/process/flag-files';
import type { Logger } from '../shared/runtime/logger';
import { formatIpAddress } from '../shared/values/network/ip-address';
import { loadPageScripts } from './api-docs/api-docs';
import { parseTokenFile, type FindStaticTokenUser } from './authentication/token-file';
import { frontProxyOptions } from './options/authentication/front-proxy-options';
import { serviceAccountAccessOptions } from './options/authentication/service-account-options';
import type { TokenIssuers } from './options/authentication/token-issuers';
import type { TokenKeyFiles } from './options/authentication/token-key-files';
import { opensslSuites } from './options/flags/cipher-suites';
import { FLAGS, type ServerFlags } from './options/flags/flags';
import { pluginSwitches } from './options/refuse-contradictions';
import type { AuthorizerLink } from './server/access/authorizers';
import { advertisedAddress } from './server/advertised-address';
import type { TlsBounds } from './server/connections/listeners';
import { useExistingPair, type TlsSource } from './server/tls/tls-files';
import type { ListeningOptions } from './server/wiring/listening';
import type { ServerOptions } from './server/wiring/server-options';

/**
 * The key prefix without trailing slashes. The expression begins only at the first of several slashes, so that it takes
 * linear time for a long text of slashes.
 */
export const prefixOf = (flags: ServerFlags): string => flags['etcd-prefix'].replace(/(?<!\/)\/+$/, '');

/**
 * The files of the certificate and the client CAs. A server without a certificate file uses the pair in `cert-dir`, or
 * creates one there.
 */
export function tlsSource(flags: ServerFlags): TlsSource {
  const paths = {
    cert: flags['tls-cert-file'],
    key: flags['tls-private-key-file'],
    clientCa: flags['client-ca-file'],
    proxyCa: flags['requestheader-client-ca-file'],
  };
  return useExistingPair({ paths, folder: flags['cert-dir'], names: certifiedNames(flags, advertiseAddressOf(flags)) });
}

function tlsBounds(flags: ServerFlags): TlsBounds {
  const ciphers = opensslSuites(flags['tls-cipher-suites']);
  const minVersion = flags['tls-min-version'] === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2';
  return { minVersion, ...(ciphers === undefined ? {} : { ciphers }) };
}

/** `undefined` when no address of this machine can be advertised. */
const advertiseAddressOf = (flags: ServerFlags): string | undefined =>
  flags['advertise-address'] === '' ? advertisedAddress(flags['bind-address']) : flags['advertise-address'];

/** The names in a certificate that the server creates: this machine, its advertised address, and that of the default Service. */
function certifiedNames(flags: ServerFlags, advertiseAddress: string | undefined): readonly string[] {
  const [range] = flags['service-cluster-ip-range'];
  const service = formatIpAddress({ family: range.family === 'IPv4' ? 4 : 6, value: range.first + 1n });
  return ['localhost', '127.0.0.1', '::1', service, ...(advertiseAddress === undefined ? [] : [advertiseAddress])];
}

/** The options of the listeners, which are needed before anything else is opened. */
export function listeningOptions(flags: ServerFlags): Omit<ListeningOptions, 'tls'> {
  return {
    host: flags['bind-address'],
    port: flags['secure-port'],
    tlsBounds: tlsBounds(flags),
    ...(flags['insecure-port'] === 0 ? {} : { local: { host: flags['insecure-bind-address'], port: flags['insecure-port'] } }),
    naming: flags.naming,
    requestTimeoutMs: flags['request-timeout'],
    maxReadOnly: flags['max-requests-inflight'],
    maxMutating: flags['max-mutating-requests-inflight'],
    flowControl: flags['enable-priority-and-fairness'],
    maxStreams: flags['http2-max-streams-per-connection'],
    connectionTimeouts: { unreadMs: flags['unread-response-timeout'] },
    connectionCaps: { total: flags['max-connections'], perAddress: flags['max-connections-per-address'] },
    livezGraceMs: flags['livez-grace-period'],
    sendRetryAfter: flags['shutdown-send-retry-after'],
  };
}

/** What was opened for the authentication and authorization of requests. */
export interface OpenedAccess {
  readonly tokenKeys: TokenKeyFiles | undefined;
  readonly issuers: TokenIssuers;
  readonly authorizerLinks: () => readonly AuthorizerLink[];
}

/** The options that follow from flags, and from the files that are read once at the start. */
export async function serverOptions(
  flags: ServerFlags,
  { tokenKeys, issuers, authorizerLinks }: OpenedAccess,
  logger: Logger,
): Promise<Omit<ServerOptions, 'tls'>> {
  for (const version of flags['runtime-config'].unknownVersions)
    logger.warn('--runtime-config names a version that this server does not have; it has no effect', { version });
  return {
    ...listeningOptions(flags),
    externalHostname: flags['external-hostname'] === '' ? undefined : flags['external-hostname'],
    keySetAddress: flags['service-account-jwks-uri'] === '' ? undefined : flags['service-account-jwks-uri'],
    kinds: flags['runtime-config'].kinds,
    gates: flags['feature-gates'],
    flagLines: formatFlagLines(FLAGS, flags),
    apiDocs: flags['enable-api-docs'] ? await loadPageScripts() : undefined,
    prefix: prefixOf(flags),
    advertiseAddress: advertiseAddressOf(flags),
    serviceRanges: flags['service-cluster-ip-range'],
    plugins: pluginSwitches(flags),
    deniesServiceAddresses: flags['service-external-ips'] === 'deny',
    nodePorts: flags['service-node-port-range'],
    eventTtlMs: flags['event-ttl'],
    compactionMs: flags['etcd-compaction-interval'],
    minRequestTimeoutSeconds: flags['min-request-timeout'],
    goawayChance: flags['goaway-chance'],
    ...serviceAccountAccessOptions(flags, tokenKeys),
    tokens: readFlagFilesSync(flags, ['token-auth-file'], () => staticTokens(flags['token-auth-file'], logger)),
    ...frontProxyOf(flags),
    bootstrapTokens: flags['enable-bootstrap-token-auth'],
    anonymous: issuers.anonymous,
    tokenIssuers: issuers.issuers,
    authorization: authorizerLinks,
    shutdownDelayMs: flags['shutdown-delay-duration'],
    shutdownWatchGraceMs: flags['shutdown-watch-termination-grace-period'],
  };
}

const staticTokens = (file: string, logger: Logger): readonly FindStaticTokenUser[] =>
  file === '' ? [] : [parseTokenFile(file, readFileSync(file, 'utf8'), (message) => logger.warn(message))];

/** Empty without a CA of front proxies. */
function frontProxyOf(flags: ServerFlags): Pick<ServerOptions, 'frontProxy'> {
  const frontProxy = frontProxyOptions(flags);
  return frontProxy === undefined ? {} : { frontProxy };
}
