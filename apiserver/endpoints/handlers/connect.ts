/** Requests that lead to a machine behind an object. */
import type { SubresourceRow } from '../../../shared/api/kinds';
import { schemaOf } from '../../../shared/api/types';
import { CLOSING_STREAM_PROTOCOL, PORT_FORWARD_TUNNEL } from '../../../shared/names/dialect';
import { badRequest } from '../../../shared/api/errors/status';
import { headerText } from '../../../shared/values/header-text';
import { decodePercent } from '../../../shared/values/percent';
import { setMember, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { Resource } from '../../registry/verbs';
import { connect } from '../../registry/operations/connect';
import { upgradeTo } from '../forward/headers';
import { forward } from '../forward/forward';
import { targetOf } from '../forward/relay';
import { translateStreams } from '../forward/stream-translator';
import { tunnelPorts } from '../forward/port-forward-tunnel';
import { asksFor } from '../forward/web-socket';
import { UpgradableReply } from '../request/upgradable-response';
import type { ApiParts } from './api-dependencies';
import { toldOptions } from './kubelet-options';
import type { Exchange } from '../request/exchange';
import type { Query } from '../request/query';
import type { ResourceRequest } from '../request/request-info';

export async function connectTo(
  parts: ApiParts,
  exchange: Exchange,
  resource: Resource,
  subresource: SubresourceRow,
  info: ResourceRequest,
): Promise<void> {
  const { namespace, name, subresource: asked } = info;
  const key = { namespace, name };
  const { kind } = subresource;
  if (asked === 'proxy') checkProxiedPath(exchange.request.url ?? '', resource.row.namespaced, info.rest);
  if (kind !== undefined)
    await parts.operations.admitConnection(exchange, { resource, subresource }, key, optionsOf(kind.type, exchange.query, info));
  const { query } = exchange;
  const believesAll = query.boolean('insecureSkipTLSVerifyBackend') === true;
  if (asked === 'log') parts.logAsked(believesAll);
  const upgrades = upgradeTo(exchange) !== undefined && exchange.output instanceof UpgradableReply;
  const { reader, resources, random, nodeAccess } = parts;
  const [nodes, endpoints, pods] = [resources.require('nodes'), resources.require('endpoints'), resources.require('pods')];
  const { addressTypes, resolveHost } = nodeAccess;
  const destination = await connect({ reader, nodes, endpoints, pods, random, addressTypes, resolveHost }, exchange, {
    resource,
    subresource: asked,
    key,
    container: query.get('container') ?? '',
    told: toldOptions(asked, query, name),
    upgrades,
  });
  if (destination === undefined) {
    exchange.send(204, {}, Buffer.alloc(0));
    return;
  }
  const { target, prefix, isBare } = destination.type === 'proxy' ? proxiedUrl(targetOf(exchange), resource.row.namespaced) : NOT_PROXIED;
  if (isBare && !upgrades && REDIRECTED.has(exchange.method)) redirectBelow(exchange);
  else if (upgrades && isTranslated(parts, exchange, asked)) await translateStreams(nodeAccess.backends, exchange, destination.url);
  else if (upgrades && isTunnel(parts, exchange, asked)) await tunnelPorts(nodeAccess.backends, exchange, destination);
  else
    await forward(nodeAccess.backends, exchange, {
      destination,
      target,
      prefix,
      upgrades,
      believesAll,
      name,
      logDistrusted: parts.logDistrusted,
    });
}

/** Over WebSockets these are told to the kubelet in another protocol. */
const TRANSLATED: ReadonlySet<string> = new Set(['exec', 'attach']);

const isTranslated = ({ gates }: ApiParts, exchange: Exchange, asked: string): boolean =>
  TRANSLATED.has(asked) && gates.enabled('TranslateStreamCloseWebsocketRequests') && asksFor(CLOSING_STREAM_PROTOCOL, exchange);

const isTunnel = ({ gates }: ApiParts, exchange: Exchange, asked: string): boolean =>
  asked === 'portforward' && gates.enabled('PortForwardWebsockets') && asksFor(PORT_FORWARD_TUNNEL, exchange);

/** Segments up to the subresource: `/api/v1/namespaces/ns/pods/p/proxy`. */
const SEGMENTS = { namespaced: 8, other: 6 };

/**
 * Throws 400 when the path that is forwarded differs from the path that admission sees. The former is cut out of the request target as it was sent, the latter is decoded:
 * they differ when a slash before the subresource is escaped, or the target is an absolute URL.
 */
function checkProxiedPath(url: string, namespaced: boolean, rest: readonly string[]): void {
  const written = (url.split('?', 1)[0] ?? '').split('/').slice(namespaced ? SEGMENTS.namespaced : SEGMENTS.other);
  const path = (decodePercent(headerText(written.join('/'))) ?? '').split('/');
  // Trailing slashes are ignored.
  while (path.at(-1) === '') path.pop();
  if (path.join('/') !== rest.join('/')) throw badRequest('the path of a proxied request must not escape a slash before the subresource');
}

interface ProxiedUrl {
  /** Path of the proxy, without a trailing slash; `undefined` when the request is not proxied. */
  readonly prefix: string | undefined;
  /** Path and query for the backend. */
  readonly target: string;
  /** Whether the path ends with the subresource, without a slash. */
  readonly isBare: boolean;
}

const NOT_PROXIED: ProxiedUrl = { prefix: undefined, target: '', isBare: false };

/** Splits a URL, as the client sent it, where the path for the backend begins. */
function proxiedUrl(url: string, namespaced: boolean): ProxiedUrl {
  const [path = '', ...query] = url.split('?');
  const segments = path.split('/');
  const start = namespaced ? SEGMENTS.namespaced : SEGMENTS.other;
  const rest = segments.slice(start);
  return {
    prefix: segments.slice(0, start).join('/'),
    target: `/${rest.join('/')}${query.length === 0 ? '' : `?${query.join('?')}`}`,
    isBare: rest.length === 0,
  };
}

/** Methods that are redirected to the path with a trailing slash, without which relative links of a page would leave the proxy. Other methods return no page. */
const REDIRECTED: ReadonlySet<string> = new Set(['GET', 'HEAD']);

function redirectBelow(exchange: Exchange): void {
  const [path = '', ...query] = (exchange.request.url ?? '').split('?');
  const location = `${path}/${query.length === 0 ? '' : `?${query.join('?')}`}`;
  exchange.send(301, { Location: location }, Buffer.alloc(0));
}

/** What the query asks for, as an object of the options' kind. What stands behind the subresource is a path. */
function optionsOf(type: string, query: Query, { rest }: ResourceRequest): JsonObject {
  const options: JsonObject = {};
  for (const { name, type: field } of schemaOf(type).fields) {
    const value = name === 'path' ? pathOf(rest) : field.kind === 'list' ? listOf(query.all(name), field.of) : valueOf(query, name, field);
    if (value !== undefined) setMember(options, name, value);
  }
  return options;
}

type Field = ReturnType<typeof schemaOf>['fields'][number]['type'];

const pathOf = (rest: readonly string[]): string | undefined => (rest.length === 0 ? undefined : `/${rest.join('/')}`);

const isNumber = (field: Field): boolean => field.kind === 'scalar' && field.scalar.startsWith('int');

function listOf(texts: readonly string[], item: Field): JsonValue | undefined {
  if (texts.length === 0) return undefined;
  if (!isNumber(item)) return [...texts];
  return texts
    .flatMap((text) => text.split(','))
    .map(Number)
    .filter(Number.isSafeInteger);
}

function valueOf(query: Query, name: string, field: Field): JsonValue | undefined {
  if (field.kind === 'scalar' && field.scalar === 'bool') return query.boolean(name);
  const text = query.get(name);
  if (text === undefined || text === '') return undefined;
  return isNumber(field) ? Number(text) : text;
}
