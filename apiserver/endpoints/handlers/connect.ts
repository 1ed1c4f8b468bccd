/**
 * Requests that are forwarded to a backend behind an object: log, exec, attach, portforward, proxy. Admission runs before
 * a connection is opened; as in upstream, a log needs none. The connections are left to endpoints/forward.
 */
import type { SubresourceRow } from '../../../shared/api/kinds';
import { CLOSING_STREAM_PROTOCOL, PORT_FORWARD_TUNNEL } from '../../../shared/names/stream-protocols';
import { badRequest } from '../../../shared/api/errors/status';
import { decodeHeader } from '../../../shared/values/text/decode-header';
import { decodePercent } from '../../../shared/values/text/percent';
import type { Resource } from '../../registry/verbs';
import type { Destination } from '../../registry/operations/destination';
import { resolveDestination } from '../../registry/operations/resolve-destination';
import { upgradeProtocols } from '../forward/headers';
import { forward, type ForwardOptions } from '../forward/forward';
import { requestTarget } from '../forward/relay';
import { translateStreams } from '../forward/stream-translator';
import { tunnelPortForward } from '../forward/port-forward-tunnel';
import { offersProtocol } from '../forward/web-socket';
import { UpgradableResponse } from '../request/upgradable-response';
import type { ApiDependencies } from './api-dependencies';
import { connectOptions } from './connect-options';
import { kubeletOptions } from './kubelet-options';
import type { Exchange } from '../request/exchange';
import type { ResourceRequest } from '../request/request-info';

/**
 * Number of segments up to the subresource, with the empty one before the first slash:
 * `/api/v1/namespaces/ns/pods/p/proxy`, `/api/v1/nodes/n/proxy`.
 */
const PROXY_SEGMENTS = { namespaced: 8, clusterScoped: 6 };
/** For requests with another subresource than `proxy`: their destinations have paths of their own. */
const NOT_PROXIED: ProxiedUrl = { prefix: undefined, backendPath: '', endsWithSubresource: false };
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
  const { query } = exchange;
  if (kind !== undefined) await deps.operations.admitConnection(exchange, target, key, connectOptions(kind.type, query, info));
  const insecureSkipTlsVerify = query.boolean('insecureSkipTLSVerifyBackend') === true;
  if (subresourceName === 'log') deps.countLogRequest(insecureSkipTlsVerify);
  const isUpgrade = upgradeProtocols(exchange) !== undefined && exchange.output instanceof UpgradableResponse;
  const destination = await resolveDestination(destinationDependencies(deps), exchange, {
    resource,
    subresource: subresourceName,
    key,
    container: query.get('container') ?? '',
    kubeletQuery: kubeletOptions(subresourceName, query, name),
    isUpgrade,
  });
  // A log of a container that has not been scheduled yet is empty.
  if (destination === undefined) return exchange.send(204, {}, Buffer.alloc(0));
  await connectTo(deps, exchange, destination, { subresource: subresourceName, proxySegments, isUpgrade, insecureSkipTlsVerify, name });
}

/** What the connection depends on besides its destination. */
interface ConnectionOptions extends Pick<ForwardOptions, 'isUpgrade' | 'insecureSkipTlsVerify' | 'name'> {
  readonly subresource: string;
  readonly proxySegments: number;
}

async function connectTo(deps: ApiDependencies, exchange: Exchange, destination: Destination, options: ConnectionOptions): Promise<void> {
  const { backends } = deps.nodeAccess;
  const { subresource, proxySegments, isUpgrade, insecureSkipTlsVerify, name } = options;
  if (isUpgrade && isTranslated(deps, exchange, subresource)) return translateStreams(backends, exchange, destination.url);
  if (isUpgrade && isTunnel(deps, exchange, subresource)) return tunnelPortForward(backends, exchange, destination);
  const isProxied = destination.type === 'proxy';
  const { backendPath, prefix, endsWithSubresource } = isProxied ? splitProxyUrl(requestTarget(exchange), proxySegments) : NOT_PROXIED;
  if (endsWithSubresource && !isUpgrade && REDIRECTED_METHODS.has(exchange.method)) return redirectToSlash(exchange);
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

const TRANSLATED_SUBRESOURCES: ReadonlySet<string> = new Set(['exec', 'attach']);

/** Whether the streams are translated: the client's protocol can close single streams, which kubelets know from SPDY only. */
const isTranslated = ({ gates }: ApiDependencies, exchange: Exchange, subresource: string): boolean =>
  TRANSLATED_SUBRESOURCES.has(subresource) &&
  gates.isEnabled('TranslateStreamCloseWebsocketRequests') &&
  offersProtocol(CLOSING_STREAM_PROTOCOL, exchange);

/** Whether the client tunnels SPDY through a WebSocket. */
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
  if (path.join('/') !== rest.join('/')) {
    throw badRequest('the path of a proxied request must not contain an escaped slash before the subresource');
  }
}

/** The parts of the URL of a proxied request, as the client sent them. */
interface ProxiedUrl {
  /** Path of the proxy, without a trailing slash; `undefined` when the request is not proxied. */
  readonly prefix: string | undefined;
  /** Path and query for the backend. */
  readonly backendPath: string;
  /** Whether the path ends with the subresource, without a slash. */
  readonly endsWithSubresource: boolean;
}

/** Splits a URL where the path for the backend begins. */
function splitProxyUrl(url: string, proxySegments: number): ProxiedUrl {
  const [path = '', ...query] = url.split('?');
  const segments = path.split('/');
  const rest = segments.slice(proxySegments);
  return {
    prefix: segments.slice(0, proxySegments).join('/'),
    backendPath: `/${rest.join('/')}${query.length === 0 ? '' : `?${query.join('?')}`}`,
    endsWithSubresource: rest.length === 0,
  };
}

/** Redirects the client to the same path with a trailing slash. */
function redirectToSlash(exchange: Exchange): void {
  const [path = '', ...query] = (exchange.request.url ?? '').split('?');
  const location = `${path}/${query.length === 0 ? '' : `?${query.join('?')}`}`;
  exchange.send(301, { Location: location }, Buffer.alloc(0));
}
