/**
 * What a request is about, told from its method, path and query alone.
 * Never asks whether the resource exists. Groups are in canonical spelling; `groupSpelling` keeps what the client wrote.
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

export type RequestVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | 'proxy' | '';

export interface ResourceRequest {
  readonly kind: 'resource';
  readonly path: string;
  readonly verb: RequestVerb;
  readonly group: string;
  /** The dialect in which the path spells its group; undefined where both spell it alike. */
  readonly dialect: Dialect | undefined;
  readonly version: string;
  /** In stored spelling; so is the name of a Namespace. */
  readonly namespace: string;
  /** Set when a system namespace was asked for by its alias: the answer spells it alike. */
  readonly alias: NamespaceAlias | undefined;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
  /** Segments after the subresource. */
  readonly rest: readonly string[];
  /** The deprecated `/watch/` prefix. */
  readonly watchPrefix: boolean;
  /** The deprecated `/proxy/` prefix, or a path with empty segments: leads nowhere. */
  readonly nowhere: boolean;
}

export interface PathRequest {
  readonly kind: 'path';
  readonly path: string;
  /** The method in lower case. */
  readonly verb: string;
}

export type RequestInfo = ResourceRequest | PathRequest;

/** A path that cannot be read at all; answered with 400 and this message as plain text. */
export class UnreadableRequest extends Error {
  constructor(
    message: string,
    /** The connection cannot be trusted to carry another request. */
    readonly closes: boolean,
  ) {
    super(message);
  }
}

/** `path` is decoded and starts with `/`. */
export function requestInfo(method: string, path: string, query: Query, names: GeneratedNames): RequestInfo {
  const segments = split(path);
  const prefix = segments[0];
  const grouped = prefix === 'apis';
  if (segments.length < (grouped ? 4 : 3) || (!grouped && prefix !== 'api')) return { kind: 'path', path, verb: method.toLowerCase() };

  const spelling = grouped ? (segments[1] ?? '') : '';
  const version = segments[grouped ? 2 : 1] ?? '';
  let at = grouped ? 3 : 2;
  let verb = verbOf(method);
  const special = segments[at];
  const watchPrefix = special === 'watch';
  const proxyPrefix = special === 'proxy';
  if (watchPrefix || proxyPrefix) {
    at += 1;
    if (at >= segments.length) {
      // Upstream answers the same words with 500.
      throw new UnreadableRequest(
        `Internal Server Error: "${path}": failed to create RequestInfo: unable to determine kind and namespace from url, ${path}\n`,
        false,
      );
    }
    if (proxyPrefix) verb = 'proxy';
    else if (verb === 'get') verb = 'watch';
    else verb = '';
  }

  const place = placeOf(segments, at);
  if (!proxyPrefix && place.name === '') {
    if (verb === 'get') verb = query.boolean('watch') === true ? 'watch' : 'list';
    else if (verb === 'delete') verb = 'deletecollection';
  } else if (verb === 'get' && place.subresource === '' && query.boolean('watch') === true) {
    verb = 'watch';
  }
  const group = canonicalGroup(spelling);
  const core = group === '';
  const isNamespace = core && place.resource === 'namespaces';
  const inPath = namespaceAlias(names, place.namespace);
  return {
    kind: 'resource',
    path,
    verb,
    group,
    dialect: dialectOfGroup(spelling),
    version,
    namespace: inPath?.stored ?? place.namespace,
    alias: isNamespace && place.namespace === '' ? namespaceAlias(names, pinnedName(query)) : inPath,
    resource: place.resource,
    name: isNamespace && place.name === inPath?.shown ? inPath.stored : place.name,
    subresource: place.subresource,
    rest: place.rest,
    watchPrefix,
    nowhere: proxyPrefix || segments.includes(''),
  };
}

const PINNED_NAME = /^metadata\.name==?([^,=!\\]+)$/;

/** The name to which a field selector narrows a collection; '' when it names none or more than that. */
export function pinnedName(query: Query): string {
  const selector = query.get('fieldSelector');
  return selector === undefined ? '' : (PINNED_NAME.exec(selector)?.[1] ?? '');
}

interface Place {
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
  readonly rest: readonly string[];
}

const NO_REST: readonly string[] = [];

/** `namespaces/<ns>/<rest>` names a namespace and goes on with the rest, unless the rest is a subresource of the namespace itself. */
function placeOf(segments: readonly string[], start: number): Place {
  let at = start;
  let namespace = '';
  if (segments[at] === 'namespaces' && segments.length > at + 1) {
    namespace = segments[at + 1] ?? '';
    const next = segments[at + 2];
    if (next !== undefined && next !== 'status' && next !== 'finalize') at += 2;
  }
  return {
    namespace,
    resource: segments[at] ?? '',
    name: segments[at + 1] ?? '',
    subresource: segments[at + 2] ?? '',
    rest: segments.length > at + 3 ? segments.slice(at + 3) : NO_REST,
  };
}

/** Segments between the slashes; slashes at both ends do not count, empty segments in the middle do. */
function split(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === 47) start += 1;
  while (end > start && path.charCodeAt(end - 1) === 47) end -= 1;
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
