/** Close codes, limits and the offered sub-protocols, which all streams over WebSockets share. Opens no connection. */
import type { Exchange } from '../request/exchange';

/** Close codes of RFC 6455. */
export const CLOSE_CODES = { normal: 1000, unsupportedData: 1003 } as const;
/** Number of bytes that a client may leave unread before the other side is paused. */
export const UNREAD_BYTES = 1024 * 1024;

/** The sub-protocols that the client offers, in its order; `undefined` when it does not request a WebSocket. */
export function offeredProtocols({ request: { headers } }: Exchange): readonly string[] | undefined {
  if (headers.upgrade?.toLowerCase() !== 'websocket') return undefined;
  const listed = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  return listed.filter((protocol) => protocol !== '');
}

/** Whether the client requests a WebSocket and offers this sub-protocol. */
export const offersProtocol = (protocol: string, exchange: Exchange): boolean => offeredProtocols(exchange)?.includes(protocol) === true;

/** The bytes of a message in any of the forms in which the `ws` library passes it. */
export function messageBytes(data: Buffer | ArrayBuffer | readonly Buffer[]): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return data instanceof ArrayBuffer ? Buffer.from(data) : Buffer.concat(data);
}
