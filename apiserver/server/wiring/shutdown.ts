/** How a server goes down in order: not ready, then refusing, then ended. Never ends the process, and leaves the store to its owner. */
import type { Clock } from '../../../shared/runtime/clock';
import type { OpenedCache } from '../../cache/sync/open-cache';
import type { LiveWatches } from '../../endpoints/answer/live-watches';
import type { Replicas } from '../../reconcilers/replicas/replicas';
import type { Sequence } from '../startup-sequence';
import type { Listener } from '../connections/listeners';
import type { Ongoing } from '../filters/request-wait-group';
import type { StartGate } from '../start-gate';
import type { ServerState } from '../filters/server-state';

export interface ShutdownParts {
  readonly options: {
    /** How long requests go on being served after the server has said that it is not ready. */
    readonly shutdownDelayMs: number;
    readonly shutdownWatchGraceMs: number;
    readonly requestTimeoutMs: number;
    readonly sendRetryAfter: boolean;
  };
  readonly clock: Clock;
  readonly progress: ServerState;
  readonly gate: Pick<StartGate, 'refuseHeld'>;
  readonly replicas: Replicas;
  readonly ongoing: Ongoing;
  readonly watches: LiveWatches;
  readonly listeners: readonly Listener[];
  readonly upkeep: Sequence;
  readonly cache: OpenedCache;
}

/** How long the last answers may take to leave the process. */
export const LAST_BYTES_MS = 100;

export async function shutDown(parts: ShutdownParts): Promise<void> {
  const { options, clock, progress, listeners } = parts;
  progress.stopping = true;
  await parts.replicas.leave();
  await clock.sleep(options.shutdownDelayMs);
  progress.refusing = true;
  parts.gate.refuseHeld();
  const drained = within(options.requestTimeoutMs, parts.ongoing.whenEmpty(), clock);
  // Whoever asks in the meantime is told when to come back, for which the ports stay open.
  if (options.sendRetryAfter) await drained;
  for (const listener of listeners) listener.stopAccepting();
  await Promise.all([drained, parts.watches.endAll(options.shutdownWatchGraceMs, clock)]);
  // What was just ended is still on its way to the clients.
  await clock.sleep(LAST_BYTES_MS);
  for (const listener of listeners) await listener.close();
  parts.upkeep.stop();
  await parts.cache.close();
}

/** Resolves with `event`, at the latest after `ms`. */
function within(ms: number, event: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, resolve);
    void event.then(() => {
      timer.cancel();
      resolve();
    });
  });
}
