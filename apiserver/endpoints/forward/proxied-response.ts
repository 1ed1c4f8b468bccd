/**
 * Forwards a proxied response and rewrites its links to lead through the proxy: those of HTML pages, also compressed
 * with gzip or deflate, and the header Location. A page is streamed, so its response has no length. Other responses
 * are forwarded unchanged.
 */
import type { IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { constants, createDeflateRaw, createGunzip, createGzip, createInflateRaw } from 'node:zlib';
import { yieldIfDue } from '../../../shared/scheduling/yielding';
import type { Exchange } from '../request/exchange';
import { headersToClient } from './headers';
import { LinkRewriter } from './link-rewriter';
import { rewriteLink, type ProxyAddresses } from './rewrite-link';
import { relay } from './relay';

/** Flushes each piece of a compressed page as soon as it arrives. */
const FLUSH_EACH_PIECE = { flush: constants.Z_SYNC_FLUSH };

/** The compressions of pages that can be rewritten, by content coding. */
const COMPRESSIONS: ReadonlyMap<string, { readonly decompressor: () => Duplex; readonly compressor: () => Duplex }> = new Map([
  ['gzip', { decompressor: createGunzip, compressor: () => createGzip(FLUSH_EACH_PIECE) }],
  // Raw deflate without the zlib header, as release 1.31.1 reads and writes it.
  ['deflate', { decompressor: createInflateRaw, compressor: () => createDeflateRaw(FLUSH_EACH_PIECE) }],
]);

/** Resolves when the response has been sent or its client has disconnected. */
export function relayProxiedResponse(exchange: Exchange, message: IncomingMessage, addresses: ProxyAddresses): Promise<void> {
  const { statusCode = 502, headers: received } = message;
  const headers = headersToClient(received);
  const { location } = received;
  // A page with a Location header is not rewritten, as in upstream.
  const createTransforms = location === undefined ? transformsFor(exchange, received, addresses) : undefined;
  if (location !== undefined) headers['location'] = rewriteLink(location, addresses) ?? location;
  if (createTransforms !== undefined) delete headers['content-length'];
  exchange.sendHead(statusCode, headers);
  const transforms = responseHasBody(exchange, statusCode) ? createTransforms?.() : undefined;
  return relay(exchange, message, { transforms });
}

const responseHasBody = ({ method }: Exchange, status: number): boolean => method !== 'HEAD' && status !== 204 && status !== 304;

/** Returns a function that creates the streams that rewrite the page; `undefined` when the response is not a page or has an unknown encoding. */
function transformsFor(
  exchange: Exchange,
  headers: IncomingMessage['headers'],
  addresses: ProxyAddresses,
): (() => readonly Duplex[]) | undefined {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  if (type.trim().toLowerCase() !== 'text/html') return undefined;
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return () => [rewritingStream(exchange, addresses)];
  const compression = COMPRESSIONS.get(encoding);
  if (compression === undefined) return undefined;
  return () => [compression.decompressor(), rewritingStream(exchange, addresses), compression.compressor()];
}

/** Bytes that are rewritten before the event loop is yielded. */
const SLICE_BYTES = 4_096;

/** A stream that rewrites the links of an uncompressed page. */
function rewritingStream(exchange: Exchange, addresses: ProxyAddresses): Duplex {
  const rewriter = new LinkRewriter((link) => rewriteLink(link, addresses));
  return Duplex.from(async function* (page: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of page) {
      for (let start = 0; start < piece.length; start += SLICE_BYTES) {
        const rewritten = rewriter.write(piece.toString('latin1', start, start + SLICE_BYTES));
        if (rewritten !== '') yield Buffer.from(rewritten, 'latin1');
        await yieldIfDue(exchange);
      }
    }
    yield Buffer.from(rewriter.end(), 'latin1');
  });
}
