/**
 * The table of all paths that are not resources: health, metrics, discovery, OpenAPI documents, the page at `/docs`,
 * token keys, pages about the server. The router (router.ts), the index at `/` and the exemption from rejection during
 * shutdown are derived from it.
 */
import { gzip } from 'node:zlib';
import { routeNotFound } from '../../../shared/api/errors/status';
import { canonicalGroup } from '../../../shared/names/dialect';
import type { DocumentResponse, DocumentHandler } from '../../discovery/document-handler';
import type { Discovery } from '../../discovery/discovery';
import type { BuildInfo } from '../../discovery/discovery-documents';
import { API_DOCS_PATHS } from '../../api-docs/api-docs';
import { OPENID_PATHS, type OpenId } from '../../discovery/openid';
import { indexResponse, versionResponse } from '../../discovery/server-documents';
import type { Exchange } from '../../endpoints/request/exchange';
import { traceResponse } from '../../endpoints/request/request-tracing';
import { negotiateStatus } from '../../endpoints/request/negotiation';
import { acceptsGzip, GZIP, GZIP_FROM_BYTES } from '../../endpoints/response/compression';
import { sendText, sendTextStream, wantsPretty } from '../../endpoints/response/send-response';
import { HEALTH_ENDPOINTS, type HealthChecks, type HealthEndpoint } from '../../../shared/runtime/health';
import { METRICS_TYPE, type MetricsPages } from '../../metrics/registry/exposition';
import { formatFlagPage, formatStatusPage, type ServerStatus } from './diagnostic-pages';
import { sendHealth } from './health-response';

/** A row of the table of paths outside the resource API. */
export interface PathRoute {
  /** For readers of the table. */
  readonly purpose: string;
  /** Express patterns, case-sensitive and strict about trailing slashes. */
  readonly paths: readonly string[];
  /** `GET`: every other method, including HEAD, is rejected with 405, as upstream does. */
  readonly methods: 'GET' | 'any';
  /** The paths that `/` lists, in any order; absent for none. */
  listedPaths?(this: void): readonly string[];
  /** Whether the path is served during shutdown, with all paths that have the same first segment. */
  readonly isServedDuringShutdown?: true;
  /** Whether a matching path is served; absent for always. When it returns false, the next route is tried, for any method. */
  isServed?(this: void, path: string): boolean;
  /** Sends the response, or throws a StatusError before it has sent anything. */
  respond(this: void, exchange: Exchange, path: string): void | Promise<void>;
}

/** What the routes respond with. */
export interface PathRouteDependencies {
  readonly health: Pick<HealthChecks, 'respond'>;
  readonly metrics: MetricsPages;
  readonly discovery: Discovery;
  readonly openApi: DocumentHandler;
  /** The page at `/docs`; absent when it is not served. */
  readonly apiDocs: DocumentHandler | undefined;
  /** Absent when the server issues no tokens. */
  readonly openId: OpenId | undefined;
  readonly build: BuildInfo;
  /** The present status of the server, for `/statusz`. */
  readonly collectStatus: () => Promise<ServerStatus>;
  /** The flags of the server as `name=value`. */
  readonly flagLines: readonly string[];
  /** Whether a group, in canonical spelling, is served in some version. */
  readonly servesGroup: (group: string) => boolean;
}

/** The table of a server. The first route that matches a path and serves it responds. */
export function createPathRoutes(deps: PathRouteDependencies): readonly PathRoute[] {
  const { health, metrics, discovery, openApi, apiDocs, openId, build } = deps;
  const table: readonly PathRoute[] = [
    {
      purpose: 'index of paths',
      paths: ['/', '/index.html'],
      methods: 'any',
      respond: (exchange) => sendDocument(exchange, indexResponse(collectListedPaths(table))),
    },
    ...HEALTH_ENDPOINTS.map((endpoint) => healthRoute(health, endpoint)),
    {
      purpose: 'metrics for Prometheus',
      paths: ['/metrics'],
      methods: 'any',
      listedPaths: () => ['/metrics'],
      isServedDuringShutdown: true,
      respond: (exchange) => sendTextStream(exchange, METRICS_TYPE, metrics.scrape()),
    },
    {
      purpose: 'metrics of service level indicators',
      paths: ['/metrics/slis'],
      methods: 'any',
      listedPaths: () => ['/metrics/slis'],
      isServedDuringShutdown: true,
      respond: (exchange) => sendTextStream(exchange, METRICS_TYPE, metrics.scrapeSlis()),
    },
    ...diagnosticRoutes(deps),
    {
      purpose: 'release',
      paths: withSlash('/version'),
      methods: 'GET',
      listedPaths: () => ['/version'],
      respond: (exchange) => sendDocument(exchange, versionResponse(build, exchange.header('accept'))),
    },
    ...discoveryRoutes(discovery),
    {
      purpose: 'OpenAPI, in one document and in one per group version',
      paths: ['/openapi/v2', '/openapi/v3', '/openapi/v3/', '/openapi/v3/*document'],
      methods: 'any',
      listedPaths: () => ['/openapi/v2', '/openapi/v3'],
      respond: (exchange) => sendFrom(openApi, exchange),
    },
    ...(apiDocs === undefined ? [] : [apiDocsRoute(apiDocs)]),
    ...(openId === undefined ? [] : OPENID_PATHS.map((path) => openIdRoute(openId, path))),
    {
      purpose: 'paths inside the API that do not exist',
      paths: ['/api', '/api/*rest', '/apis/:group', '/apis/:group/*rest'],
      methods: 'any',
      isServed: (path) => isInsideApi(deps, path),
      respond() {
        throw routeNotFound();
      },
    },
  ];
  return table;
}

function diagnosticRoutes({ collectStatus, flagLines }: PathRouteDependencies): readonly PathRoute[] {
  return [
    {
      purpose: 'state of the server, for people',
      paths: ['/statusz'],
      methods: 'any',
      isServedDuringShutdown: true,
      respond: async (exchange) => sendText(exchange, 200, formatStatusPage(await collectStatus())),
    },
    {
      purpose: 'flags of the server, for people',
      paths: ['/flagz'],
      methods: 'any',
      respond: (exchange) => sendText(exchange, 200, formatFlagPage(flagLines)),
    },
  ];
}

function discoveryRoutes(discovery: Discovery): readonly PathRoute[] {
  const common = {
    isServed: (path: string) => discovery.serves(path),
    respond: (exchange: Exchange) => sendFrom(discovery, exchange),
  };
  return [
    { purpose: 'versions of the core group', paths: withSlash('/api'), methods: 'GET', listedPaths: () => discovery.paths(), ...common },
    { purpose: 'resources of the core group', paths: withSlash('/api/:version'), methods: 'GET', ...common },
    { purpose: 'groups', paths: withSlash('/apis'), methods: 'any', ...common },
    { purpose: 'versions of a group', paths: withSlash('/apis/:group'), methods: 'any', ...common },
    { purpose: 'resources of a group', paths: withSlash('/apis/:group/:version'), methods: 'GET', ...common },
  ];
}

const withSlash = (path: string): readonly string[] => [path, `${path}/`];

/** Whether a path is served during shutdown. */
export function createShutdownExemption(routes: readonly PathRoute[]): (path: string) => boolean {
  const exempt = new Set(
    routes.flatMap(({ paths, isServedDuringShutdown }) => (isServedDuringShutdown === true ? paths.map(firstSegment) : [])),
  );
  return (path) => exempt.has(firstSegment(path));
}

const firstSegment = (path: string): string => path.split('/', 2)[1] ?? '';

function collectListedPaths(table: readonly PathRoute[]): readonly string[] {
  return table.flatMap(({ listedPaths }) => listedPaths?.() ?? []);
}

function healthRoute(health: Pick<HealthChecks, 'respond'>, endpoint: HealthEndpoint): PathRoute {
  return {
    purpose: `health: ${endpoint}, and its single checks`,
    paths: [`/${endpoint}`, `/${endpoint}/*check`],
    methods: 'any',
    listedPaths: () => [`/${endpoint}`],
    isServedDuringShutdown: true,
    async respond(exchange, path) {
      // `/livez/ping` -> `ping`, and `/livez` -> ``
      const check = path.slice(endpoint.length + 2);
      await sendHealth(health, endpoint, check === '' ? undefined : check, exchange);
    },
  };
}

function apiDocsRoute(apiDocs: DocumentHandler): PathRoute {
  return {
    purpose: 'API documentation, for browsers',
    paths: API_DOCS_PATHS,
    methods: 'GET',
    listedPaths: () => ['/docs'],
    respond: (exchange) => sendFrom(apiDocs, exchange),
  };
}

function openIdRoute(openId: OpenId, path: (typeof OPENID_PATHS)[number]): PathRoute {
  return {
    purpose: 'keys and issuer of service account tokens',
    paths: withSlash(path),
    methods: 'GET',
    listedPaths: () => (openId.serves() ? [path] : []),
    isServed: () => openId.serves(),
    respond: (exchange) => sendFrom(openId, exchange),
  };
}

/** `/api/v9` and `/apis/<served group>/v9` are inside the API, other paths outside of it. */
function isInsideApi({ servesGroup }: PathRouteDependencies, path: string): boolean {
  const [, first, second = ''] = path.split('/');
  return first === 'api' || (second !== '' && servesGroup(canonicalGroup(second)));
}

async function sendFrom(documents: DocumentHandler, exchange: Exchange): Promise<void> {
  const accept = exchange.header('accept');
  const response = await documents.handle({
    path: exchange.info.path,
    query: exchange.query.text,
    accept,
    ifNoneMatch: exchange.header('if-none-match'),
    pretty: wantsPretty(exchange, negotiateStatus(accept)),
    acceptsGzip: acceptsGzip(exchange),
  });
  if (response === undefined) throw routeNotFound();
  sendDocument(exchange, response);
}

function sendDocument(exchange: Exchange, response: DocumentResponse): void {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(response.headers)) headers[name] = typeof value === 'string' ? value : [...value];
  traceResponse(exchange, response.headers['content-type']?.toString().split(';', 1)[0] ?? '');
  const isCompressed = headers['content-encoding'] !== undefined;
  if (isCompressed || response.body.length <= GZIP_FROM_BYTES || !acceptsGzip(exchange)) {
    exchange.send(response.status, headers, response.body);
    return;
  }
  gzip(response.body, GZIP, (error, compressed) => {
    if (error === null) exchange.send(response.status, { ...headers, 'Content-Encoding': 'gzip' }, compressed);
    else exchange.abort();
  });
}
