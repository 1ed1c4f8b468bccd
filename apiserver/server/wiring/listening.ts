/**
 * The phase before all others: the ports. They are opened before anything is loaded, so that clients of a server that restarts wait for it instead of being refused
 * their connections; what they ask waits in the start gate until the filter chain is there and the server is ready.
 */
import { Health } from '../../../shared/runtime/health';
import { EventLoopScheduler } from '../../../shared/scheduling/event-loop-scheduler';
import { Outbox } from '../../endpoints/output/outbox';
import { serverChecks } from '../../health/server-checks';
import type { Meters } from '../../metrics/meters';
import { Connections } from '../connections/connection-limiter';
import { listenLocally, listenSecurely, USUAL_TLS, type Listener } from '../connections/listeners';
import type { Unread } from '../connections/stall-tracker';
import { StartGate } from '../start-gate';
import { ServerState } from '../filters/server-state';
import { absentStartChecks, usesFlowControl } from './observability';
import { LAST_BYTES_MS } from './shutdown';
import type { Listening, ServerOptions, Surroundings } from './server-options';

export type ListeningOptions = Pick<
  ServerOptions,
  | 'host'
  | 'port'
  | 'tls'
  | 'tlsBounds'
  | 'local'
  | 'naming'
  | 'maxStreams'
  | 'maxReadOnly'
  | 'maxMutating'
  | 'flowControl'
  | 'connectionCaps'
  | 'connectionLimits'
  | 'requestTimeoutMs'
  | 'livezGraceMs'
  | 'sendRetryAfter'
>;

const MAX_HELD_REQUESTS = 1000;
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** A request may spend this share of its time on waiting, and has the rest for being served. */
const WAITING_SHARE = 2;

/** Rejects when a port cannot be listened on. */
export async function startListening(
  options: ListeningOptions,
  { clock, random, meters }: Pick<Surroundings, 'clock' | 'random'> & { readonly meters: Meters },
): Promise<Listening> {
  const { host, port, tls, tlsBounds: bounds = USUAL_TLS, maxStreams, connectionLimits } = options;
  const progress = new ServerState(options.sendRetryAfter);
  const connections = new Connections(options.connectionCaps);
  const gate = new StartGate(
    {
      outbox: new Outbox(clock),
      scheduler: new EventLoopScheduler(clock),
      clock,
      random,
      meters,
      naming: options.naming,
      state: progress,
      limits: { requests: MAX_HELD_REQUESTS, bytes: MAX_HELD_BYTES, waitMs: options.requestTimeoutMs / WAITING_SHARE },
    },
    healthBeforeLoading(options, progress, clock),
  );
  const unreadEnded = (unread: Unread): void => meters.count('apiserver_unread_answers_total', unread).add();
  const shared = { connections, clock, unreadEnded, ...(connectionLimits === undefined ? {} : { limits: connectionLimits }) };
  const handshakes = meters.count('apiserver_tls_handshake_errors_total');
  const handshakeFailed = (): void => handshakes.add();
  const secure = await listenSecurely({ ...shared, host, port, tls, bounds, maxStreams, handshakeFailed }, gate.listener('secure'));
  const local = await listenOnLoopback(options, shared, gate, secure);
  return {
    progress,
    connections,
    gate,
    secure,
    local,
    async close() {
      progress.refusing = true;
      const refused = gate.refuseHeld();
      if (refused > 0) await clock.sleep(LAST_BYTES_MS);
      for (const listener of local === undefined ? [secure] : [secure, local]) {
        listener.stopAccepting();
        await listener.close();
      }
    },
  };
}

async function listenOnLoopback(
  { local }: ListeningOptions,
  shared: Omit<Parameters<typeof listenLocally>[0], 'host' | 'port'>,
  gate: StartGate,
  secure: Listener,
): Promise<Listener | undefined> {
  if (local === undefined) return undefined;
  try {
    return await listenLocally({ ...shared, ...local }, gate.listener('local'));
  } catch (error) {
    secure.stopAccepting();
    throw error;
  }
}

const NOT_OPENED = 'the store has not been opened yet';

/** What the health endpoints find before there is anything to look at: the checks of a server that has completed no step of its start. */
function healthBeforeLoading(options: ListeningOptions, state: ServerState, clock: Surroundings['clock']): Health {
  const notOpened = (): Promise<string> => Promise.resolve(NOT_OPENED);
  const checks = serverChecks({
    storeAnswers: notOpened,
    storeTakesWrites: notOpened,
    cache: { ready: false, problems: () => [] },
    state,
    neverStarted: absentStartChecks(usesFlowControl(options)),
    configurations: [],
  });
  return new Health(checks, clock, options.livezGraceMs, () => undefined);
}
