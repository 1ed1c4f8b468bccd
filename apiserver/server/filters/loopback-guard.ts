/**
 * The guard of the loopback listener, which requires no credentials: rejects the requests of web pages, which any site may
 * make a browser on this machine send.
 */
import type { Exchange } from '../../endpoints/request/exchange';
import { sendText } from '../../endpoints/response/send-response';
import type { Filter } from './filter-chain';

/** Host headers of requests to the loopback listener, without the port. */
const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Responds with 403 to a request of a web page on the loopback listener; passes the requests of other listeners. */
export function guardLoopback(): Filter {
  return (exchange) => {
    const problem = exchange.origin === 'local' ? loopbackProblem(exchange) : undefined;
    if (problem === undefined) return true;
    exchange.progress.closeConnection();
    sendText(exchange, 403, `${problem}\n`);
    return false;
  };
}

/** Why the request may be one of a web page; `undefined` when it cannot be one. */
function loopbackProblem(exchange: Exchange): string | undefined {
  // The host of a page's site may resolve to this machine.
  const host = (exchange.header('host') ?? '').replace(/:\d+$/, '');
  if (!LOCAL_HOSTS.has(host)) return 'this listener serves requests for localhost only';
  const site = exchange.header('sec-fetch-site') ?? 'none';
  if (exchange.header('origin') !== undefined || site !== 'none') return 'this listener does not serve web pages';
  // A page needs no permission of CORS to send a body without a Content-Type, which would be parsed as JSON.
  const hasBody = exchange.header('transfer-encoding') !== undefined || Number(exchange.header('content-length') ?? '0') > 0;
  if (hasBody && exchange.header('content-type') === undefined) return 'this path requires a Content-Type header for a body';
  return undefined;
}
