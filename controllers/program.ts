/** The controllers of one process made from its flags: connections, running controllers, health and metrics; all ended by the lifecycle that they are given. Ends no process. */
import { hostname } from 'node:os';
import { KeyFileError } from '../shared/api/identity/token-keys';
import { AccountCredentials } from '../shared/client/rest/account-credentials';
import { ConfigError, type ClientConfig } from '../shared/client/kubeconfig/client-config';
import { connectFollowed } from '../shared/client/transport/followed-connection';
import { InformerPool } from '../shared/client/informer/informer-pool';
import type { RequestMeter } from '../shared/client/transport/metered-transport';
import { RestClient } from '../shared/client/rest/rest-client';
import { GENERATED_NAMES, releaseText } from '../shared/names/dialect';
import { PROGRAM_NAMES, userAgent } from '../shared/names/program';
import type { Clock } from '../shared/runtime/clock';
import { derived } from '../shared/runtime/derived';
import { UsageError, type CommandLine } from '../shared/cli/flags';
import type { Lifecycle } from '../shared/runtime/process/lifecycle';
import type { Logger } from '../shared/runtime/logger';
import type { Random } from '../shared/runtime/random';
import { flagProblem, type ControllerFlags } from './flags';
import type { Controller } from './runtime/controller';
import { runControllers } from './runtime/manager';
import { ControllerMetrics } from './runtime/metrics';
import { ControllerHealth } from './runtime/controller-health';
import { selectControllers } from './runtime/selection';
import { CONTROLLERS } from './table';
import { watchCredentialLife } from './client-certificate-check';
import { followedSettings, type FollowedSettings } from './followed-settings';
import { openServing } from './open-serving';
import { signingProblem } from './signing-files';

export const PROGRAM: CommandLine = {
  name: 'controllers',
  description: 'Runs controllers: programs that bring the state of a cluster to what its objects ask for.',
  version: releaseText,
};
/** Work that is under way when the process is told to end may take so long, and giving the leases back as well. Milliseconds. */
const STOP_MS = 15_000;

/** What the controllers are given by the process around them. */
export interface ControllersHost {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Ends what was started here. */
  readonly lifecycle: Lifecycle;
}

interface Flags {
  readonly values: ControllerFlags;
  readonly given: ReadonlySet<string>;
}

/** They run when it resolves, whether or not a server answers yet. Throws {@link UsageError}. */
export async function startControllers({ values, given }: Flags, { clock, random, logger, lifecycle }: ControllersHost): Promise<void> {
  const problem = flagProblem(values) ?? signingProblem(values);
  if (problem !== undefined) throw new UsageError(problem);
  const selected = selectControllers(CONTROLLERS, values.controllers);
  if (selected.type === 'unknown') throw new UsageError(`--controllers: there is no controller ${JSON.stringify(selected.name)}`);
  const { controllers } = selected;
  const { config, settings, watch } = readSettings(values);
  const meter: RequestMeter = (answered) => metrics.answered(answered);
  lifecycle.onStop({ name: 'files', timeoutMs: 1_000, run: watch(clock, logger) });
  const unwatch = watchCredentialLife({ config, kubeconfig: values.kubeconfig, clock, logger });
  lifecycle.onStop({ name: "the controllers' certificate", timeoutMs: 1_000, run: unwatch });
  const { transport, credentials } = connectFollowed(config, clock, { meter });
  lifecycle.onStop({ name: 'connections', timeoutMs: 1_000, run: () => transport.close() });

  const agentOf = (part: string): string => userAgent(values.naming, 'controllers', process, part);
  const own = PROGRAM_NAMES[values.naming].controllers;
  const client = new RestClient({ transport, credentials, dialect: values.naming, userAgent: agentOf(own), clock, random });
  const ending = new AbortController();
  const watching = client.withUserAgent(agentOf('shared-informers'));
  const informers = new InformerPool({ client: watching, clock, random, logger, protobuf: isBinary(values) }, ending.signal);
  const metrics = new ControllerMetrics(clock, informers);
  const states = new ControllerHealth(controllers, lifecycle.stopping);
  await openServing({
    values,
    isPortAskedFor: given.has('secure-port'),
    client,
    clock,
    logger,
    lifecycle,
    health: states.health(clock, logger),
    metrics: async () => ({ type: metrics.contentType, text: await metrics.text() }),
  });

  const running = runControllers(
    controllers,
    {
      client: client.withUserAgent(agentOf('leader-election')),
      clientOf: clientsOf(values, config, { client, agentOf }, { clock, meter, lifecycle }),
      informers,
      clock,
      random,
      logger,
      metrics,
      settings,
      identity: `${hostname()}_${random.uuid()}`,
      election: electionOf(values),
      onState: (controller, problem) => states.set(controller, problem),
    },
    lifecycle.stopping,
  );
  const end = async (): Promise<void> => {
    await running;
    ending.abort();
    await informers.ended();
  };
  lifecycle.onStop({ name: 'controllers', timeoutMs: STOP_MS, run: end });
  logger.info('controllers are running', {
    controllers: controllers.map(({ name }) => name),
    servers: config().servers.map(({ origin }) => origin),
  });
}

/** What files say is read before anything is started. */
function readSettings(values: ControllerFlags): FollowedSettings {
  try {
    return followedSettings(values);
  } catch (error) {
    throw error instanceof ConfigError || error instanceof KeyFileError ? new UsageError(error.message) : error;
  }
}

const isBinary = (values: ControllerFlags): boolean => values['kube-api-content-type'] !== 'application/json';

/** All act as the process itself, or each as an account of its own, over connections that do not bear the process's certificate. */
function clientsOf(
  values: ControllerFlags,
  config: () => ClientConfig,
  { client, agentOf }: { readonly client: RestClient; readonly agentOf: (part: string) => string },
  { clock, meter, lifecycle }: { readonly clock: Clock; readonly meter: RequestMeter; readonly lifecycle: Lifecycle },
): (controller: Controller) => RestClient {
  const asProcess = ({ name, account = name }: Controller): RestClient => client.withUserAgent(agentOf(account));
  if (!values['use-service-account-credentials']) return asProcess;
  const { transport } = connectFollowed(derived(config, withoutCredentials), clock, { meter });
  lifecycle.onStop({ name: "the controllers' connections", timeoutMs: 1_000, run: () => transport.close() });
  const namespace = GENERATED_NAMES[values.naming].systemNamespace;
  return (controller) => {
    const { account } = controller;
    if (account === undefined) return asProcess(controller);
    const credentials = new AccountCredentials({ client, account: { namespace, name: account }, clock });
    return client.as(credentials, transport).withUserAgent(agentOf(`system:serviceaccount:${namespace}:${account}`));
  };
}

function withoutCredentials({ tls: { cert: _cert, key: _key, ...tls }, ...config }: ClientConfig): ClientConfig {
  return { ...config, tls, credentials: { type: 'none' } };
}

/** Undefined = whoever runs acts. */
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
