/**
 * Routes a parsed request to its handler. An unknown path is a 404, an unsupported method on a known path a 405.
 * Reads no bodies, and of the headers only the media type of a patch of a custom resource (custom-routes.ts).
 */
import { badRequest, clientError, methodNotAllowedOnRoute, routeNotFound, watchNotSupported } from '../../shared/api/errors/status';
import { apiVersionOf } from '../../shared/api/identity/identity';
import type { Deprecation, KindRow, SubresourceRow, Verb } from '../../shared/api/kinds';
import { messageInDialect } from '../../shared/names/dialect';
import type { Resource, ServedResource } from '../registry/verbs';
import type { ApiDependencies } from './handlers/api-dependencies';
import { customResourceVerb } from './custom-routes';
import type { Exchange } from './request/exchange';
import { traceHandler } from './request/request-tracing';
import { subresourceRow } from './handlers/subresource-view';
import { deleteObject, deleteCollection } from './handlers/delete';
import { runOperation } from './handlers/operation';
import { connectToBackend } from './handlers/connect';
import { getObject, listObjects } from './handlers/read';
import { listViews, getView } from './handlers/view';
import { watchObjects } from './handlers/watch';
import { createObject, patchObject, updateObject } from './handlers/write';
import type { ResourceRequest } from './request/request-info';

/** Serves one verb. Resolves when the response has been sent, or for a watch when it has started. */
type Handler = (deps: ApiDependencies, exchange: Exchange, resource: Resource, info: ResourceRequest) => Promise<void>;

const HANDLERS: Readonly<Record<Verb, Handler>> = {
  get: getObject,
  list: listObjects,
  watch: watchObjects,
  create: createObject,
  update: updateObject,
  patch: patchObject,
  delete: deleteObject,
  deletecollection: deleteCollection,
};

/** Handles a request for a resource of a served group. Throws or rejects with StatusError, or {@link PageNotFound}. */
export function routeResource(deps: ApiDependencies, exchange: Exchange, info: ResourceRequest): Promise<void> {
  const { trace } = exchange;
  return trace === undefined ? route(deps, exchange, info) : traceHandler(trace, exchange, info, () => route(deps, exchange, info));
}

/** Checks in upstream's order whether the path exists, allows the verb and has valid names, then calls the handler. */
function route(deps: ApiDependencies, exchange: Exchange, info: ResourceRequest): Promise<void> {
  const { resource } = exchange;
  if (resource?.row.custom !== undefined && resource.stored !== undefined) return routeCustom(deps, exchange, resource, info);
  if (resource === undefined || info.isUnroutable || !isRoutable(resource, info)) throw routeNotFound();
  const subresource = subresourceRow(resource.row, info);
  const verb = verbOf(exchange, info, subresource);
  // Upstream has a route for the watch of a resource that can only be listed, and refuses it in the handler.
  const isWatchOfView = verb === 'watch' && isView(resource) && info.name === '' && !info.hasWatchPrefix;
  if (verb === undefined || !(isWatchOfView || allowsVerb(resource, info, verb))) {
    throw methodNotAllowedOnRoute();
  }
  checkName(info.name);
  checkNamespace(resource, info.namespace);
  warnAboutDeprecation(deps, exchange, resource, info);
  countLongRunning(deps, exchange);
  if (isWatchOfView) throw watchNotSupported(resource.row);
  // For a Namespace, `info.namespace` is the name of the object itself.
  const target = resource.row.namespaced ? info : { ...info, namespace: '' };
  if (resource.stored === undefined) {
    if (verb === 'get') return getView(deps, exchange, resource, info);
    if (verb === 'list') return listViews(deps, exchange, resource, info);
    return runOperation(deps, exchange, { resource, subresource }, target);
  }
  if (subresource?.connects !== undefined) return connectToBackend(deps, exchange, { resource, subresource }, target);
  if (verb === 'create' && subresource !== undefined) return runOperation(deps, exchange, { resource, subresource }, target);
  return HANDLERS[verb](deps, exchange, resource, target);
}

/** The same as {@link route} for a custom resource, with upstream's other order of checks and other errors. */
function routeCustom(deps: ApiDependencies, exchange: Exchange, resource: Resource, info: ResourceRequest): Promise<void> {
  const verb = customResourceVerb(exchange, resource.row, info);
  if (verb === undefined) throw new PageNotFound();
  checkName(info.name);
  checkNamespace(resource, info.namespace);
  warnAboutDeprecation(deps, exchange, resource, info);
  countLongRunning(deps, exchange);
  return HANDLERS[verb](deps, exchange, resource, info);
}

/** Counts a long-running request as open until it has finished. */
function countLongRunning(deps: ApiDependencies, exchange: Exchange): void {
  if (exchange.longRunning !== undefined) exchange.whenFinished(deps.startLongRunning(exchange));
}

/** Thrown for a path that exists neither inside nor outside the API. The response is plain text. */
export class PageNotFound extends Error {}

/** Whether the resource is virtual and can be listed. Such a resource cannot be watched. */
const isView = ({ row, stored }: ServedResource): boolean => stored === undefined && row.verbs.includes('list');

/**
 * Warns clients of deprecated versions, and counts their requests. Built-in kinds have a `deprecation`, custom resources
 * the `deprecationWarning` of their definition.
 */
function warnAboutDeprecation(deps: ApiDependencies, exchange: Exchange, { row }: ServedResource, { subresource }: ResourceRequest): void {
  const { deprecation, deprecationWarning } = row;
  if (deprecationWarning !== undefined) exchange.warn(deprecationWarning);
  if (deprecation === undefined && deprecationWarning === undefined) return;
  deps.countDeprecatedRequest(row, deprecation?.removed, subresource);
  if (deprecation === undefined) return;
  exchange.warn(messageInDialect(exchange.dialect, deprecationText(row, deprecation)));
  exchange.addAuditAnnotation('platform.io/deprecated', 'true');
  if (deprecation.removed !== undefined) exchange.addAuditAnnotation('platform.io/removed-release', deprecation.removed);
}

function deprecationText(row: KindRow, { since, removed, replacement }: Deprecation): string {
  const end = removed === undefined ? '' : `, unavailable in v${removed}+`;
  const successor = replacement === undefined ? '' : `; use ${apiVersionOf(replacement)} ${replacement.kind}`;
  return `${apiVersionOf(row)} ${row.kind} is deprecated in v${since}+${end}${successor}`;
}

/** Whether the path of a verb ends with an object's name. */
const NEEDS_NAME: Readonly<Record<Verb, boolean>> = {
  get: true,
  list: false,
  watch: false,
  create: false,
  update: true,
  patch: true,
  delete: true,
  deletecollection: false,
};

/** Whether the path exists for some verb. */
function isRoutable(resource: ServedResource, info: ResourceRequest): boolean {
  const { row } = resource;
  if (info.rest.length > 0 && subresourceRow(resource.row, info)?.connects !== 'with-subpaths') return false;
  // Resources that only accept requests in one namespace, or for the whole kind, have no other paths.
  if (info.name !== '' && info.subresource === '' && !row.verbs.some((verb) => NEEDS_NAME[verb])) return false;
  if (row.namespaced && info.namespace === '' && !row.verbs.includes('list')) return false;
  const lacksNamespace = row.namespaced && info.name !== '' && info.namespace === '';
  const hasNeedlessNamespace = !row.namespaced && info.namespace !== '' && row.resource !== 'namespaces';
  if (lacksNamespace || hasNeedlessNamespace) return false;
  if (info.hasWatchPrefix) return info.subresource === '' && row.verbs.includes('watch');
  return info.subresource === '' || subresourceRow(resource.row, info) !== undefined;
}

/** Whether the path, which exists, accepts the verb. */
function allowsVerb(resource: ServedResource, info: ResourceRequest, verb: Verb): boolean {
  const { row } = resource;
  if (info.subresource !== '') {
    return subresourceRow(resource.row, info)?.verbs.includes(verb) ?? false;
  }
  const hasName = info.name !== '';
  if (info.hasWatchPrefix) return verb === 'watch' && row.verbs.includes('watch');
  if (hasName !== NEEDS_NAME[verb] && verb !== 'watch') return false;
  const spansNamespaces = row.namespaced && info.namespace === '';
  if (spansNamespaces && verb !== 'list' && verb !== 'watch') return false;
  return row.verbs.includes(verb);
}

/** Methods that only proxy subresources accept. */
const PROXY_ONLY_METHODS: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS']);

/**
 * The verb of the route for a request; `undefined` when it has none. A proxy accepts HEAD and OPTIONS on the route of
 * GET.
 */
function verbOf({ method }: Exchange, { verb }: ResourceRequest, subresource: SubresourceRow | undefined): Verb | undefined {
  if (PROXY_ONLY_METHODS.has(method)) return subresource?.connects === 'with-subpaths' ? 'get' : undefined;
  return verb === '' || verb === 'proxy' ? undefined : verb;
}

function checkName(name: string): void {
  if (name === '.' || name === '..') throw badRequest(`Name parameter invalid: "${name}": may not be '${name}'`);
  if (name.includes('%')) throw badRequest(`Name parameter invalid: "${name}": may not contain '%'`);
}

function checkNamespace(resource: ServedResource, namespace: string): void {
  if (namespace === '.' || namespace === '..') {
    throw clientError(`invalid key: "/${resource.stored?.segment ?? resource.row.resource}/${namespace}"`);
  }
}
