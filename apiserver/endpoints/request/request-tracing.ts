/** Names the spans of a request and sets their attributes. For an untraced request, `traceResponse` does nothing. */
import { groupInDialect } from '../../../shared/names/dialect';
import type { RequestTrace, SpanAttributes, Tracing } from '../../tracing/span';
import type { Exchange } from './exchange';
import type { ExchangeProgress } from './exchange-progress';
import type { RequestVerb, ResourceRequest } from './request-info';
import { remoteAddress, socketOf, sourceIps } from './source-ips';

/** Names of the trace events around the sending of a response. */
export const WRITING_RESPONSE = 'About to write a response';
export const RESPONSE_WRITTEN = 'Writing http response done';
/** The beginning of the media type of an apply patch. */
const APPLY_TYPE = 'application/apply-patch';

/** Span names of the handlers; other verbs have no span. */
const HANDLER_NAMES: Readonly<Partial<Record<RequestVerb, string>>> = {
  create: 'Create',
  delete: 'Delete',
  deletecollection: 'Delete',
  get: 'Get',
  list: 'List',
  patch: 'Patch',
  update: 'Update',
};

/** Runs a handler in a span of the request's trace. */
export function traceHandler(trace: RequestTrace, exchange: Exchange, info: ResourceRequest, work: () => Promise<void>): Promise<void> {
  const name = HANDLER_NAMES[info.verb];
  if (name === undefined) return work();
  const { group, version, namespace, resource, subresource } = info;
  const attributes = {
    accept: exchange.header('accept') ?? '',
    'api-group': groupInDialect(exchange.dialect, group),
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
  return trace.runHandler(name, attributes, work);
}

/** The verb of the span: that of upstream's metrics. */
function verbOf(exchange: Exchange, { verb }: ResourceRequest): string {
  if (verb === 'list') return 'LIST';
  return verb === 'patch' && exchange.header('content-type')?.startsWith(APPLY_TYPE) === true ? 'APPLY' : exchange.method;
}

function scopeOf({ verb, name, namespace }: ResourceRequest): string {
  if (verb === 'create' || name !== '') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

/** Records that the response is being created. */
export function traceResponse(exchange: Exchange, mediaType: string): void {
  if (exchange.trace === undefined) return;
  exchange.trace.startResponse({
    'audit-id': exchange.auditId,
    mediaType,
    method: exchange.method,
    protocol: protocolOf(exchange),
    url: exchange.infoIfParsed?.path ?? '',
  });
}

/** Runs the processing of a request as one trace. */
export function traceRequest(tracing: Tracing, exchange: Exchange, work: (exchange: Exchange) => void): void {
  const request = { name: exchange.method, header: (name: string) => exchange.header(name) };
  tracing.traceRequest(request, (trace) => {
    if (trace !== undefined) {
      exchange.setTrace(trace);
      const startAttributes = requestAttributes(exchange);
      exchange.whenFinished(() => {
        const { status, sentBytes } = exchange.progress;
        trace.finish(spanName(exchange), { ...startAttributes, ...responseAttributes(exchange.progress) }, status, sentBytes);
      });
    }
    work(exchange);
  });
}

/** A host with or without a port: `127.0.0.1:6443`, `[::1]`. */
const HOST_AND_PORT = /^(?<host>.*?)(?::(?<port>\d+))?$/;

/** The attributes of the request. Read at its start: some are not available any more after the connection has closed. */
function requestAttributes(exchange: Exchange): SpanAttributes {
  const { method, origin, request } = exchange;
  const authority = exchange.header('host') ?? exchange.header(':authority') ?? '';
  const { host = '', port: hostPort } = HOST_AND_PORT.exec(authority)?.groups ?? {};
  const peerPort = socketOf(exchange)?.remotePort;
  const agent = exchange.header('user-agent');
  const length = Number(exchange.header('content-length') ?? '0');
  return {
    'http.method': method,
    'http.scheme': origin === 'secure' ? 'https' : 'http',
    'http.target': request.url ?? '',
    'net.host.name': host,
    ...(hostPort === undefined ? {} : { 'net.host.port': Number(hostPort) }),
    'net.protocol.version': exchange.isMultiplexed ? '2.0' : '1.1',
    'net.sock.peer.addr': remoteAddress(exchange) ?? '',
    ...(peerPort === undefined ? {} : { 'net.sock.peer.port': peerPort }),
    ...(agent === undefined ? {} : { 'user_agent.original': agent }),
    ...(length > 0 ? { 'http.request_content_length': length } : {}),
  };
}

function responseAttributes({ status, sentBytes }: ExchangeProgress): SpanAttributes {
  return {
    ...(status === 0 ? {} : { 'http.status_code': status }),
    ...(sentBytes > 0 ? { 'http.response_content_length': sentBytes } : {}),
  };
}

const protocolOf = (exchange: Exchange): string => (exchange.isMultiplexed ? 'HTTP/2.0' : 'HTTP/1.1');

/** The method and the pattern of the path, without object names. */
function spanName({ method, infoIfParsed: info, dialect }: Exchange): string {
  if (info?.kind !== 'resource') return method;
  const { group, version, namespace, resource, name, subresource } = info;
  const root = group === '' ? `/api/${version}` : `/apis/${groupInDialect(dialect, group)}/${version}`;
  const namespaceSegment = namespace === '' ? '' : '/namespaces/{:namespace}';
  const nameSegment = name === '' ? '' : '/{:name}';
  const subresourceSegment = subresource === '' ? '' : `/${subresource}`;
  return `${method} ${root}${namespaceSegment}/${resource}${nameSegment}${subresourceSegment}`;
}
