/**
 * When and how responses are compressed, as on upstream's server: with gzip, at its fastest level, above 128 KiB.
 * Compressing is left to the senders of responses.
 */
import { constants } from 'node:zlib';
import type { Exchange } from '../request/exchange';

/** Responses up to this length are not compressed. */
export const GZIP_FROM_BYTES = 128 * 1024;
/** The options of zlib: its fastest level. */
export const GZIP = { level: constants.Z_BEST_SPEED };

/** Whether `Accept-Encoding` lists gzip without parameters: `gzip;q=1` does not count, as in upstream. */
export function acceptsGzip(exchange: Exchange): boolean {
  const header = exchange.header('accept-encoding');
  if (header === undefined) return false;
  return header === 'gzip' || header.split(',').some((token) => token.trim() === 'gzip');
}
