/**
 * Starts one API server from its flags: opens ports, files and store, and starts what serves requests. Everything opened
 * here is closed by the lifecycle of the process; ending the process is left to start.ts.
 */
import { hostname } from 'node:os';
import { versionText } from '../shared/names/dialect';
import { ConfigurationFiles } from '../shared/configuration/configuration-files';
import { CertificateExpirations } from '../shared/pki/certificate-expirations';
import type { Clock } from '../shared/runtime/clock';
import { STORED_KINDS } from '../shared/api/kinds';
import { readFlagFiles, readFlagFilesSync } from '../shared/runtime/process/flag-files';
import { UsageError, type CommandLine } from '../shared/cli/flags';
import { listenErrorMessage, PermanentError } from '../shared/runtime/process/permanent-error';
import type { Lifecycle } from '../shared/runtime/process/lifecycle';
import type { Logger } from '../shared/runtime/logger';
import { systemRandomBytes, type Random } from '../shared/runtime/random';
import type { SendImageReview } from './admission/plugins/pods/image-policy';
import type { AdmissionSettings } from './admission/plugins/admission-settings';
import type { Auditor } from './audit/auditor';
import { pluginsMissingSettings } from './admission/plugins/plugin-overrides';
import { webhookTokenAuthenticator } from './authentication/webhook-token';
import type { EncryptionFromFile } from './options/storage/encryption-options';
import { openStore } from './options/storage/open-store';
import type { ServerFlags } from './options/flags/flags';
import { listeningOptions, prefixOf, serverOptions, tlsSource, type OpenedAccess } from './options-from-flags';
import { createTypeNameLookup } from './cache/store/type-lookups';
import { Meters } from './metrics/registry/meters';
import { buildResources } from './registry/resources';
import { openAuthorizerLinks } from './options/authorizer-links';
import { createWebhookCaller, openWebhook } from './options/webhooks';
import { openCredentials } from './options/open-credentials';
import { pluginSwitches, refuseContradictions } from './options/refuse-contradictions';
import { openTokenIssuers } from './options/authentication/token-issuers';
import type { TlsFiles } from './server/connections/listeners';
import { startServer, type RunningServer } from './server/wiring/start-server';
import { startListening } from './server/wiring/listening';
import type { Listening, ServerOptions, WorkerRole } from './server/wiring/server-options';
import { readTls, type TlsSource } from './server/tls/tls-files';
import { watchTls } from './server/tls/tls-watch';
import { GrpcCallCounters } from './storage/grpc-call-counters';
import { observeMissingKeys } from './storage/encryption/missing-key-observer';
import type { MissingKeys } from './storage/encryption/missing-keys';
import { shiftStoreByMarker } from './storage/shifted-store';
import type { Store } from './storage/store';
import type { OpenedTracing } from './tracing/open-tracing';

/** What the text of `--help` and the version show. */
export const PROGRAM: CommandLine = {
  name: 'apiserver',
  description: 'Serves the cluster control API over etcd or an embedded store.',
  version: versionText,
};

/** What the process provides to a server. */
export interface ServerHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Closes what the server has opened, in reverse order. */
  readonly lifecycle: Lifecycle;
  /** Used instead of the store that the flags name; its owner closes it. */
  readonly store?: Store;
  /** Set when this server is one of several workers. */
  readonly worker?: WorkerRole | undefined;
  /** Called when the ports are open: requests from then on wait until the server is ready. */
  readonly onListening?: () => void;
}

const TLS_FILES = ['tls-cert-file', 'tls-private-key-file', 'client-ca-file', 'requestheader-client-ca-file', 'cert-dir'] as const;
const AUDIT_FILES = ['audit-policy-file', 'audit-log-path', 'audit-webhook-config-file'] as const;
const AUTHORIZATION_FILES = ['authorization-config', 'authorization-policy-file', 'authorization-webhook-config-file'] as const;

/** The parsed flags; `given` has the names of those that the command line states. */
export interface ParsedServerFlags {
  readonly values: ServerFlags;
  readonly given: ReadonlySet<string>;
}

/** What the steps of a start share. */
interface Startup {
  readonly flags: ServerFlags;
  readonly given: ReadonlySet<string>;
  readonly host: ServerHost;
  readonly meters: Meters;
  /** The files that are read again when they change. */
  readonly configurations: ConfigurationFiles;
  /** The certificates in use, for the metric of their expirations. */
  readonly expirations: CertificateExpirations;
}

/**
 * Starts a server and resolves when it is ready. Rejects with {@link UsageError}, {@link PermanentError} or the StoreError
 * of a damaged store when a restart with the same flags and files would fail too, and with other errors when it may
 * succeed.
 */
export async function runServer({ values: flags, given }: ParsedServerFlags, host: ServerHost): Promise<RunningServer> {
  refuseContradictions(flags, given);
  const { clock, random, logger, lifecycle } = host;
  const meters = new Meters();
  const { certificates, tls, listening } = await openPorts(flags, meters, host);
  host.onListening?.();
  const configurations = new ConfigurationFiles(clock, logger);
  lifecycle.onStop({ name: 'configuration files', timeoutMs: 1000, run: () => configurations.close() });
  const expirations = new CertificateExpirations();
  const startup = { flags, given, host, meters, configurations, expirations };
  const encryption = await readFlagFiles(flags, ['encryption-provider-config'], () => openEncryption(startup));
  const traces = await readFlagFiles(flags, ['tracing-config-file'], () => openTraces(startup));
  if (traces !== undefined) lifecycle.onStop({ name: 'traces', timeoutMs: 10_000, run: () => traces.close() });
  const storage = await openStorage(startup, encryption, traces);
  const options = await openServerOptions(startup, tls);
  const dependencies = {
    listening,
    store: storage.store,
    isStoreFull: storage.isFull,
    clock,
    random,
    logger,
    meters,
    certificates: expirations,
    configurations: configurations.configurations,
    tracing: traces?.tracing,
    storeCalls: storage.calls,
    worker: host.worker,
  };
  const server = await startServer(options, encryption === undefined ? dependencies : { ...dependencies, encryption });
  lifecycle.onStop({ name: 'server', timeoutMs: drainMs(flags), run: () => server.shutdown() });
  lifecycle.onStop({ name: 'certificates', timeoutMs: 1000, run: watchTls(certificates, tls, { clock, logger, renew: server.renew }) });
  // A startup that fails or is stopped may leave the cache unready forever.
  await Promise.race([server.cache.whenReady(), server.whenReady()]);
  rejectMissingKeys(flags, storage.finishKeyObservation());
  await server.whenReady();
  return server;
}

/** How long a server may take to drain, in milliseconds: its flags, and a margin to leave the store and close the cache. */
const drainMs = (flags: ServerFlags): number =>
  flags['shutdown-delay-duration'] + flags['shutdown-watch-termination-grace-period'] + flags['request-timeout'] + 10_000;

/** How long the shutdown of a server may take with the audit log, store and traces that are closed afterwards, in ms. */
export const shutdownMs = (flags: ServerFlags): number => drainMs(flags) + 30_000;

interface OpenedStorage {
  /** Encrypts and traces as configured. */
  readonly store: Store;
  readonly isFull: () => boolean;
  /** Counters of the calls to etcd; `undefined` for the embedded store. */
  readonly calls: GrpcCallCounters | undefined;
  /** The keys that stored objects need and the configuration lacks. Call once, when the cache has read all objects. */
  readonly finishKeyObservation: () => MissingKeys;
}

/** Opens the store of the flags, unless the host has one, and wraps it. */
async function openStorage(
  { flags, host, expirations }: Startup,
  encryption: EncryptionFromFile | undefined,
  traces: OpenedTracing | undefined,
): Promise<OpenedStorage> {
  const isEtcd = flags['storage-backend'] === 'etcd3';
  const calls = isEtcd ? new GrpcCallCounters() : undefined;
  const opened: Store & { readonly isFull?: boolean } = host.store ?? (await openStore(flags, calls, { ...host, expirations }));
  if (opened !== host.store) host.lifecycle.onStop({ name: 'store', timeoutMs: 10_000, run: () => opened.close() });
  const traced = traces === undefined ? opened : traces.wrapStore(opened, { isEtcd });
  const prefix = prefixOf(flags);
  const resourceOf = createTypeNameLookup(prefix, buildResources(STORED_KINDS).storedTypes);
  const observed = observeMissingKeys(traced, { rules: encryption?.rules, resourceOf });
  const store = await shiftStoreByMarker(encryption?.encryptStore(observed.store) ?? observed.store, prefix);
  return { store, isFull: () => opened.isFull === true, calls, finishKeyObservation: () => observed.finish() };
}

/** Opens what requests need besides the store: audit log, credentials, authentication, authorization and admission. */
async function openServerOptions(startup: Startup, tls: TlsFiles): Promise<ServerOptions> {
  const { flags, host, expirations } = startup;
  const audit = await readFlagFiles(flags, AUDIT_FILES, () => openAuditLog(startup));
  if (audit !== undefined) host.lifecycle.onStop({ name: 'audit log', timeoutMs: 10_000, run: () => audit.close() });
  const { tokenKeys, kubelets, proxies } = openCredentials(flags, { ...host, expirations });
  const access = { tokenKeys, ...(await openAccess(startup)) };
  const admission = await readFlagFiles(flags, ['admission-control-config-file'], () => admissionSettings(flags, host.clock));
  return {
    ...(await serverOptions(flags, access, host.logger)),
    tls,
    ...(await tokenWebhookOf(startup)),
    audit,
    admission,
    imageReviews: await imageReviewsOf(startup, admission),
    proxyCredentials: proxies.current,
    kubelets: {
      addressTypes: flags['kubelet-preferred-address-types'],
      credentials: kubelets.current,
      timeoutMs: flags['kubelet-timeout'],
    },
  };
}

async function openAccess({ flags, given, host, meters, configurations }: Startup): Promise<Omit<OpenedAccess, 'tokenKeys'>> {
  const { clock, random, logger } = host;
  // By default, anonymous requests are allowed unless every request is authorized (AlwaysAllow), as in upstream.
  const isGiven = given.has('anonymous-auth');
  const isAllowed = isGiven ? flags['anonymous-auth'] : !flags['authorization-mode'].includes('AlwaysAllow');
  const issuers = await readFlagFiles(flags, ['authentication-config', 'oidc-ca-file'], () =>
    openTokenIssuers(flags, { isAllowed, isGiven }, { clock, logger, configurations }),
  );
  const authorizerLinks = await readFlagFiles(flags, AUTHORIZATION_FILES, () =>
    openAuthorizerLinks(flags, { clock, random, logger, configurations, meters }),
  );
  return { issuers, authorizerLinks };
}

/** Throws a {@link PermanentError} when stored objects cannot be decrypted with the configured keys. */
function rejectMissingKeys(flags: ServerFlags, { error }: MissingKeys): void {
  const file = flags['encryption-provider-config'];
  const subject = `--encryption-provider-config${file === '' ? '' : `=${file}`}`;
  if (error !== undefined) throw new PermanentError(`${subject}: ${error}`);
}

/** Opens the ports before anything that takes time, so that clients wait for the server instead of being refused. */
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

/** The error of a port that cannot be opened, under the name of its flag. */
function listenError(flags: ServerFlags, error: unknown): PermanentError {
  const isLocal = typeof error === 'object' && error !== null && 'port' in error && error.port === flags['insecure-port'];
  const flag = isLocal ? 'insecure-port' : 'secure-port';
  return new PermanentError(`--${flag}=${flags[flag]}: ${listenErrorMessage(error)}`, { cause: error });
}

/** Loads the modules of encryption only when it is configured. `undefined` when objects are stored as plain text. */
async function openEncryption({ flags, host, configurations }: Startup): Promise<EncryptionFromFile | undefined> {
  const { clock, random, logger, lifecycle } = host;
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
async function openTraces({ flags, host, configurations }: Startup): Promise<OpenedTracing | undefined> {
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

/** Loads the backends, which include an HTTP client, only when an audit policy is configured. */
async function openAuditLog({ flags, host, configurations }: Startup): Promise<Auditor | undefined> {
  const { clock, random, logger } = host;
  if (flags['audit-policy-file'] === '') return undefined;
  const { openAudit } = await import('./options/audit-options.js');
  return openAudit(flags, { configurations, clock, random, logger });
}

/** Throws a {@link UsageError} when an enabled plug-in lacks its configuration. */
async function admissionSettings(flags: ServerFlags, clock: Clock): Promise<AdmissionSettings> {
  const file = flags['admission-control-config-file'];
  const settings = file === '' ? {} : await (await import('./options/admission-configuration.js')).readAdmissionConfiguration(file, clock);
  const [plugin] = pluginsMissingSettings(pluginSwitches(flags), settings);
  if (plugin !== undefined) throw new UsageError(`admission plug-in ${plugin} needs --admission-control-config-file to configure it`);
  return settings;
}

/** `undefined` when ImagePolicyWebhook is not enabled. */
async function imageReviewsOf(
  { flags, host, configurations }: Startup,
  { imagePolicy }: AdmissionSettings,
): Promise<SendImageReview | undefined> {
  const { clock, random, logger } = host;
  if (imagePolicy === undefined || !flags['enable-admission-plugins'].includes('ImagePolicyWebhook')) return undefined;
  const { openImagePolicyWebhook } = await import('./options/image-policy-webhook.js');
  const parts = { clock, random, logger, configurations };
  return readFlagFiles(flags, ['admission-control-config-file'], () => openImagePolicyWebhook(imagePolicy, parts));
}

/** Time limit of a token review; upstream's default for webhooks. */
const TOKEN_WEBHOOK_TIMEOUT_MS = 30_000;

/** Empty without a webhook for the authentication of tokens. */
async function tokenWebhookOf({ flags, host, configurations }: Startup): Promise<Pick<ServerOptions, 'tokenWebhook'>> {
  const { clock, random, logger } = host;
  const file = flags['authentication-token-webhook-config-file'];
  if (file === '') return {};
  const parts = { clock, random, configurations };
  const webhook = await readFlagFiles(flags, ['authentication-token-webhook-config-file'], () =>
    openWebhook('authentication-webhook', file, parts),
  );
  return {
    tokenWebhook: webhookTokenAuthenticator({
      send: createWebhookCaller(webhook, parts, { timeoutMs: TOKEN_WEBHOOK_TIMEOUT_MS }),
      version: flags['authentication-token-webhook-version'],
      dialect: flags.naming,
      cacheTtlMs: flags['authentication-token-webhook-cache-ttl'],
      audiences: flags['api-audiences'].length > 0 ? flags['api-audiences'] : flags['service-account-issuer'],
      clock,
      onError: (message, error) => logger.warn(message, { error }),
    }),
  };
}
