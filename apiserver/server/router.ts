/**
 * A chain of filters and a handler on an `express.Router` mounted straight on the servers: an `express()` application costs several times more
 * per request and breaks on HTTP/2. The exchange itself is what travels through the router, which catches whatever is thrown. The filters
 * run in one layer, because every layer of a router costs as much as a filter. Never knows what the filters do.
 */
import { Router } from 'express';
import { Exchange } from '../endpoints/request/exchange';

/** Does its part and says whether the next one shall run; false = it has answered. A throw or rejection ends in `failed`. */
export type Filter = (exchange: Exchange) => boolean | Promise<boolean>;

export type Handler = (exchange: Exchange) => Promise<void>;

/** `failed` answers what a filter or the handler threw. */
export function chainOf(
  filters: readonly Filter[],
  handle: Handler,
  failed: (exchange: Exchange, error: unknown) => void,
): (exchange: Exchange) => void {
  const router = Router();
  router.use((request) => runFrom(filters, 0, handle, exchangeOf(request)));
  const run: unknown = router;
  if (!isRouter(run)) throw new Error('the router is no function');
  const noReply = {};
  return (exchange) => run(exchange, noReply, (error) => failed(exchange, error));
}

const DONE = Promise.resolve();

function runFrom(filters: readonly Filter[], start: number, handle: Handler, exchange: Exchange): Promise<void> {
  for (let index = start; index < filters.length; index += 1) {
    const goOn = filters[index]?.(exchange) ?? true;
    if (goOn === false) return DONE;
    if (goOn !== true) return goOn.then((passed) => (passed ? runFrom(filters, index + 1, handle, exchange) : undefined));
  }
  return handle(exchange);
}

type RouterFunction = (request: Exchange, response: object, done: (error?: unknown) => void) => void;

function isRouter(value: unknown): value is RouterFunction {
  return typeof value === 'function';
}

function exchangeOf(request: object): Exchange {
  if (request instanceof Exchange) return request;
  throw new Error('the request is no exchange of this server');
}
