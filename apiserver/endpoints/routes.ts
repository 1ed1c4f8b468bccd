/**
 * From a parsed request to its handler: which paths lead somewhere, which methods they take; which of the two is wrong decides between 404 and 405.
 * Never looks at headers or bodies.
 */
import { badRequest, clientFault, methodNotAllowedOnRoute, routeNotFound, watchNotSupported } from '../../shared/api/errors/status';
import { apiVersionOf } from '../../shared/api/identity/identity';
import type { Deprecation, KindRow, SubresourceRow, Verb } from '../../shared/api/kinds';
import { textIn } from '../../shared/names/dialect';
import type { Resource, ServedResource } from '../registry/verbs';
import type { ApiParts } from './handlers/api-dependencies';
import { customVerb } from './custom-routes';
import type { Exchange } from './request/exchange';
import { handled } from './request/request-tracing';
import { subresourceRow } from './handlers/negotiated-response';
import { remove, removeCollection } from './handlers/delete';
import { operate } from './handlers/operation';
import { connectTo } from './handlers/connect';
import { get, list } from './handlers/read';
import { showAll, showOne } from './handlers/view';
import { watch } from './handlers/watch';
import { create, patch, update } from './handlers/write';
import type { ResourceRequest } from './request/request-info';

type Handler = (parts: ApiParts, exchange: Exchange, resource: Resource, info: ResourceRequest) => Promise<void>;

const HANDLERS: Readonly<Record<Verb, Handler>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

/** Answers a request for a resource. The caller has made sure that the group is served. */
export function routeResource(parts: ApiParts, exchange: Exchange, info: ResourceRequest): Promise<void> {
  const { trace } = exchange;
  return trace === undefined ? route(parts, exchange, info) : handled(trace, exchange, info, () => route(parts, exchange, info));
}

function route(parts: ApiParts, exchange: Exchange, info: ResourceRequest): Promise<void> {
  const { resource } = exchange;
  if (resource?.row.custom !== undefined && resource.stored !== undefined) return routeCustom(parts, exchange, resource, info);
  if (resource === undefined || info.nowhere || !leadsSomewhere(resource, info)) throw routeNotFound();
  const subresource = subresourceRow(resource.row, info);
  const verb = verbOf(exchange, info, subresource);
  const isViewWatched = verb === 'watch' && isView(resource) && info.name === '' && !info.watchPrefix;
  if (verb === undefined || !(isViewWatched || takesMethod(resource, info, verb))) {
    throw methodNotAllowedOnRoute();
  }
  checkName(info.name);
  checkNamespace(resource, info.namespace);
  const place = resource.row.namespaced ? info : { ...info, namespace: '' };
  warnOfDeprecation(parts, exchange, resource, info);
  countLongRunning(parts, exchange);
  if (resource.stored !== undefined && subresource?.connects !== undefined) return connectTo(parts, exchange, resource, subresource, place);
  if (isViewWatched) throw watchNotSupported(resource.row);
  if (resource.stored === undefined && verb === 'get') return showOne(parts, exchange, resource, info);
  if (resource.stored === undefined && verb === 'list') return showAll(parts, exchange, resource, info);
  if (resource.stored === undefined || (verb === 'create' && info.subresource !== '')) {
    return operate(parts, exchange, resource, subresource, place);
  }
  return HANDLERS[verb](parts, exchange, resource, place);
}

function routeCustom(parts: ApiParts, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const verb = customVerb(exchange, resource.row, info);
  if (verb === undefined) throw new PageNotFound();
  checkName(info.name);
  checkNamespace(resource, info.namespace);
  warnOfDeprecation(parts, exchange, resource, info);
  countLongRunning(parts, exchange);
  return HANDLERS[verb](parts, exchange, resource, info);
}

function countLongRunning(parts: ApiParts, exchange: Exchange): void {
  if (exchange.longRunning !== undefined) exchange.whenFinished(parts.longRunningStarted(exchange));
}

/** There is nothing at this path, neither inside the API nor outside of it. */
export class PageNotFound extends Error {}

/** Something that is shown without being stored: it can be listed, but not watched. */
const isView = ({ row, stored }: ServedResource): boolean => stored === undefined && row.verbs.includes('list');

/** Every request for a version that is going away is told so, and counted. */
function warnOfDeprecation(parts: ApiParts, exchange: Exchange, { row }: ServedResource, { subresource }: ResourceRequest): void {
  const { deprecation, deprecationWarning } = row;
  if (deprecationWarning !== undefined) exchange.warn(deprecationWarning);
  if (deprecation === undefined) {
    if (deprecationWarning !== undefined) parts.deprecatedRequested(row, undefined, subresource);
    return;
  }
  exchange.warn(textIn(exchange.dialect, deprecationText(row, deprecation)));
  exchange.annotate('platform.io/deprecated', 'true');
  if (deprecation.removed !== undefined) exchange.annotate('platform.io/removed-release', deprecation.removed);
  parts.deprecatedRequested(row, deprecation.removed, subresource);
}

function deprecationText(row: KindRow, { since, removed, replacement }: Deprecation): string {
  const end = removed === undefined ? '' : `, unavailable in v${removed}+`;
  const successor = replacement === undefined ? '' : `; use ${apiVersionOf(replacement)} ${replacement.kind}`;
  return `${apiVersionOf(row)} ${row.kind} is deprecated in v${since}+${end}${successor}`;
}

function leadsSomewhere(resource: ServedResource, info: ResourceRequest): boolean {
  const { row } = resource;
  if (info.rest.length > 0 && subresourceRow(resource.row, info)?.connects !== 'below') return false;
  // What only takes requests for one namespace, or for all of a kind, has no other paths.
  if (info.name !== '' && info.subresource === '' && !row.verbs.some((verb) => NAMED[verb])) return false;
  if (row.namespaced && info.namespace === '' && !row.verbs.includes('list')) return false;
  if (row.namespaced ? info.name !== '' && info.namespace === '' : info.namespace !== '' && row.resource !== 'namespaces') return false;
  if (info.watchPrefix) return info.subresource === '' && row.verbs.includes('watch');
  return info.subresource === '' || subresourceRow(resource.row, info) !== undefined;
}

function takesMethod(resource: ServedResource, info: ResourceRequest, verb: Verb): boolean {
  const { row } = resource;
  if (info.subresource !== '') {
    return subresourceRow(resource.row, info)?.verbs.includes(verb) ?? false;
  }
  const named = info.name !== '';
  if (info.watchPrefix) return verb === 'watch' && row.verbs.includes('watch');
  if (named !== NAMED[verb] && verb !== 'watch') return false;
  // All namespaces together can only be read.
  if (row.namespaced && info.namespace === '' && verb !== 'list' && verb !== 'watch') return false;
  return row.verbs.includes(verb);
}

/** Whether a verb's path ends in an object's name. */
const NAMED: Readonly<Record<Verb, boolean>> = {
  get: true,
  list: false,
  watch: false,
  create: false,
  update: true,
  patch: true,
  delete: true,
  deletecollection: false,
};

/** Methods that only proxy subresources accept. */
const PROXIED_ONLY: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS']);

/** The verb of the route for a request; `undefined` when it has none. A proxy accepts HEAD and OPTIONS on the route of GET. */
function verbOf({ method }: Exchange, { verb }: ResourceRequest, subresource: SubresourceRow | undefined): Verb | undefined {
  if (PROXIED_ONLY.has(method)) return subresource?.connects === 'below' ? 'get' : undefined;
  return verb === '' || verb === 'proxy' ? undefined : verb;
}

function checkName(name: string): void {
  if (name === '.' || name === '..') throw badRequest(`Name parameter invalid: "${name}": may not be '${name}'`);
  if (name.includes('%')) throw badRequest(`Name parameter invalid: "${name}": may not contain '%'`);
}

function checkNamespace(resource: ServedResource, namespace: string): void {
  if (namespace === '.' || namespace === '..')
    throw clientFault(`invalid key: "/${resource.stored?.segment ?? resource.row.resource}/${namespace}"`);
}
