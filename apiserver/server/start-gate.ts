/**
 * Holds requests that arrive before the server is ready, and passes them to the filter chain once it is. Requests beyond
 * the limits of number, bytes or time are refused with 429. The health endpoints are served at once. Reads no body and
 * authenticates no client.
 */
import { IncomingMessage } from 'node:http';
import { tooManyRequests } from '../../shared/api/errors/status';
import type { Dialect } from '../../shared/names/dialect';
import type { Clock, Timer } from '../../shared/runtime/clock';
import { HEALTH_ENDPOINTS, type HealthChecks, type HealthEndpoint } from '../../shared/runtime/health';
import type { Random } from '../../shared/runtime/random';
import { Exchange, type ExchangeDependencies, type Incoming, type Origin, type Outgoing } from '../endpoints/request/exchange';
import { Query } from '../endpoints/request/query';
import { sendStatus } from '../endpoints/response/send-response';
import type { Meters } from '../metrics/registry/meters';
import type { RequestListener } from './chain';
import { sendHealth } from './routes/health-response';
import { sendShuttingDown, type ServerState } from './filters/server-state';

/** Limits of the held requests together, and of the time that each is held. */
export interface StartGateLimits {
  /** Number of held requests. */
  readonly requests: number;
  /** Bytes of heads, and of bodies as far as the connection buffers them. */
  readonly bytes: number;
  readonly waitMs: number;
}

/** What the gate uses before the filter chains exist. */
export interface StartGateDependencies extends ExchangeDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly meters: Meters;
  readonly naming: Dialect;
  readonly serverState: ServerState;
  readonly limits: StartGateLimits;
}

type HealthEndpoints = Pick<HealthChecks, 'respond'>;
type Chains = Readonly<Record<Origin, RequestListener>>;
/** How a request left the gate: passed on, over a limit, at shutdown, or without a client. Values of a metric's label. */
type Outcome = 'served' | 'refused' | 'stopped' | 'disconnected';

/** A request that waits. */
interface HeldRequest {
  readonly exchange: Exchange;
  readonly bytes: number;
  readonly timer: Timer;
}

/** Holds requests until the server is ready, then passes them on. */
export class StartGate {
  private chains: Chains | undefined;
  private bytes = 0;
  private readonly held = new Set<HeldRequest>();

  constructor(
    private readonly deps: StartGateDependencies,
    private health: HealthEndpoints,
  ) {}

  /** The callback of a listener, before and after `open`. */
  listener(origin: Origin): RequestListener {
    return (request, reply) => {
      const { chains } = this;
      if (chains === undefined) this.receive(request, reply, origin);
      else chains[origin](request, reply);
    };
  }

  /** Replaces the checks that the health endpoints run. */
  useHealth(health: HealthEndpoints): void {
    this.health = health;
  }

  /** Passes all requests to the filter chains, starting with the held ones in the order of their arrival. */
  open(chains: Chains): void {
    this.chains ??= chains;
    for (const request of this.held) {
      const { origin, output, startedAt } = request.exchange;
      if (this.release(request, 'served')) chains[origin](request.exchange.request, output, startedAt);
    }
  }

  /** Refuses all held requests because the server shuts down. Returns their number. */
  refuseHeld(): number {
    const { size } = this.held;
    for (const request of this.held) if (this.release(request, 'stopped')) sendShuttingDown(request.exchange, this.deps.serverState);
    return size;
  }

  private receive(request: Incoming, reply: Outgoing, origin: Origin): void {
    const { deps } = this;
    const exchange = new Exchange(request, reply, deps, { origin, naming: deps.naming, startedAt: deps.clock.monotonic() });
    // The `close` event reports a broken connection; without a listener the error would end the process.
    exchange.input.on('error', ignore);
    reply.on('error', ignore);
    exchange.setAuditId(deps.random.uuid());
    const endpoint = parseHealthRequest(exchange);
    if (endpoint !== undefined) void sendHealth(this.health, endpoint, undefined, exchange).catch(() => exchange.abort());
    else if (deps.serverState.isRefusingRequests) sendShuttingDown(exchange, deps.serverState);
    else this.hold(exchange);
  }

  private hold(exchange: Exchange): void {
    const { clock, limits } = this.deps;
    const bytes = bytesOf(exchange);
    if (this.held.size >= limits.requests || this.bytes + bytes > limits.bytes) {
      this.refuse(exchange);
      return;
    }
    const timer = clock.after(limits.waitMs, () => {
      if (this.release(request, undefined)) this.refuse(exchange);
    });
    const request: HeldRequest = { exchange, bytes, timer };
    this.held.add(request);
    this.bytes += bytes;
    this.countHeld();
    exchange.output.once('close', () => this.release(request, 'disconnected'));
  }

  /**
   * Ends the wait of a request; false when it has ended before. `outcome` is counted, unless it is `undefined` because
   * the caller counts it.
   */
  private release(request: HeldRequest, outcome: Outcome | undefined): boolean {
    if (!this.held.delete(request)) return false;
    request.timer.cancel();
    this.bytes -= request.bytes;
    this.countHeld();
    if (outcome !== undefined) this.count(outcome);
    return true;
  }

  private refuse(exchange: Exchange): void {
    this.count('refused');
    const { status, code } = tooManyRequests('storage is (re)initializing', 1);
    sendStatus(exchange, status, code);
  }

  private count(outcome: Outcome): void {
    this.deps.meters.counter('apiserver_start_held_requests_total', outcome).add();
  }

  private countHeld(): void {
    this.deps.meters.counter('apiserver_start_held_requests').value = this.held.size;
  }
}

function ignore(): void {
  // The connection has ended; `close` reports it.
}

const HEALTH_PATHS: ReadonlyMap<string, HealthEndpoint> = new Map(HEALTH_ENDPOINTS.map((endpoint) => [`/${endpoint}`, endpoint]));

/**
 * Returns the health endpoint that a request asks for with all its checks, and sets the query of the exchange then.
 * `undefined` for other paths, also for single checks (`/readyz/etcd`): these require authorization, which is not
 * available yet.
 */
function parseHealthRequest(exchange: Exchange): HealthEndpoint | undefined {
  const [path = '', query = ''] = (exchange.request.url ?? '').split('?', 2);
  const endpoint = HEALTH_PATHS.get(path);
  if (endpoint !== undefined && query !== '') exchange.setQuery(new Query(query));
  return endpoint;
}

/** Upper bound for the bytes of a body that the connection buffers before the body is read. */
const BUFFERED_BODY_BYTES = 256 * 1024;

/** The bytes of a held request: its head, and an upper bound for the buffered part of its body. */
function bytesOf({ request, output }: Exchange): number {
  let bytes = request.url?.length ?? 0;
  for (const text of request.rawHeaders) bytes += text.length;
  return bytes + bodyBytesOf(request, output);
}

function bodyBytesOf(request: Incoming, output: Outgoing): number {
  const isHttp2WithoutBody = 'endAfterHeaders' in output && output.endAfterHeaders;
  if (isHttp2WithoutBody) return 0;
  const length = request.headers['content-length'];
  if (length !== undefined) return Math.min(Number(length), BUFFERED_BODY_BYTES);
  const isHttp1WithoutBody = request instanceof IncomingMessage && request.headers['transfer-encoding'] === undefined;
  return isHttp1WithoutBody ? 0 : BUFFERED_BODY_BYTES;
}
