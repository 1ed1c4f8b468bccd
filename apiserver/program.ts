/**
 * One API server made from its flags: its store, the files that it follows, and what it serves; all ended by the
 * lifecycle that it is given. Ends no process.
 */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { versionText } from '../shared/names/dialect';
import { formatIpAddress } from '../shared/values/network/ip-address';
import { ConfigurationFiles } from '../shared/configuration/configuration-files';
import { CertificateExpirations } from '../shared/pki/certificate-expirations';
import type { Clock } from '../shared/runtime/clock';
import { STORED_KINDS } from '../shared/api/kinds';
import { readFlagFiles, readFlagFilesSync } from '../shared/runtime/process/flag-files';
import { formatFlagLines } from '../shared/cli/flag-lines';
import { UsageError, type CommandLine } from '../shared/cli/flags';
import { listenErrorMessage, PermanentError } from '../shared/runtime/process/permanent-error';
import type { Lifecycle } from '../shared/runtime/process/lifecycle';
import type { Logger } from '../shared/runtime/logger';
import { systemRandomBytes, type Random } from '../shared/runtime/random';
import { loadPageScripts } from './api-docs/api-docs';
import type { SendImageReview } from './admission/plugins/pods/image-policy';
import type { AdmissionSettings } from './admission/plugins/admission-settings';
import type { Auditor } from './audit/auditor';
import { pluginsMissingSettings } from './admission/plugins/plugin-overrides';
import { webhookTokenAuthenticator } from './authentication/webhook-token';
import { parseTokenFile, type FindStaticTokenUser } from './authentication/token-file';
import { opensslSuites } from './options/flags/cipher-suites';
import type { EncryptionFromFile } from './options/storage/encryption-options';
import { openStore } from './options/storage/open-store';
import { frontProxyOptions } from './options/authentication/front-proxy-options';
import { FLAGS, type ServerFlags } from './options/flags/flags';
import { serviceAccountAccessOptions } from './options/authentication/service-account-options';
import { createTypeNameLookup } from './cache/store/key-space';
import { Meters } from './metrics/registry/meters';
import { buildResources } from './registry/resources';
import type { AuthorizerLink } from './server/access/authorizers';
import { openAuthorizerLinks } from './options/authorizer-links';
import { createWebhookCaller, openWebhook } from './options/webhooks';
import { openCredentials } from './options/open-credentials';
import { pluginSwitches, refuseContradictions } from './options/refuse-contradictions';
import { openTokenIssuers, type TokenIssuers } from './options/authentication/token-issuers';
import type { TokenKeyFiles } from './options/authentication/token-key-files';
import { advertisedAddress } from './server/advertised-address';
import type { TlsBounds, TlsFiles } from './server/connections/listeners';
import { startServer, type RunningServer } from './server/wiring/start-server';
import { startListening, type ListeningOptions } from './server/wiring/listening';
import type { Listening, ServerOptions, WorkerRole } from './server/wiring/server-options';
import { readTls, watchTls, useExistingPair, type TlsSource } from './server/tls/tls-files';
import { GrpcCallCounters } from './storage/grpc-call-counters';
import { observeMissingKeys } from './storage/encryption/missing-key-observer';
import type { MissingKeys } from './storage/encryption/missing-keys';
import { shiftStoreByMarker } from './storage/shifted-store';
import type { Store } from './storage/store';
import type { OpenedTracing } from './tracing/open-tracing';

export const PROGRAM: CommandLine = {
  name: 'apiserver',
  description: 'Serves the cluster control API over etcd or an embedded store.',
  version: versionText,
};

/** What a server is given by the process around it. */
export interface ServerHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Ends what was started here. */
  readonly lifecycle: Lifecycle;
  /** Used in place of the store that the flags name; its owner closes it. */
  readonly store?: Store;
  /** Set when this server is one of several workers. */
  readonly worker?: WorkerRole;
}

const TLS_FILES = ['tls-cert-file', 'tls-private-key-file', 'client-ca-file', 'requestheader-client-ca-file', 'cert-dir'] as const;
const AUDIT_FILES = ['audit-policy-file', 'audit-log-path', 'audit-webhook-config-file'] as const;
const AUTHORIZATION_FILES = ['authorization-config', 'authorization-policy-file', 'authorization-webhook-config-file'] as const;

export type Flags = { readonly values: ServerFlags; readonly given: ReadonlySet<string> };

/**
 * A server that is ready. Throws {@link UsageError}, {@link PermanentError}, and errors that a later start may not
 * have.
 */
export async function runServer({ values: flags, given }: Flags, host: ServerHost): Promise<RunningServer> {
  refuseContradictions(flags, given);
  const { clock, random, logger, lifecycle } = host;
  const meters = new Meters();
  const { certificates, tls, listening } = await openPorts(flags, meters, host);
  const configurations = new ConfigurationFiles(clock, logger);
  lifecycle.onStop({ name: 'configuration files', timeoutMs: 1000, run: () => configurations.close() });
  const encryption = await readFlagFiles(flags, ['encryption-provider-config'], () => openEncryption(flags, configurations, host));
  const traces = await readFlagFiles(flags, ['tracing-config-file'], () => openTraces(flags, configurations, host));
  if (traces !== undefined) lifecycle.onStop({ name: 'traces', timeoutMs: 10_000, run: () => traces.close() });
  const calls = flags['storage-backend'] === 'etcd3' ? new GrpcCallCounters() : undefined;
  const expirations = new CertificateExpirations();
  const opened: Store & { readonly isFull?: boolean } = host.store ?? (await openStore(flags, calls, { ...host, expirations }));
  if (opened !== host.store) lifecycle.onStop({ name: 'store', timeoutMs: 10_000, run: () => opened.close() });
  const seen = traces === undefined ? opened : traces.wrapStore(opened, flags['storage-backend'] === 'etcd3');
  const prefix = prefixOf(flags);
  const resourceOf = createTypeNameLookup(prefix, buildResources(STORED_KINDS).storedTypes);
  const observed = observeMissingKeys(seen, { rules: encryption?.rules, resourceOf });
  const store = await shiftStoreByMarker(encryption?.encryptStore(observed.store) ?? observed.store, prefix);
  const audit = await readFlagFiles(flags, AUDIT_FILES, () => openAuditLog(flags, configurations, host));
  if (audit !== undefined) lifecycle.onStop({ name: 'audit log', timeoutMs: 10_000, run: () => audit.close() });
  const { tokenKeys, kubelets, proxies } = openCredentials(flags, { ...host, expirations });
  const { issuers, links } = await openAccess(flags, given, meters, configurations, host);
  const admission = await readFlagFiles(flags, ['admission-control-config-file'], () => admissionSettings(flags, clock));
  const options = {
    ...(await serverOptions(flags, tokenKeys, issuers, links, host)),
    tls,
    ...(await tokenWebhookOf(flags, configurations, host)),
    audit,
    admission,
    imageReviews: await imageReviewsOf(flags, admission, configurations, host),
    proxyCredentials: proxies.current,
    kubelets: {
      addressTypes: flags['kubelet-preferred-address-types'],
      credentials: kubelets.current,
      timeoutMs: flags['kubelet-timeout'],
    },
  };
  const surroundings = {
    listening,
    store,
    isStoreFull: () => opened.isFull === true,
    clock,
    random,
    logger,
    meters,
    certificates: expirations,
    configurations: configurations.configurations,
    tracing: traces?.tracing,
    storeCalls: calls,
    ...(host.worker === undefined ? {} : { worker: host.worker }),
  };
  const server = await startServer(options, encryption === undefined ? surroundings : { ...surroundings, encryption });
  lifecycle.onStop({ name: 'server', timeoutMs: drainMs(flags), run: () => server.shutdown() });
  lifecycle.onStop({ name: 'certificates', timeoutMs: 1000, run: watchTls(certificates, tls, clock, logger, server.renew) });
  // A startup that fails or is stopped may leave the cache unready forever.
  await Promise.race([server.cache.whenReady(), server.whenReady()]);
  refuseMissingKeys(flags, observed.finish());
  await server.whenReady();
  return server;
}

/** How long a server may take to drain, in milliseconds. */
const drainMs = (flags: ServerFlags): number =>
  flags['shutdown-delay-duration'] + flags['shutdown-watch-termination-grace-period'] + flags['request-timeout'] + 10_000;

/** How long the shutdown of a server may take with what it closes afterwards, in milliseconds. */
export const shutdownMs = (flags: ServerFlags): number => drainMs(flags) + 30_000;

async function openAccess(
  flags: ServerFlags,
  given: ReadonlySet<string>,
  meters: Meters,
  configurations: ConfigurationFiles,
  { clock, random, logger }: ServerHost,
): Promise<{ readonly issuers: TokenIssuers; readonly links: () => readonly AuthorizerLink[] }> {
  const isGiven = given.has('anonymous-auth');
  const isAllowed = isGiven ? flags['anonymous-auth'] : !flags['authorization-mode'].includes('AlwaysAllow');
  const issuers = await readFlagFiles(flags, ['authentication-config', 'oidc-ca-file'], () =>
    openTokenIssuers(flags, { isAllowed, isGiven }, { clock, logger, configurations }),
  );
  const links = await readFlagFiles(flags, AUTHORIZATION_FILES, () =>
    openAuthorizerLinks(flags, { clock, random, logger, configurations, meters }),
  );
  return { issuers, links };
}

function refuseMissingKeys(flags: ServerFlags, { error }: MissingKeys): void {
  const file = flags['encryption-provider-config'];
  const subject = `--encryption-provider-config${file === '' ? '' : `=${file}`}`;
  if (error !== undefined) throw new PermanentError(`${subject}: ${error}`);
}

/** Opens the ports before anything that takes time, so that clients wait for the server. */
async function openPorts(
  flags: ServerFlags,
  meters: Meters,
  { clock, random, lifecycle }: ServerHost,
): Promise<{ readonly certificates: TlsSource; readonly tls: TlsFiles; readonly listening: Listening }> {
  const certificates = readFlagFilesSync(flags, TLS_FILES, () => tlsSource(flags));
  const tls = await readFlagFiles(flags, TLS_FILES, () => readTls(certificates, clock));
  const listening = await startListening({ ...listeningOptions(flags), tls }, { clock, random, meters }).catch((error: unknown) => {
    throw listenError(flags, error);
  });
  lifecycle.onStop({ name: 'listeners', timeoutMs: 1000, run: () => listening.close() });
  return { certificates, tls, listening };
}

function listenError(flags: ServerFlags, error: unknown): PermanentError {
  const isLocal = typeof error === 'object' && error !== null && 'port' in error && error.port === flags['insecure-port'];
  const flag = isLocal ? 'insecure-port' : 'secure-port';
  return new PermanentError(`--${flag}=${flags[flag]}: ${listenErrorMessage(error)}`, { cause: error });
}

const prefixOf = (flags: ServerFlags): string => flags['etcd-prefix'].replace(/(?<!\/)\/+$/, '');

/** What encryption takes is loaded only where it is wanted. */
async function openEncryption(
  flags: ServerFlags,
  configurations: ConfigurationFiles,
  { clock, random, logger, lifecycle }: ServerHost,
): Promise<EncryptionFromFile | undefined> {
  const file = flags['encryption-provider-config'];
  if (file === '') return undefined;
  const { openEncryptionAtRest } = await import('./options/storage/encryption-options.js');
  const reloads = flags['encryption-provider-config-automatic-reload'];
  const server = `${hostname()}:${flags['secure-port']}`;
  const encryption = await openEncryptionAtRest({
    file,
    reloads,
    prefix: prefixOf(flags),
    server,
    dialect: flags.naming,
    configurations,
    clock,
    random: systemRandomBytes,
    uuid: () => random.uuid(),
    logger,
  });
  lifecycle.onStop({ name: 'encryption keys', timeoutMs: 1000, run: () => encryption.close() });
  return encryption;
}

/** Loads the OpenTelemetry packages only when tracing is configured, because they are large. */
async function openTraces(flags: ServerFlags, configurations: ConfigurationFiles, host: ServerHost): Promise<OpenedTracing | undefined> {
  const file = flags['tracing-config-file'];
  if (file === '') return undefined;
  const [{ TRACING_FORMAT }, { openTracing }] = await Promise.all([
    import('./tracing/tracing-configuration.js'),
    import('./tracing/open-tracing.js'),
  ]);
  let opened: OpenedTracing | undefined;
  await configurations.loadConfiguration({
    name: 'tracing',
    path: file,
    formats: [TRACING_FORMAT],
    apply(configuration) {
      if (opened === undefined) opened = openTracing(configuration, host);
      else opened.applyConfiguration(configuration);
    },
  });
  return opened;
}

/** Its sinks bring a client along, so they are loaded only where there is something to record. */
async function openAuditLog(
  flags: ServerFlags,
  configurations: ConfigurationFiles,
  { clock, random, logger }: ServerHost,
): Promise<Auditor | undefined> {
  if (flags['audit-policy-file'] === '') return undefined;
  const { openAudit } = await import('./options/audit-options.js');
  return openAudit(flags, { configurations, clock, random, logger });
}

async function admissionSettings(flags: ServerFlags, clock: Clock): Promise<AdmissionSettings> {
  const file = flags['admission-control-config-file'];
  const settings = file === '' ? {} : await (await import('./options/admission-configuration.js')).readAdmissionConfiguration(file, clock);
  const [untaught] = pluginsMissingSettings(pluginSwitches(flags), settings);
  if (untaught !== undefined) throw new UsageError(`admission plug-in ${untaught} needs --admission-control-config-file to configure it`);
  return settings;
}

async function imageReviewsOf(
  flags: ServerFlags,
  { imagePolicy }: AdmissionSettings,
  configurations: ConfigurationFiles,
  { clock, random, logger }: ServerHost,
): Promise<SendImageReview | undefined> {
  if (imagePolicy === undefined || !flags['enable-admission-plugins'].includes('ImagePolicyWebhook')) return undefined;
  const { openImagePolicyWebhook } = await import('./options/image-policy-webhook.js');
  const parts = { clock, random, logger, configurations };
  return readFlagFiles(flags, ['admission-control-config-file'], () => openImagePolicyWebhook(imagePolicy, parts));
}

function tlsSource(flags: ServerFlags): TlsSource {
  const paths = {
    cert: flags['tls-cert-file'],
    key: flags['tls-private-key-file'],
    clientCa: flags['client-ca-file'],
    proxyCa: flags['requestheader-client-ca-file'],
  };
  return useExistingPair({ paths, folder: flags['cert-dir'], names: certifiedNames(flags, advertised(flags)) });
}

function tlsBounds(flags: ServerFlags): TlsBounds {
  const ciphers = opensslSuites(flags['tls-cipher-suites']);
  const minVersion = flags['tls-min-version'] === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2';
  return { minVersion, ...(ciphers === undefined ? {} : { ciphers }) };
}

const advertised = (flags: ServerFlags): string | undefined =>
  flags['advertise-address'] === '' ? advertisedAddress(flags['bind-address']) : flags['advertise-address'];

/**
 * Where a server that makes its own certificate is reached: here, under its advertised address, and under that of the
 * default Service.
 */
function certifiedNames(flags: ServerFlags, advertiseAddress: string | undefined): readonly string[] {
  const [range] = flags['service-cluster-ip-range'];
  const service = formatIpAddress({ family: range.family === 'IPv4' ? 4 : 6, value: range.first + 1n });
  return ['localhost', '127.0.0.1', '::1', service, ...(advertiseAddress === undefined ? [] : [advertiseAddress])];
}

/** What the listeners need, which is known before anything has been opened. */
function listeningOptions(flags: ServerFlags): Omit<ListeningOptions, 'tls'> {
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

async function serverOptions(
  flags: ServerFlags,
  tokenKeys: TokenKeyFiles | undefined,
  issuers: TokenIssuers,
  links: () => readonly AuthorizerLink[],
  { logger }: ServerHost,
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
    advertiseAddress: advertised(flags),
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
    authorization: links,
    shutdownDelayMs: flags['shutdown-delay-duration'],
    shutdownWatchGraceMs: flags['shutdown-watch-termination-grace-period'],
  };
}

const staticTokens = (file: string, logger: Logger): readonly FindStaticTokenUser[] =>
  file === '' ? [] : [parseTokenFile(file, readFileSync(file, 'utf8'), (message) => logger.warn(message))];

async function tokenWebhookOf(
  flags: ServerFlags,
  configurations: ConfigurationFiles,
  { clock, random, logger }: ServerHost,
): Promise<Pick<ServerOptions, 'tokenWebhook'>> {
  const file = flags['authentication-token-webhook-config-file'];
  if (file === '') return {};
  const parts = { clock, random, configurations };
  const webhook = await readFlagFiles(flags, ['authentication-token-webhook-config-file'], () =>
    openWebhook('authentication-webhook', file, parts),
  );
  return {
    tokenWebhook: webhookTokenAuthenticator({
      send: createWebhookCaller(webhook, parts, { timeoutMs: 30_000 }),
      version: flags['authentication-token-webhook-version'],
      dialect: flags.naming,
      cacheTtlMs: flags['authentication-token-webhook-cache-ttl'],
      audiences: flags['api-audiences'].length > 0 ? flags['api-audiences'] : flags['service-account-issuer'],
      clock,
      onError: (message, error) => logger.warn(message, { error }),
    }),
  };
}

/** Absent where no authority of proxies is named. */
function frontProxyOf(flags: ServerFlags): Pick<ServerOptions, 'frontProxy'> {
  const frontProxy = frontProxyOptions(flags);
  return frontProxy === undefined ? {} : { frontProxy };
}
