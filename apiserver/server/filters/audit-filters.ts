/**
 * The two audit filters: one before authentication, one after it. Requests that earlier filters reject (a long head,
 * a malformed URL, a shutdown) are not recorded, as in upstream. The audit policy decides what is recorded.
 */
import { groupInDialect, type Dialect } from '../../../shared/names/dialect';
import { quote } from '../../../shared/values/text/quote';
import type { Auditor } from '../../audit/auditor';
import type { AuditObject } from '../../audit/event';
import { sendText } from '../../endpoints/response/send-response';
import type { Exchange } from '../../endpoints/request/exchange';
import { sourceIps } from '../../endpoints/request/source-ips';
import type { Filter } from './filter-chain';

/** Starts the audit trail of the request, which records its end even if a later filter rejects it. */
export function startAudit(auditor: Auditor, naming: Dialect): Filter {
  return (exchange) => {
    const { info } = exchange;
    const request = {
      auditId: exchange.auditId,
      requestUri: exchange.request.url ?? '',
      sourceIps: sourceIps(exchange),
      userAgent: userAgent(exchange),
    };
    const trail = auditor.startRequest(request, {
      request: info,
      object: referenceOf(exchange, naming),
      state: exchange,
      isLongRunning: exchange.longRunning !== undefined,
    });
    exchange.setAudit(trail);
    exchange.whenFinished(() => {
      if (exchange.audit === trail) trail.recordCompleted();
    });
    return true;
  };
}

/**
 * Records the stage RequestReceived. When that event must be stored before the request proceeds and cannot be, the
 * request fails with 500.
 */
export function auditReceived(auditor: Auditor): Filter {
  return (exchange) => {
    const outcome = exchange.audit?.recordReceived();
    if (outcome === undefined || outcome === 'recorded') return true;
    exchange.dropAudit();
    if (outcome === 'ignored') return true;
    auditor.countRejection();
    sendText(exchange, 500, `Internal Server Error: ${quote(exchange.request.url ?? '')}: failed to store audit event\n`);
    return false;
  };
}

function referenceOf({ info }: Exchange, naming: Dialect): AuditObject | undefined {
  if (info.kind === 'path') return undefined;
  const { resource, namespace, name, group, version, subresource } = info;
  return {
    resource,
    namespace,
    name,
    uid: '',
    apiGroup: groupInDialect(naming, group),
    apiVersion: version,
    resourceVersion: '',
    subresource,
  };
}

/** Characters of a user agent in audit events, as upstream's. */
const MAX_USER_AGENT_LENGTH = 1024;

function userAgent(exchange: Exchange): string {
  const agent = exchange.header('user-agent') ?? '';
  return agent.length > MAX_USER_AGENT_LENGTH ? `${agent.slice(0, MAX_USER_AGENT_LENGTH)}...TRUNCATED` : agent;
}
