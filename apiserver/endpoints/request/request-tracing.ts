/** What a request is called in its trace, and what is said of it there. Where it is in none, each of these costs a comparison. */
import { groupIn } from '../../../shared/names/dialect';
import type { RequestTrace, SpanAttributes, Tracing } from '../../tracing/span';
import type { Exchange } from './exchange';
import type { ExchangeProgress } from './exchange-progress';
import type { RequestVerb, ResourceRequest } from './request-info';
import { remoteAddress, socketOf, sourceIps } from './source-ips';

export const ANSWERING = 'About to write a response';
const APPLY = 'application/apply-patch';

export const ANSWERED = 'Writing http response done';

/** What handlers are called; those that are not named are not told. */
const HANDLERS: Readonly<Partial<Record<RequestVerb, string>>> = {
  create: 'Create',
  delete: 'Delete',
  deletecollection: 'Delete',
  get: 'Get',
  list: 'List',
  patch: 'Patch',
  update: 'Update',
};

/** Does what was asked for as a part of the request's trace. */
export function handled(trace: RequestTrace, exchange: Exchange, info: ResourceRequest, work: () => Promise<void>): Promise<void> {
  const name = HANDLERS[info.verb];
  if (name === undefined) return work();
  const { group, version, namespace, resource, subresource } = info;
  const attributes = {
    accept: exchange.header('accept') ?? '',
    'api-group': groupIn(exchange.dialect, group),
    'api-version': version,
    'audit-id': exchange.auditId,
    client: sourceIps(exchange)[0] ?? '',
    name: info.name,
    namespace,
    protocol: protocolOf(exchange),
    resource,
    scope: scopeOf(info),
    subresource,
    url: info.path,
    'user-agent': exchange.header('user-agent') ?? '',
    verb: verbOf(exchange, info),
  };
  return trace.handled(name, attributes, work);
}

function verbOf(exchange: Exchange, { verb }: ResourceRequest): string {
  if (verb === 'list') return 'LIST';
  return verb === 'patch' && exchange.header('content-type')?.startsWith(APPLY) === true ? 'APPLY' : exchange.method;
}

function scopeOf({ verb, name, namespace }: ResourceRequest): string {
  if (verb === 'create' || name !== '') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

/** The answer is being put together. */
export function answering(exchange: Exchange, mediaType: string): void {
  if (exchange.trace === undefined) return;
  exchange.trace.answering({
    'audit-id': exchange.auditId,
    mediaType,
    method: exchange.method,
    protocol: protocolOf(exchange),
    url: exchange.infoIfParsed?.path ?? '',
  });
}

/** Does all that belongs to a request as one trace. */
export function traced(tracing: Tracing, exchange: Exchange, work: (exchange: Exchange) => void): void {
  const asked = { name: exchange.method, header: (name: string) => exchange.header(name) };
  tracing.begin(asked, (trace) => {
    if (trace !== undefined) {
      exchange.setTrace(trace);
      const said = saidAtOnce(exchange);
      exchange.whenFinished(() => {
        const { status, sentBytes } = exchange.progress;
        trace.finished(nameOf(exchange), { ...said, ...saidAtLast(exchange.progress) }, status, sentBytes);
      });
    }
    work(exchange);
  });
}

/** What nobody knows any more when the connection has gone. */
function saidAtOnce(exchange: Exchange): SpanAttributes {
  const { method, origin, request } = exchange;
  const host = /^(.*?)(?::(\d+))?$/.exec(exchange.header('host') ?? exchange.header(':authority') ?? '');
  const port = socketOf(exchange)?.remotePort;
  const agent = exchange.header('user-agent');
  const length = Number(exchange.header('content-length') ?? '0');
  return {
    'http.method': method,
    'http.scheme': origin === 'secure' ? 'https' : 'http',
    'http.target': request.url ?? '',
    'net.host.name': host?.[1] ?? '',
    ...(host?.[2] === undefined ? {} : { 'net.host.port': Number(host[2]) }),
    'net.protocol.version': exchange.isMultiplexed ? '2.0' : '1.1',
    'net.sock.peer.addr': remoteAddress(exchange) ?? '',
    ...(port === undefined ? {} : { 'net.sock.peer.port': port }),
    ...(agent === undefined ? {} : { 'user_agent.original': agent }),
    ...(length > 0 ? { 'http.request_content_length': length } : {}),
  };
}

function saidAtLast({ status, sentBytes }: ExchangeProgress): SpanAttributes {
  return {
    ...(status === 0 ? {} : { 'http.status_code': status }),
    ...(sentBytes > 0 ? { 'http.response_content_length': sentBytes } : {}),
  };
}

const protocolOf = (exchange: Exchange): string => (exchange.isMultiplexed ? 'HTTP/2.0' : 'HTTP/1.1');

/** Method and shape of the path, without what differs from object to object. */
function nameOf({ method, infoIfParsed: info, dialect }: Exchange): string {
  if (info?.kind !== 'resource') return method;
  const { group, version, namespace, resource, name, subresource } = info;
  const root = group === '' ? `/api/${version}` : `/apis/${groupIn(dialect, group)}/${version}`;
  const place = namespace === '' ? '' : '/namespaces/{:namespace}';
  return `${method} ${root}${place}/${resource}${name === '' ? '' : '/{:name}'}${subresource === '' ? '' : `/${subresource}`}`;
}
