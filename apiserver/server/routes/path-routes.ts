/**
 * Everything that is served besides resources, as one table: health, metrics, discovery, OpenAPI, and what others check tokens with. The router, the
 * list at `/` and what a server on its way down still answers follow from it.
 */
import { gzip } from 'node:zlib';
import { routeNotFound } from '../../../shared/api/errors/status';
import { canonicalGroup } from '../../../shared/names/dialect';
import type { DocumentAnswer, Documents } from '../../discovery/document';
import type { Discovery } from '../../discovery/discovery';
import type { BuildInfo } from '../../discovery/documents';
import { OPENID_PATHS, type OpenId } from '../../discovery/openid';
import { indexDocument, versionAnswer } from '../../discovery/server-documents';
import type { Exchange } from '../../endpoints/request/exchange';
import { answering } from '../../endpoints/request/traced';
import { negotiateStatus } from '../../endpoints/request/negotiation';
import { acceptsGzip } from '../../endpoints/answer/compression';
import { sendPieces, wantsPretty } from '../../endpoints/answer/respond';
import { HEALTH_ENDPOINTS, type Health, type HealthEndpoint } from '../../../shared/runtime/health';
import { METRICS_TYPE } from '../../metrics/exposition';
import type { Metrics } from '../../metrics/metrics';
import { sendHealth } from './health-response';

export interface PathRoute {
  /** What it is for. */
  readonly purpose: string;
  /** Patterns of express; case and a slash at the end count. */
  readonly paths: readonly string[];
  /** `GET`: every other method is answered with 405, HEAD too, as upstream does. */
  readonly methods: 'GET' | 'any';
  /** What `/` tells of it, in any order; absent = nothing. */
  listed?(this: void): readonly string[];
  /** Answered by a server on its way down as well, with all that is below. */
  readonly whileStopping?: true;
  /** Whether a path that fits leads somewhere; absent = always. Where it does not, the next route is tried, whatever the method. */
  leads?(this: void, path: string): boolean;
  answer(this: void, exchange: Exchange, path: string): void | Promise<void>;
}

export interface PathParts {
  readonly health: Pick<Health, 'answer'>;
  readonly metrics: Pick<Metrics, 'scrape' | 'scrapeSlis'>;
  readonly discovery: Discovery;
  readonly openApi: Documents;
  /** Absent = no tokens are issued. */
  readonly openId: OpenId | undefined;
  readonly build: BuildInfo;
  /** Whether a group, in canonical spelling, is served in some version. */
  readonly servesGroup: (group: string) => boolean;
}

/** The first route that fits and leads somewhere answers. */
export function pathRoutes(parts: PathParts): readonly PathRoute[] {
  const { health, metrics, discovery, openApi, openId, build } = parts;
  const table: readonly PathRoute[] = [
    {
      purpose: 'which paths there are',
      paths: ['/', '/index.html'],
      methods: 'any',
      answer: (exchange) => sendDocument(exchange, indexDocument(listedPaths(table))),
    },
    ...HEALTH_ENDPOINTS.map((endpoint) => healthRoute(health, endpoint)),
    {
      purpose: 'counts and times for Prometheus',
      paths: ['/metrics'],
      methods: 'any',
      listed: () => ['/metrics'],
      whileStopping: true,
      answer: (exchange) => sendPieces(exchange, METRICS_TYPE, metrics.scrape()),
    },
    {
      purpose: 'what service levels are counted by',
      paths: ['/metrics/slis'],
      methods: 'any',
      listed: () => ['/metrics/slis'],
      whileStopping: true,
      answer: (exchange) => sendPieces(exchange, METRICS_TYPE, metrics.scrapeSlis()),
    },
    {
      purpose: 'which release this is',
      paths: withSlash('/version'),
      methods: 'GET',
      listed: () => ['/version'],
      answer: (exchange) => sendDocument(exchange, versionAnswer(build, exchange.header('accept'))),
    },
    ...discoveryRoutes(discovery),
    {
      purpose: 'OpenAPI, in one document and in one per group version',
      paths: ['/openapi/v2', '/openapi/v3', '/openapi/v3/', '/openapi/v3/*document'],
      methods: 'any',
      listed: () => ['/openapi/v2', '/openapi/v3'],
      answer: (exchange) => sendFrom(openApi, exchange),
    },
    ...(openId === undefined ? [] : OPENID_PATHS.map((path) => openIdRoute(openId, path))),
    {
      purpose: 'what is nowhere inside the API',
      paths: ['/api', '/api/*rest', '/apis/:group', '/apis/:group/*rest'],
      methods: 'any',
      leads: (path) => isInsideApi(parts, path),
      answer() {
        throw routeNotFound();
      },
    },
  ];
  return table;
}

function discoveryRoutes(discovery: Discovery): readonly PathRoute[] {
  const common = {
    leads: (path: string) => discovery.leads(path),
    answer: (exchange: Exchange) => sendFrom(discovery, exchange),
  };
  return [
    { purpose: 'versions of the core group', paths: withSlash('/api'), methods: 'GET', listed: () => discovery.paths(), ...common },
    { purpose: 'resources of the core group', paths: withSlash('/api/:version'), methods: 'GET', ...common },
    { purpose: 'groups', paths: withSlash('/apis'), methods: 'any', ...common },
    { purpose: 'versions of a group', paths: withSlash('/apis/:group'), methods: 'any', ...common },
    { purpose: 'resources of a group', paths: withSlash('/apis/:group/:version'), methods: 'GET', ...common },
  ];
}

const withSlash = (path: string): readonly string[] => [path, `${path}/`];

/** Whether a server on its way down still answers a path. */
export function servedWhileStopping(routes: readonly PathRoute[]): (path: string) => boolean {
  const exempt = new Set(routes.flatMap(({ paths, whileStopping }) => (whileStopping === true ? paths.map(firstSegment) : [])));
  return (path) => exempt.has(firstSegment(path));
}

const firstSegment = (path: string): string => path.split('/', 2)[1] ?? '';

function listedPaths(table: readonly PathRoute[]): readonly string[] {
  return table.flatMap(({ listed }) => listed?.() ?? []);
}

function healthRoute(health: Pick<Health, 'answer'>, endpoint: HealthEndpoint): PathRoute {
  return {
    purpose: `health: ${endpoint}, and its single checks`,
    paths: [`/${endpoint}`, `/${endpoint}/*check`],
    methods: 'any',
    listed: () => [`/${endpoint}`],
    whileStopping: true,
    async answer(exchange, path) {
      const check = path.slice(endpoint.length + 2);
      await sendHealth(health, endpoint, check === '' ? undefined : check, exchange);
    },
  };
}

function openIdRoute(openId: OpenId, path: (typeof OPENID_PATHS)[number]): PathRoute {
  return {
    purpose: 'what others check tokens with',
    paths: withSlash(path),
    methods: 'GET',
    listed: () => (openId.serves() ? [path] : []),
    leads: () => openId.serves(),
    answer: (exchange) => sendFrom(openId, exchange),
  };
}

/** `/api/v9` and `/apis/<served group>/v9` are inside the API, other paths outside of it. */
function isInsideApi({ servesGroup }: PathParts, path: string): boolean {
  const [, first, second = ''] = path.split('/');
  return first === 'api' || (second !== '' && servesGroup(canonicalGroup(second)));
}

async function sendFrom(documents: Documents, exchange: Exchange): Promise<void> {
  const accept = exchange.header('accept');
  const answer = await documents.handle({
    path: exchange.info.path,
    query: exchange.query.text,
    accept,
    ifNoneMatch: exchange.header('if-none-match'),
    pretty: wantsPretty(exchange, negotiateStatus(accept)),
    acceptsGzip: acceptsGzip(exchange),
  });
  if (answer === undefined) throw routeNotFound();
  sendDocument(exchange, answer);
}

const COMPRESS_FROM_BYTES = 128 * 1024;

function sendDocument(exchange: Exchange, answer: DocumentAnswer): void {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(answer.headers)) headers[name] = typeof value === 'string' ? value : [...value];
  answering(exchange, answer.headers['content-type']?.toString().split(';', 1)[0] ?? '');
  const isPacked = headers['content-encoding'] !== undefined;
  if (isPacked || answer.body.length <= COMPRESS_FROM_BYTES || !acceptsGzip(exchange)) {
    exchange.send(answer.status, headers, answer.body);
    return;
  }
  gzip(answer.body, { level: 1 }, (error, packed) => {
    if (error === null) exchange.send(answer.status, { ...headers, 'Content-Encoding': 'gzip' }, packed);
    else exchange.abort();
  });
}
