/**
 * Puts an API server together from its parts, phase by phase, and takes it apart again. Each phase is a file of wiring/ and rests on the ones
 * before it, so reading them in this order shows who depends on whom. Never parses flags and never ends the process.
 */
import { KINDS } from '../../../shared/api/kinds';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { errorMessage } from '../../../shared/runtime/error-message';
import { eachNowAndThen } from '../../../shared/runtime/periodic';
import { typeNames } from '../../cache/store/key-space';
import type { OpenedCache } from '../../cache/sync/open-cache';
import { Meters } from '../../metrics/meters';
import { meteredStore } from '../../metrics/store-metrics';
import { buildResources } from '../../registry/resources';
import { bootstrapSteps } from './startup-steps';
import { observe } from './observability';
import { startListening } from './listening';
import { buildRegistry } from './registry';
import { startServing } from './serving';
import type { Listening, ServerOptions, Setting, Surroundings } from './server-options';
import { openState } from './cluster-state';
import { startInOrder } from '../startup-sequence';
import type { TlsFiles } from '../connections/listeners';
import { shutDown } from './shutdown';

export interface RunningServer {
  readonly port: number;
  readonly localPort: number | undefined;
  readonly cache: OpenedCache;
  /** Puts renewed certificates to use: ours for new connections, those of the clients' authorities for all. */
  readonly renew: (tls: TlsFiles) => void;
  /** Resolves when reads and writes are served and what the server itself needs exists. */
  whenReady(): Promise<void>;
  /** Goes down in order. The store stays its owner's. */
  shutdown(): Promise<void>;
}

/** Ends `surroundings.listening` when it rejects. */
export async function startServer(options: ServerOptions, surroundings: Surroundings): Promise<RunningServer> {
  const setting = settingOf(options, surroundings);
  const listening = surroundings.listening ?? (await startListening(options, setting));
  try {
    return await startBehind(listening, setting);
  } catch (error) {
    await listening.close();
    throw error;
  }
}

async function startBehind(listening: Listening, setting: Setting): Promise<RunningServer> {
  const { gate, secure, local, progress } = listening;
  const state = await openState(setting);
  const observation = observe(setting, state, listening);
  gate.useHealth(observation.health);
  const registry = buildRegistry(setting, state, observation);
  const { ongoing, renew, tls, chains } = startServing(setting, state, observation, registry, listening);
  const steps = bootstrapSteps(setting, state, observation, registry, tls, secure.port);
  const upkeep = startInOrder(steps, ({ checks = [] }) => {
    for (const check of checks) progress.started.add(check);
  });
  const { cache, replicas } = state;
  const { options, clock } = setting;
  const ready = upkeep.complete.then(() => {
    progress.bootstrapped = true;
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
        progress,
        gate,
        replicas,
        ongoing,
        watches: registry.api.watches,
        listeners: local === undefined ? [secure] : [secure, local],
        upkeep,
        cache,
      }),
  };
}

/**
 * How long requests wait for the objects that the server makes for itself, once its state is loaded. Writing those may call webhooks, and a webhook may need an answer
 * of this server to give its own.
 */
const MAX_BOOTSTRAP_MS = 5_000;

const TOLD_EVERY_MS = 30_000;

function settingOf(options: ServerOptions, surroundings: Surroundings): Setting {
  const { clock, logger, meters = new Meters() } = surroundings;
  const resourceOf = typeNames(options.prefix, buildResources(KINDS).storedTypes);
  return {
    ...surroundings,
    store: meteredStore(surroundings.store, { meters, clock, resourceOf }),
    meters,
    options,
    names: GENERATED_NAMES[options.naming],
    // What is tried again every second while the store is away would bury the line that says why it is.
    failed: eachNowAndThen(
      clock,
      TOLD_EVERY_MS,
      (message, error) => `${message}: ${errorMessage(error)}`,
      (message: string, error: unknown) => logger.warn(message, { error }),
    ),
  };
}
