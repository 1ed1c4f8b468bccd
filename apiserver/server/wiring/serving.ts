/**
 * The fourth phase: discovery and the other documents, and the filter chain that receives the requests of the start
 * gate once the server is ready.
 */
import { createApiDocs } from '../../api-docs/api-docs';
import { createDiscovery } from '../../discovery/discovery';
import { createOpenApi, type OpenApi } from '../../openapi/openapi';
import { createCertificateReader, type Authorities } from '../tls/client-certificate-reader';
import { ClientAuthorities } from '../tls/client-authorities';
import { requestListener, type ChainDependencies, type RequestListener } from '../chain';
import { Deadlines } from '../filters/deadlines';
import type { TlsFiles } from '../connections/listeners';
import { RequestWaitGroup } from '../filters/request-wait-group';
import { createPathRoutes, type PathRoute, type PathRouteDependencies } from '../routes/path-routes';
import { serverAddress } from './server-address';
import { createStatusCollector } from './server-status';
import type { Origin } from '../../endpoints/request/exchange';
import type { Observability } from './observability';
import type { Registry } from './registry';
import type { Listening, ServerContext } from './server-options';
import type { ClusterState } from './cluster-state';

/** The part of a server that responds to requests. */
export interface Serving {
  /** The requests that graceful shutdown waits for. */
  readonly waitGroup: RequestWaitGroup;
  /** The filter chains by listener. */
  readonly chains: Readonly<Record<Origin, RequestListener>>;
  /** Uses renewed certificates: the server's own for new connections, the client authorities for all. */
  readonly renew: (tls: TlsFiles) => void;
  /** The files in use. */
  readonly tls: () => TlsFiles;
}

/** What the earlier phases of the composition have built. */
export interface EarlierPhases {
  readonly context: ServerContext;
  readonly state: ClusterState;
  readonly observability: Observability;
  readonly registry: Registry;
}

/** Called once per server. The chains serve no request until the caller opens the start gate with them. */
export function startServing(phases: EarlierPhases, { secure }: Pick<Listening, 'secure'>): Serving {
  const { context, state, observability } = phases;
  const { tls } = context.options;
  const waitGroup = new RequestWaitGroup();
  const authorities = {
    clients: new ClientAuthorities(context.clock, tls.clientCa),
    proxies: new ClientAuthorities(context.clock, tls.proxyCa),
  };
  let current = tls;
  context.certificates.addChain('serving', () => current.cert);
  context.certificates.addAuthorities('client-ca', () => current.clientCa);
  context.certificates.addAuthorities('front-proxy-ca', () => current.proxyCa);
  const collectStatus = createStatusCollector(context, state, observability, () => current);
  const chain = createChainDependencies(phases, { waitGroup, authorities, collectStatus });
  const renew = (renewed: TlsFiles): void => {
    secure.renew(renewed);
    current = renewed;
    authorities.clients.replace(renewed.clientCa);
    authorities.proxies.replace(renewed.proxyCa);
  };
  const chains = { secure: requestListener(chain, 'secure'), local: requestListener(chain, 'local') };
  return { waitGroup, chains, renew, tls: () => current };
}

/** What this phase itself has created for the filter chain. */
interface ServingState {
  readonly waitGroup: RequestWaitGroup;
  readonly authorities: Authorities;
  readonly collectStatus: PathRouteDependencies['collectStatus'];
}

function createChainDependencies(phases: EarlierPhases, { waitGroup, authorities, collectStatus }: ServingState): ChainDependencies {
  const { context, state, observability, registry } = phases;
  const { options, clock, random, logger } = context;
  const { serverState, inFlight, flowControl, metrics } = observability;
  const served = new Set(state.resources.builtInRows.map(({ group }) => group));
  const servesGroup = (group: string): boolean => served.has(group);
  return {
    api: registry.api,
    paths: createPaths(phases, { servesGroup, collectStatus }),
    servesGroup,
    aggregation: { ...state.registrations, extensions: registry.extensions },
    clock,
    random,
    logger,
    naming: options.naming,
    serverState,
    waitGroup,
    deadlines: new Deadlines(clock, options.bodyPace),
    inFlight,
    flowControl,
    countObjects: (stored) => (state.cache.isReady ? state.cache.count(stored) : 0),
    metrics,
    audit: options.audit,
    tracing: context.tracing,
    requestTimeoutMs: options.requestTimeoutMs,
    goawayChance: options.goawayChance ?? 0,
    authenticate: registry.access.authenticate,
    frontProxy: options.frontProxy,
    authorizer: registry.authorizer,
    certificateOf: createCertificateReader(authorities),
  };
}

function createPaths(
  { context, state, observability, registry }: EarlierPhases,
  shared: Pick<PathRouteDependencies, 'servesGroup' | 'collectStatus'>,
): readonly PathRoute[] {
  const { health, metrics } = observability;
  const { access } = registry;
  const { options, worker } = context;
  const { naming } = options;
  const {
    resources,
    registrations: { registrations },
  } = state;
  const rows = (): typeof resources.rows => resources.rows;
  return createPathRoutes({
    health,
    metrics: worker === undefined ? metrics : worker.shareMetrics(metrics),
    discovery: createDiscovery({ rows, remotes: () => registrations.remoteVersions(), naming, serverAddress: serverAddress(options) }),
    openApi: createOpenApiHandler(context, state, { servesOpenId: access.openId?.serves() === true }),
    apiDocs: options.apiDocs === undefined ? undefined : createApiDocs(options.apiDocs, context.random),
    openId: access.openId,
    build: { gitCommit: '', buildDate: '1970-01-01T00:00:00Z', runtime: process.version, platform: `${process.platform}/${process.arch}` },
    flagLines: options.flagLines ?? [],
    ...shared,
  });
}

/** Creates the OpenAPI documents. While custom resources exist, they are built ahead of the first request for them. */
function createOpenApiHandler(
  { options, clock, logger }: ServerContext,
  { resources, definitions, registrations: { registrations } }: ClusterState,
  /** Whether the documents contain the paths of OpenID discovery. */
  { servesOpenId }: { readonly servesOpenId: boolean },
): OpenApi {
  const openApi = createOpenApi({
    builtIn: resources.builtInRows,
    rows: () => resources.rows,
    remotes: () => registrations.openApiV3Documents(),
    descriptions: () => registrations.openApiV2Documents(),
    naming: options.naming,
    servesOpenId,
    clock,
    onFailure(failure) {
      logger.warn('a definition is left out of the OpenAPI documents: its part cannot be generated', { ...failure });
      definitions.markUndescribed(failure.definition, `${failure.version}: ${failure.message}`);
    },
    onRejected: (name, message) =>
      logger.warn('the document of an aggregated API server is left out of the OpenAPI documents', { name, message }),
  });
  if (definitions.rows.length > 0) openApi.prepare();
  definitions.onChange(({ after }) => {
    if (after?.isEstablished === true) openApi.prepare();
  });
  return openApi;
}
