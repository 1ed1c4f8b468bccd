/** When and how responses are compressed. Upstream's length from which it compresses; the fastest level of gzip. */
import { constants } from 'node:zlib';
import type { Exchange } from '../request/exchange';

/** Shorter responses are not compressed. */
export const GZIP_FROM_BYTES = 128 * 1024;
export const GZIP = { level: constants.Z_BEST_SPEED };

/** Whether `Accept-Encoding` lists gzip without a quality, as upstream requires. */
export function acceptsGzip(exchange: Exchange): boolean {
  const header = exchange.header('accept-encoding');
  if (header === undefined) return false;
  return header === 'gzip' || header.split(',').some((token) => token.trim() === 'gzip');
}
