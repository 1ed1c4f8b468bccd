/**
 * Runs an exchange through a chain of filters and a handler, and passes every error to one callback. Filters run in order
 * and at most once; which filters there are is up to chain.ts.
 */
import type { Exchange } from '../../endpoints/request/exchange';

/** Resolves to true when the next filter runs, to false when this one has responded. Errors are passed to `onError`. */
export type Filter = (exchange: Exchange) => boolean | Promise<boolean>;

/** Responds to a request that has passed all filters. */
export type Handler = (exchange: Exchange) => Promise<void>;

/** Responds to an error of a filter or handler. */
export type OnError = (exchange: Exchange, error: unknown) => void;

/**
 * Returns the function that runs an exchange through the chain, without throwing. After a filter that has responded,
 * neither later filters nor the handler run.
 */
export function createChain(filters: readonly Filter[], handle: Handler, onError: OnError): (exchange: Exchange) => void {
  return (exchange) => {
    try {
      runFrom(filters, 0, handle, exchange).catch((error: unknown) => onError(exchange, error));
    } catch (error) {
      onError(exchange, error);
    }
  };
}

const DONE = Promise.resolve();

/** Runs the filters from `start` on, then the handler. Synchronous as long as no filter returns a promise. */
function runFrom(filters: readonly Filter[], start: number, handle: Handler, exchange: Exchange): Promise<void> {
  for (let index = start; index < filters.length; index += 1) {
    const shouldContinue = filters[index]?.(exchange) ?? true;
    if (shouldContinue === false) return DONE;
    if (shouldContinue !== true)
      return shouldContinue.then((shouldRunNext) => (shouldRunNext ? runFrom(filters, index + 1, handle, exchange) : undefined));
  }
  return handle(exchange);
}
