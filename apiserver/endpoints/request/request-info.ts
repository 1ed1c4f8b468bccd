/**
 * Parses method, path and query into the request info. Does not check whether the resource exists. Groups are in
 * canonical spelling; `dialect` preserves the client's.
 */
import {
  canonicalGroup,
  dialectOfGroup,
  namespaceAlias,
  type Dialect,
  type GeneratedNames,
  type NamespaceAlias,
} from '../../../shared/names/dialect';
import type { Query } from './query';

/**
 * The verb of a request for a resource, as authorization and the audit log see it; '' when the method has none.
 * `proxy` is only that of the deprecated path prefix `/proxy/`.
 */
export type RequestVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | 'proxy' | '';

/**
 * A request for a resource, parsed from path, method and query. Absent parts are ''. Whether the resource exists is
 * decided later.
 */
export interface ResourceRequest {
  readonly kind: 'resource';
  /** The decoded path. */
  readonly path: string;
  readonly verb: RequestVerb;
  /** In canonical spelling; '' for the core group. */
  readonly group: string;
  /** The dialect of the group in the path; `undefined` when both dialects spell it alike. */
  readonly dialect: Dialect | undefined;
  readonly version: string;
  /** In stored spelling, like the name of a Namespace. */
  readonly namespace: string;
  /** Set when the path names a system namespace by its alias, which the response then uses. */
  readonly alias: NamespaceAlias | undefined;
  /** The plural name, `pods`. */
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
  /** Segments after the subresource: the path for the backend of a proxy. */
  readonly rest: readonly string[];
  /** Whether the path has the deprecated prefix `/watch/`. */
  readonly hasWatchPrefix: boolean;
  /** Whether the path has the deprecated prefix `/proxy/` or empty segments, and is not served. */
  readonly isUnroutable: boolean;
}

/** A request for any other path. */
export interface PathRequest {
  readonly kind: 'path';
  /** The decoded path. */
  readonly path: string;
  /** The method in lower case. */
  readonly verb: string;
}

/** The request info: everything that authorization, routing and filters read from the method, path and query of a request. */
export type RequestInfo = ResourceRequest | PathRequest;

/** A path that cannot be parsed; the response is 400 with this message as plain text. */
export class MalformedRequest extends Error {
  /** Whether the connection must be closed, because its further requests cannot be trusted. */
  readonly closesConnection: boolean;

  constructor(message: string, { closesConnection }: { readonly closesConnection: boolean }) {
    super(message);
    this.closesConnection = closesConnection;
  }
}

/**
 * Parses a request. `path` is decoded and starts with `/`. Resources are below `/api/<version>/` (the core group) and
 * `/apis/<group>/<version>/`; requests for other paths are PathRequests. Throws {@link MalformedRequest}.
 */
export function parseRequestInfo(method: string, path: string, query: Query, names: GeneratedNames): RequestInfo {
  const segments = splitPath(path);
  const root = segments[0];
  const isGrouped = root === 'apis';
  /** The position of the first segment after the version. */
  const start = isGrouped ? 3 : 2;
  if (segments.length <= start || (!isGrouped && root !== 'api')) return { kind: 'path', path, verb: method.toLowerCase() };

  const spelling = isGrouped ? (segments[1] ?? '') : '';
  const version = segments[start - 1] ?? '';
  const deprecatedPrefix = deprecatedPrefixOf(segments[start]);
  if (deprecatedPrefix !== undefined && segments.length === start + 1) throw undeterminedResource(path);
  const location = parseLocation(segments, deprecatedPrefix === undefined ? start : start + 1);
  const group = canonicalGroup(spelling);
  const isCore = group === '';
  const isNamespace = isCore && location.resource === 'namespaces';
  const namespaceInPath = namespaceAlias(names, location.namespace);
  return {
    kind: 'resource',
    path,
    verb: resourceVerb(verbOf(method), deprecatedPrefix, location, query),
    group,
    dialect: dialectOfGroup(spelling),
    version,
    namespace: namespaceInPath?.stored ?? location.namespace,
    alias: isNamespace && location.namespace === '' ? namespaceAlias(names, nameFromFieldSelector(query)) : namespaceInPath,
    resource: location.resource,
    name: isNamespace && location.name === namespaceInPath?.shown ? namespaceInPath.stored : location.name,
    subresource: location.subresource,
    rest: location.rest,
    hasWatchPrefix: deprecatedPrefix === 'watch',
    isUnroutable: deprecatedPrefix === 'proxy' || segments.includes(''),
  };
}

/** A prefix of the resource in the path that upstream has deprecated. */
type DeprecatedPrefix = 'watch' | 'proxy';

function deprecatedPrefixOf(segment: string | undefined): DeprecatedPrefix | undefined {
  return segment === 'watch' || segment === 'proxy' ? segment : undefined;
}

/** Upstream responds with the same message and status 500. */
function undeterminedResource(path: string): MalformedRequest {
  return new MalformedRequest(
    `Internal Server Error: "${path}": failed to create RequestInfo: unable to determine kind and namespace from url, ${path}\n`,
    { closesConnection: false },
  );
}

/**
 * The verb of a request; `verb` is that of its method. The prefix `/proxy/` replaces it, and `/watch/` allows only GET. A
 * GET or DELETE without a name is one of the collection.
 */
function resourceVerb(
  verb: RequestVerb,
  deprecatedPrefix: DeprecatedPrefix | undefined,
  { name, subresource }: ResourceLocation,
  query: Query,
): RequestVerb {
  if (deprecatedPrefix === 'proxy') return 'proxy';
  if (deprecatedPrefix === 'watch') return verb === 'get' ? 'watch' : '';
  if (verb === 'get') {
    if ((name === '' || subresource === '') && query.boolean('watch') === true) return 'watch';
    return name === '' ? 'list' : 'get';
  }
  return verb === 'delete' && name === '' ? 'deletecollection' : verb;
}

/** A field selector with nothing but a name: `metadata.name=web`, `metadata.name==web`. */
const NAME_SELECTOR = /^metadata\.name==?([^,=!\\]+)$/;

/** The name that a field selector restricts a collection to; '' when it has none or other terms. */
export function nameFromFieldSelector(query: Query): string {
  const selector = query.get('fieldSelector');
  return selector === undefined ? '' : (NAME_SELECTOR.exec(selector)?.[1] ?? '');
}

/** The parts of a path after the version; absent parts are ''. */
interface ResourceLocation {
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
  readonly rest: readonly string[];
}

const SLASH = 0x2f;
const NO_REST: readonly string[] = [];

/**
 * Parses the segments from `start` on:
 *
 *     nodes/n/status           -> resource nodes, name n, subresource status
 *     namespaces/ns/pods/p     -> namespace ns, resource pods, name p
 *     namespaces/ns            -> namespace ns, resource namespaces, name ns
 *     namespaces/ns/finalize   -> namespace ns, resource namespaces, name ns, subresource finalize
 */
function parseLocation(segments: readonly string[], start: number): ResourceLocation {
  /** The position of the resource: after the namespace, unless the request is for the Namespace itself. */
  let position = start;
  let namespace = '';
  if (segments[position] === 'namespaces' && segments.length > position + 1) {
    namespace = segments[position + 1] ?? '';
    const next = segments[position + 2];
    if (next !== undefined && next !== 'status' && next !== 'finalize') position += 2;
  }
  return {
    namespace,
    resource: segments[position] ?? '',
    name: segments[position + 1] ?? '',
    subresource: segments[position + 2] ?? '',
    rest: segments.length > position + 3 ? segments.slice(position + 3) : NO_REST,
  };
}

/**
 * The segments between slashes. One leading slash and all trailing ones are ignored. Other empty segments are kept, except
 * that a path with several leading slashes begins with a single empty segment, so that it matches no root.
 */
function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === SLASH) start += 1;
  while (end > start && path.charCodeAt(end - 1) === SLASH) end -= 1;
  // `//api` is another path than `/api`.
  if (start > 1) return ['', path.slice(start, end)];
  return start === end ? [] : path.slice(start, end).split('/');
}

function verbOf(method: string): RequestVerb {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return 'delete';
    default:
      return '';
  }
}
