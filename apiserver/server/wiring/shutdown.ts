/**
 * Shuts a server down gracefully: not ready, then rejecting requests, then closed. Neither ends the process nor closes
 * the store; both are left to the caller.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { OpenedCache } from '../../cache/sync/open-cache';
import type { OpenWatchStreams } from '../../endpoints/response/open-watches';
import type { Replicas } from '../../reconcilers/replicas/replicas';
import type { StartupSequence } from '../startup-sequence';
import type { Listener } from '../connections/listeners';
import type { RequestWaitGroup } from '../filters/request-wait-group';
import type { StartGate } from '../start-gate';
import type { ServerState } from '../filters/server-state';

/** The parts of a running server that are stopped, and the time limits, in milliseconds. */
export interface ShutdownDependencies {
  readonly options: {
    /** How long requests are still served after /readyz fails. */
    readonly shutdownDelayMs: number;
    /** The time over which the ends of watches are spread. */
    readonly shutdownWatchGraceMs: number;
    /** How long requests in flight are waited for. */
    readonly requestTimeoutMs: number;
    /** Whether the ports stay open, rejecting new requests with 429, until the requests in flight have finished. */
    readonly sendRetryAfter: boolean;
  };
  readonly clock: Clock;
  readonly serverState: ServerState;
  readonly gate: Pick<StartGate, 'refuseHeld'>;
  readonly replicas: Replicas;
  readonly waitGroup: RequestWaitGroup;
  readonly watches: OpenWatchStreams;
  readonly listeners: readonly Listener[];
  readonly startup: StartupSequence;
  readonly cache: OpenedCache;
}

/** Time for the last responses to leave the process. */
export const LAST_BYTES_MS = 100;

/** Resolves when all connections are closed and the components of the server are stopped. Called once. */
export async function shutDown(deps: ShutdownDependencies): Promise<void> {
  const { options, clock, serverState, listeners } = deps;
  serverState.isStopping = true;
  await deps.replicas.leave();
  await clock.sleep(options.shutdownDelayMs);
  serverState.isRefusingRequests = true;
  deps.gate.refuseHeld();
  const drained = within(options.requestTimeoutMs, deps.waitGroup.whenEmpty(), clock);
  // The ports stay open meanwhile, so that clients receive the response with Retry-After.
  if (options.sendRetryAfter) await drained;
  for (const listener of listeners) listener.stopAccepting();
  await Promise.all([drained, deps.watches.endAll(options.shutdownWatchGraceMs, clock)]);
  // Responses that have just been written are still being transmitted.
  await clock.sleep(LAST_BYTES_MS);
  for (const listener of listeners) await listener.close();
  deps.startup.stop();
  await deps.cache.close();
}

/** Resolves with `event`, or after `ms`. */
function within(ms: number, event: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, resolve);
    void event.then(() => {
      timer.cancel();
      resolve();
    });
  });
}
