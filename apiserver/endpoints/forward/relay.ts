/**
 * Awaits the response of a backend and streams it to the client with backpressure, or joins both connections after an
 * upgrade. A failure before the response is returned as a value, which callers report to the client.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { recordPieceWritten } from '../output/write-progress';
import type { Exchange } from '../request/exchange';
import { hasBody, headersToClient } from './headers';
import { UpgradableResponse } from '../request/upgradable-response';

/**
 * The outcome of a request to a backend: no usable response, a response with a body that is still to be read, or an upgraded
 * connection. `head`: the bytes of the new protocol that arrived together with the response.
 */
export type BackendResponse =
  | { readonly type: 'failure'; readonly error: Error }
  | { readonly type: 'response'; readonly message: IncomingMessage }
  | { readonly type: 'upgraded'; readonly message: IncomingMessage; readonly socket: Duplex; readonly head: Buffer };

/**
 * The request target for backends. A number sign is part of the path here and in upstream, which escapes it; a backend
 * that parses URLs as browsers do would drop it with everything after it, and serve another path than the authorized
 * one.
 */
export const requestTarget = ({ request }: Exchange): string => (request.url ?? '/').replaceAll('#', '%23');

/** The path of the request target, without the query. */
export const requestPath = (exchange: Exchange): string => requestTarget(exchange).split('?', 1)[0] ?? '';

/** Streams the client's body, if it has one, and ends the request. Destroys the request when the body breaks off. */
export function sendBody(exchange: Exchange, request: ClientRequest): void {
  if (hasBody(exchange)) pipeline(exchange.input, request).catch(() => request.destroy());
  else request.end();
}

/**
 * Bounds of final status codes. Others cannot be forwarded over HTTP/2, and an unrequested 101 would end HTTP on the
 * client's connection.
 */
const LOWEST_STATUS = 200;
const HIGHEST_STATUS = 599;

/**
 * Resolves with the outcome of a request; never rejects. Must be called before the request is ended. An upgrade that was
 * not requested is a failure.
 */
export function awaitResponse(request: ClientRequest): Promise<BackendResponse> {
  return new Promise((resolve) => {
    request.on('error', (error) => resolve({ type: 'failure', error }));
    request.once('response', (message) => {
      const { statusCode = 0 } = message;
      if (statusCode >= LOWEST_STATUS && statusCode <= HIGHEST_STATUS) resolve({ type: 'response', message });
      else {
        message.destroy();
        resolve({ type: 'failure', error: new Error(`malformed HTTP status code "${statusCode}"`) });
      }
    });
    request.once('upgrade', (message, socket, head) => {
      if (request.hasHeader('upgrade')) resolve({ type: 'upgraded', message, socket, head });
      else {
        socket.destroy();
        resolve({ type: 'failure', error: new Error('the response switches protocols without a request for it') });
      }
    });
    // Covers requests that are destroyed without an error.
    request.once('close', () => resolve({ type: 'failure', error: new Error('the connection was closed') }));
  });
}

/** Streams head and body to the client. */
export function relayResponse(exchange: Exchange, message: IncomingMessage): Promise<void> {
  exchange.sendHead(message.statusCode ?? 502, headersToClient(message.headers));
  return relay(exchange, message);
}

/** How a response body is streamed to the client. */
interface RelayOptions {
  /** Whether a body that breaks off ends the client's response normally; no transforms apply then. Default: aborts it. */
  readonly endsNormallyWhenBroken?: boolean;
  /** Streams that transform the body, in order. */
  readonly transforms?: readonly Duplex[] | undefined;
}

/** Streams the response body to the client. Resolves when the client's response has ended or was aborted. */
export async function relay(
  exchange: Exchange,
  message: IncomingMessage,
  { endsNormallyWhenBroken = false, transforms = [] }: RelayOptions = {},
): Promise<void> {
  const { output } = exchange;
  if ('flushHeaders' in output) output.flushHeaders();
  message.on('data', (chunk: Buffer) => {
    exchange.progress.addSentBytes(chunk.length);
    recordPieceWritten(output);
  });
  try {
    if (endsNormallyWhenBroken) await pipeline(untilBroken(message), output);
    else await pipeline([message, ...transforms, output]);
    exchange.finish();
  } catch {
    exchange.abort();
  }
}

/** The header lines of a response. `rawHeaders` has names and values in turn. */
function headerLines(rawHeaders: readonly string[]): string {
  let lines = '';
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) lines += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`;
  return lines;
}

/** The body of the response; ends normally where the body breaks off. */
async function* untilBroken(message: IncomingMessage): AsyncGenerator<unknown> {
  try {
    yield* message;
  } catch {
    // The body ends with the bytes received so far.
  }
}

/**
 * A socket has the listeners of the HTTP server or client and of two pipelines, more than the ten that Node warns of.
 */
const JOINED_SOCKET_LISTENERS = 20;

/**
 * Forwards the backend's response to the upgrade and connects the sockets of client and backend; `socket` and `head`
 * are those of {@link BackendResponse}. Resolves when both have closed. Rejects when the client's connection cannot be
 * taken over.
 */
export async function joinConnections(
  exchange: Exchange,
  { statusCode = 101, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const { output } = exchange;
  if (!(output instanceof UpgradableResponse)) throw new Error('the connection of this request cannot be hijacked');
  exchange.progress.startResponse(statusCode);
  const client = output.takeOver();
  client.carrier.write(`HTTP/1.1 ${statusCode} Switching Protocols\r\n${headerLines(rawHeaders)}\r\n`, 'latin1');
  client.carrier.write(head);
  socket.write(client.head);
  for (const side of [client.carrier, socket]) side.setMaxListeners(JOINED_SOCKET_LISTENERS);
  // A pipeline destroys both of its sockets when one of them fails or closes.
  await Promise.allSettled([pipeline(client.carrier, socket), pipeline(socket, client.carrier)]);
  exchange.finish();
}
