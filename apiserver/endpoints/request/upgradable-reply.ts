/**
 * The reply to a request that asks for another protocol on its connection. As long as nobody takes the connection over it is a reply over HTTP/1.1 like any other, with
 * which the connection ends. Decides nothing.
 */
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';

/** What clients send over a WebSocket on which they are only told things. Bytes. */
const MAX_MESSAGE_BYTES = 64 * 1024;

const sockets = new WebSocketServer({
  noServer: true,
  maxPayload: MAX_MESSAGE_BYTES,
  perMessageDeflate: false,
  // The one that is no token.
  handleProtocols: (protocols) => [...protocols].find((protocol) => !protocol.startsWith('base64url.bearer.authorization.')) ?? false,
});

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
      carrier.end();
    });
  }

  /** The connection as it is, and what has come on it. */
  takeOver(): { readonly carrier: Socket; readonly head: Buffer } {
    this.taken = true;
    this.detachSocket(this.carrier);
    return { carrier: this.carrier, head: this.head };
  }

  /** Takes the connection over. No `webSocket` = the client's handshake was no good, and it has been told. */
  openWebSocket(): OpenedWebSocket {
    this.takeOver();
    let opened: WebSocket | undefined;
    sockets.handleUpgrade(this.asked, this.carrier, this.head, (webSocket) => (opened = webSocket));
    // What clients say is not for anybody, and one that says it wrongly is cut off.
    opened?.on('error', () => undefined);
    return { webSocket: opened, carrier: this.carrier };
  }
}

/** Undefined = the connection is none of the kind that servers have. */
export function upgradableReply(request: IncomingMessage, socket: Duplex, head: Buffer): UpgradableReply | undefined {
  return socket instanceof Socket ? new UpgradableReply(request, socket, head) : undefined;
}
