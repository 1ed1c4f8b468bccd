/**
 * Translates the streams of a container (exec, attach) between a WebSocket with the v5 protocol, which can close single
 * streams, and SPDY for the kubelet. Messages of the WebSocket begin with the number of their stream; the last message is
 * the exit status. Messages and their order are as recorded from the reference server.
 */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { internalError, StatusError, type Status } from '../../../shared/api/errors/status';
import { success } from '../../../shared/api/errors/success-status';
import { KUBELET_STREAM_PROTOCOLS } from '../../../shared/names/stream-protocols';
import { connectionErrorText } from '../../../shared/runtime/connection-error';
import { arrayAt, isObject, objectAt, ownMember, stringAt, type JsonObject } from '../../../shared/values/json';
import { tryParseObject } from '../../../shared/client/rest/json-body';
import type { Exchange } from '../request/exchange';
import type { Backends } from './backend';
import { readExcerpt } from './error-excerpt';
import { SpdyClient } from './spdy-client';
import { requestSpdyUpgrade } from './spdy-upgrade';
import { messageBytes, CLOSE_CODES, UNREAD_BYTES } from './web-socket';

/** The streams of a container. `error` carries the exit status, `resize` the size of the terminal. */
type StreamName = 'stdin' | 'stdout' | 'stderr' | 'error' | 'resize';

/** The first byte of a message names its stream, as in upstream's channel protocols. */
const CHANNELS: Readonly<Record<StreamName, number>> = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 };
/** The first byte of a message that ends the stream that its second byte names. */
const CLOSE_SIGNAL = 255;
/** Limit for the exit status, and for the error response of a kubelet. */
const MAX_STATUS_BYTES = 64 * 1024;
const EMPTY = Buffer.alloc(0);
/** The reason in the kubelet's status of a command that ended with another exit code than 0. */
const NON_ZERO_EXIT = 'NonZeroExitCode';

const isOutput = (name: StreamName | undefined): name is 'stdout' | 'stderr' => name === 'stdout' || name === 'stderr';

/** Resolves when both sides have ended. */
export async function translateStreams(backends: Backends, exchange: Exchange, url: URL): Promise<void> {
  const { webSocket, carrier } = exchange.openWebSocket('streams');
  if (webSocket === undefined) return exchange.finish();
  const clientClosed = new Promise((resolve) => carrier.once('close', resolve));
  const names = requestedStreams(url.searchParams);
  const [firstOutput = 'error'] = names.filter(isOutput);
  const client = new ClientStreams(webSocket);
  // Upstream's first message is empty.
  client.send(firstOutput, EMPTY);
  // Input that arrives before the kubelet has responded stays in the connection.
  webSocket.pause();
  const kubelet = await dialKubelet(backends, url, clientClosed);
  if ('socket' in kubelet) joinStreams(client, kubelet.socket, kubelet.head, names);
  else client.end(internalError(kubelet.error).status);
  webSocket.resume();
  await clientClosed;
  exchange.finish();
}

/** The streams that the query requests, in the order in which they are opened. */
function requestedStreams(query: URLSearchParams): readonly StreamName[] {
  const isRequested = (name: string): boolean => query.get(name) === '1';
  const isTerminal = isRequested('tty');
  const names: StreamName[] = ['error'];
  if (isRequested('input')) names.push('stdin');
  if (isRequested('output')) names.push('stdout');
  // A terminal has no stderr: its output is all on stdout.
  if (isRequested('error') && !isTerminal) names.push('stderr');
  if (isTerminal) names.push('resize');
  return names;
}

/** `head`: the bytes that the kubelet sent together with its response to the upgrade. */
type KubeletConnection = { readonly socket: Duplex; readonly head: Buffer } | { readonly error: string };

/** Returns the upgraded connection, or the message that the client receives as the exit status. */
async function dialKubelet(backends: Backends, url: URL, clientClosed: Promise<unknown>): Promise<KubeletConnection> {
  const response = await requestSpdyUpgrade(backends, { url, protocols: KUBELET_STREAM_PROTOCOLS, clientClosed });
  switch (response.type) {
    case 'upgraded':
      return response;
    case 'failure':
      return { error: `error sending request: Post ${JSON.stringify(url.href)}: ${connectionErrorText(response.error, url)}` };
    case 'response':
      return { error: `unable to upgrade connection: ${await readExcerpt(response.message, MAX_STATUS_BYTES)}` };
    case 'otherProtocol':
      return { error: 'unable to upgrade connection: the backend selected another protocol' };
  }
}

/** The client's side: messages with the number of their stream. */
class ClientStreams {
  private isEnded = false;

  constructor(readonly webSocket: WebSocket) {}

  /** Sends `bytes` on a stream of the client. `onSent` is called when they have been written to the connection. */
  send(name: StreamName, bytes: Buffer, onSent?: () => void): void {
    this.webSocket.send(Buffer.concat([Buffer.of(CHANNELS[name]), bytes]), { binary: true }, () => onSent?.());
  }

  /** Bytes that the client has not read, as far as this process knows. */
  get unreadBytes(): number {
    return this.webSocket.bufferedAmount;
  }

  /** Sends the exit status and closes the WebSocket. */
  end({ kind: _, apiVersion: __, ...status }: Status): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.send('error', Buffer.from(JSON.stringify(status)));
    this.webSocket.close(CLOSE_CODES.normal);
  }
}

/** Connects both sides until one closes. `head` has what the kubelet sent together with its response to the upgrade. */
function joinStreams(client: ClientStreams, socket: Duplex, head: Buffer, names: readonly StreamName[]): void {
  const { webSocket } = client;
  const streamByName = new Map<StreamName, number>();
  const nameByStream = new Map<number, StreamName>();
  /** Streams that must end before the exit status is sent. */
  const openOutputs = new Set<StreamName>(['error', ...names.filter(isOutput)]);
  let statusText = EMPTY;
  const kubelet = new SpdyClient(socket, {
    onData(stream, bytes) {
      const name = nameByStream.get(stream);
      if (name === 'error') statusText = Buffer.concat([statusText, bytes.subarray(0, MAX_STATUS_BYTES - statusText.length)]);
      else if (isOutput(name)) forwardOutput(name, bytes);
    },
    onStreamEnd(stream) {
      const name = nameByStream.get(stream);
      if (name === undefined || !openOutputs.delete(name) || openOutputs.size > 0) return;
      client.end(exitStatus(statusText.toString()));
      kubelet.close();
    },
  });
  /** Pauses the kubelet while the client does not keep up. */
  const forwardOutput = (name: StreamName, bytes: Buffer): void => {
    client.send(name, bytes, () => {
      if (client.unreadBytes <= UNREAD_BYTES) kubelet.resume();
    });
    if (client.unreadBytes > UNREAD_BYTES) kubelet.pause();
  };
  for (const name of names) {
    const stream = kubelet.openStream({ streamtype: name });
    streamByName.set(name, stream);
    nameByStream.set(stream, name);
  }
  const input = new ClientInput(webSocket, kubelet, streamByName);
  webSocket.on('message', (data) => input.handleMessage(messageBytes(data)));
  webSocket.once('close', () => {
    input.end();
    kubelet.close();
  });
  if (webSocket.readyState !== webSocket.OPEN) kubelet.close();
  kubelet.read(head);
}

/** Handles the messages of the client: input, terminal sizes, and the close signal of a stream. */
class ClientInput {
  private isStdinOpen = true;
  private areSizesAccepted = true;

  constructor(
    private readonly webSocket: WebSocket,
    private readonly kubelet: SpdyClient,
    private readonly streamByName: ReadonlyMap<StreamName, number>,
  ) {}

  /** Handles one message: its first byte names the stream, or is the close signal. */
  handleMessage(message: Buffer): void {
    const content = message.subarray(1);
    switch (message[0]) {
      case CHANNELS.stdin:
        if (content.length > 0) this.write('stdin', content);
        return;
      case CHANNELS.resize:
        this.resize(content);
        return;
      case CLOSE_SIGNAL:
        if (content.length === 0) this.webSocket.close(CLOSE_CODES.normal);
        else if (content[0] === CHANNELS.stdin) this.end();
        return;
      default:
      // Messages for other streams are ignored.
    }
  }

  /** Ends the input stream. */
  end(): void {
    const stream = this.streamByName.get('stdin');
    if (this.isStdinOpen && stream !== undefined) this.kubelet.endStream(stream);
    this.isStdinOpen = false;
  }

  /** After one malformed size, all further sizes are ignored. */
  private resize(content: Buffer): void {
    const size = tryParseObject(content.toString());
    const width = dimensionAt(size, 'Width');
    const height = dimensionAt(size, 'Height');
    this.areSizesAccepted &&= width !== undefined && height !== undefined;
    if (this.areSizesAccepted) this.write('resize', Buffer.from(`${JSON.stringify({ Width: width, Height: height })}\n`));
  }

  private write(name: 'stdin' | 'resize', bytes: Buffer): void {
    const stream = this.streamByName.get(name);
    if (stream === undefined || (name === 'stdin' && !this.isStdinOpen)) return;
    this.kubelet.write(stream, bytes);
    this.webSocket.pause();
    this.kubelet.whenDrained(() => this.webSocket.resume());
  }
}

/** A dimension of the terminal, 0 when it is absent; `undefined` when it is malformed. */
function dimensionAt(size: JsonObject | undefined, side: string): number | undefined {
  const value = size === undefined ? undefined : (ownMember(size, side) ?? 0);
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffff ? value : undefined;
}

/**
 * Converts the kubelet's exit status, which is empty for success, to the one that upstream sends: without a code, and for
 * a command that failed with its exit code as cause.
 */
function exitStatus(text: string): Status {
  const { code: _, ...succeeded } = success(200);
  if (text === '') return succeeded;
  const status = tryParseObject(text);
  if (status === undefined) return internalError(`error stream protocol error: ${syntaxError(text)} in ${JSON.stringify(text)}`).status;
  if (stringAt(status, 'status') === 'Success') return succeeded;
  const code = exitCode(status);
  if (code === undefined) return internalError(stringAt(status, 'message') ?? '').status;
  const message = `command terminated with non-zero exit code: command terminated with exit code ${code}`;
  const causes = [{ reason: 'ExitCode', message: code }];
  const { code: __, ...failed } = new StatusError(undefined, message, { causes }, { reason: NON_ZERO_EXIT }).status;
  return failed;
}

function exitCode(status: JsonObject): string | undefined {
  if (stringAt(status, 'reason') !== NON_ZERO_EXIT) return undefined;
  const causes = (arrayAt(objectAt(status, 'details'), 'causes') ?? []).filter(isObject);
  return stringAt(
    causes.find((cause) => stringAt(cause, 'reason') === 'ExitCode'),
    'message',
  );
}

/** The parse error of invalid JSON, as Go reports it. */
const syntaxError = (text: string): string => `invalid character ${quoteCharacter(text)} looking for beginning of value`;

const quoteCharacter = (text: string): string => `'${[...text.trimStart()][0] ?? ''}'`;
