/** What the streams that come over WebSockets have in common. Knows nothing of what is said on them. */
import type { Exchange } from '../request/exchange';

/** Why a WebSocket is closed. */
export const CLOSED = { normally: 1000, wordsAreNotTaken: 1003 } as const;
/** What a client may leave unread before the other side is made to wait. */
export const UNREAD_BYTES = 1024 * 1024;

/** The sub-protocols that the client offers, in its order; `undefined` when it does not request a WebSocket. */
export function offeredProtocols({ request: { headers } }: Exchange): readonly string[] | undefined {
  if (headers.upgrade?.toLowerCase() !== 'websocket') return undefined;
  const listed = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  return listed.filter((protocol) => protocol !== '');
}

/** Whether the client requests a WebSocket and offers this sub-protocol. */
export const asksFor = (protocol: string, exchange: Exchange): boolean => offeredProtocols(exchange)?.includes(protocol) === true;

/** A message. */
export const bytesOf = (data: Buffer | ArrayBuffer | readonly Buffer[]): Buffer =>
  Buffer.isBuffer(data) ? data : data instanceof ArrayBuffer ? Buffer.from(data) : Buffer.concat(data);
