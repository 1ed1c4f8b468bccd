/** The two filters of the audit log: one before anything can be refused, one as soon as it is known who asks. What is recorded is decided in apiserver/audit. */
import { groupIn, type Dialect } from '../../../shared/names/dialect';
import { quote } from '../../../shared/values/quote';
import type { Auditor } from '../../audit/auditor';
import type { AuditObject } from '../../audit/event';
import { sendText } from '../../endpoints/answer/respond';
import type { Exchange } from '../../endpoints/request/exchange';
import { sourceIps } from '../../endpoints/request/source-ips';
import type { Filter } from './filter-chain';

/** What is refused from here on is recorded. */
export function beginAudit(auditor: Auditor, naming: Dialect): Filter {
  return (exchange) => {
    const { info } = exchange;
    const asked = {
      auditId: exchange.auditId,
      requestUri: exchange.request.url ?? '',
      sourceIps: sourceIps(exchange),
      userAgent: userAgent(exchange),
    };
    const trail = auditor.begin(asked, info, referenceOf(exchange, naming), exchange, exchange.longRunning !== undefined);
    exchange.setAudit(trail);
    exchange.whenFinished(() => {
      if (exchange.audit === trail) trail.finished();
    });
    return true;
  };
}

/** The first event. Where it has to be in safety and is not, the request is refused. */
export function auditReceived(auditor: Auditor): Filter {
  return (exchange) => {
    const outcome = exchange.audit?.received();
    if (outcome === undefined || outcome === 'recorded') return true;
    exchange.dropAudit();
    if (outcome === 'ignored') return true;
    auditor.rejected();
    sendText(exchange, 500, `Internal Server Error: ${quote(exchange.request.url ?? '')}: failed to store audit event\n`);
    return false;
  };
}

function referenceOf({ info }: Exchange, naming: Dialect): AuditObject | undefined {
  if (info.kind === 'path') return undefined;
  const { resource, namespace, name, group, version, subresource } = info;
  return { resource, namespace, name, uid: '', apiGroup: groupIn(naming, group), apiVersion: version, resourceVersion: '', subresource };
}

const LONGEST_AGENT = 1024;

function userAgent(exchange: Exchange): string {
  const agent = exchange.header('user-agent') ?? '';
  return agent.length > LONGEST_AGENT ? `${agent.slice(0, LONGEST_AGENT)}...TRUNCATED` : agent;
}
