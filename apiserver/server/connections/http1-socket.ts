/**
 * Decides whether HTTP/1.1 text may be written to a socket of a listener. Code that writes to such a socket directly
 * must check this first; responses of Node's HTTP modules need no check.
 */
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/**
 * True once the TLS handshake is complete and the client chose HTTP/1.1, or offered no protocol; always true without
 * TLS.
 */
export function speaksHttp1(socket: Duplex): boolean {
  // `alpnProtocol` is null until the handshake is complete and false when the client offered no protocol.
  return !(socket instanceof TLSSocket) || socket.alpnProtocol === 'http/1.1' || socket.alpnProtocol === false;
}

/**
 * Whether Node is writing a response to the socket, so that no other text may be written. Node itself uses this
 * member for the decision.
 */
export function isResponding(socket: Duplex): boolean {
  return '_httpMessage' in socket && socket._httpMessage !== null && socket._httpMessage !== undefined;
}
