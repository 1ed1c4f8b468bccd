/**
 * Requests that are forwarded to a backend behind an object: log, exec, attach, portforward, proxy. Admission runs before
 * a connection is opened; as in upstream, a log needs none. The connections are left to endpoints/forward.
 */
import type { SubresourceRow } from '../../../shared/api/kinds';
import { schemaOf } from '../../../shared/api/types';
import { CLOSING_STREAM_PROTOCOL, PORT_FORWARD_TUNNEL } from '../../../shared/names/stream-protocols';
import { badRequest } from '../../../shared/api/errors/status';
import { decodeHeader } from '../../../shared/values/text/decode-header';
import { decodePercent } from '../../../shared/values/text/percent';
import { setMember, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { Resource } from '../../registry/verbs';
import { resolveDestination } from '../../registry/operations/resolve-destination';
import { upgradeProtocols } from '../forward/headers';
import { forward } from '../forward/forward';
import { requestTarget } from '../forward/relay';
import { translateStreams } from '../forward/stream-translator';
import { tunnelPortForward } from '../forward/port-forward-tunnel';
import { offersProtocol } from '../forward/web-socket';
import { UpgradableResponse } from '../request/upgradable-response';
import type { ApiDependencies } from './api-dependencies';
import { kubeletOptions } from './kubelet-options';
import type { Exchange } from '../request/exchange';
import type { Query } from '../request/query';
import type { ResourceRequest } from '../request/request-info';

/**
 * Number of segments up to the subresource, with the empty one before the first slash:
 * `/api/v1/namespaces/ns/pods/p/proxy`, `/api/v1/nodes/n/proxy`.
 */
const PROXY_SEGMENTS = { namespaced: 8, clusterScoped: 6 };
/** For requests with another subresource than `proxy`: their destinations have paths of their own. */
const NOT_PROXIED: ProxiedUrl = { prefix: undefined, backendPath: '', hasNoPath: false };
/**
 * Methods with which a request for the proxy itself is redirected to the path with a trailing slash. Without the slash,
 * relative links of the page would leave the proxy. Other methods return no page.
 */
const REDIRECTED_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** A subresource with which clients connect to a backend. */
export interface ConnectTarget {
  readonly resource: Resource;
  readonly subresource: SubresourceRow;
}

/** Resolves when the connection has ended or the response has been sent. Rejects with StatusError before a response. */
export async function connectToBackend(
  deps: ApiDependencies,
  exchange: Exchange,
  target: ConnectTarget,
  info: ResourceRequest,
): Promise<void> {
  const { resource, subresource } = target;
  const { namespace, name, subresource: subresourceName } = info;
  const key = { namespace, name };
  const { kind } = subresource;
  const proxySegments = resource.row.namespaced ? PROXY_SEGMENTS.namespaced : PROXY_SEGMENTS.clusterScoped;
  if (subresourceName === 'proxy') checkProxiedPath(exchange.request.url ?? '', proxySegments, info.rest);
  if (kind !== undefined) await deps.operations.admitConnection(exchange, target, key, optionsOf(kind.type, exchange.query, info));
  const { query } = exchange;
  const insecureSkipTlsVerify = query.boolean('insecureSkipTLSVerifyBackend') === true;
  if (subresourceName === 'log') deps.countLogRequest(insecureSkipTlsVerify);
  const isUpgrade = upgradeProtocols(exchange) !== undefined && exchange.output instanceof UpgradableResponse;
  const { backends } = deps.nodeAccess;
  const destination = await resolveDestination(destinationDependencies(deps), exchange, {
    resource,
    subresource: subresourceName,
    key,
    container: query.get('container') ?? '',
    kubeletQuery: kubeletOptions(subresourceName, query, name),
    isUpgrade,
  });
  // A log of a container that has not been scheduled yet is empty.
  if (destination === undefined) {
    exchange.send(204, {}, Buffer.alloc(0));
    return;
  }
  const { backendPath, prefix, hasNoPath } =
    destination.type === 'proxy' ? splitProxyUrl(requestTarget(exchange), proxySegments) : NOT_PROXIED;
  if (hasNoPath && !isUpgrade && REDIRECTED_METHODS.has(exchange.method)) redirectToSlash(exchange);
  else if (isUpgrade && isTranslated(deps, exchange, subresourceName)) await translateStreams(backends, exchange, destination.url);
  else if (isUpgrade && isTunnel(deps, exchange, subresourceName)) await tunnelPortForward(backends, exchange, destination);
  else
    await forward(backends, exchange, {
      destination,
      target: backendPath,
      prefix,
      isUpgrade,
      insecureSkipTlsVerify,
      name,
      onLogTlsFailure: deps.countLogTlsFailure,
    });
}

function destinationDependencies({ reader, resources, random, nodeAccess }: ApiDependencies): Parameters<typeof resolveDestination>[0] {
  const { addressTypes, resolveHost } = nodeAccess;
  const nodes = resources.require('nodes');
  const endpoints = resources.require('endpoints');
  const pods = resources.require('pods');
  return { reader, nodes, endpoints, pods, random, addressTypes, resolveHost };
}

/** Over WebSockets, these are translated to SPDY for the kubelet. */
const TRANSLATED_SUBRESOURCES: ReadonlySet<string> = new Set(['exec', 'attach']);

const isTranslated = ({ gates }: ApiDependencies, exchange: Exchange, subresource: string): boolean =>
  TRANSLATED_SUBRESOURCES.has(subresource) &&
  gates.isEnabled('TranslateStreamCloseWebsocketRequests') &&
  offersProtocol(CLOSING_STREAM_PROTOCOL, exchange);

const isTunnel = ({ gates }: ApiDependencies, exchange: Exchange, subresource: string): boolean =>
  subresource === 'portforward' && gates.isEnabled('PortForwardWebsockets') && offersProtocol(PORT_FORWARD_TUNNEL, exchange);

/**
 * Throws 400 when the path for the backend differs from the path that admission sees. The former is cut out of the
 * raw request target, the latter is decoded: they differ when a slash before the subresource is escaped, or when the
 * target is an absolute URL.
 */
function checkProxiedPath(url: string, proxySegments: number, rest: readonly string[]): void {
  const rawSegments = (url.split('?', 1)[0] ?? '').split('/').slice(proxySegments);
  const path = (decodePercent(decodeHeader(rawSegments.join('/'))) ?? '').split('/');
  // Trailing slashes are ignored.
  while (path.at(-1) === '') path.pop();
  if (path.join('/') !== rest.join('/'))
    throw badRequest('the path of a proxied request must not contain an escaped slash before the subresource');
}

interface ProxiedUrl {
  /** Path of the proxy, without a trailing slash; `undefined` when the request is not proxied. */
  readonly prefix: string | undefined;
  /** Path and query for the backend. */
  readonly backendPath: string;
  /** Whether the path ends with the subresource, without a slash. */
  readonly hasNoPath: boolean;
}

/** Splits a URL, as the client sent it, where the path for the backend begins. */
function splitProxyUrl(url: string, proxySegments: number): ProxiedUrl {
  const [path = '', ...query] = url.split('?');
  const segments = path.split('/');
  const rest = segments.slice(proxySegments);
  return {
    prefix: segments.slice(0, proxySegments).join('/'),
    backendPath: `/${rest.join('/')}${query.length === 0 ? '' : `?${query.join('?')}`}`,
    hasNoPath: rest.length === 0,
  };
}

function redirectToSlash(exchange: Exchange): void {
  const [path = '', ...query] = (exchange.request.url ?? '').split('?');
  const location = `${path}/${query.length === 0 ? '' : `?${query.join('?')}`}`;
  exchange.send(301, { Location: location }, Buffer.alloc(0));
}

/** The query parameters as an object of the options kind. Its `path` has the segments after the subresource. */
function optionsOf(type: string, query: Query, { rest }: ResourceRequest): JsonObject {
  const options: JsonObject = {};
  for (const { name, type: field } of schemaOf(type).fields) {
    const value = name === 'path' ? joinRest(rest) : parameterValue(query, name, field);
    if (value !== undefined) setMember(options, name, value);
  }
  return options;
}

/** The type of a member of an options kind. */
type Field = ReturnType<typeof schemaOf>['fields'][number]['type'];

/** The value of a query parameter as a member of that type; `undefined` when the parameter is absent. */
function parameterValue(query: Query, name: string, field: Field): JsonValue | undefined {
  return field.kind === 'list' ? listValue(query.getAll(name), field.element) : scalarValue(query, name, field);
}

const joinRest = (rest: readonly string[]): string | undefined => (rest.length === 0 ? undefined : `/${rest.join('/')}`);

const isNumber = (field: Field): boolean => field.kind === 'scalar' && field.scalar.startsWith('int');

function listValue(texts: readonly string[], item: Field): JsonValue | undefined {
  if (texts.length === 0) return undefined;
  if (!isNumber(item)) return [...texts];
  return texts
    .flatMap((text) => text.split(','))
    .map(Number)
    .filter(Number.isSafeInteger);
}

function scalarValue(query: Query, name: string, field: Field): JsonValue | undefined {
  if (field.kind === 'scalar' && field.scalar === 'bool') return query.boolean(name);
  const text = query.get(name);
  if (text === undefined || text === '') return undefined;
  return isNumber(field) ? Number(text) : text;
}
