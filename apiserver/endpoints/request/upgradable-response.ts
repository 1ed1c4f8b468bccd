/**
 * The reply to a request that asks for another protocol on its connection. As long as nobody takes the connection over it is a reply over HTTP/1.1 like any other, with
 * which the connection ends. Decides nothing.
 */
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { CLOSING_STREAM_PROTOCOL, LOG_PROTOCOLS, PORT_FORWARD_TUNNEL } from '../../../shared/names/dialect';
import { allowUnread } from '../output/write-progress';

/** What clients send over a WebSocket on which they are only told things. Bytes. */
const MAX_MESSAGE_BYTES = 64 * 1024;

/** And on one over which they send what is typed. */
const MAX_TYPED_BYTES = 4 * 1024 * 1024;

const socketsOf = (maxPayload: number, chosen: (protocols: readonly string[]) => string | undefined): WebSocketServer =>
  new WebSocketServer({
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    handleProtocols: (protocols) => chosen([...protocols]) ?? false,
  });

/**
 * The uses of a WebSocket: `told` sends watch events; `log` sends a log, with one of its sub-protocols or none; `streams` carries streams to a container, whose sub-protocol
 * the client has requested; `tunnel` and `agreedTunnel` carry a connection to a kubelet, the latter with a sub-protocol that the kubelet has accepted.
 */
export type WebSocketUse = 'told' | 'log' | 'streams' | 'tunnel' | 'agreedTunnel';

/** The first of the offered sub-protocols that is one for logs; `undefined` when none is. */
export function logProtocol(offered: readonly string[]): string | undefined {
  return offered.find((protocol) => protocol === LOG_PROTOCOLS.binary || protocol === LOG_PROTOCOLS.base64);
}

const SERVERS: Readonly<Record<WebSocketUse, WebSocketServer>> = {
  // The one that is no token.
  told: socketsOf(MAX_MESSAGE_BYTES, (protocols) => protocols.find((protocol) => !protocol.startsWith('base64url.bearer.authorization.'))),
  log: socketsOf(MAX_MESSAGE_BYTES, logProtocol),
  streams: socketsOf(MAX_TYPED_BYTES, () => CLOSING_STREAM_PROTOCOL),
  tunnel: socketsOf(MAX_TYPED_BYTES, () => undefined),
  // The library insists on protocols that are single words: it never sees this one.
  agreedTunnel: socketsOf(MAX_TYPED_BYTES, () => undefined).on(
    'headers',
    (headers) => void headers.push(`Sec-WebSocket-Protocol: ${PORT_FORWARD_TUNNEL}`),
  ),
};

export interface OpenedWebSocket {
  readonly webSocket: WebSocket | undefined;
  readonly carrier: Socket;
}

export class UpgradableReply extends ServerResponse {
  private taken = false;

  constructor(
    private readonly asked: IncomingMessage,
    private readonly carrier: Socket,
    private readonly head: Buffer,
  ) {
    super(asked);
    this.shouldKeepAlive = false;
    this.assignSocket(carrier);
    this.once('finish', () => {
      if (this.taken) return;
      this.detachSocket(carrier);
      // Node has let go of the connection: it neither reads it nor limits its time.
      carrier.destroySoon();
    });
  }

  /** The connection as it is, and what has come on it. */
  takeOver(): { readonly carrier: Socket; readonly head: Buffer } {
    allowUnread(this.carrier);
    return this.detach();
  }

  private detach(): { readonly carrier: Socket; readonly head: Buffer } {
    this.taken = true;
    this.detachSocket(this.carrier);
    return { carrier: this.carrier, head: this.head };
  }

  /** Takes the connection over. No `webSocket` = the client's handshake was no good, and it has been told. */
  openWebSocket(use: WebSocketUse): OpenedWebSocket {
    if (use === 'told') this.detach();
    else this.takeOver();
    if (use === 'tunnel' || use === 'agreedTunnel') delete this.asked.headers['sec-websocket-protocol'];
    let opened: WebSocket | undefined;
    SERVERS[use].handleUpgrade(this.asked, this.carrier, this.head, (webSocket) => (opened = webSocket));
    // What clients say is not for anybody, and one that says it wrongly is cut off.
    opened?.on('error', () => undefined);
    return { webSocket: opened, carrier: this.carrier };
  }
}

/** Undefined = the connection is none of the kind that servers have. */
export function upgradableReply(request: IncomingMessage, socket: Duplex, head: Buffer): UpgradableReply | undefined {
  return socket instanceof Socket ? new UpgradableReply(request, socket, head) : undefined;
}
