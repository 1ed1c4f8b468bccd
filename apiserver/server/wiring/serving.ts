/** The fourth phase: HTTP. Discovery and the other documents, and the filter chain that the start gate passes requests to once the server is ready. */
import { createDiscovery } from '../../discovery/discovery';
import { createOpenApi, type OpenApi } from '../../openapi/openapi';
import { certificateReader, type Authorities } from '../tls/client-certificate-reader';
import { ClientAuthorities } from '../tls/client-authorities';
import { requestListener, type ChainParts, type RequestListener } from '../chain';
import { Deadlines } from '../filters/deadlines';
import type { TlsFiles } from '../connections/listeners';
import { Ongoing } from '../filters/request-wait-group';
import { pathRoutes, type PathRoute } from '../routes/path-routes';
import { serverAddress } from './server-address';
import type { Origin } from '../../endpoints/request/exchange';
import type { Observation } from './observability';
import type { Registry } from './registry';
import type { Listening, Setting } from './server-options';
import type { State } from './cluster-state';

export interface Serving {
  /** What has to be answered before the server may end. */
  readonly ongoing: Ongoing;
  /** The filter chains of the listeners. */
  readonly chains: Readonly<Record<Origin, RequestListener>>;
  /** Puts renewed certificates to use: ours for new connections, those of the clients' authorities for all. */
  readonly renew: (tls: TlsFiles) => void;
  /** What is in use. */
  readonly tls: () => TlsFiles;
}

export function startServing(
  setting: Setting,
  state: State,
  observation: Observation,
  registry: Registry,
  { secure }: Pick<Listening, 'secure'>,
): Serving {
  const { tls } = setting.options;
  const ongoing = new Ongoing();
  const authorities = {
    clients: new ClientAuthorities(setting.clock, tls.clientCa),
    proxies: new ClientAuthorities(setting.clock, tls.proxyCa),
  };
  const chain = chainOf(setting, state, observation, registry, { ongoing, authorities });
  let current = tls;
  const renew = (renewed: TlsFiles): void => {
    secure.renew(renewed);
    current = renewed;
    authorities.clients.replace(renewed.clientCa);
    authorities.proxies.replace(renewed.proxyCa);
  };
  const chains = { secure: requestListener(chain, 'secure'), local: requestListener(chain, 'local') };
  return { ongoing, chains, renew, tls: () => current };
}

/** What lasts as long as the server serves. */
interface Kept {
  readonly ongoing: Ongoing;
  readonly authorities: Authorities;
}

function chainOf(setting: Setting, state: State, observation: Observation, registry: Registry, { ongoing, authorities }: Kept): ChainParts {
  const { options, clock, random, logger } = setting;
  const { progress, inFlight, flowControl, metrics } = observation;
  const served = new Set(state.resources.builtIn.map(({ group }) => group));
  const servesGroup = (group: string): boolean => served.has(group);
  return {
    api: registry.api,
    paths: pathsOf(setting, state, observation, registry, servesGroup),
    servesGroup,
    aggregation: { ...state.registrations, extensions: registry.extensions },
    clock,
    random,
    logger,
    naming: options.naming,
    state: progress,
    ongoing,
    deadlines: new Deadlines(clock, options.bodyPace),
    inFlight,
    flowControl,
    countOf: (stored) => (state.cache.ready ? state.cache.count(stored) : 0),
    metrics,
    audit: options.audit,
    tracing: setting.tracing,
    requestTimeoutMs: options.requestTimeoutMs,
    goawayChance: options.goawayChance ?? 0,
    authenticate: registry.access.authenticate,
    frontProxy: options.frontProxy,
    authorizer: registry.authorizer,
    certificateOf: certificateReader(authorities),
  };
}

function pathsOf(
  setting: Setting,
  state: State,
  { health, metrics }: Observation,
  { access }: Registry,
  servesGroup: (group: string) => boolean,
): readonly PathRoute[] {
  const { options } = setting;
  const { naming } = options;
  const {
    resources,
    registrations: { registrations },
  } = state;
  const rows = (): typeof resources.rows => resources.rows;
  return pathRoutes({
    health,
    metrics,
    discovery: createDiscovery({ rows, remotes: () => registrations.remoteVersions(), naming, serverAddress: serverAddress(options) }),
    openApi: openApiOf(setting, state, access.openId?.serves() === true),
    openId: access.openId,
    build: { gitCommit: '', buildDate: '1970-01-01T00:00:00Z', runtime: process.version, platform: `${process.platform}/${process.arch}` },
    servesGroup,
  });
}

/** Where there are definitions, clients will ask what they say. */
function openApiOf(
  { options, clock, logger }: Setting,
  { resources, definitions, registrations: { registrations } }: State,
  openId: boolean,
): OpenApi {
  const openApi = createOpenApi({
    builtIn: resources.builtIn,
    rows: () => resources.rows,
    remotes: () => registrations.remoteDocuments(),
    descriptions: () => registrations.remoteDescriptions(),
    naming: options.naming,
    openId,
    clock,
    failed(failure) {
      logger.warn('a definition is left out of OpenAPI: its part cannot be made', { ...failure });
      definitions.leaveUndescribed(failure.definition, `${failure.version}: ${failure.message}`);
    },
    leftOut: (name, message) => logger.warn('the document of another server is left out of OpenAPI', { name, message }),
  });
  if (definitions.rows.length > 0) openApi.prepare();
  definitions.onChange(({ after }) => {
    if (after?.established === true) openApi.prepare();
  });
  return openApi;
}
