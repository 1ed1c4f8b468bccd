/** The answer of a machine behind an object, as it comes: for whom it is waited, and how it is passed on piece by piece. What goes wrong is its caller's to tell. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { notePieceWritten } from '../output/write-progress';
import type { Exchange } from '../request/exchange';
import { hasBody, headersToClient } from './headers';
import { UpgradableReply } from '../request/upgradable-response';

export type BackendAnswer =
  | { readonly type: 'failure'; readonly error: Error }
  | { readonly type: 'answer'; readonly message: IncomingMessage }
  | { readonly type: 'upgraded'; readonly message: IncomingMessage; readonly socket: Duplex; readonly head: Buffer };

/**
 * The request target as backends are sent it. A number sign is part of a path here and for upstream, which escapes it; a backend that parses URLs as browsers do would drop it
 * and what follows it, and answer for another path than the one that was authorized.
 */
export const targetOf = ({ request }: Exchange): string => (request.url ?? '/').replaceAll('#', '%23');

export const pathOf = (exchange: Exchange): string => targetOf(exchange).split('?', 1)[0] ?? '';

/** Streams the client's body, if it has one, and ends the request. Destroys the request when the body breaks off. */
export function sendBody(exchange: Exchange, request: ClientRequest): void {
  if (hasBody(exchange)) pipeline(exchange.input, request).catch(() => request.destroy());
  else request.end();
}

/** Of final answers. Others cannot be passed on over HTTP/2, and a 101 that was not asked for would end HTTP on the connection of the client. */
const LOWEST_STATUS = 200;
const HIGHEST_STATUS = 599;

export function answerOf(request: ClientRequest): Promise<BackendAnswer> {
  return new Promise((resolve) => {
    request.on('error', (error) => resolve({ type: 'failure', error }));
    request.once('response', (message) => {
      const { statusCode = 0 } = message;
      if (statusCode >= LOWEST_STATUS && statusCode <= HIGHEST_STATUS) resolve({ type: 'answer', message });
      else {
        message.destroy();
        resolve({ type: 'failure', error: new Error(`malformed HTTP status code "${statusCode}"`) });
      }
    });
    request.once('upgrade', (message, socket, head) => {
      if (request.hasHeader('upgrade')) resolve({ type: 'upgraded', message, socket, head });
      else {
        socket.destroy();
        resolve({ type: 'failure', error: new Error('the protocol was changed, which was not asked for') });
      }
    });
    // One that is given up without an error.
    request.once('close', () => resolve({ type: 'failure', error: new Error('the connection was closed') }));
  });
}

/** Head and body, as the client takes them. */
export function relayAnswer(exchange: Exchange, message: IncomingMessage): Promise<void> {
  exchange.head(message.statusCode ?? 502, headersToClient(message.headers));
  return relay(exchange, message);
}

/** Streams the response body to the client, through the given streams. If the body breaks off, the client's response is aborted (`cut`) or ends normally (`end`). */
export async function relay(
  exchange: Exchange,
  message: IncomingMessage,
  broken: 'cut' | 'end' = 'cut',
  through: readonly Duplex[] = [],
): Promise<void> {
  const { output } = exchange;
  if ('flushHeaders' in output) output.flushHeaders();
  message.on('data', (chunk: Buffer) => {
    exchange.progress.addSentBytes(chunk.length);
    notePieceWritten(output);
  });
  try {
    if (broken === 'end') await pipeline(untilBroken(message), output);
    else await pipeline([message, ...through, output]);
    exchange.finish();
  } catch {
    exchange.abort();
  }
}

async function* untilBroken(message: IncomingMessage): AsyncGenerator<unknown> {
  try {
    yield* message;
  } catch {
    // What has come is all there is.
  }
}

/** From here on it is between the two of them. */
export async function joinConnections(
  exchange: Exchange,
  { statusCode = 101, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const { output } = exchange;
  if (!(output instanceof UpgradableReply)) throw new Error('the connection of this request cannot be taken over');
  exchange.progress.startResponse(statusCode);
  const client = output.takeOver();
  const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1] ?? ''}`] : []));
  client.carrier.write(`HTTP/1.1 ${statusCode} Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  client.carrier.write(head);
  socket.write(client.head);
  const both = [pipeline(client.carrier, socket), pipeline(socket, client.carrier)];
  // One that breaks ends the other; how it ended is for them to know.
  await Promise.allSettled(both);
  exchange.finish();
}
