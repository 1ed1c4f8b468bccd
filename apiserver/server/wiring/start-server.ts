/**
 * Composes an API server phase by phase, and shuts it down. Each phase is a file of wiring/ and depends only on
 * earlier ones, in the order of this file. Neither parses flags nor ends the process.
 */
import { STORED_KINDS } from '../../../shared/api/kinds';
import { CertificateExpirations } from '../../../shared/pki/certificate-expirations';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { errorMessage } from '../../../shared/runtime/error-message';
import { throttleByKey } from '../../../shared/runtime/throttle';
import { createTypeNameLookup } from '../../cache/store/type-lookups';
import type { OpenedCache } from '../../cache/sync/open-cache';
import { Meters } from '../../metrics/registry/meters';
import { createMeteredStore } from '../../metrics/storage/store-metrics';
import { buildResources } from '../../registry/resources';
import { startupSteps } from './startup-steps';
import { createObservability } from './observability';
import { startListening } from './listening';
import { buildRegistry } from './registry';
import { startServing } from './serving';
import type { Listening, ServerOptions, ServerContext, ServerDependencies } from './server-options';
import { openState } from './cluster-state';
import { startSequentially } from '../startup-sequence';
import type { TlsFiles } from '../connections/listeners';
import { shutDown } from './shutdown';

/** A server with open ports; requests are held until it is ready. */
export interface RunningServer {
  readonly port: number;
  /** The port of the plain HTTP listener; `undefined` when there is none. */
  readonly localPort: number | undefined;
  readonly cache: OpenedCache;
  /** Uses renewed certificates: the server's own for new connections, the client authorities for all. */
  readonly renew: (tls: TlsFiles) => void;
  /** Resolves when requests are served and the objects that the server itself needs exist. */
  whenReady(): Promise<void>;
  /** Shuts down gracefully. The caller closes the store. */
  shutdown(): Promise<void>;
}

/**
 * Starts a server and resolves when its ports are open and its background components are starting. When it rejects, the
 * ports are closed, those of `deps.listening` too.
 */
export async function startServer(options: ServerOptions, deps: ServerDependencies): Promise<RunningServer> {
  const context = createContext(options, deps);
  const listening = deps.listening ?? (await startListening(options, context));
  try {
    return await startOnListeners(listening, context);
  } catch (error) {
    await listening.close();
    throw error;
  }
}

/**
 * How long requests wait for the objects that the server creates for itself, once its state is loaded. The wait is
 * limited because creating them may call webhooks, which may need a response of this server before they respond.
 */
const MAX_BOOTSTRAP_MS = 5_000;

async function startOnListeners(listening: Listening, context: ServerContext): Promise<RunningServer> {
  const { gate, secure, local, serverState } = listening;
  const state = await openState(context);
  const observability = createObservability(context, state, listening);
  gate.useHealth(observability.health);
  const registry = buildRegistry(context, state, observability);
  const { waitGroup, renew, tls, chains } = startServing({ context, state, observability, registry }, listening);
  const { flowControl } = observability;
  const { writer, extensions } = registry;
  const steps = startupSteps(context, state, { flowControl, writer, extensions, tls, port: secure.port });
  const startup = startSequentially(steps, ({ checks = [] }) => {
    for (const check of checks) serverState.started.add(check);
  });
  const { cache, replicas } = state;
  const { options, clock } = context;
  const ready = startup.complete.then(() => {
    serverState.isBootstrapped = true;
    gate.open(chains);
  });
  void cache.whenReady().then(() => clock.after(MAX_BOOTSTRAP_MS, () => gate.open(chains)));
  return {
    port: secure.port,
    localPort: local?.port,
    cache,
    renew,
    whenReady: () => ready,
    shutdown: () =>
      shutDown({
        options,
        clock,
        serverState,
        gate,
        replicas,
        waitGroup,
        watches: registry.api.watches,
        listeners: local === undefined ? [secure] : [secure, local],
        startup,
        cache,
      }),
  };
}

/** Minimum time between two equal log lines about a failure that is retried. */
const LOG_INTERVAL_MS = 30_000;

function createContext(options: ServerOptions, deps: ServerDependencies): ServerContext {
  const { clock, logger, meters = new Meters(), certificates = new CertificateExpirations() } = deps;
  const typeNameOf = createTypeNameLookup(options.prefix, buildResources(STORED_KINDS).storedTypes);
  return {
    ...deps,
    store: createMeteredStore(deps.store, { meters, clock, resourceOf: typeNameOf }),
    meters,
    certificates,
    options,
    names: GENERATED_NAMES[options.naming],
    // Failures that repeat every second while the store is unavailable would hide the line with the cause.
    onFailure: throttleByKey(
      clock,
      LOG_INTERVAL_MS,
      (message, error) => `${message}: ${errorMessage(error)}`,
      (message: string, error: unknown) => logger.warn(message, { error }),
    ),
  };
}
