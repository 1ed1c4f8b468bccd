/**
 * Puts an API server together from its parts, phase by phase, and takes it apart again. Each phase is a file of compose/ and rests on the ones
 * before it, so reading them in this order shows who depends on whom. Never parses flags and never ends the process.
 */
import { KINDS } from '../../../shared/api/kinds';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { errorMessage } from '../../../shared/runtime/error-message';
import { eachNowAndThen } from '../../../shared/runtime/now-and-then';
import { typeNames } from '../../cache/key-space';
import type { OpenedCache } from '../../cache/open-cache';
import { Meters } from '../../metrics/meters';
import { meteredStore } from '../../metrics/store-metrics';
import { buildResources } from '../../registry/resources';
import { bootstrapSteps } from './bootstrap';
import { observe } from './observation';
import { buildRegistry } from './registry';
import { startServing } from './serving';
import type { ServerOptions, Setting, Surroundings } from './setting';
import { openState } from './state';
import { startInOrder } from '../in-order';
import type { TlsFiles } from '../listeners';
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

export async function startServer(options: ServerOptions, surroundings: Surroundings): Promise<RunningServer> {
  const setting = settingOf(options, surroundings);
  const state = await openState(setting);
  const observation = observe(setting, state);
  const registry = buildRegistry(setting, state, observation);
  const serving = await startServing(setting, state, observation, registry);
  const { progress } = observation;
  const upkeep = startInOrder(bootstrapSteps(setting, state, observation, registry, serving), ({ checks = [] }) => {
    for (const check of checks) progress.started.add(check);
  });

  const ready = upkeep.complete.then(() => void (progress.bootstrapped = true));
  const { secure, local, ongoing, renew } = serving;
  const { cache, replicas } = state;
  return {
    port: secure.port,
    localPort: local?.port,
    cache,
    renew,
    whenReady: () => ready,
    shutdown: () =>
      shutDown({
        options,
        clock: setting.clock,
        progress,
        replicas,
        ongoing,
        watches: registry.api.watches,
        listeners: local === undefined ? [secure] : [secure, local],
        upkeep,
        cache,
      }),
  };
}

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
