/**
 * Logs one line per finished request at level debug; its `auditId` is that of the response and of the audit log.
 * Never logs bodies, credentials or values of unknown query parameters.
 */
import { ANONYMOUS_USER } from '../../../shared/api/identity/user';
import type { Clock } from '../../../shared/runtime/clock';
import type { Logger } from '../../../shared/runtime/logger';
import type { Exchange } from '../../endpoints/request/exchange';
import { sourceIps } from '../../endpoints/request/source-ips';

/** The query parameters of the API. Their values contain no credentials. */
const LOGGED_PARAMETERS: ReadonlySet<string> = new Set([
  'allowWatchBookmarks',
  'continue',
  'dryRun',
  'fieldManager',
  'fieldSelector',
  'fieldValidation',
  'force',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'labelSelector',
  'limit',
  'orphanDependents',
  'pretty',
  'propagationPolicy',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeout',
  'timeoutSeconds',
  'verbose',
  'watch',
]);
const REDACTED = '***';
/** Maximum number of characters of a URI or name that a log line shows. */
const MAX_LENGTH = 1_024;
/** Maximum number of query parameters that a log line shows. */
const MAX_PARAMETERS = 64;

/** Returns the function that logs a finished request; `undefined` when the log level is higher than debug. */
export function createRequestLog(logger: Logger, clock: Clock): ((exchange: Exchange) => void) | undefined {
  if (!logger.isLevelEnabled('debug')) return undefined;
  return (exchange) => {
    const {
      auditId,
      trace,
      method,
      infoIfParsed: info,
      userIfAuthenticated: user = ANONYMOUS_USER,
      impersonator,
      progress,
      startedAt,
    } = exchange;
    logger.debug('request', {
      auditId,
      ...(trace === undefined ? {} : { traceId: trace.id }),
      method,
      verb: info?.verb ?? '',
      uri: redactUri(exchange.request.url ?? ''),
      user: truncate(user.name),
      ...(impersonator === undefined ? {} : { impersonatedBy: truncate(impersonator.name) }),
      userAgent: truncate(exchange.header('user-agent') ?? ''),
      from: sourceIps(exchange),
      status: progress.status,
      ms: Math.round((clock.monotonic() - startedAt) * 1_000) / 1_000,
      bytes: progress.sentBytes,
    });
  };
}

/** The URL without the values of unknown query parameters, at most {@link MAX_LENGTH} characters of it. */
export function redactUri(url: string): string {
  const [path = '', ...queryParts] = url.split('?');
  if (queryParts.length === 0) return truncate(path);
  const pairs = queryParts.join('?').split('&', MAX_PARAMETERS);
  return truncate(`${path}?${pairs.map(redactPair).join('&')}`);
}

function redactPair(pair: string): string {
  const [name = ''] = pair.split('=', 1);
  return LOGGED_PARAMETERS.has(name) || !pair.includes('=') ? pair : `${name}=${REDACTED}`;
}

const truncate = (text: string): string => (text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text);
