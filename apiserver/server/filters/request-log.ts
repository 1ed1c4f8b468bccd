/**
 * One line for each request that has been answered or given up, where the log is that detailed; its `auditId` is the one of the answer and of the audit log. It never
 * says what bodies and credentials are, nor the values of parameters that nobody here knows.
 */
import { ANONYMOUS } from '../../../shared/api/identity/user';
import type { Clock } from '../../../shared/runtime/clock';
import type { Logger } from '../../../shared/runtime/logger';
import type { Exchange } from '../../endpoints/request/exchange';
import { sourceIps } from '../../endpoints/request/source-ips';

const SHOWN: ReadonlySet<string> = new Set([
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
const HIDDEN = '***';
const LONGEST = 1_024;

/** Undefined = the log is not that detailed. */
export function requestLog(logger: Logger, clock: Clock): ((exchange: Exchange) => void) | undefined {
  if (!logger.enabled('debug')) return undefined;
  return (exchange) => {
    const {
      auditId,
      trace,
      method,
      infoIfParsed: info,
      userIfAuthenticated: user = ANONYMOUS,
      impersonator,
      progress,
      startedAt,
    } = exchange;
    logger.debug('request', {
      auditId,
      ...(trace === undefined ? {} : { traceId: trace.id }),
      method,
      verb: info?.verb ?? '',
      uri: shownUri(exchange.request.url ?? ''),
      user: cut(user.name),
      ...(impersonator === undefined ? {} : { impersonatedBy: cut(impersonator.name) }),
      userAgent: cut(exchange.header('user-agent') ?? ''),
      from: sourceIps(exchange),
      status: progress.status,
      ms: Math.round((clock.monotonic() - startedAt) * 1_000) / 1_000,
      bytes: progress.sentBytes,
    });
  };
}

/** Exported for tests. */
export function shownUri(url: string): string {
  const [path = '', ...rest] = url.split('?');
  if (rest.length === 0) return cut(path);
  const pairs = rest.join('?').split('&', 64);
  return cut(
    `${path}?${pairs
      .map((pair) => {
        const [name = ''] = pair.split('=', 1);
        return SHOWN.has(name) || !pair.includes('=') ? pair : `${name}=${HIDDEN}`;
      })
      .join('&')}`,
  );
}

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
