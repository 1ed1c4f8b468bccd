/**
 * Determines the verb of requests for custom resources. Upstream routes these apart from built-in kinds, with other
 * messages for invalid requests, and accepts HEAD. Valid requests are left to the same handlers as built-in kinds.
 */
import { ownMember } from '../../shared/values/json';
import { groupResourceText } from '../../shared/api/identity/identity';
import type { KindRow, Verb } from '../../shared/api/kinds';
import { badRequest, methodNotSupported, notFound, unsupportedMediaType } from '../../shared/api/errors/status';
import type { Exchange } from './request/exchange';
import { CUSTOM_PATCH_TYPES, plainType } from './request/body';
import type { ResourceRequest } from './request/request-info';

/** The verbs that every subresource of a custom resource accepts. */
const SUBRESOURCE_VERBS: readonly Verb[] = ['get', 'patch', 'update'];

/** The verb of each method; `undefined` when `verb`, which is parsed from path and query, does not fit a GET. */
const METHOD_VERBS: Readonly<Record<string, (info: ResourceRequest) => Verb | undefined>> = {
  GET: ({ verb }) => (verb === 'get' || verb === 'list' || verb === 'watch' ? verb : undefined),
  HEAD: ({ name }) => (name === '' ? 'list' : 'get'),
  // A name in the path of a creation is ignored (upstream behaviour).
  POST: () => 'create',
  PUT: () => 'update',
  PATCH: () => 'patch',
  DELETE: ({ name }) => (name === '' ? 'deletecollection' : 'delete'),
};

/**
 * The verb of the request; `undefined` when the path does not exist. Throws StatusError when the path does not allow the
 * verb, or the request lacks what the verb needs.
 */
export function customResourceVerb(exchange: Exchange, row: KindRow, info: ResourceRequest): Verb | undefined {
  const isScopeWrong = row.namespaced ? info.name !== '' && info.namespace === '' : info.namespace !== '';
  if (info.isUnroutable || info.hasWatchPrefix || isScopeWrong) return undefined;
  // Segments after the subresource are ignored (upstream behaviour).
  const hasSubresource = info.subresource !== '';
  const isSubresourceDefined = row.subresources?.some(({ name }) => name === info.subresource) === true;
  if (hasSubresource && !isSubresourceDefined) throw notFound(row, info.name);
  const verb = ownMember(METHOD_VERBS, exchange.method)?.(info);
  if (verb === undefined || (hasSubresource && !SUBRESOURCE_VERBS.includes(verb))) {
    throw methodNotSupported(row, verb ?? '', groupResourceText(row));
  }
  const contentType = plainType(exchange.header('content-type'));
  if (verb === 'patch' && !CUSTOM_PATCH_TYPES.includes(contentType)) throw unsupportedMediaType(CUSTOM_PATCH_TYPES);
  if (info.name === '' && (verb === 'update' || verb === 'patch')) throw badRequest('name must be provided');
  return verb;
}
