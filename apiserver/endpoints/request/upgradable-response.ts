/**
 * The response to a request with an Upgrade header: an ordinary HTTP/1.1 response that closes the connection, unless the
 * connection is taken over instead. Makes no decisions.
 */
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { CLOSING_STREAM_PROTOCOL, LOG_PROTOCOLS, PORT_FORWARD_TUNNEL } from '../../../shared/names/stream-protocols';
import { allowUnread } from '../output/write-progress';

/** Limit for messages of the client on WebSockets that only send to the client. */
const MAX_MESSAGE_BYTES = 64 * 1024;

/** Limit for messages of the client on WebSockets that carry input. */
const MAX_STREAM_MESSAGE_BYTES = 4 * 1024 * 1024;

const createWebSocketServer = (maxPayload: number, chooseProtocol: (protocols: readonly string[]) => string | undefined): WebSocketServer =>
  new WebSocketServer({
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    handleProtocols: (protocols) => chooseProtocol([...protocols]) ?? false,
  });

/**
 * The uses of a WebSocket:
 * - `events` sends watch events.
 * - `log` sends a log, with one of the sub-protocols for logs or none.
 * - `streams` carries the streams of a container, with the sub-protocol {@link CLOSING_STREAM_PROTOCOL}.
 * - `tunnel` carries a SPDY connection with a kubelet, without a sub-protocol.
 * - `agreedTunnel` is a tunnel with the sub-protocol {@link PORT_FORWARD_TUNNEL}, which the kubelet has accepted.
 */
export type WebSocketUse = 'events' | 'log' | 'streams' | 'tunnel' | 'agreedTunnel';

/** The first of the offered sub-protocols that is one for logs; `undefined` when none is. */
export function logProtocol(offered: readonly string[]): string | undefined {
  return offered.find((protocol) => protocol === LOG_PROTOCOLS.binary || protocol === LOG_PROTOCOLS.base64);
}

const SERVERS: Readonly<Record<WebSocketUse, WebSocketServer>> = {
  // The first sub-protocol that is not a bearer token, which browsers send as one.
  events: createWebSocketServer(MAX_MESSAGE_BYTES, (protocols) =>
    protocols.find((protocol) => !protocol.startsWith('base64url.bearer.authorization.')),
  ),
  log: createWebSocketServer(MAX_MESSAGE_BYTES, logProtocol),
  streams: createWebSocketServer(MAX_STREAM_MESSAGE_BYTES, () => CLOSING_STREAM_PROTOCOL),
  tunnel: createWebSocketServer(MAX_STREAM_MESSAGE_BYTES, () => undefined),
  // The `ws` library accepts only tokens of HTTP as sub-protocols. This one contains a slash, so the header is added here.
  agreedTunnel: createWebSocketServer(MAX_STREAM_MESSAGE_BYTES, () => undefined).on(
    'headers',
    (headers) => void headers.push(`Sec-WebSocket-Protocol: ${PORT_FORWARD_TUNNEL}`),
  ),
};

/** A connection that was taken over for a WebSocket. */
export interface OpenedWebSocket {
  /** `undefined` when the handshake was invalid and an error response was sent. */
  readonly webSocket: WebSocket | undefined;
  /** The connection, which closes after the WebSocket. */
  readonly carrier: Socket;
}

/** The response of one request. Exactly one of a plain response, {@link takeOver} and {@link openWebSocket} is used. */
export class UpgradableResponse extends ServerResponse {
  private isTakenOver = false;

  constructor(
    private readonly upgradeRequest: IncomingMessage,
    private readonly carrier: Socket,
    private readonly head: Buffer,
  ) {
    super(upgradeRequest);
    this.shouldKeepAlive = false;
    this.assignSocket(carrier);
    this.once('finish', () => {
      if (this.isTakenOver) return;
      this.detachSocket(carrier);
      // After an upgrade event Node no longer reads the connection or limits its time, so it is not used again.
      carrier.destroySoon();
    });
  }

  /** Takes over the raw connection, with the bytes that have already arrived. */
  takeOver(): { readonly carrier: Socket; readonly head: Buffer } {
    allowUnread(this.carrier);
    return this.detach();
  }

  private detach(): { readonly carrier: Socket; readonly head: Buffer } {
    this.isTakenOver = true;
    this.detachSocket(this.carrier);
    return { carrier: this.carrier, head: this.head };
  }

  /** Takes over the connection for a WebSocket, with the handshake's response. */
  openWebSocket(use: WebSocketUse): OpenedWebSocket {
    if (use === 'events') this.detach();
    else this.takeOver();
    if (use === 'tunnel' || use === 'agreedTunnel') delete this.upgradeRequest.headers['sec-websocket-protocol'];
    let openedSocket: WebSocket | undefined;
    SERVERS[use].handleUpgrade(this.upgradeRequest, this.carrier, this.head, (webSocket) => (openedSocket = webSocket));
    // An `error` without a listener would end the process; the `ws` library closes the connection after it.
    openedSocket?.on('error', () => undefined);
    return { webSocket: openedSocket, carrier: this.carrier };
  }
}

/**
 * The response for an upgrade event of Node's server. `head` has the bytes after the request that have already arrived.
 * `undefined` when the connection is not a net.Socket.
 */
export function createUpgradableResponse(request: IncomingMessage, socket: Duplex, head: Buffer): UpgradableResponse | undefined {
  return socket instanceof Socket ? new UpgradableResponse(request, socket, head) : undefined;
}
