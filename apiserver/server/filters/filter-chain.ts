/** Takes an exchange through a chain of filters and on to a handler, and catches whatever is thrown on the way. Never knows what the filters do. */
import type { Exchange } from '../../endpoints/request/exchange';

/** Does its part and says whether the next one shall run; false = it has answered. A throw or rejection ends in `failed`. */
export type Filter = (exchange: Exchange) => boolean | Promise<boolean>;

export type Handler = (exchange: Exchange) => Promise<void>;

/** Answers what a filter or the handler threw. */
export type Failed = (exchange: Exchange, error: unknown) => void;

export function chainOf(filters: readonly Filter[], handle: Handler, failed: Failed): (exchange: Exchange) => void {
  return (exchange) => {
    try {
      runFrom(filters, 0, handle, exchange).catch((error: unknown) => failed(exchange, error));
    } catch (error) {
      failed(exchange, error);
    }
  };
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
