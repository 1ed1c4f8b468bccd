/**
 * Sends a log over a WebSocket: first an empty message, then the log in messages of at most 2 KiB, and a normal close when
 * the log ends or breaks off. The sub-protocol decides whether messages are binary or base64 text. Ignores messages of
 * the client. Reads from the kubelet only as fast as the client reads.
 */
import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { LOG_PROTOCOLS } from '../../../shared/names/stream-protocols';
import type { Exchange } from '../request/exchange';
import { logProtocol, UpgradableResponse } from '../request/upgradable-response';
import { CLOSE_CODES, offeredProtocols, UNREAD_BYTES } from './web-socket';

/** Maximum size of a message, as upstream's. */
const MESSAGE_BYTES = 2_048;

/** Whether the client requests a WebSocket, on a connection that can become one. */
export function wantsLogFrames(exchange: Exchange): boolean {
  return exchange.output instanceof UpgradableResponse && offeredProtocols(exchange) !== undefined;
}

/** Resolves when both sides have ended. A client that offers only other protocols is refused with 403. */
export async function sendLogFrames(exchange: Exchange, log: IncomingMessage): Promise<void> {
  const offered = offeredProtocols(exchange) ?? [];
  if (offered.length > 0 && logProtocol(offered) === undefined) {
    log.destroy();
    return exchange.send(403, {}, Buffer.alloc(0));
  }
  const { webSocket, carrier } = exchange.openWebSocket('log');
  if (webSocket === undefined) log.destroy();
  else {
    const clientClosed = new Promise((resolve) => carrier.once('close', resolve));
    void clientClosed.then(() => log.destroy());
    await sendMessages(webSocket, log, (bytes) => exchange.progress.addSentBytes(bytes));
    await clientClosed;
  }
  exchange.finish();
}

async function sendMessages(webSocket: WebSocket, log: IncomingMessage, onSent: (bytes: number) => void): Promise<void> {
  const isText = webSocket.protocol === LOG_PROTOCOLS.base64;
  /** Sends one message. Returns a promise only when the client is slow; it resolves once the message has been written. */
  const send = (piece: Buffer): Promise<void> | undefined => {
    const sent = new Promise<void>((resolve) => {
      webSocket.send(isText ? piece.toString('base64') : piece, { binary: !isText }, () => resolve());
    });
    return webSocket.bufferedAmount > UNREAD_BYTES ? sent : undefined;
  };
  void send(Buffer.alloc(0));
  try {
    for await (const chunk of log) {
      if (!Buffer.isBuffer(chunk)) continue;
      for (let start = 0; start < chunk.length; start += MESSAGE_BYTES) await send(chunk.subarray(start, start + MESSAGE_BYTES));
      onSent(chunk.length);
    }
  } catch {
    // A log that breaks off is closed like one that ends.
  }
  webSocket.close(CLOSE_CODES.normal);
}
