/** What the streams that come over WebSockets have in common. Knows nothing of what is said on them. */
import type { Exchange } from '../request/exchange';

/** Why a WebSocket is closed. */
export const CLOSED = { normally: 1000, wordsAreNotTaken: 1003 } as const;
/** What a client may leave unread before the other side is made to wait. */
export const UNREAD_BYTES = 1024 * 1024;

/** Whether the client asks for a WebSocket of this protocol, whatever else it would take. */
export function asksFor(protocol: string, { request: { headers } }: Exchange): boolean {
  const listed = (headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
  return headers.upgrade?.toLowerCase() === 'websocket' && listed.includes(protocol);
}

/** A message. */
export const bytesOf = (data: Buffer | ArrayBuffer | readonly Buffer[]): Buffer =>
  Buffer.isBuffer(data) ? data : data instanceof ArrayBuffer ? Buffer.from(data) : Buffer.concat(data);
