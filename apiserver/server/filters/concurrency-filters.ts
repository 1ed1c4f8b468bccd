/**
 * The filters that limit how many requests run at the same time: in-flight limits, API Priority and Fairness, slots of
 * the event loop. chain.ts orders the filters; flow-control and the scheduler make the decisions.
 */
import { isInMastersGroup } from '../../../shared/api/identity/user';
import type { Priority } from '../../../shared/scheduling/event-loop-scheduler';
import type { Exchange } from '../../endpoints/request/exchange';
import type { RequestInfo } from '../../endpoints/request/request-info';
import { sendText } from '../../endpoints/response/send-response';
import type { StoredType } from '../../cache/cache';
import type { Admitted, FlowControl, Rejected } from '../../flow-control/flow-control';
import { estimateSeats } from '../../flow-control/estimate-seats';
import type { InFlightLimiter } from './in-flight-limiter';
import type { Filter } from './filter-chain';

/** Limits the requests in flight. Members of system:masters and long-running requests are exempt. */
export function limitInFlight(inFlight: InFlightLimiter): Filter {
  return (exchange) => {
    const isAdmitted = exchange.longRunning !== undefined || isInMastersGroup(exchange.user) || inFlight.tryEnter(exchange);
    return isAdmitted || respondTooManyRequests(exchange);
  };
}

function respondTooManyRequests(exchange: Exchange): false {
  exchange.progress.terminate();
  sendText(exchange, 429, 'Too many requests, please try again later.\n', { 'Retry-After': '1' });
  return false;
}

/**
 * Grants the request seats of its priority level, queues it until they are available, or rejects it with 429. A watch
 * releases its seats once its initial state has been sent. Other long-running requests take no seats, and their
 * responses name no flow schema.
 */
export function applyPriorityAndFairness(flowControl: FlowControl, countObjects: (stored: StoredType) => number): Filter {
  return (exchange) => {
    const { info, user, deadline } = exchange;
    if (exchange.longRunning?.seats === 'none') return true;
    const outcome = flowControl.startRequest({
      user,
      attributes: info,
      seats: () => estimateRequestSeats(exchange, countObjects),
      deadline,
    });
    if (outcome === undefined) return true;
    exchange.setFlow(outcome.schema.uid, outcome.level.spec.uid);
    if (!('decision' in outcome)) return applyDecision(exchange, outcome);
    exchange.whenFinished(outcome.cancel);
    return exchange.afterQueue(exchange.excludeFromSli(outcome.decision), (decision) => applyDecision(exchange, decision));
  };

  function applyDecision(exchange: Exchange, decision: Admitted | Rejected): boolean {
    if ('done' in decision) {
      if (exchange.longRunning === undefined) exchange.whenFinished(decision.done);
      else exchange.whenInitialized(decision.done);
      return !exchange.isFinished;
    }
    return respondTooManyRequests(exchange);
  }
}

/**
 * Upstream's estimate of seats: a list, or a watch that starts with one (`sendInitialEvents`), takes seats by its
 * number of objects; other requests take one.
 */
function estimateRequestSeats({ info, resource, query }: Exchange, countObjects: (stored: StoredType) => number): number {
  if (info.kind !== 'resource' || info.name !== '' || resource?.stored === undefined) return 1;
  const isList = info.verb === 'list' || (info.verb === 'watch' && query.boolean('sendInitialEvents') === true);
  if (!isList) return 1;
  const hasSelectors = (query.get('labelSelector') ?? '') !== '' || (query.get('fieldSelector') ?? '') !== '';
  const limit = Number(query.get('limit') ?? '');
  return estimateSeats(countObjects(resource.stored), hasSelectors || !Number.isInteger(limit) ? undefined : limit);
}

const METHODS_WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/**
 * Sets the priority of the request, and acquires the event loop slot of a GET or HEAD. Requests with other methods may
 * have a body; they acquire their slot when the body has been received (body.ts).
 */
export function acquireEventLoopSlot(): Filter {
  return (exchange) => {
    exchange.setPriority(priorityOf(exchange.info));
    return METHODS_WITHOUT_BODY.has(exchange.method) ? (exchange.acquireSlot() ?? true) : true;
  };
}

/** Requests that other components need in order to stay alive or to be authenticated. */
const URGENT_RESOURCES: ReadonlySet<string> = new Set(['leases', 'tokenreviews', 'subjectaccessreviews']);

function priorityOf(info: RequestInfo): Priority {
  if (info.kind === 'path' || URGENT_RESOURCES.has(info.resource)) return 'urgent';
  switch (info.verb) {
    case 'get':
      return 'urgent';
    case 'list':
    case 'watch':
    case 'deletecollection':
      return info.name === '' ? 'bulk' : 'usual';
    default:
      return 'usual';
  }
}
