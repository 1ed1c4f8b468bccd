/**
 * The filter chain: what happens to every request, in its order, before a handler sees it (behaviour-reference §3.1). A filter that throws ends
 * the chain; failures.ts answers. Nothing is decided here.
 */
import type { Dialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';
import type { Random } from '../../shared/runtime/random';
import type { ClientCertificate } from '../authentication/authenticator';
import type { AuthenticateRequest } from '../authentication/union';
import type { AuthorizeRequest } from '../authorization/union';
import type { ApiParts } from '../endpoints/handlers/api-parts';
import { Exchange, type Incoming, type Origin, type Outgoing } from '../endpoints/request/exchange';
import { PageNotFound, routeResource } from '../endpoints/routes';
import type { Metrics } from '../metrics/metrics';
import type { Deadlines } from './deadlines';
import { routePath, type DocumentParts } from './documents';
import { answerFailure } from './failures';
import * as filters from './filters';
import type { InFlight } from './in-flight';
import type { Ongoing } from './ongoing';
import { chainOf, type Filter, type Handler } from './router';
import type { ServerState } from './state';

export interface ChainParts {
  readonly api: ApiParts;
  readonly documents: DocumentParts;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly naming: Dialect;
  readonly state: ServerState;
  readonly deadlines: Deadlines;
  readonly inFlight: InFlight;
  readonly ongoing: Ongoing;
  readonly metrics: Metrics;
  readonly requestTimeoutMs: number;
  readonly authenticate: AuthenticateRequest;
  readonly authorize: AuthorizeRequest;
  certificateOf(exchange: Exchange): ClientCertificate | undefined;
}

export type RequestListener = (request: Incoming, reply: Outgoing) => void;

/** What both listeners call for a request. */
export function requestListener(parts: ChainParts, origin: Origin): RequestListener {
  const run = chainOf(filterChain(parts), route(parts), answerFailure(parts.logger));
  const { api, clock, naming, metrics } = parts;
  return (request, reply) => {
    const exchange = new Exchange(request, reply, api.outbox, origin, naming, clock.monotonic());
    // A connection that breaks is the exchange's end, not an error of the process.
    exchange.input.on('error', ignore);
    reply.on('error', ignore);
    exchange.whenFinished(() => metrics.finished(exchange));
    run(exchange);
  };
}

function ignore(): void {
  // See above.
}

function filterChain(parts: ChainParts): readonly Filter[] {
  const { metrics } = parts;
  return [
    filters.guardLocal(),
    filters.identify(parts.random),
    filters.readRequestInfo(parts.api.resources, parts.naming),
    filters.refuseWhenStopping(parts.state),
    filters.countOngoing(parts.ongoing),
    filters.setDeadline(parts.clock, parts.deadlines, parts.requestTimeoutMs),
    filters.authenticate(
      parts.authenticate,
      (exchange) => parts.certificateOf(exchange),
      (user) => metrics.authenticated(user),
    ),
    filters.limitInFlight(parts.inFlight),
    filters.authorize(parts.authorize, (allowed) => metrics.authorized(allowed)),
  ];
}

/** What comes after the filters. */
function route(parts: ChainParts): Handler {
  return async (exchange) => {
    const { info } = exchange;
    if (info.kind === 'path') {
      await routePath(parts.documents, exchange, info);
      return;
    }
    const isBuiltIn = parts.documents.servesGroup(info.group);
    // The definition of a custom kind may be newer than what this replica has seen.
    if (!isBuiltIn && exchange.resource === undefined) exchange.resource = await parts.api.findNewest(exchange, info);
    if (isBuiltIn || exchange.resource !== undefined) await routeResource(parts.api, exchange, info);
    else throw new PageNotFound();
  };
}
