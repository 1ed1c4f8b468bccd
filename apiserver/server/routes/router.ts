/**
 * The paths that are no resources, on an `express.Router` mounted straight on the servers: an `express()` application takes replies apart in a way
 * that breaks on HTTP/2. Which routes there are is path-routes.ts; requests for resources never come here, since the router would cost them more than
 * all filters together.
 */
import { Router, type NextFunction } from 'express';
import { methodNotAllowedOnRoute } from '../../../shared/api/errors/status';
import type { Exchange } from '../../endpoints/request/exchange';
import { PageNotFound } from '../../endpoints/routes';
import type { PathRoute } from './path-routes';
import type { Failed } from '../filters/filter-chain';

/** What travels through the router, which writes down on it what it finds. */
class RoutedRequest {
  readonly method: string;
  readonly url: string;

  constructor(
    readonly exchange: Exchange,
    /** Decoded. */
    readonly path: string,
  ) {
    this.method = exchange.method;
    this.url = encodeURI(path).replace(/[?#]/g, encodeURIComponent);
  }
}

/** Answers a request for a decoded path. `failed` is told what a route threw, and {@link PageNotFound} when there is none. */
export function pathRouter(routes: readonly PathRoute[], failed: Failed): (exchange: Exchange, path: string) => void {
  const router = Router({ caseSensitive: true, strict: true });
  for (const route of routes) mount(router, route);
  const run: unknown = router;
  if (!isRouter(run)) throw new Error('the router is no function');
  const noReply = {};
  return (exchange, path) =>
    run(new RoutedRequest(exchange, path), noReply, (error) =>
      failed(exchange, error === null || error === undefined ? new PageNotFound() : error),
    );
}

function mount(router: Router, { paths, methods, leads, answer }: PathRoute): void {
  const whereItLeads =
    (handle: (exchange: Exchange, path: string) => void | Promise<void>) =>
    (request: object, _reply: object, next: NextFunction): void | Promise<void> => {
      const { exchange, path } = routed(request);
      return leads === undefined || leads(path) ? handle(exchange, path) : next('route');
    };
  const answering = whereItLeads(answer);
  const refusing = whereItLeads(() => {
    throw methodNotAllowedOnRoute();
  });
  const route = router.route([...paths]);
  // Left to itself the router takes HEAD for GET.
  if (methods === 'GET') route.head(refusing).get(answering).all(refusing);
  else route.all(answering);
}

type RouterFunction = (request: RoutedRequest, reply: object, done: (error?: unknown) => void) => void;

function isRouter(value: unknown): value is RouterFunction {
  return typeof value === 'function';
}

function routed(request: object): RoutedRequest {
  if (request instanceof RoutedRequest) return request;
  throw new Error('the request is none of this router');
}
