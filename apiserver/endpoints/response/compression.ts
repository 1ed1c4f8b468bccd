/** Decides whether a response is compressed, and how. */
import { constants } from 'node:zlib';
import type { Exchange } from '../request/exchange';

/** Shorter responses are not compressed. */
export const GZIP_FROM_BYTES = 128 * 1024;
export const GZIP = { level: constants.Z_BEST_SPEED };

export function acceptsGzip(exchange: Exchange): boolean {
  const header = exchange.header('accept-encoding');
  if (header === undefined) return false;
  return header === 'gzip' || header.split(',').some((token) => token.trim() === 'gzip');
}
