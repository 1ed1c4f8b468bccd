/**
 * One request and its response on their way through the filter chain and the handler, the same over HTTP/1.1 and HTTP/2. The parts of the request context are in
 * chain-context.ts, the state that changes in exchange-progress.ts. Sends responses; decides nothing.
 */
import { IncomingMessage, ServerResponse, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { FENCE_HEADER, parseFence, type Fence } from '../../../shared/api/identity/fencing';
import { quote } from '../../../shared/values/quote';
import { badRequest } from '../../../shared/api/errors/status';
import type { Clock } from '../../../shared/runtime/clock';
import type { Dialect } from '../../../shared/names/dialect';
import type { RequestContext } from '../../registry/verbs';
import type { EventLoopScheduler } from '../../../shared/scheduling/event-loop-scheduler';
import type { Outbox } from '../output/outbox';
import { endInPieces, hasRoom, isLong } from '../output/write-progress';
import { ChainContext } from './chain-context';
import { ExchangeProgress } from './exchange-progress';
import { endAfterBody } from './end-after-body';
import { outsideReads } from './after-reading';
import { UpgradableReply, type OpenedWebSocket, type WebSocketUse } from './upgradable-response';
import { WarningList } from './warnings';

/** What came on an HTTP/2 stream; the stream itself brings the body and takes the reply. */
export interface Http2Incoming {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, the pseudo headers among them. */
  readonly rawHeaders: readonly string[];
}

export type Incoming = IncomingMessage | Http2Incoming;
export type Outgoing = ServerResponse | ServerHttp2Stream;

/** Where the request came in: over TLS, or over the plain loopback listener of a local set-up. */
export type Origin = 'secure' | 'local';

/** Answers up to this length, with their head, never fill a socket's buffer so that its client has to be waited for. */
const MAX_UNNOTICED_BYTES = 8 * 1024;

/** Bodies up to this length are sent together with their head. */
const MAX_TEXT_BYTES = 16 * 1024;

const TOO_MUCH_WAITS = Buffer.from('Too many bytes wait to be read on this connection, please try again later.\n');

/** What the exchanges of a server have in common. */
export interface ExchangeParts {
  /** Where the frames of watches wait. */
  readonly outbox: Outbox;
  readonly scheduler: EventLoopScheduler;
  readonly clock: Clock;
}

export class Exchange extends ChainContext implements RequestContext {
  readonly method: string;
  readonly progress = new ExchangeProgress();

  private warningList: WarningList | undefined;
  private finishers: (() => void)[] | undefined = [];
  private beginner: (() => void) | undefined;

  constructor(
    readonly request: Incoming,
    /** Where the reply goes. */
    readonly output: Outgoing,
    private readonly parts: ExchangeParts,
    readonly origin: Origin,
    naming: Dialect,
    /** Clock.monotonic at arrival. */
    readonly startedAt: number,
  ) {
    super(naming);
    this.method = request.method ?? 'GET';
  }

  /** What brings the request's body. */
  get input(): IncomingMessage | ServerHttp2Stream {
    const { request, output } = this;
    if (request instanceof IncomingMessage) return request;
    if (output instanceof ServerResponse) throw new Error('a reply over HTTP/1.1 to a request over HTTP/2');
    return output;
  }

  /** Whether its connection carries other requests beside it (HTTP/2). */
  get isMultiplexed(): boolean {
    return !(this.output instanceof ServerResponse);
  }

  /** What the answers to requests of one connection have in common. */
  private get connection(): object {
    const { request, output } = this;
    return request instanceof IncomingMessage ? request.socket : 'session' in output ? (output.session ?? output) : output;
  }

  /** The first value of a request header, by its lower-case name. */
  header(name: string): string | undefined {
    const value = this.request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  /** What the request says of the term that its write rests on. Throws 400 when that cannot be understood. */
  get fence(): Fence | undefined {
    const text = this.header(FENCE_HEADER);
    if (text === undefined) return undefined;
    const fence = parseFence(text);
    if (fence === undefined)
      throw badRequest(`the header ${FENCE_HEADER} is not of the form namespace/name;transitions;holder: ${quote(text)}`);
    return fence;
  }

  acquireSlot(): Promise<true> | undefined {
    const slot = this.parts.scheduler.acquire(this.priority, this.user.name);
    return slot === undefined ? undefined : this.afterQueue(slot, () => true);
  }

  /** Goes on when it has waited for others, which is taken note of. */
  afterQueue<T, R>(wait: Promise<T>, goOn: (outcome: T) => R): Promise<R> {
    this.audit?.waits();
    return wait.then((outcome) => {
      this.audit?.goesOn();
      return goOn(outcome);
    });
  }

  get isTurnOver(): boolean {
    return this.parts.scheduler.isTurnOver();
  }

  requeue(): Promise<void> {
    // The start of a request may yield before its user is authenticated.
    return this.parts.scheduler.requeue(this.userIfAuthenticated?.name ?? '');
  }

  warn(text: string): void {
    this.warningList ??= new WarningList();
    this.warningList.add(text);
  }

  get warnings(): readonly string[] {
    return this.warningList?.headers() ?? [];
  }

  timed<T>(work: Promise<T>): Promise<T> {
    return this.audit?.timed(work) ?? work;
  }

  get keepsSent(): boolean {
    return this.audit?.keepsRequest === true;
  }

  sentPatch(text: string | undefined): void {
    this.audit?.askedText(text);
  }

  annotate(name: string, value: string): void {
    this.audit?.annotate(name, value);
  }

  /** The status of the response that was or is being sent; 0 before. */
  get status(): number {
    return this.progress.status;
  }

  /** True once a head has been sent, or when no reply can be sent any more. */
  get answered(): boolean {
    return this.status !== 0 || this.progress.isAbandoned;
  }

  /** Sends the head. Warnings and the headers of every answer are added. */
  head(status: number, headers: OutgoingHttpHeaders): void {
    const { progress } = this;
    progress.startResponse(status);
    const all: OutgoingHttpHeaders = { 'Audit-Id': this.auditId, ...headers };
    if (headers['cache-control'] === undefined) all['Cache-Control'] = 'no-cache, private';
    this.addFlowHeaders(all);
    if (this.warningList !== undefined) all['Warning'] = [...this.warningList.headers()];
    this.audit?.headSent();
    const size = sizeIn(headers);
    this.trace?.writing(size);
    const { output } = this;
    if (!(output instanceof ServerResponse)) {
      if (output.closed || output.destroyed) return;
      output.respond({ ':status': status, ...all });
      if (progress.goesAway) sendAway(output);
      return;
    }
    if (progress.closesConnection) all['Connection'] = 'close';
    if ((size ?? Infinity) > MAX_UNNOTICED_BYTES) readAsStream(output.socket);
    output.writeHead(status, all);
  }

  /** Takes the connection over, in place of a head, where the reply allows it. */
  openWebSocket(use: WebSocketUse): OpenedWebSocket {
    if (!(this.output instanceof UpgradableReply)) throw new Error('the connection of this request cannot be taken over');
    this.progress.startResponse(101);
    this.audit?.headSent();
    return this.output.openWebSocket(use);
  }

  /**
   * Head and body at once, once the connection's watches have been told what came before. HEAD requests get no body.
   * Whoever hears of a change and of its acknowledgement in one read may act on either first, so the answer takes a turn more than the event.
   */
  send(status: number, headers: OutgoingHttpHeaders, body: Buffer): void {
    if (this.answered) return;
    if (isLong(body) && !hasRoom(this.connection, body.length)) {
      this.send(429, { 'Content-Type': 'text/plain; charset=utf-8', 'Retry-After': '1' }, TOO_MUCH_WAITS);
      return;
    }
    this.progress.startResponse(status);
    if (status !== 304) headers['Content-Length'] = body.length;
    const { output } = this;
    if (!(output instanceof ServerResponse) && this.parts.outbox.flushBefore(output)) setImmediate(() => this.hand(status, headers, body));
    else this.hand(status, headers, body);
  }

  private hand(status: number, headers: OutgoingHttpHeaders, body: Buffer): void {
    const { output, progress } = this;
    this.head(status, headers);
    progress.addSentBytes(body.length);
    if (this.method === 'HEAD') output.end();
    else if (progress.refusesBody && output instanceof ServerResponse && this.request instanceof IncomingMessage) {
      output.write(body);
      endAfterBody(output, this.request, this.parts.clock);
    }
    // Node sends a text in one piece with the head, a buffer in a second one.
    else if (body.length <= MAX_TEXT_BYTES && output instanceof ServerResponse) output.end(body.toString('latin1'), 'latin1');
    else if (isLong(body)) endInPieces(output, this.connection, body);
    else output.end(body);
    if (progress.refusesBody && !(output instanceof ServerResponse)) closeWhenWritten(output);
    this.finish();
  }

  /** Ends the reply without saying anything more: the client sees a cut connection or stream. */
  abort(): void {
    this.progress.abandon();
    const { output } = this;
    if (output instanceof ServerResponse) output.destroy();
    else outsideReads(() => output.destroy());
    this.finish();
  }

  /** `task` runs once: when the answer has been handed over or given up. */
  whenFinished(task: () => void): void {
    if (this.finishers === undefined) task();
    else this.finishers.push(task);
  }

  /** `task` runs once: when the work at the beginning of something that lasts is over, or with the answer. */
  whenBegun(task: () => void): void {
    this.beginner = task;
    this.whenFinished(() => this.begun());
  }

  /** What lasts has told all that there was when it began. */
  begun(): void {
    const { beginner } = this;
    this.beginner = undefined;
    beginner?.();
  }

  get finished(): boolean {
    return this.finishers === undefined;
  }

  finish(): void {
    const { finishers } = this;
    if (finishers === undefined) return;
    this.finishers = undefined;
    for (const task of finishers) task();
  }
}

function sizeIn(headers: OutgoingHttpHeaders): number | undefined {
  const size = headers['Content-Length'];
  return typeof size === 'number' ? size : undefined;
}

/**
 * Node lets its HTTP/1.1 parser take what arrives on a connection by itself. While an answer waits for its client the parser is paused, is given the rest of what has come
 * of the next request over TLS all the same, and the connection is cut. Whoever listens to the data, if only for a moment, has them come through the socket, which can be
 * paused; that costs each request more, so it is done only where an answer is long enough to wait.
 */
function readAsStream(socket: Socket | null): void {
  const nobody = (): void => undefined;
  socket?.on('data', nobody);
  socket?.off('data', nobody);
}

/**
 * Closes the stream after its response is written. A stream that is closed earlier waits for its client; if it is destroyed meanwhile, Node removes it without a reset, and
 * once the client grants it a window, Node's HTTP/2 library requests the rest of the response in an endless loop.
 */
function closeWhenWritten(stream: ServerHttp2Stream): void {
  const close = (): void => outsideReads(() => stream.close(constants.NGHTTP2_NO_ERROR));
  if (stream.writableFinished) close();
  else stream.once('finish', close);
}

/**
 * Names the last request that was taken. What the client has sent since is not read any more (Node takes no new stream after a GOAWAY, whatever that says), and the client
 * has to know it, so that it asks again elsewhere instead of waiting.
 */
function sendAway({ session }: ServerHttp2Stream): void {
  if (session !== undefined && !session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR);
}
