/**
 * The discovery documents over HTTP: which paths they have, their encodings, and conditional requests. Documents are made when they are first asked for
 * and kept: there are a few per group. Which methods they take is the router's business.
 */
import { append } from '../../shared/values/append';
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../shared/values/json';
import type { KindRow } from '../../shared/api/kinds';
import { notAcceptable } from '../../shared/api/errors/status';
import {
  canonicalGroup,
  type Dialect,
  dialectOfGroup,
  DIALECTS,
  groupIn,
  JSON_MEDIA_TYPE,
  PROTOBUF_MEDIA_TYPE,
  YAML_MEDIA_TYPE,
} from '../../shared/names/dialect';
import { encodeProtobuf, stringifyYaml } from '../../shared/serialization';
import { perLists } from '../registry/per-rows';
import { acceptClauses, aggregatedParameters, aggregatedTarget, type AggregatedTarget, type Encoding } from './accept';
import type { DocumentAnswer, DocumentRequest, Documents } from './document-handler';
import { aggregatedList, coreVersions, groupDocument, groupList, resourceList } from './discovery-documents';
import { servedGroups, type ServedGroup } from './groups';
import type { RemoteVersion } from './remote-version';

export interface DiscoveryParts {
  /** What is served; the same list until something changes. */
  readonly rows: () => readonly KindRow[];
  /** What other servers answer for; the same list until something changes. Absent = nothing. */
  readonly remotes?: () => readonly RemoteVersion[];
  readonly naming: Dialect;
  /** `host:port` under which clients reach this server. */
  readonly serverAddress: string;
}

/** Answers `/api`, `/api/<v>`, `/apis`, `/apis/<g>` and `/apis/<g>/<v>`; a trailing slash counts as absent. */
export interface Discovery extends Documents {
  handle(request: DocumentRequest): DocumentAnswer | undefined;
  /** Whether there is a document at a path: groups and versions come and go. */
  leads(path: string): boolean;
  /** All paths that lead somewhere. */
  paths(): readonly string[];
}

export function createDiscovery(parts: DiscoveryParts): Discovery {
  const present = perLists(
    () => [parts.rows(), parts.remotes?.() ?? NONE] as const,
    ([rows, remotes]) => new DiscoveryOfRows(parts, rows, remotes),
  );
  return {
    handle: (request) => present().handle(request),
    leads: (path) => present().leads(path),
    paths: () => present().paths(),
  };
}

const NONE: readonly RemoteVersion[] = [];
const PRIVATE = { 'cache-control': 'no-cache, private' };

/** One document and how it is asked for. */
interface Route {
  readonly value: JsonObject;
  /** Its type in the protobuf tables. */
  readonly type: string;
  /** The groups of its aggregated form. */
  readonly aggregates?: readonly ServedGroup[];
  /** Upstream's refusal of unknown media types names the representations that there are, here and not in other places. */
  readonly listsRepresentations: boolean;
}

class DiscoveryOfRows implements Discovery {
  private readonly groups: readonly ServedGroup[];
  private readonly core: readonly ServedGroup[];
  private readonly named: readonly ServedGroup[];
  /** Only paths of served groups and versions are remembered, so clients cannot make these grow. */
  private readonly routes = new Map<string, Route>();
  private readonly etags = new Map<string, string>();
  private readonly bodies = new Map<string, Buffer>();

  constructor(
    private readonly parts: DiscoveryParts,
    rows: readonly KindRow[],
    remotes: readonly RemoteVersion[],
  ) {
    this.groups = servedGroups(rows, remotes);
    this.core = this.groups.filter(({ group }) => group === '');
    this.named = this.groups.filter(({ group }) => group !== '');
  }

  handle(request: DocumentRequest): DocumentAnswer | undefined {
    const path = withoutSlash(request.path);
    const route = this.route(path);
    return route === undefined ? undefined : this.answer(route, path, request);
  }

  leads(path: string): boolean {
    return this.route(withoutSlash(path)) !== undefined;
  }

  private route(path: string): Route | undefined {
    const known = this.routes.get(path);
    if (known !== undefined) return known;
    const made = this.makeRoute(path);
    if (made !== undefined) this.routes.set(path, made);
    return made;
  }

  private makeRoute(path: string): Route | undefined {
    const [empty, root, ...rest] = path.split('/');
    if (empty !== '') return undefined;
    if (root === 'api') return this.coreRoute(rest);
    return root === 'apis' ? this.groupRoute(rest) : undefined;
  }

  private coreRoute([version, ...more]: readonly string[]): Route | undefined {
    const [core] = this.core;
    if (core === undefined || more.length > 0) return undefined;
    if (version !== undefined) return versionRoute(core, version, this.parts.naming);
    const value = coreVersions(core, this.parts.serverAddress);
    return { value, type: 'meta.v1.APIVersions', aggregates: this.core, listsRepresentations: true };
  }

  private groupRoute([name, version, ...more]: readonly string[]): Route | undefined {
    if (name === undefined) {
      const value = groupList(this.named, this.parts.naming);
      return { value, type: 'meta.v1.APIGroupList', aggregates: this.named, listsRepresentations: false };
    }
    const group = this.named.find((one) => (one.spelling === undefined ? one.group === canonicalGroup(name) : one.spelling === name));
    if (group === undefined || more.length > 0) return undefined;
    const dialect = dialectOfGroup(name) ?? this.parts.naming;
    if (version !== undefined) return versionRoute(group, version, dialect);
    return { value: groupDocument(group, dialect), type: 'meta.v1.APIGroup', listsRepresentations: false };
  }

  private answer(route: Route, path: string, request: DocumentRequest): DocumentAnswer {
    const clauses = acceptClauses(request.accept);
    for (const { encoding, target } of clauses) {
      if (target === undefined) {
        const contentType = mediaType(encoding);
        const body = this.encode(path, contentType, encoding, route.type, request.pretty, () => route.value);
        return { status: 200, headers: { 'content-type': contentType, ...PRIVATE }, body };
      }
      const wanted = aggregatedTarget(target);
      // There is no protobuf schema for the aggregated form here; clients that ask for one accept JSON as well.
      if (route.aggregates === undefined || wanted === undefined || encoding.type === 'protobuf') continue;
      return this.aggregated(path, route.aggregates, wanted, encoding, request);
    }
    const types = [JSON_MEDIA_TYPE, YAML_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE[this.parts.naming]].join(', ');
    if (clauses.length === 0 && route.listsRepresentations) {
      throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${types}`, {});
    }
    throw notAcceptable(`only the following media types are accepted: ${types}`);
  }

  private aggregated(
    path: string,
    groups: readonly ServedGroup[],
    { version, dialect }: AggregatedTarget,
    encoding: Encoding,
    request: DocumentRequest,
  ): DocumentAnswer {
    const etag = this.etag(path, groups, dialect);
    const headers = { 'cache-control': 'public', vary: 'Accept', etag };
    if (request.ifNoneMatch === etag) return { status: 304, headers, body: Buffer.alloc(0) };
    const contentType = mediaType(encoding) + aggregatedParameters(version, dialect);
    const body = this.encode(path, contentType, encoding, '', request.pretty, () => aggregatedList(groups, version, dialect));
    return { status: 200, headers: { 'content-type': contentType, ...headers }, body };
  }

  /** The same for both versions and all encodings of the aggregated form. */
  private etag(path: string, groups: readonly ServedGroup[], dialect: Dialect): string {
    return remember(this.etags, `${path} ${dialect}`, () => {
      const json = JSON.stringify(aggregatedList(groups, 'v2', dialect));
      return `"${createHash('sha512').update(json).digest('hex').toUpperCase()}"`;
    });
  }

  /** Indented answers are for people and made anew. */
  private encode(path: string, contentType: string, encoding: Encoding, type: string, pretty: boolean, value: () => JsonObject): Buffer {
    if (encoding.type === 'json' && pretty) return Buffer.from(JSON.stringify(value(), undefined, 2));
    return remember(this.bodies, `${path} ${contentType}`, () => encodeDocument(value(), type, encoding));
  }

  paths(): readonly string[] {
    const paths = ['/api', '/apis', '/apis/'];
    for (const { group, spelling, versions } of this.groups) {
      const roots =
        group === ''
          ? ['/api']
          : spelling === undefined
            ? DIALECTS.map((dialect) => `/apis/${groupIn(dialect, group)}`)
            : [`/apis/${spelling}`];
      for (const root of roots) append(paths, [root, ...versions.map(({ version }) => `${root}/${version}`)]);
    }
    return paths;
  }
}

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

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function remember<T>(memory: Map<string, T>, key: string, make: () => T): T {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const made = make();
  memory.set(key, made);
  return made;
}
