/**
 * A chain of filters on an `express.Router` mounted straight on the servers: an `express()` application costs several times more per request and
 * breaks on HTTP/2. The exchange itself is what travels through the router. Never knows what the filters do.
 */
import { Router } from 'express';
import { Exchange } from '../endpoints/exchange';

/** Does its part, then calls `next`; or answers, and does not. A throw or rejection ends in `failed`. */
export type Filter = (exchange: Exchange, next: () => void) => void | Promise<void>;

export type Chain = (exchange: Exchange) => void;

/** `failed` answers what a filter threw, or what no filter answered (`undefined`). */
export function chainOf(filters: readonly Filter[], failed: (exchange: Exchange, error: unknown) => void): Chain {
  const router = Router();
  for (const filter of filters) router.use((request, _response, next) => filter(exchangeOf(request), next));
  const run: unknown = router;
  if (!isHandler(run)) throw new Error('the router is no function');
  const noReply = {};
  return (exchange) => run(exchange, noReply, (error) => failed(exchange, error));
}

type Handler = (request: Exchange, response: object, done: (error?: unknown) => void) => void;

function isHandler(value: unknown): value is Handler {
  return typeof value === 'function';
}

function exchangeOf(request: object): Exchange {
  if (request instanceof Exchange) return request;
  throw new Error('the request is no exchange of this server');
}
