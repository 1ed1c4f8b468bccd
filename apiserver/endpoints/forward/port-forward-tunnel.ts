/**
 * Ports forwarded over a WebSocket: what its messages hold are the bytes of the connection on which the kubelet forwards them, and nobody here looks into them. The client
 * is told that its WebSocket stands when that connection does; until then it is answered like any other. What both sides hear is as recorded of the reference, but that a
 * client is told when its kubelet has gone, and why words are not taken.
 */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { PORT_FORWARD_PROTOCOL } from '../../../shared/names/dialect';
import type { Destination } from '../../registry/operations/destination';
import type { Exchange } from '../request/exchange';
import type { Backends } from './backend';
import { failureOf } from './forward';
import { headersToBackend } from './headers';
import { relayAnswer, type BackendAnswer } from './relay';
import { askForSpdy } from './spdy-upgrade';
import { bytesOf, CLOSED, UNREAD_BYTES } from './web-socket';

const NOT_UPGRADED = Buffer.from('unable to upgrade: missing upgrade headers in response\n');

/** Resolves when both sides have ended. Rejects with StatusError as long as the client can be told something. */
export async function tunnelPorts(backends: Backends, exchange: Exchange, destination: Destination): Promise<void> {
  const { host, 'x-forwarded-for': sources } = headersToBackend(exchange, false);
  const left = new Promise((resolve) => exchange.output.once('close', resolve));
  const answer = await askForSpdy(backends, destination.url, [PORT_FORWARD_PROTOCOL], left, { host, 'x-forwarded-for': sources });
  switch (answer.type) {
    case 'upgraded':
      return carryOn(exchange, answer);
    case 'failure':
      throw failureOf(destination, answer.error);
    case 'answer':
      return relayAnswer(exchange, answer.message);
    case 'otherProtocol':
      return exchange.send(500, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' }, NOT_UPGRADED);
  }
}

async function carryOn(exchange: Exchange, { socket, head, message }: Extract<BackendAnswer, { type: 'upgraded' }>): Promise<void> {
  const isAgreed = message.headers['x-stream-protocol-version'] === PORT_FORWARD_PROTOCOL;
  const { webSocket, carrier } = exchange.openWebSocket(isAgreed ? 'agreedTunnel' : 'tunnel');
  if (webSocket === undefined) socket.destroy();
  else {
    const gone = new Promise((resolve) => carrier.once('close', resolve));
    join(webSocket, socket, head);
    await gone;
  }
  exchange.finish();
}

/** Each side waits for the other to take what it has sent. */
function join(webSocket: WebSocket, socket: Duplex, head: Buffer): void {
  const pass = (bytes: Buffer): void => {
    webSocket.send(bytes, { binary: true }, () => {
      if (webSocket.bufferedAmount <= UNREAD_BYTES) socket.resume();
    });
    if (webSocket.bufferedAmount > UNREAD_BYTES) socket.pause();
  };
  if (head.length > 0) pass(head);
  socket.on('data', pass);
  socket.once('close', () => webSocket.close(CLOSED.normally));
  webSocket.on('message', (data, isBinary) => {
    if (!isBinary) webSocket.close(CLOSED.wordsAreNotTaken);
    else if (!socket.write(bytesOf(data))) {
      webSocket.pause();
      socket.once('drain', () => webSocket.resume());
    }
  });
  // What has been said before it is heard to the end; what comes back is for nobody.
  webSocket.once('close', () => socket.end(() => socket.destroy()));
}
