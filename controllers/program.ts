/**
 * Starts the controllers of a process from its flags: connections, informers, controllers, health and metrics. The
 * given lifecycle ends them; this module ends no process.
 */
import { hostname } from 'node:os';
import { ServiceAccountCredentials } from '../shared/client/rest/service-account-credentials';
import type { ClientConfig } from '../shared/client/kubeconfig/client-config';
import { connectReloadable } from '../shared/client/transport/reloadable-connection';
import { InformerPool } from '../shared/client/informer/informer-pool';
import type { RequestMeter } from '../shared/client/transport/metered-transport';
import { RestClient } from '../shared/client/rest/rest-client';
import { GENERATED_NAMES, versionText } from '../shared/names/dialect';
import { PROGRAM_NAMES, userAgent } from '../shared/names/program';
import { CertificateExpirations } from '../shared/pki/certificate-expirations';
import type { Clock } from '../shared/runtime/clock';
import { memoizeBySource } from '../shared/runtime/memoize-by-source';
import { readFlagFilesSync } from '../shared/runtime/process/flag-files';
import { UsageError, type CommandLine } from '../shared/cli/flags';
import type { Lifecycle } from '../shared/runtime/process/lifecycle';
import type { Logger } from '../shared/runtime/logger';
import type { Random } from '../shared/runtime/random';
import type { ControllerFlags } from './flags';
import { validateFlags } from './validate-flags';
import type { Controller } from './runtime/controller';
import { runControllers } from './runtime/manager';
import { ControllerMetrics } from './runtime/metrics';
import { ControllerHealth } from './runtime/controller-health';
import { selectControllers } from './runtime/select-controllers';
import { CONTROLLERS } from './table';
import { watchClientCertificate } from './client-certificate-check';
import { settingsFromFlags, type SettingsFromFlags } from './settings-from-flags';
import { startServing } from './start-serving';
import { SIGNERS, validateSigningFlags } from './signing-files';

/** The program in its help and version. */
export const PROGRAM: CommandLine = {
  name: 'controllers',
  description: 'Runs the controllers, which bring the state of the cluster to the state that its objects specify.',
  version: versionText,
};
/** The time limit for running syncs to end and for leases to be released. Milliseconds. */
const STOP_MS = 15_000;

/** What the process provides; tests pass a manual clock and a lifecycle of their own. */
export interface ControllersHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Ends everything that is started here. */
  readonly lifecycle: Lifecycle;
}

/** Parsed flags. `given`: the names of those on the command line. */
interface Flags {
  readonly values: ControllerFlags;
  readonly given: ReadonlySet<string>;
}

/**
 * Resolves when the controllers are started, even if no API server responds yet. Throws {@link UsageError} for flags
 * that contradict each other or name no controller, and PermanentError when a file cannot be read or the port is in
 * use.
 */
export async function startControllers({ values, given }: Flags, { clock, random, logger, lifecycle }: ControllersHost): Promise<void> {
  const selected = validateAndSelect(values);
  const { config, settings, watch } = readSettings(values);
  const controllers = selected.filter((controller) => controller.isEnabled?.(settings) ?? true);
  // Called for requests only, which are sent after the metrics are created below.
  const meter: RequestMeter = (outcome) => metrics.observeRequest(outcome);
  lifecycle.onStop({ name: 'files', timeoutMs: 1_000, run: watch(clock, logger) });
  const certificates = watchCertificates(values.kubeconfig, { config, settings }, { clock, logger, lifecycle });
  const { transport, credentials } = connectReloadable(config, clock, { meter });
  lifecycle.onStop({ name: 'connections', timeoutMs: 1_000, run: () => transport.close() });

  const userAgentOf = (part: string): string => userAgent(values.naming, 'controllers', process, part);
  const programName = PROGRAM_NAMES[values.naming].controllers;
  const client = new RestClient({ transport, credentials, dialect: values.naming, userAgent: userAgentOf(programName), clock, random });
  const informersEnd = new AbortController();
  const informerClient = client.withUserAgent(userAgentOf('shared-informers'));
  const informers = new InformerPool({ client: informerClient, clock, random, logger, protobuf: isBinary(values) }, informersEnd.signal);
  const metrics = new ControllerMetrics(clock, informers, certificates);
  const controllerHealth = new ControllerHealth(controllers, lifecycle.stopping);
  await startServing({
    values,
    isPortExplicit: given.has('secure-port'),
    client,
    clock,
    logger,
    lifecycle,
    health: controllerHealth.health(clock, logger),
    certificates,
    metrics: async () => ({ type: metrics.contentType, text: await metrics.text() }),
  });

  const running = runControllers(
    controllers,
    {
      client: client.withUserAgent(userAgentOf('leader-election')),
      clientOf: clientsOf(values, config, { client, userAgentOf }, { clock, meter, lifecycle }),
      informers,
      clock,
      random,
      logger,
      metrics,
      settings,
      identity: `${hostname()}_${random.uuid()}`,
      election: electionOf(values),
      onProblem: (controller, problem) => controllerHealth.setProblem(controller, problem),
    },
    lifecycle.stopping,
  );
  const end = async (): Promise<void> => {
    await running;
    informersEnd.abort();
    await informers.ended();
  };
  lifecycle.onStop({ name: 'controllers', timeoutMs: STOP_MS, run: end });
  logger.info('controllers are running', {
    controllers: controllers.map(({ name }) => name),
    servers: config().servers.map(({ origin }) => origin),
  });
}

/** The controllers that `--controllers` selects. Throws {@link UsageError} for flags that cannot be used. */
function validateAndSelect(values: ControllerFlags): readonly Controller[] {
  const error = validateFlags(values) ?? validateSigningFlags(values);
  if (error !== undefined) throw new UsageError(error);
  const selected = selectControllers(CONTROLLERS, values.controllers);
  if (selected.type === 'unknown') throw new UsageError(`--controllers: there is no controller ${JSON.stringify(selected.name)}`);
  return selected.controllers;
}

/** The flags with files that are read before anything is started. */
const SETTINGS_FILES = [
  'kubeconfig',
  'root-ca-file',
  'service-account-private-key-file',
  'cluster-signing-cert-file',
  'cluster-signing-key-file',
  'cluster-signing-kube-apiserver-client-cert-file',
  'cluster-signing-kube-apiserver-client-key-file',
  'cluster-signing-kubelet-client-cert-file',
  'cluster-signing-kubelet-client-key-file',
  'cluster-signing-kubelet-serving-cert-file',
  'cluster-signing-kubelet-serving-key-file',
  'cluster-signing-legacy-unknown-cert-file',
  'cluster-signing-legacy-unknown-key-file',
] as const;

/** Logs when the client certificate is not valid. Returns the certificates that the controllers use. */
function watchCertificates(
  kubeconfig: string,
  { config, settings }: Pick<SettingsFromFlags, 'config' | 'settings'>,
  { clock, logger, lifecycle }: Omit<ControllersHost, 'random'>,
): CertificateExpirations {
  const unwatch = watchClientCertificate({ config, kubeconfig, clock, logger });
  lifecycle.onStop({ name: 'the certificate of the controllers', timeoutMs: 1_000, run: unwatch });
  const certificates = new CertificateExpirations();
  certificates.addChain('client', () => config().tls.cert);
  for (const signer of SIGNERS)
    certificates.addChain(`signer-${signer.split('/').at(-1)}`, () => settings.signers.authorityOf(signer)?.certificate);
  return certificates;
}

/** Throws PermanentError when a file cannot be used, with the name of its flag. */
const readSettings = (values: ControllerFlags): SettingsFromFlags =>
  readFlagFilesSync(values, SETTINGS_FILES, () => settingsFromFlags(values));

const isBinary = (values: ControllerFlags): boolean => values['kube-api-content-type'] !== 'application/json';

/**
 * Controllers share the credentials of the process, or each uses its own ServiceAccount over connections without the
 * client certificate of the process.
 */
function clientsOf(
  values: ControllerFlags,
  config: () => ClientConfig,
  { client, userAgentOf }: { readonly client: RestClient; readonly userAgentOf: (part: string) => string },
  { clock, meter, lifecycle }: { readonly clock: Clock; readonly meter: RequestMeter; readonly lifecycle: Lifecycle },
): (controller: Controller) => RestClient {
  const asProcess = ({ name, account = name }: Controller): RestClient => client.withUserAgent(userAgentOf(account));
  if (!values['use-service-account-credentials']) return asProcess;
  const { transport } = connectReloadable(memoizeBySource(config, withoutCredentials), clock, { meter });
  lifecycle.onStop({ name: 'the connections of the controllers', timeoutMs: 1_000, run: () => transport.close() });
  const namespace = GENERATED_NAMES[values.naming].systemNamespace;
  return (controller) => {
    const { account } = controller;
    if (account === undefined) return asProcess(controller);
    const credentials = new ServiceAccountCredentials({ client, account: { namespace, name: account }, clock });
    return client.withCredentials(credentials, transport).withUserAgent(userAgentOf(`system:serviceaccount:${namespace}:${account}`));
  };
}

function withoutCredentials({ tls: { cert: _cert, key: _key, ...tls }, ...config }: ClientConfig): ClientConfig {
  return { ...config, tls, credentials: { type: 'none' } };
}

/** `undefined` without leader election. */
function electionOf(values: ControllerFlags): Parameters<typeof runControllers>[1]['election'] {
  if (!values['leader-elect']) return undefined;
  return {
    namespace: values['leader-elect-resource-namespace'] || GENERATED_NAMES[values.naming].systemNamespace,
    prefix: values['leader-elect-resource-name'],
    durationMs: values['leader-elect-lease-duration'],
    renewDeadlineMs: values['leader-elect-renew-deadline'],
    retryMs: values['leader-elect-retry-period'],
  };
}
