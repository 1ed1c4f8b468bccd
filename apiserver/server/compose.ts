/**
 * Puts an API server together from its parts and takes it apart again. Every part is made here and nowhere else, so this file shows who
 * depends on whom. Never parses flags and never ends the process.
 */
import { KINDS, SERVED_KINDS, type KindRow } from '../../shared/api/kinds';
import { canonicalNamespace, GENERATED_NAMES, namespaceAlias, type Dialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { FeatureGates } from '../../shared/runtime/feature-gates';
import type { Logger } from '../../shared/runtime/logger';
import type { Random } from '../../shared/runtime/random';
import { ALLOCATIONS, Ledger } from '../allocation/ledger';
import type { PortRange, ServiceRanges } from '../allocation/ranges';
import { defaultAdmission } from '../admission/plugins';
import type { BindableResource } from '../authentication/service-account/bound-objects';
import { legacyUses } from '../authentication/service-account/legacy-uses';
import type { Resource } from '../registry/contract';
import { openCache, type OpenedCache } from '../cache/open-cache';
import { createDiscovery } from '../discovery/discovery';
import { isDiscoverable, OPENID_PATHS } from '../discovery/openid';
import { tables } from '../discovery/table/table';
import type { ApiParts } from '../endpoints/api-parts';
import { Outbox } from '../endpoints/outbox';
import { LiveWatches } from '../endpoints/live-watches';
import { Encoders } from '../endpoints/representation/encoders';
import { Health } from '../health/checks';
import { serverChecks, sharedCheck } from '../health/server-checks';
import { Metrics } from '../metrics/metrics';
import { createOpenApi } from '../openapi/openapi';
import { claimPrefix } from '../registry/bootstrap/ownership';
import { REPLICAS, Replicas } from '../registry/bootstrap/replicas';
import { secretMarker } from '../registry/bootstrap/token-tracking';
import { liveObjects } from '../registry/read/live-objects';
import { Definitions } from '../registry/custom/definitions';
import { Freshness } from '../registry/read/freshness';
import { createReader } from '../registry/read/reader';
import { selectionFor } from '../registry/read/selection';
import { buildResources, type Resources } from '../registry/resources';
import { componentStatuses } from '../registry/virtual/component-status';
import { createViews } from '../registry/virtual/views';
import { createOperations } from '../registry/virtual/operations';
import { operationTable } from '../registry/virtual/table';
import { createWriter } from '../registry/write/writer';
import type { Store } from '../storage/store';
import { createAccess, type AccessOptions } from './access';
import { startBootstrap } from './bootstrap';
import { boundObjects } from './bound-objects';
import { certificateReader } from './certificates';
import { requestListener, type ChainParts } from './chain';
import { Deadlines } from './deadlines';
import { InFlight } from './in-flight';
import { listenLocally, listenSecurely, type ConnectionLimits, type Listener, type TlsFiles } from './listeners';
import { Ongoing } from './ongoing';
import { ServerState } from './state';

export interface ServerOptions extends AccessOptions {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly tls: TlsFiles;
  /** Plain HTTP as the local administrator; absent = none. */
  readonly local?: { readonly host: string; readonly port: number };
  readonly naming: Dialect;
  /** What is served; absent = everything that is not off by default. */
  readonly kinds?: readonly KindRow[];
  readonly gates: FeatureGates;
  readonly prefix: string;
  /** Where others reach this server; absent = it is left out of the default Service's endpoints. */
  readonly advertiseAddress: string | undefined;
  readonly serviceRanges: ServiceRanges;
  /** Only who is permitted may give Services addresses from outside the cluster. */
  readonly deniesServiceAddresses: boolean;
  readonly nodePorts: PortRange;
  readonly eventTtlMs: number;
  readonly compactionMs: number;
  readonly requestTimeoutMs: number;
  readonly minRequestTimeoutSeconds: number;
  readonly maxReadOnly: number;
  readonly maxMutating: number;
  readonly maxStreams: number;
  readonly livezGraceMs: number;
  readonly shutdownDelayMs: number;
  readonly shutdownWatchGraceMs: number;
  readonly sendRetryAfter: boolean;
  readonly connectionLimits?: ConnectionLimits;
}

export interface Surroundings {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export interface RunningServer {
  readonly port: number;
  readonly localPort: number | undefined;
  readonly cache: OpenedCache;
  readonly renew: (tls: TlsFiles) => void;
  /** Resolves when reads and writes are served and what the server itself needs exists. */
  whenReady(): Promise<void>;
  /** Goes down in order (behaviour-reference §10.3). The store stays its owner's. */
  shutdown(): Promise<void>;
}

export async function startServer(options: ServerOptions, surroundings: Surroundings): Promise<RunningServer> {
  const { store, clock, random, logger } = surroundings;
  const names = GENERATED_NAMES[options.naming];
  const resources = buildResources(options.kinds ?? SERVED_KINDS, KINDS);
  await claimPrefix({ store, prefix: options.prefix, naming: options.naming, clock, deadline: clock.monotonic() + CLAIM_MS });
  const cache = openCache({
    store,
    prefix: options.prefix,
    types: resources.storedTypes,
    clock,
    random,
    logger,
    compactionMs: options.compactionMs,
  });
  const ledger = new Ledger({
    ranges: options.serviceRanges,
    nodePorts: options.nodePorts,
    prefix: options.prefix,
    random,
    firstAddressFor: { namespace: 'default', name: names.defaultService },
  });
  cache.onKey(ALLOCATIONS, ledger);
  const replicas = new Replicas({ store, prefix: options.prefix, clock, failed: (message, error) => logger.warn(message, { error }) });
  cache.onKey(REPLICAS, replicas);
  const reader = createReader({ cache, store, clock, gates: options.gates });
  const freshness = new Freshness({ cache, store, clock, gates: options.gates });
  const admission = defaultAdmission({
    names,
    cache,
    resources,
    // Access is made further down, from parts that rest on the writer; it is there before the first request.
    mayUseAddresses: options.deniesServiceAddresses
      ? (user, use) =>
          access.authorize(user, { kind: 'resource', verb: 'update', group: '', version: 'v1', resource: 'services', ...use }) === undefined
      : undefined,
  });
  const namespaces = resources.require('namespaces');
  const definitionResource = resources.require('customresourcedefinitions.apiextensions.platform.io');
  const definitions = new Definitions({ cache, stored: definitionResource.stored, clock });
  resources.add(definitions);
  void definitions.start();
  const writer = createWriter({
    store,
    cache,
    reader,
    admission,
    clock,
    random,
    names,
    gates: options.gates,
    ledger,
    prefix: options.prefix,
    namespaces,
    definitions: definitionResource,
    leases: resources.require('leases.coordination.platform.io'),
    eventTtlSeconds: Math.round(options.eventTtlMs / 1000),
  });

  const state = new ServerState(options.sendRetryAfter);
  const inFlight = new InFlight({ readOnly: options.maxReadOnly, mutating: options.maxMutating });
  const watches = new LiveWatches();
  const metrics = new Metrics(clock, options.gates, {
    storageObjects: () => cache.storedTypes().map((type) => [type.name, cache.ready ? cache.snapshot(type).size : -1] as const),
    storage: () => store.status().catch(() => undefined),
    inFlight: () => inFlight,
    ledger,
    cache: () => cache.statistics,
    cacheRevision: () => cache.revision,
  });
  const storeAnswers = sharedCheck((call) => store.revision(call), clock);
  const storeTakesWrites = sharedCheck((call) => store.health(call), clock);
  const hooks = { complete: false };
  const health = new Health(
    serverChecks({ storeAnswers, storeTakesWrites, cache, state, bootstrapped: () => hooks.complete }),
    clock,
    options.livezGraceMs,
    // Before the first readiness a failing check is nothing to worry about.
    (endpoint, name, reason) => logger[hooks.complete ? 'warn' : 'info']('health check failed', { endpoint, name, reason }),
    (endpoint, name, healthy) => metrics.healthCheck(endpoint, name, healthy),
  );
  const serverAddress = addressOf(options);
  const bindable = bindableResources(resources);
  const access = createAccess(options, {
    clock,
    random,
    names,
    reader,
    bindable,
    objects: boundObjects(liveObjects({ cache, clock }, bindable), names),
    serverAddress,
    tokenUses: {
      counted: (use) => metrics.tokenUsed(use),
      ofSecret: legacyUses({
        clock,
        mark: secretMarker({ writer, secrets: bindable.secrets, names, clock }),
        failed: (message, error) => logger.warn(message, { error }),
      }),
    },
  });
  const table = {
    ...operationTable({
      reader,
      writer,
      pods: resources.require('pods'),
      budgets: resources.require('poddisruptionbudgets.policy'),
      clock,
    }),
    ...access.operations,
  };
  const operations = createOperations({ table, cache, namespaces, admission, clock, names }, resources.builtIn);
  const api: ApiParts = {
    clock,
    random,
    gates: options.gates,
    resources,
    async findNewest(context, { group, version, resource }) {
      await freshness.current(context);
      return resources.find(group, version, resource);
    },
    reader,
    writer,
    operations,
    views: createViews({ componentstatuses: componentStatuses(storeAnswers) }, resources.builtIn),
    aliasOf: (namespace) => namespaceAlias(names, namespace),
    select: (row, labels, fields) => selectionFor(row, labels, fields, (namespace) => canonicalNamespace(names, namespace)),
    encoders: new Encoders({ table: tables, clock, naming: options.naming }),
    watches,
    outbox: new Outbox(clock),
    minRequestTimeoutSeconds: options.minRequestTimeoutSeconds,
    watchMeter: (group, version, kind) => metrics.watchMeter(group, version, kind),
    deprecatedRequested: (row, deprecation, subresource) => metrics.deprecatedRequested(row, deprecation, subresource),
    watchStarted: (exchange) => metrics.watchStarted(exchange),
  };
  const served = new Set(resources.builtIn.map(({ group }) => group));
  const ongoing = new Ongoing();
  const chain: ChainParts = {
    api,
    documents: {
      health,
      metrics,
      documents: [
        createDiscovery({ rows: () => resources.rows, naming: options.naming, ...discoveryFacts(options), serverAddress }),
        createOpenApi({ rows: () => resources.rows, naming: options.naming, clock }),
        ...access.documents,
      ],
      servesGroup: (group) => served.has(group),
    },
    clock,
    random,
    logger,
    naming: options.naming,
    state,
    ongoing,
    deadlines: new Deadlines(clock),
    inFlight,
    metrics,
    requestTimeoutMs: options.requestTimeoutMs,
    authenticate: access.authenticate,
    authorize: access.authorize,
    certificateOf: certificateReader(),
  };

  const secure = await listenSecurely(
    {
      host: options.host,
      port: options.port,
      tls: options.tls,
      maxStreams: options.maxStreams,
      ...(options.connectionLimits === undefined ? {} : { limits: options.connectionLimits }),
    },
    requestListener(chain, 'secure'),
  );
  const local =
    options.local === undefined ? undefined : await listenLocally(options.local.host, options.local.port, requestListener(chain, 'local'));
  const listeners: readonly Listener[] = local === undefined ? [secure] : [secure, local];

  const bootstrap = startBootstrap({
    store,
    cache,
    writer,
    resources,
    ledger,
    replicas,
    definitions,
    names,
    prefix: options.prefix,
    port: secure.port,
    advertiseAddress: options.advertiseAddress,
    clock,
    random,
    logger,
  });
  const ready = bootstrap.complete.then(() => void (hooks.complete = true));
  return {
    port: secure.port,
    localPort: local?.port,
    cache,
    renew: (tls) => secure.renew(tls),
    whenReady: () => ready,
    async shutdown() {
      state.stopping = true;
      await bootstrap.leave();
      await clock.sleep(options.shutdownDelayMs);
      state.refusing = true;
      const drained = within(options.requestTimeoutMs, ongoing.whenEmpty(), clock);
      if (options.sendRetryAfter) await drained;
      for (const listener of listeners) listener.stopAccepting();
      await Promise.all([drained, watches.endAll(options.shutdownWatchGraceMs, clock)]);
      // What was just ended is still on its way to the clients.
      await clock.sleep(LAST_BYTES_MS);
      for (const listener of listeners) await listener.close();
      bootstrap.stop();
      await cache.close();
    },
  };
}

/** How long the store may take to say whose data it holds. */
const CLAIM_MS = 10_000;

/** Resolves with `event`, at the latest after `ms`. */
function within(ms: number, event: Promise<void>, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, resolve);
    void event.then(() => {
      timer.cancel();
      resolve();
    });
  });
}

const LAST_BYTES_MS = 100;

/** Where clients reach this server, as far as it knows. */
function addressOf({ host, port }: ServerOptions): string {
  return `${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`;
}

/** What a service account token can be bound to. */
function bindableResources(resources: Resources): Readonly<Record<BindableResource, Resource>> {
  return {
    serviceaccounts: resources.require('serviceaccounts'),
    pods: resources.require('pods'),
    secrets: resources.require('secrets'),
    nodes: resources.require('nodes'),
  };
}

function discoveryFacts(options: ServerOptions): Pick<Parameters<typeof createDiscovery>[0], 'build' | 'otherPaths'> {
  const issuer = options.serviceAccounts?.issuers[0];
  return {
    build: {
      gitCommit: '',
      buildDate: '1970-01-01T00:00:00Z',
      runtime: process.version,
      platform: `${process.platform}/${process.arch}`,
    },
    otherPaths: [
      ...(issuer !== undefined && isDiscoverable(issuer) ? OPENID_PATHS : []),
      '/healthz',
      '/livez',
      '/metrics',
      '/openapi/v2',
      '/openapi/v3',
      '/readyz',
      '/version',
    ],
  };
}
