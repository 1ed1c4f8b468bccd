/**
 * Routes the paths that are not resources, with an `express.Router` mounted directly: an `express()` application
 * replaces the prototypes of replies, which breaks HTTP/2. The routes are in path-routes.ts. Requests for resources
 * bypass the router, which would cost them more than all filters together.
 */
import { Router, type NextFunction } from 'express';
import { methodNotAllowedOnRoute } from '../../../shared/api/errors/status';
import type { Exchange } from '../../endpoints/request/exchange';
import { PageNotFound } from '../../endpoints/routes';
import type { PathRoute } from './path-routes';
import type { OnError } from '../filters/filter-chain';

/** The request object of the router, which stores its state in it. */
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

/**
 * Responds to a request for a decoded path. `onError` receives the errors of routes, and {@link PageNotFound} when no
 * route matches.
 */
export function createPathRouter(routes: readonly PathRoute[], onError: OnError): (exchange: Exchange, path: string) => void {
  const router = Router({ caseSensitive: true, strict: true });
  for (const route of routes) mount(router, route);
  // Express declares the router with Node's requests and replies; it needs only the members of RoutedRequest.
  const run: unknown = router;
  if (!isRouter(run)) throw new Error('the router is not a function');
  const noReply = {};
  return (exchange, path) =>
    run(new RoutedRequest(exchange, path), noReply, (error) =>
      onError(exchange, error === null || error === undefined ? new PageNotFound() : error),
    );
}

function mount(router: Router, { paths, methods, isServed, respond }: PathRoute): void {
  const whereServed =
    (handle: (exchange: Exchange, path: string) => void | Promise<void>) =>
    (request: object, _reply: object, next: NextFunction): void | Promise<void> => {
      const { exchange, path } = requireRouted(request);
      return isServed === undefined || isServed(path) ? handle(exchange, path) : next('route');
    };
  const respondingHandler = whereServed(respond);
  const refusingHandler = whereServed(() => {
    throw methodNotAllowedOnRoute();
  });
  const route = router.route([...paths]);
  // By default the router accepts HEAD on GET routes.
  if (methods === 'GET') route.head(refusingHandler).get(respondingHandler).all(refusingHandler);
  else route.all(respondingHandler);
}

type RouterFunction = (request: RoutedRequest, reply: object, done: (error?: unknown) => void) => void;

function isRouter(value: unknown): value is RouterFunction {
  return typeof value === 'function';
}

function requireRouted(request: object): RoutedRequest {
  if (request instanceof RoutedRequest) return request;
  throw new Error('the request does not belong to this router');
}
