/**
 * One HTTP exchange, a request and its response, in the filter chain and the handler; the same over HTTP/1.1 and
 * HTTP/2. The request context is in chain-context.ts, mutable state in exchange-progress.ts. Sends responses; makes
 * no decisions.
 */
import { IncomingMessage, ServerResponse, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import { FENCE_HEADER, parseFence, type Fence } from '../../../shared/api/identity/fencing';
import { quote } from '../../../shared/values/text/quote';
import { badRequest } from '../../../shared/api/errors/status';
import type { Clock } from '../../../shared/runtime/clock';
import type { Dialect } from '../../../shared/names/dialect';
import type { RequestContext } from '../../registry/verbs';
import type { EventLoopScheduler } from '../../../shared/scheduling/event-loop-scheduler';
import type { Outbox } from '../output/outbox';
import { endInPieces, hasRoom, needsPieces } from '../output/piece-writer';
import { ChainContext } from './chain-context';
import { ExchangeProgress } from './exchange-progress';
import { endAfterBody } from './end-after-body';
import { afterReading } from './after-reading';
import { closeAfterWrite, readThroughSocket, sendGoaway } from './connection-state';
import { UpgradableResponse, type OpenedWebSocket, type WebSocketUse } from './upgradable-response';
import { WarningList } from './warnings';

/** The request of an HTTP/2 stream. The stream itself carries the body and the response. */
export interface Http2Incoming {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, including the pseudo headers. */
  readonly rawHeaders: readonly string[];
}

/** The request as Node provides it: over HTTP/1.1, or over HTTP/2. */
export type Incoming = IncomingMessage | Http2Incoming;
/** The response as Node provides it. An HTTP/2 stream carries the request body too. */
export type Outgoing = ServerResponse | ServerHttp2Stream;

/** The listener that received the request: TLS, or plain HTTP on loopback. */
export type Origin = 'secure' | 'local';

/** Responses up to this length fit, with their head, into the buffer of a socket, so they never wait for the client. */
const MAX_IMMEDIATE_BYTES = 8 * 1024;

/** Bodies up to this length are sent together with their head, in one piece. */
const MAX_TEXT_BYTES = 16 * 1024;

const NO_HEADERS: readonly string[] = [];

const TOO_MANY_WAITING_BYTES = Buffer.from('Too many unread response bytes on this connection, please try again later.\n');

/** How a request arrived. */
export interface Arrival {
  readonly origin: Origin;
  /** The dialect of the response to a request that chooses none. */
  readonly naming: Dialect;
  /** Clock.monotonic at arrival. */
  readonly startedAt: number;
}

/** What all exchanges of a server share. */
export interface ExchangeDependencies {
  /** Holds the frames of watches. */
  readonly outbox: Outbox;
  /** Grants the slots of {@link Exchange.acquireSlot}. */
  readonly scheduler: EventLoopScheduler;
  readonly clock: Clock;
}

/**
 * One request and its response. The registry knows it as {@link RequestContext}, through which it warns, waits and
 * audits. Once `send`, `sendHead`, `openWebSocket` or `abort` was called, further calls of `send` have no effect.
 */
export class Exchange extends ChainContext implements RequestContext {
  readonly origin: Origin;
  /** Clock.monotonic at arrival. */
  readonly startedAt: number;
  readonly method: string;
  readonly progress = new ExchangeProgress();

  private warningList: WarningList | undefined;
  private finishedTasks: (() => void)[] | undefined = [];
  private initializedTask: (() => void) | undefined;

  constructor(
    private incoming: Incoming,
    /** Carries the response. */
    readonly output: Outgoing,
    private readonly deps: ExchangeDependencies,
    { origin, naming, startedAt }: Arrival,
  ) {
    super(naming);
    this.origin = origin;
    this.startedAt = startedAt;
    this.method = incoming.method ?? 'GET';
  }

  /** The request; over HTTP/2 without most headers after {@link releaseHead}. */
  get request(): Incoming {
    return this.incoming;
  }

  /** Carries the request body. */
  get input(): IncomingMessage | ServerHttp2Stream {
    const { request, output } = this;
    if (request instanceof IncomingMessage) return request;
    if (output instanceof ServerResponse) throw new Error('a response over HTTP/1.1 to a request over HTTP/2');
    return output;
  }

  /** Whether the connection carries other requests at the same time (HTTP/2). */
  get isMultiplexed(): boolean {
    return !(this.output instanceof ServerResponse);
  }

  /** An object that identifies the connection. */
  private get connection(): object {
    const { request, output } = this;
    if (request instanceof IncomingMessage) return request.socket;
    return 'session' in output ? (output.session ?? output) : output;
  }

  /** The first value of a request header, by its lower-case name. */
  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  /**
   * Forgets the parsed query, and over HTTP/2 the headers except those that the log and the metrics read when a request
   * ends. Called for watches, which would hold them for their whole life. Over HTTP/1.1 Node holds the headers anyway.
   */
  releaseHead(): void {
    const { incoming } = this;
    this.query.release();
    if (incoming instanceof IncomingMessage) return;
    const { 'user-agent': agent, 'content-type': type, 'x-forwarded-for': forwarded, 'x-real-ip': real } = incoming.headers;
    const headers = { 'user-agent': agent, 'content-type': type, 'x-forwarded-for': forwarded, 'x-real-ip': real };
    this.incoming = { method: incoming.method, url: incoming.url, headers, rawHeaders: NO_HEADERS };
  }

  /** The fencing token that the write depends on. Throws 400 when it is malformed. */
  get fence(): Fence | undefined {
    const text = this.header(FENCE_HEADER);
    if (text === undefined) return undefined;
    const fence = parseFence(text);
    if (fence !== undefined) return fence;
    throw badRequest(`the header ${FENCE_HEADER} must have the form namespace/name;transitions;holder: ${quote(text)}`);
  }

  /** Resolves with a slot on the event loop, in which the request may do long work; `undefined` when it has one at once. */
  acquireSlot(): Promise<true> | undefined {
    const slot = this.deps.scheduler.acquire(this.priority, this.user.name);
    return slot === undefined ? undefined : this.afterQueue(slot, () => true);
  }

  /** Awaits a wait in a queue, records its duration in the audit log, and resolves with the result of `proceed`. */
  afterQueue<T, R>(wait: Promise<T>, proceed: (outcome: T) => R): Promise<R> {
    this.audit?.startQueueWait();
    return wait.then((outcome) => {
      this.audit?.endQueueWait();
      return proceed(outcome);
    });
  }

  /** Whether the time of this turn of the event loop is used up. */
  get isTurnOver(): boolean {
    return this.deps.scheduler.isTurnOver();
  }

  /** Gives the slot back; resolves with the next one, in a later turn. */
  requeue(): Promise<void> {
    // The start of a request may yield before its user is authenticated.
    return this.deps.scheduler.requeue(this.userIfAuthenticated?.name ?? '');
  }

  /** Adds a `Warning` header. No effect once the head has been sent. */
  warn(text: string): void {
    this.warningList ??= new WarningList();
    this.warningList.add(text);
  }

  /** The values of the `Warning` headers. */
  get warnings(): readonly string[] {
    return this.warningList?.headers() ?? [];
  }

  /** Leaves the duration of `wait` out of the SLI of the request. */
  async excludeFromSli<T>(wait: Promise<T>): Promise<T> {
    const { clock } = this.deps;
    const startedAt = clock.monotonic();
    try {
      return await wait;
    } finally {
      this.progress.excludeWait(clock.monotonic() - startedAt);
    }
  }

  /** Adds the duration of `work` to the storage latency in the audit log. */
  trackStorageLatency<T>(work: Promise<T>): Promise<T> {
    return this.audit?.timeStoreCall(work) ?? work;
  }

  /** Whether the audit policy records request bodies. */
  get auditsRequestObject(): boolean {
    return this.audit?.recordsRequest === true;
  }

  /** Records the patch of the request; `undefined` when it is too long for the audit log. */
  logRequestPatch(text: string | undefined): void {
    this.audit?.recordRequestText(text);
  }

  /** Adds an annotation to the audit events of the request, its name in canonical spelling. */
  addAuditAnnotation(name: string, value: string): void {
    this.audit?.annotate(name, value);
  }

  /** The status of the response that was or is being sent; 0 before. */
  get status(): number {
    return this.progress.status;
  }

  /** True once a head has been sent, or when no response can be sent any more. */
  get hasResponded(): boolean {
    return this.status !== 0 || this.progress.isAbandoned;
  }

  /** Sends the head, with warnings and the headers of every response. */
  sendHead(status: number, headers: OutgoingHttpHeaders): void {
    const { progress } = this;
    progress.startResponse(status);
    const allHeaders: OutgoingHttpHeaders = { 'Audit-Id': this.auditId, ...headers };
    if (headers['cache-control'] === undefined) allHeaders['Cache-Control'] = 'no-cache, private';
    this.addFlowHeaders(allHeaders);
    if (this.warningList !== undefined) allHeaders['Warning'] = [...this.warningList.headers()];
    this.audit?.recordResponseStarted();
    const size = contentLength(headers);
    this.trace?.startWriting(size);
    const { output } = this;
    if (output instanceof ServerResponse) {
      if (progress.closesConnection) allHeaders['Connection'] = 'close';
      if ((size ?? Infinity) > MAX_IMMEDIATE_BYTES) readThroughSocket(output.socket);
      output.writeHead(status, allHeaders);
    } else if (!output.closed && !output.destroyed) {
      output.respond({ ':status': status, ...allHeaders });
      if (progress.goesAway) sendGoaway(output);
    }
  }

  /** Takes over the connection instead of sending a head. Throws when the response does not allow it. */
  openWebSocket(use: WebSocketUse): OpenedWebSocket {
    if (!(this.output instanceof UpgradableResponse)) throw new Error('the connection of this request cannot be hijacked');
    this.progress.startResponse(101);
    this.audit?.recordResponseStarted();
    return this.output.openWebSocket(use);
  }

  /**
   * Sends head and body; a HEAD request gets no body. Watch events that wait for the same connection are sent first, and
   * the response one turn of the event loop later. A client that read both at once might otherwise process the response to
   * a write before the event that the write has caused.
   */
  send(status: number, headers: OutgoingHttpHeaders, body: Buffer): void {
    if (this.hasResponded) return;
    if (needsPieces(body) && !hasRoom(this.connection, body.length)) {
      this.send(429, { 'Content-Type': 'text/plain; charset=utf-8', 'Retry-After': '1' }, TOO_MANY_WAITING_BYTES);
      return;
    }
    this.progress.startResponse(status);
    if (status !== 304) headers['Content-Length'] = body.length;
    const { output } = this;
    const hasFlushedEvents = !(output instanceof ServerResponse) && this.deps.outbox.flushBefore(output);
    if (hasFlushedEvents) setImmediate(() => this.sendNow(status, headers, body));
    else this.sendNow(status, headers, body);
  }

  private sendNow(status: number, headers: OutgoingHttpHeaders, body: Buffer): void {
    this.sendHead(status, headers);
    this.progress.addSentBytes(body.length);
    this.endWith(body);
    this.finish();
  }

  /** Sends the body and ends the response. */
  private endWith(body: Buffer): void {
    const { output, progress, request } = this;
    const isHttp1 = output instanceof ServerResponse;
    if (this.method === 'HEAD') output.end();
    else if (progress.refusesBody && isHttp1 && request instanceof IncomingMessage) {
      output.write(body);
      endAfterBody(output, request, this.deps.clock);
    }
    // Node sends a text in one piece with the head, a buffer in a second one.
    else if (body.length <= MAX_TEXT_BYTES && isHttp1) output.end(body.toString('latin1'), 'latin1');
    else if (needsPieces(body)) endInPieces(output, this.connection, body);
    else output.end(body);
    if (progress.refusesBody && !isHttp1) closeAfterWrite(output);
  }

  /** Aborts the response: the client sees a closed connection or a reset stream. */
  abort(): void {
    this.progress.abandon();
    const { output } = this;
    if (output instanceof ServerResponse) output.destroy();
    else afterReading(() => output.destroy());
    this.finish();
  }

  /** `task` runs once: when the response has been sent or abandoned. */
  whenFinished(task: () => void): void {
    if (this.finishedTasks === undefined) task();
    else this.finishedTasks.push(task);
  }

  /** `task` runs once: when the initial state of a long-running request has been sent, or at its end. */
  whenInitialized(task: () => void): void {
    this.initializedTask = task;
    this.whenFinished(() => this.signalInitialized());
  }

  /** The initial state of a long-running request has been sent. */
  signalInitialized(): void {
    const { initializedTask } = this;
    this.initializedTask = undefined;
    initializedTask?.();
  }

  /** Whether the response has been sent or abandoned. */
  get isFinished(): boolean {
    return this.finishedTasks === undefined;
  }

  /** Runs the tasks of {@link whenFinished}, at the first call. */
  finish(): void {
    const { finishedTasks } = this;
    if (finishedTasks === undefined) return;
    this.finishedTasks = undefined;
    for (const task of finishedTasks) task();
  }
}

function contentLength(headers: OutgoingHttpHeaders): number | undefined {
  const size = headers['Content-Length'];
  return typeof size === 'number' ? size : undefined;
}
