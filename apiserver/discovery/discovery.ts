/**
 * Serves the discovery documents over HTTP: their paths, encodings and conditional requests. Documents are created at
 * their first request and cached; there are a few per group. The router decides which methods are allowed.
 */
import { createHash } from 'node:crypto';
import { appendAll } from '../../shared/values/append';
import type { JsonObject } from '../../shared/values/json';
import type { KindRow } from '../../shared/api/kinds';
import { notAcceptable } from '../../shared/api/errors/status';
import {
  canonicalGroup,
  type Dialect,
  dialectOfGroup,
  DIALECTS,
  groupInDialect,
  JSON_MEDIA_TYPE,
  PROTOBUF_MEDIA_TYPE,
  YAML_MEDIA_TYPE,
} from '../../shared/names/dialect';
import { encodeProtobuf, stringifyYaml } from '../../shared/serialization';
import { memoizeBySource } from '../../shared/runtime/memoize-by-source';
import { acceptClauses, aggregatedParameters, aggregatedTarget, type AggregatedTarget, type Encoding } from './accept';
import type { DocumentResponse, DocumentRequest, DocumentHandler } from './document-handler';
import { aggregatedList, coreVersions, groupDocument, groupList, resourceList } from './discovery-documents';
import { servedGroups, type ServedGroup } from './groups';
import type { RemoteVersion } from './remote-version';

/** The served kinds and versions, and the names that the documents use. */
export interface DiscoveryDependencies {
  /** The served kinds; the same list until they change. */
  readonly rows: () => readonly KindRow[];
  /** The versions of aggregated API servers; the same list until they change. Absent without aggregation. */
  readonly remotes?: () => readonly RemoteVersion[];
  /** The spelling of group names where the path of a request determines none. */
  readonly naming: Dialect;
  /** `host:port` under which clients reach this server. */
  readonly serverAddress: string;
}

/** Serves `/api`, `/api/<v>`, `/apis`, `/apis/<g>` and `/apis/<g>/<v>`; a trailing slash is ignored. */
export interface Discovery extends DocumentHandler {
  handle(request: DocumentRequest): DocumentResponse | undefined;
  /** Whether a path has a document; groups and versions change at run time. */
  serves(path: string): boolean;
  /** All paths with a document, those that aggregated API servers serve included. */
  paths(): readonly string[];
}

const NO_REMOTES: readonly RemoteVersion[] = [];
/** Headers of documents that are not in the aggregated form. */
const UNCACHED = { 'cache-control': 'no-cache, private' };

/** The documents are those of the present rows and remote versions: a new list of either discards the cached documents. */
export function createDiscovery(deps: DiscoveryDependencies): Discovery {
  const currentRemotes = (): readonly RemoteVersion[] => deps.remotes?.() ?? NO_REMOTES;
  const snapshotsOfCurrentRows = memoizeBySource(deps.rows, (rows) =>
    memoizeBySource(currentRemotes, (remotes) => new DiscoverySnapshot(deps, rows, remotes)),
  );
  const currentSnapshot = (): DiscoverySnapshot => snapshotsOfCurrentRows()();
  return {
    handle: (request) => currentSnapshot().handle(request),
    serves: (path) => currentSnapshot().serves(path),
    paths: () => currentSnapshot().paths(),
  };
}

/** A document and how it may be requested. */
interface Route {
  readonly value: JsonObject;
  /** Its type in the protobuf tables. */
  readonly type: string;
  /** The groups of its aggregated form. */
  readonly aggregates?: readonly ServedGroup[];
  /** Whether the 406 for unknown media types lists the available representations, which differs by path in upstream. */
  readonly listsRepresentations: boolean;
}

/** The representation of a document that a request asks for. */
interface BodyRequest {
  readonly path: string;
  readonly contentType: string;
  readonly encoding: Encoding;
  /** The type of the document in the protobuf tables; '' when it is not encoded as protobuf. */
  readonly type: string;
  readonly pretty: boolean;
}

/** The aggregated form of the document at a path. */
interface AggregatedForm {
  readonly path: string;
  readonly groups: readonly ServedGroup[];
  readonly target: AggregatedTarget;
  readonly encoding: Encoding;
}

/** The documents of one state of the served kinds. */
class DiscoverySnapshot implements Discovery {
  private readonly groups: readonly ServedGroup[];
  /** The core group, if it is served. */
  private readonly core: readonly ServedGroup[];
  /** All other groups. */
  private readonly named: readonly ServedGroup[];
  /** Only paths of served groups and versions are cached, so clients cannot make these maps grow. */
  private readonly routes = new Map<string, Route>();
  private readonly etags = new Map<string, string>();
  private readonly bodies = new Map<string, Buffer>();

  constructor(
    private readonly deps: DiscoveryDependencies,
    rows: readonly KindRow[],
    remotes: readonly RemoteVersion[],
  ) {
    this.groups = servedGroups(rows, remotes);
    this.core = this.groups.filter(({ group }) => group === '');
    this.named = this.groups.filter(({ group }) => group !== '');
  }

  handle(request: DocumentRequest): DocumentResponse | undefined {
    const path = withoutTrailingSlash(request.path);
    const route = this.route(path);
    return route === undefined ? undefined : this.respond(route, path, request);
  }

  serves(path: string): boolean {
    return this.route(withoutTrailingSlash(path)) !== undefined;
  }

  paths(): readonly string[] {
    const paths = ['/api', '/apis', '/apis/'];
    for (const group of this.groups) {
      for (const path of groupPaths(group)) {
        const versionPaths = group.versions.map(({ version }) => `${path}/${version}`);
        appendAll(paths, [path, ...versionPaths]);
      }
    }
    return paths;
  }

  private route(path: string): Route | undefined {
    const cached = this.routes.get(path);
    if (cached !== undefined) return cached;
    const created = this.createRoute(path);
    if (created !== undefined) this.routes.set(path, created);
    return created;
  }

  private createRoute(path: string): Route | undefined {
    const [empty, root, ...segments] = path.split('/');
    if (empty !== '') return undefined;
    if (root === 'api') return this.coreRoute(segments);
    return root === 'apis' ? this.groupRoute(segments) : undefined;
  }

  /** `segments` are those after `/api`. */
  private coreRoute([version, ...furtherSegments]: readonly string[]): Route | undefined {
    const [core] = this.core;
    if (core === undefined || furtherSegments.length > 0) return undefined;
    if (version !== undefined) return versionRoute(core, version, this.deps.naming);
    const value = coreVersions(core, this.deps.serverAddress);
    return { value, type: 'meta.v1.APIVersions', aggregates: this.core, listsRepresentations: true };
  }

  /** `segments` are those after `/apis`. */
  private groupRoute([name, version, ...furtherSegments]: readonly string[]): Route | undefined {
    if (name === undefined) {
      const value = groupList(this.named, this.deps.naming);
      return { value, type: 'meta.v1.APIGroupList', aggregates: this.named, listsRepresentations: false };
    }
    const group = this.named.find((candidate) =>
      candidate.spelling === undefined ? candidate.group === canonicalGroup(name) : candidate.spelling === name,
    );
    if (group === undefined || furtherSegments.length > 0) return undefined;
    const dialect = dialectOfGroup(name) ?? this.deps.naming;
    if (version !== undefined) return versionRoute(group, version, dialect);
    return { value: groupDocument(group, dialect), type: 'meta.v1.APIGroup', listsRepresentations: false };
  }

  /** Responds with the form of the document that the first matching clause of the Accept header requests. */
  private respond(route: Route, path: string, request: DocumentRequest): DocumentResponse {
    const clauses = acceptClauses(request.accept);
    for (const { encoding, target } of clauses) {
      if (target === undefined) {
        const contentType = mediaType(encoding);
        const body = this.encode({ path, contentType, encoding, type: route.type, pretty: request.pretty }, () => route.value);
        return { status: 200, headers: { 'content-type': contentType, ...UNCACHED }, body };
      }
      const supportedTarget = aggregatedTarget(target);
      // The aggregated form has no protobuf encoding here; clients that request it accept JSON too.
      const isUnavailable = route.aggregates === undefined || supportedTarget === undefined || encoding.type === 'protobuf';
      if (isUnavailable) continue;
      return this.respondAggregated({ path, groups: route.aggregates, target: supportedTarget, encoding }, request);
    }
    const types = [JSON_MEDIA_TYPE, YAML_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE[this.deps.naming]].join(', ');
    if (clauses.length === 0 && route.listsRepresentations) {
      throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${types}`, {});
    }
    throw notAcceptable(`only the following media types are accepted: ${types}`);
  }

  /** Responds with the aggregated form of a document, or with 304. */
  private respondAggregated(
    { path, groups, target: { version, dialect }, encoding }: AggregatedForm,
    request: DocumentRequest,
  ): DocumentResponse {
    const etag = this.etagOf(path, groups, dialect);
    const headers = { 'cache-control': 'public', vary: 'Accept', etag };
    if (request.ifNoneMatch === etag) return { status: 304, headers, body: Buffer.alloc(0) };
    const contentType = mediaType(encoding) + aggregatedParameters(version, dialect);
    const body = this.encode({ path, contentType, encoding, type: '', pretty: request.pretty }, () =>
      aggregatedList(groups, version, dialect),
    );
    return { status: 200, headers: { 'content-type': contentType, ...headers }, body };
  }

  /** The same for both versions and all encodings of the aggregated form. */
  private etagOf(path: string, groups: readonly ServedGroup[], dialect: Dialect): string {
    return getOrCreate(this.etags, `${path} ${dialect}`, () => {
      const json = JSON.stringify(aggregatedList(groups, 'v2', dialect));
      return `"${createHash('sha512').update(json).digest('hex').toUpperCase()}"`;
    });
  }

  /** Indented bodies are requested rarely, by human readers, and are not cached. */
  private encode({ path, contentType, encoding, type, pretty }: BodyRequest, value: () => JsonObject): Buffer {
    if (encoding.type === 'json' && pretty) return Buffer.from(JSON.stringify(value(), undefined, 2));
    return getOrCreate(this.bodies, `${path} ${contentType}`, () => encodeDocument(value(), type, encoding));
  }
}

/** The paths of a group, one for each of its spellings. */
function groupPaths({ group, spelling }: ServedGroup): readonly string[] {
  if (group === '') return ['/api'];
  if (spelling !== undefined) return [`/apis/${spelling}`];
  return DIALECTS.map((dialect) => `/apis/${groupInDialect(dialect, group)}`);
}

/** `undefined` when the version is not served, or is served by an aggregated API server. */
function versionRoute(group: ServedGroup, version: string, dialect: Dialect): Route | undefined {
  const served = group.versions.find((candidate) => candidate.version === version);
  if (served === undefined || served.remote !== undefined) return undefined;
  return { value: resourceList(group.group, served, dialect), type: 'meta.v1.APIResourceList', listsRepresentations: true };
}

function mediaType(encoding: Encoding): string {
  switch (encoding.type) {
    case 'json':
      return JSON_MEDIA_TYPE;
    case 'yaml':
      return YAML_MEDIA_TYPE;
    case 'protobuf':
      return PROTOBUF_MEDIA_TYPE[encoding.dialect];
  }
}

function encodeDocument(value: JsonObject, type: string, encoding: Encoding): Buffer {
  switch (encoding.type) {
    case 'json':
      return Buffer.from(`${JSON.stringify(value)}\n`);
    case 'yaml':
      return Buffer.from(stringifyYaml(value));
    case 'protobuf': {
      const { kind, apiVersion: _, ...message } = value;
      return encodeProtobuf(type, message, 'v1', typeof kind === 'string' ? kind : '');
    }
  }
}

function withoutTrailingSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function getOrCreate<T>(cache: Map<string, T>, key: string, create: () => T): T {
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  const created = create();
  cache.set(key, created);
  return created;
}
