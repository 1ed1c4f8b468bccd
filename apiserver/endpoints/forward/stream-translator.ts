/**
 * Streams to a container over a WebSocket on which they can be closed one by one, told to the kubelet in SPDY, which it knows: messages begin with the number of their
 * stream. How the command has ended is the last message. What the client is told when something goes wrong, and when, is as recorded of the reference.
 */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { internalError, StatusError, success, type Status } from '../../../shared/api/errors/status';
import { KUBELET_STREAM_PROTOCOLS } from '../../../shared/names/dialect';
import { connectionText } from '../../../shared/runtime/connection-text';
import { arrayAt, isObject, objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import { tryParseObject } from '../../../shared/client/rest/json-body';
import type { Exchange } from '../request/exchange';
import type { Backends } from './backend';
import { saidIn } from './error-excerpt';
import { SpdyClient } from './spdy-client';
import { askForSpdy } from './spdy-upgrade';
import { bytesOf, CLOSED, UNREAD_BYTES } from './web-socket';

type StreamName = 'stdin' | 'stdout' | 'stderr' | 'error' | 'resize';

/** What a message begins with. */
const CHANNELS: Readonly<Record<StreamName, number>> = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 };
const CLOSE_SIGNAL = 255;
/** Of what a kubelet says of the end, or instead of streams. */
const SAID_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);

/** Resolves when both sides have ended. */
export async function translateStreams(backends: Backends, exchange: Exchange, url: URL): Promise<void> {
  const { webSocket, carrier } = exchange.openWebSocket('streams');
  if (webSocket === undefined) return exchange.finish();
  const gone = new Promise((resolve) => carrier.once('close', resolve));
  const names = streamsOf(url.searchParams);
  const [first = 'error'] = names.filter((name) => name === 'stdout' || name === 'stderr');
  const client = new Client(webSocket);
  client.send(first, NOTHING);
  // What is typed meanwhile waits on the connection.
  webSocket.pause();
  const kubelet = await dialKubelet(backends, url, gone);
  if ('socket' in kubelet) join(client, kubelet.socket, kubelet.head, names);
  else client.end(internalError(kubelet.fault).status);
  webSocket.resume();
  await gone;
  exchange.finish();
}

/** In the order in which they are opened. */
function streamsOf(asked: URLSearchParams): readonly StreamName[] {
  const isAsked = (name: string): boolean => asked.get(name) === '1';
  const isTerminal = isAsked('tty');
  const wanted: readonly (readonly [StreamName, boolean])[] = [
    ['error', true],
    ['stdin', isAsked('input')],
    ['stdout', isAsked('output')],
    ['stderr', isAsked('error') && !isTerminal],
    ['resize', isTerminal],
  ];
  return wanted.flatMap(([name, isWanted]) => (isWanted ? [name] : []));
}

type Kubelet = { readonly socket: Duplex; readonly head: Buffer } | { readonly fault: string };

async function dialKubelet(backends: Backends, url: URL, gone: Promise<unknown>): Promise<Kubelet> {
  const answer = await askForSpdy(backends, url, KUBELET_STREAM_PROTOCOLS, gone);
  switch (answer.type) {
    case 'upgraded':
      return answer;
    case 'failure':
      return { fault: `error sending request: Post ${JSON.stringify(url.href)}: ${connectionText(answer.error, url)}` };
    case 'answer':
      return { fault: `unable to upgrade connection: ${await saidIn(answer.message, SAID_BYTES)}` };
    case 'otherProtocol':
      return { fault: 'unable to upgrade connection: the other side has chosen another protocol' };
  }
}

/** The client's side: messages with the number of their stream. */
class Client {
  private hasEnded = false;

  constructor(readonly webSocket: WebSocket) {}

  send(name: StreamName, bytes: Buffer, sent?: () => void): void {
    this.webSocket.send(Buffer.concat([Buffer.of(CHANNELS[name]), bytes]), { binary: true }, () => sent?.());
  }

  get unread(): number {
    return this.webSocket.bufferedAmount;
  }

  /** How the command has ended, and nothing more. */
  end({ kind: _, apiVersion: __, ...status }: Status): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.send('error', Buffer.from(JSON.stringify(status)));
    this.webSocket.close(CLOSED.normally);
  }
}

function join(client: Client, socket: Duplex, head: Buffer, names: readonly StreamName[]): void {
  const { webSocket } = client;
  const numbers = new Map<StreamName, number>();
  const byNumber = new Map<number, StreamName>();
  /** Those that have to end before the client is told how it went. */
  const running = new Set<StreamName>(['error', ...names.filter((name) => name === 'stdout' || name === 'stderr')]);
  let said = NOTHING;
  const kubelet = new SpdyClient(socket, {
    data(stream, bytes) {
      const name = byNumber.get(stream);
      if (name === 'error') said = Buffer.concat([said, bytes.subarray(0, SAID_BYTES - said.length)]);
      else if (name === 'stdout' || name === 'stderr') pass(name, bytes);
    },
    ended(stream) {
      const name = byNumber.get(stream);
      if (name === undefined || !running.delete(name) || running.size > 0) return;
      client.end(statusOf(said.toString()));
      kubelet.close();
    },
  });
  const pass = (name: StreamName, bytes: Buffer): void => {
    client.send(name, bytes, () => {
      if (client.unread <= UNREAD_BYTES) kubelet.resume();
    });
    if (client.unread > UNREAD_BYTES) kubelet.pause();
  };
  for (const name of names) {
    const stream = kubelet.openStream({ streamtype: name });
    numbers.set(name, stream);
    byNumber.set(stream, name);
  }
  const typed = new Typed(webSocket, kubelet, numbers);
  webSocket.on('message', (data) => typed.take(bytesOf(data)));
  webSocket.once('close', () => {
    typed.end();
    kubelet.close();
  });
  if (webSocket.readyState !== webSocket.OPEN) kubelet.close();
  kubelet.read(head);
}

/** What the client sends: input, the size of its terminal, and which stream it will not use any more. */
class Typed {
  private isOpen = true;
  private isSized = true;

  constructor(
    private readonly webSocket: WebSocket,
    private readonly kubelet: SpdyClient,
    private readonly numbers: ReadonlyMap<StreamName, number>,
  ) {}

  take(message: Buffer): void {
    const content = message.subarray(1);
    switch (message[0]) {
      case CHANNELS.stdin:
        if (content.length > 0) this.write('stdin', content);
        return;
      case CHANNELS.resize:
        this.resize(content);
        return;
      case CLOSE_SIGNAL:
        if (content.length === 0) this.webSocket.close(CLOSED.normally);
        else if (content[0] === CHANNELS.stdin) this.end();
        return;
      default:
      // Nobody listens there.
    }
  }

  /** There will be no more input. */
  end(): void {
    const stream = this.numbers.get('stdin');
    if (this.isOpen && stream !== undefined) this.kubelet.write(stream, NOTHING, true);
    this.isOpen = false;
  }

  /** Whoever sends nonsense is not heard any more. */
  private resize(content: Buffer): void {
    const size = tryParseObject(content.toString());
    const [width, height] = [sideOf(size, 'Width'), sideOf(size, 'Height')];
    this.isSized &&= width !== undefined && height !== undefined;
    if (this.isSized) this.write('resize', Buffer.from(`${JSON.stringify({ Width: width, Height: height })}\n`));
  }

  private write(name: 'stdin' | 'resize', bytes: Buffer): void {
    const stream = this.numbers.get(name);
    if (stream === undefined || (name === 'stdin' && !this.isOpen)) return;
    this.kubelet.write(stream, bytes);
    this.webSocket.pause();
    this.kubelet.drained(() => this.webSocket.resume());
  }
}

/** Of a terminal; absent = 0. */
function sideOf(size: JsonObject | undefined, side: string): number | undefined {
  const value = size === undefined ? undefined : (own(size, side) ?? 0);
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff ? value : undefined;
}

/** From what the kubelet has said of the end. A command that ends badly has a number. */
function statusOf(said: string): Status {
  const { code: _, ...good } = success(200);
  if (said === '') return good;
  const status = tryParseObject(said);
  if (status === undefined) return internalError(`error stream protocol error: ${faultOf(said)} in ${JSON.stringify(said)}`).status;
  if (stringAt(status, 'status') === 'Success') return good;
  const number = exitNumber(status);
  if (number === undefined) return internalError(stringAt(status, 'message') ?? '').status;
  const message = `command terminated with non-zero exit code: command terminated with exit code ${number}`;
  const causes = [{ reason: 'ExitCode', message: number }];
  const { code: __, ...failed } = new StatusError(undefined, message, { causes }, { reason: NON_ZERO }).status;
  return failed;
}

const NON_ZERO = 'NonZeroExitCode';

function exitNumber(status: JsonObject): string | undefined {
  if (stringAt(status, 'reason') !== NON_ZERO) return undefined;
  const causes = (arrayAt(objectAt(status, 'details'), 'causes') ?? []).filter(isObject);
  return stringAt(
    causes.find((cause) => stringAt(cause, 'reason') === 'ExitCode'),
    'message',
  );
}

/** Why it is no JSON. */
const faultOf = (said: string): string => `invalid character ${quoteCharacter(said)} looking for beginning of value`;

const quoteCharacter = (said: string): string => `'${[...said.trimStart()][0] ?? ''}'`;
