/**
 * Holds the requests that arrive before the server is ready, within bounds, and passes them to the filter chain once it is. The health endpoints are answered at
 * once. A request beyond the bounds of number, bytes or time is refused with 429, as a request is while its cache is not loaded. Reads no body and
 * authenticates no client.
 */
import { IncomingMessage } from 'node:http';
import { tooManyRequests } from '../../shared/api/errors/status';
import type { Dialect } from '../../shared/names/dialect';
import type { Clock, Timer } from '../../shared/runtime/clock';
import { HEALTH_ENDPOINTS, type Health, type HealthEndpoint } from '../../shared/runtime/health';
import type { Random } from '../../shared/runtime/random';
import { Exchange, type ExchangeParts, type Incoming, type Origin, type Outgoing } from '../endpoints/request/exchange';
import { Query } from '../endpoints/request/query';
import { sendStatus } from '../endpoints/answer/respond';
import type { Meters } from '../metrics/meters';
import type { RequestListener } from './chain';
import { sendHealth } from './routes/health-response';
import { sendStopping, type ServerState } from './filters/server-state';

export interface StartGateLimits {
  readonly requests: number;
  /** Bytes of heads, and of bodies as far as the connection buffers them. */
  readonly bytes: number;
  readonly waitMs: number;
}

export interface StartGateParts extends ExchangeParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly meters: Meters;
  readonly naming: Dialect;
  readonly state: ServerState;
  readonly limits: StartGateLimits;
}

type HealthAnswers = Pick<Health, 'answer'>;
type Chains = Readonly<Record<Origin, RequestListener>>;
type Outcome = 'served' | 'refused' | 'stopped' | 'disconnected';

/** One request that waits. */
interface HeldRequest {
  readonly exchange: Exchange;
  readonly bytes: number;
  readonly timer: Timer;
}

export class StartGate {
  private chains: Chains | undefined;
  private bytes = 0;
  private readonly held = new Set<HeldRequest>();

  constructor(
    private readonly parts: StartGateParts,
    private health: HealthAnswers,
  ) {}

  /** What a listener calls for its requests, before and after `open`. */
  listener(origin: Origin): RequestListener {
    return (request, reply) => {
      const { chains } = this;
      if (chains === undefined) this.receive(request, reply, origin);
      else chains[origin](request, reply);
    };
  }

  /** Replaces the checks that the health endpoints run. */
  useHealth(health: HealthAnswers): void {
    this.health = health;
  }

  /** Passes all requests to the filter chains, those that wait first and in the order of their arrival. */
  open(chains: Chains): void {
    this.chains ??= chains;
    for (const request of this.held) {
      const { origin, output, startedAt } = request.exchange;
      if (this.release(request, 'served')) chains[origin](request.exchange.request, output, startedAt);
    }
  }

  /** Refuses all requests that wait because the server stops. Returns how many there were. */
  refuseHeld(): number {
    const { size } = this.held;
    for (const request of this.held) if (this.release(request, 'stopped')) sendStopping(request.exchange, this.parts.state);
    return size;
  }

  private receive(request: Incoming, reply: Outgoing, origin: Origin): void {
    const { parts } = this;
    const exchange = new Exchange(request, reply, parts, origin, parts.naming, parts.clock.monotonic());
    // The end of a connection is no error of the process.
    exchange.input.on('error', ignore);
    reply.on('error', ignore);
    exchange.setAuditId(parts.random.uuid());
    const endpoint = healthEndpointOf(exchange);
    if (endpoint !== undefined) void sendHealth(this.health, endpoint, undefined, exchange).catch(() => exchange.abort());
    else if (parts.state.refusing) sendStopping(exchange, parts.state);
    else this.hold(exchange);
  }

  private hold(exchange: Exchange): void {
    const { clock, limits } = this.parts;
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

  /** False when it was released before. */
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
    this.parts.meters.count('apiserver_start_held_requests_total', outcome).add();
  }

  private countHeld(): void {
    this.parts.meters.count('apiserver_start_held_requests').value = this.held.size;
  }
}

function ignore(): void {
  // The connection has ended; `close` reports it.
}

const HEALTH_PATHS: ReadonlyMap<string, HealthEndpoint> = new Map(HEALTH_ENDPOINTS.map((endpoint) => [`/${endpoint}`, endpoint]));

/** The endpoint whose checks are all asked for. Single checks need permissions, which are not known yet. */
function healthEndpointOf(exchange: Exchange): HealthEndpoint | undefined {
  const [path = '', query = ''] = (exchange.request.url ?? '').split('?', 2);
  const endpoint = HEALTH_PATHS.get(path);
  if (endpoint !== undefined && query !== '') exchange.setQuery(new Query(query));
  return endpoint;
}

/** The most bytes of a body that the connection buffers before the body is read. */
const BUFFERED_BODY_BYTES = 256 * 1024;

function bytesOf({ request, output }: Exchange): number {
  let bytes = request.url?.length ?? 0;
  for (const text of request.rawHeaders) bytes += text.length;
  return bytes + bodyBytesOf(request, output);
}

function bodyBytesOf(request: Incoming, output: Outgoing): number {
  if ('endAfterHeaders' in output && output.endAfterHeaders) return 0;
  const length = request.headers['content-length'];
  if (length !== undefined) return Math.min(Number(length), BUFFERED_BODY_BYTES);
  return request instanceof IncomingMessage && request.headers['transfer-encoding'] === undefined ? 0 : BUFFERED_BODY_BYTES;
}
