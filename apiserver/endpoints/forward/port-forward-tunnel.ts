/**
 * Tunnels port forwarding over a WebSocket: its messages contain the bytes of a SPDY connection with the kubelet,
 * which are not parsed here. The WebSocket is accepted only after the kubelet has upgraded its connection; until then
 * errors are ordinary responses. The behaviour is as recorded from upstream's server, except that the client
 * receives a close frame when the kubelet disconnects, and a close code when it sends text.
 */
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { PORT_FORWARD_PROTOCOL } from '../../../shared/names/stream-protocols';
import type { Destination } from '../../registry/operations/destination';
import type { Exchange } from '../request/exchange';
import type { Backends } from './backend';
import { connectionError } from './forward';
import { headersToBackend } from './headers';
import { relayResponse, type BackendResponse } from './relay';
import { requestSpdyUpgrade } from './spdy-upgrade';
import { messageBytes, CLOSE_CODES, UNREAD_BYTES } from './web-socket';

const PLAIN_TEXT_HEADERS = { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
const NOT_UPGRADED = Buffer.from('unable to upgrade: missing upgrade headers in response\n');

/** Resolves when both sides have ended. Rejects with StatusError as long as no response has been sent. */
export async function tunnelPortForward(backends: Backends, exchange: Exchange, destination: Destination): Promise<void> {
  const { host, 'x-forwarded-for': sources } = headersToBackend(exchange, { isUpgrade: false });
  const clientClosed = new Promise((resolve) => exchange.output.once('close', resolve));
  const response = await requestSpdyUpgrade(backends, {
    url: destination.url,
    protocols: [PORT_FORWARD_PROTOCOL],
    extraHeaders: { host, 'x-forwarded-for': sources },
    clientClosed,
  });
  switch (response.type) {
    case 'upgraded':
      return openTunnel(exchange, response);
    case 'failure':
      throw connectionError(destination, response.error);
    case 'response':
      return relayResponse(exchange, response.message);
    case 'otherProtocol':
      return exchange.send(500, { ...PLAIN_TEXT_HEADERS }, NOT_UPGRADED);
  }
}

async function openTunnel(exchange: Exchange, { socket, head, message }: Extract<BackendResponse, { type: 'upgraded' }>): Promise<void> {
  const isProtocolAccepted = message.headers['x-stream-protocol-version'] === PORT_FORWARD_PROTOCOL;
  const { webSocket, carrier } = exchange.openWebSocket(isProtocolAccepted ? 'agreedTunnel' : 'tunnel');
  if (webSocket === undefined) socket.destroy();
  else {
    const clientClosed = new Promise((resolve) => carrier.once('close', resolve));
    joinTunnel(webSocket, socket, head);
    await clientClosed;
  }
  exchange.finish();
}

/** Pauses each side while the other does not keep up. */
function joinTunnel(webSocket: WebSocket, socket: Duplex, head: Buffer): void {
  const sendToClient = (bytes: Buffer): void => {
    webSocket.send(bytes, { binary: true }, () => {
      if (webSocket.bufferedAmount <= UNREAD_BYTES) socket.resume();
    });
    if (webSocket.bufferedAmount > UNREAD_BYTES) socket.pause();
  };
  if (head.length > 0) sendToClient(head);
  socket.on('data', sendToClient);
  socket.once('close', () => webSocket.close(CLOSE_CODES.normal));
  webSocket.on('message', (data, isBinary) => {
    if (!isBinary) webSocket.close(CLOSE_CODES.unsupportedData);
    else if (!socket.write(messageBytes(data))) {
      webSocket.pause();
      socket.once('drain', () => webSocket.resume());
    }
  });
  // Bytes sent before the close are still written to the kubelet; its later output is discarded.
  webSocket.once('close', () => socket.end(() => socket.destroy()));
}
