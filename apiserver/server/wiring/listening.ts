/**
 * The phase before all others: opens the ports before anything is loaded, so that clients of a restarting server wait
 * instead of failing to connect. Requests wait in the start gate until the filter chain exists and the server is
 * ready.
 */
import { HealthChecks } from '../../../shared/runtime/health';
import { EventLoopScheduler } from '../../../shared/scheduling/event-loop-scheduler';
import { Outbox } from '../../endpoints/output/outbox';
import { createServerChecks } from '../../health/server-checks';
import type { Meters } from '../../metrics/registry/meters';
import { ConnectionLimiter } from '../connections/connection-limiter';
import { listenLocally, listenSecurely, DEFAULT_TLS, type Listener } from '../connections/listeners';
import type { UnreadKind } from '../connections/stall-tracker';
import { StartGate } from '../start-gate';
import { ServerState } from '../filters/server-state';
import { absentStartChecks, usesFlowControl } from './observability';
import { LAST_BYTES_MS } from './shutdown';
import type { Listening, ServerOptions, ServerDependencies } from './server-options';

/** The options that are needed before anything is loaded. */
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
  | 'connectionTimeouts'
  | 'requestTimeoutMs'
  | 'livezGraceMs'
  | 'sendRetryAfter'
>;

/** Limits of the requests that the start gate holds until the server is ready. */
const MAX_HELD_REQUESTS = 1000;
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** A request is held for half of its time-out at most; the other half is left for serving it. */
const WAITING_DIVISOR = 2;

/** Opens the ports. Rejects when a port cannot be listened on. */
export async function startListening(
  options: ListeningOptions,
  { clock, random, meters }: Pick<ServerDependencies, 'clock' | 'random'> & { readonly meters: Meters },
): Promise<Listening> {
  const { host, port, tls, tlsBounds: bounds = DEFAULT_TLS, maxStreams, connectionTimeouts } = options;
  const serverState = new ServerState(options);
  const connections = new ConnectionLimiter(options.connectionCaps);
  const gate = new StartGate(
    {
      outbox: new Outbox(clock),
      scheduler: new EventLoopScheduler(clock),
      clock,
      random,
      meters,
      naming: options.naming,
      serverState,
      limits: { requests: MAX_HELD_REQUESTS, bytes: MAX_HELD_BYTES, waitMs: options.requestTimeoutMs / WAITING_DIVISOR },
    },
    healthBeforeLoading(options, serverState, clock),
  );
  const onUnreadEnded = (unread: UnreadKind): void => meters.counter('apiserver_unread_answers_total', unread).add();
  const shared = { connections, clock, onUnreadEnded, ...(connectionTimeouts === undefined ? {} : { limits: connectionTimeouts }) };
  const handshakes = meters.counter('apiserver_tls_handshake_errors_total');
  const onHandshakeFailed = (): void => handshakes.add();
  const secure = await listenSecurely({ ...shared, host, port, tls, bounds, maxStreams, onHandshakeFailed }, gate.listener('secure'));
  const local = await listenOnLoopback(options, shared, gate, secure);
  return {
    serverState,
    connections,
    gate,
    secure,
    local,
    async close() {
      serverState.isRefusingRequests = true;
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

/** The health checks before the state is opened: those of a server that has completed no startup step. */
function healthBeforeLoading(options: ListeningOptions, state: ServerState, clock: ServerDependencies['clock']): HealthChecks {
  const notOpened = (): Promise<string> => Promise.resolve(NOT_OPENED);
  const checks = createServerChecks({
    checkStoreRead: notOpened,
    checkStoreWrite: notOpened,
    checkStoreSpace: () => Promise.resolve(undefined),
    cache: { isReady: false, problems: () => [] },
    state,
    neverStarted: absentStartChecks({ hasFlowControl: usesFlowControl(options) }),
    configurations: [],
  });
  return new HealthChecks(checks, { clock, livezGraceMs: options.livezGraceMs });
}
