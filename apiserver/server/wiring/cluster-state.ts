/**
 * The first phase: the cache of the store, the components that are updated by its watch (address allocations,
 * replicas, custom resource definitions, informers), and the reader. Writes no object.
 */
import { STORED_KINDS, SERVED_KINDS } from '../../../shared/api/kinds';
import { ALLOCATIONS, ServiceAllocator } from '../../allocation/service-allocator';
import { QUOTA_GUARD_PREFIX, QuotaGuards } from '../../admission/plugins/quota/quota-guards';
import { openCache, type OpenedCache } from '../../cache/sync/open-cache';
import { createCompilationTimer } from '../../metrics/policy-metrics';
import { createConversionRecorder } from '../../metrics/conversion-metrics';
import { createListRecorder } from '../../metrics/storage/read-metrics';
import { claimPrefix } from '../../reconcilers/claim-prefix';
import { REPLICAS, Replicas } from '../../reconcilers/replicas/replicas';
import type { Reader } from '../../registry/verbs';
import { usesMode } from '../access/authorizers';
import { startNodeAuthorizerInformer, type NodeAuthorizerInformer } from '../informers/node-authorizer-informer';
import { startAdmissionPolicyInformer, type AdmissionPolicyInformer } from '../informers/admission-policy-informer';
import {
  startWebhookConfigurationInformer,
  createResolver,
  type WebhookConfigurationInformer,
} from '../informers/webhook-configuration-informer';
import { startApiServiceInformer, type ApiServiceInformer } from '../informers/api-service-informer';
import { startRbacInformer, type RbacInformer } from '../informers/rbac-informer';
import { Definitions } from '../../custom-resources/definitions';
import { ResourceVersionGate } from '../../registry/read/resource-version-gate';
import { createReader } from '../../registry/read/reader';
import { buildResources, type Resources } from '../../registry/resources';
import { WebhookConverter } from '../../conversion/converter';
import { WebhookClient } from '../../webhook-client/client';
import { throttle } from '../../../shared/runtime/throttle';
import type { ServerContext } from './server-options';

/**
 * The components of a server that follow the state of the store, and the readers of that state. Nothing in it belongs to a
 * single request. The informers fill it; they run until the startup sequence stops them.
 */
export interface ClusterState {
  readonly resources: Resources;
  readonly cache: OpenedCache;
  readonly allocator: ServiceAllocator;
  readonly quotaGuards: QuotaGuards;
  readonly replicas: Replicas;
  readonly definitions: Definitions;
  readonly rbac: RbacInformer;
  /** The graph of the Node authorizer. */
  readonly nodes: NodeAuthorizerInformer;
  readonly webhooks: WebhookConfigurationInformer;
  readonly policies: AdmissionPolicyInformer;
  /** The registrations of aggregated API servers. */
  readonly registrations: ApiServiceInformer;
  readonly conversions: WebhookConverter;
  readonly reader: Reader;
  /** The waits of reads, for callers that read the cache directly. */
  readonly gate: ResourceVersionGate;
}

/** Time for the store to confirm which server's data it holds. */
const CLAIM_MS = 10_000;

/** Rejects when the store holds the data of a server with another naming. */
export async function openState(context: ServerContext): Promise<ClusterState> {
  const { options, store, clock, meters } = context;
  const { prefix, naming, gates } = options;
  await claimPrefix({ store, prefix, naming, clock, deadline: clock.monotonic() + CLAIM_MS });
  const resources = buildResources(options.kinds ?? SERVED_KINDS, STORED_KINDS);
  const cache = createCache(context, resources);
  const conversions = createConverter(context, cache, resources);
  const common = { cache, resources, clock, onFailure: context.onFailure };
  return {
    resources,
    cache,
    allocator: createAllocator(context, cache),
    quotaGuards: createQuotaGuards(context, cache),
    replicas: createReplicas(context, cache),
    definitions: createDefinitions(context, cache, resources),
    rbac: startRbacInformer({ ...common, names: context.names }),
    nodes: startNodeAuthorizerInformer({ ...common, isNeeded: usesMode(options.authorization(), 'Node') }),
    webhooks: startWebhookConfigurationInformer(common),
    policies: startAdmissionPolicyInformer({ ...common, measureCompilation: createCompilationTimer(meters, clock) }),
    registrations: startApiServiceInformer(common),
    conversions,
    reader: createReader({ cache, store, clock, gates, conversions, listMetrics: createListRecorder(meters) }),
    gate: new ResourceVersionGate({ cache, store, clock, gates }),
  };
}

function createCache({ options, store, clock, random, logger, encryption, onFailure }: ServerContext, resources: Resources): OpenedCache {
  const { prefix, compactionMs } = options;
  const cache = openCache({ store, prefix, types: resources.storedTypes, clock, random, logger, compactionMs });
  const readAgain = (): Promise<void> =>
    cache.retryUnreadable().catch((error: unknown) => onFailure('values that could not be decrypted were not read again', error));
  encryption?.onChange(() => void readAgain());
  return cache;
}

/** Minimum time between two log lines about objects that could not be converted. */
const LOG_INTERVAL_MS = 60_000;

function createConverter(
  { clock, random, names, onFailure, meters, tracing }: ServerContext,
  cache: OpenedCache,
  resources: Resources,
): WebhookConverter {
  const logFailure = throttle(clock, LOG_INTERVAL_MS, (error: Error) => onFailure('objects could not be converted', error));
  const client = new WebhookClient({ resolve: createResolver(cache, resources, random), clock, traces: tracing });
  return new WebhookConverter({
    client,
    dialect: names.dialect,
    clock,
    random,
    onCall: createConversionRecorder(meters),
    onFailure: logFailure,
  });
}

function createAllocator({ options, random, names }: ServerContext, cache: OpenedCache): ServiceAllocator {
  const allocator = new ServiceAllocator({
    ranges: options.serviceRanges,
    nodePorts: options.nodePorts,
    prefix: options.prefix,
    random,
    firstAddressFor: { namespace: 'default', name: names.defaultService },
  });
  cache.addKeyListener(ALLOCATIONS, allocator);
  return allocator;
}

function createQuotaGuards({ options, clock }: ServerContext, cache: OpenedCache): QuotaGuards {
  const guards = new QuotaGuards(options.prefix, clock);
  cache.addKeyListener(QUOTA_GUARD_PREFIX, guards);
  return guards;
}

function createReplicas({ options, store, clock, onFailure }: ServerContext, cache: OpenedCache): Replicas {
  const replicas = new Replicas({ store, prefix: options.prefix, clock, onFailure });
  cache.addKeyListener(REPLICAS, replicas);
  return replicas;
}

/** Definitions follow the cache from the start, so that they are complete whenever the cache is ready. */
function createDefinitions({ clock, onFailure }: ServerContext, cache: OpenedCache, resources: Resources): Definitions {
  const { stored } = resources.require('customresourcedefinitions.apiextensions.platform.io');
  const definitions = new Definitions({ cache, stored, clock, onFailure });
  resources.addCustomKinds(definitions);
  return definitions;
}
