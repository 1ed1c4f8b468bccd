/**
 * The third phase: composes admission, the writer, authentication and authorization, operations and views into the
 * dependencies of the API handlers.
 */
import { createMatchConditionRecorder } from '../../metrics/condition-metrics';
import { scopeOf } from '../../metrics/requests/request-labels';
import { canonicalNamespace, namespaceAlias, type GeneratedNames } from '../../../shared/names/dialect';
import { whenResolved } from '../../../shared/runtime/maybe-promise';
import type { JsonObject } from '../../../shared/values/json';
import { ExtensionServers } from '../../aggregation/extension-servers';
import type { CreateNamespace } from '../../admission/plugins/namespaces/namespace-auto-provision';
import type { NodeRestrictionDependencies } from '../../admission/plugins/access/node-restriction';
import { parseEntry } from '../../registry/object/stored-object';
import type { Entry } from '../../cache/cache';
import { throttle } from '../../../shared/runtime/throttle';
import type { WebhookCall } from '../../admission/webhook/call-webhook';
import { WebhookClient } from '../../webhook-client/client';
import { createIdentify } from '../../webhook-client/identity';
import type { KubeconfigUsers } from '../../../shared/client/kubeconfig/kubeconfig-users';
import type { ValidatingPlugin } from '../../admission/chain';
import { validatingAdmissionPolicies } from '../../admission/policy/validating-admission-policies';
import { mutatingWebhooks, validatingWebhooks } from '../../admission/webhook/webhook-plugins';
import { createEquivalents, createResolver } from '../informers/webhook-configuration-informer';
import { tokenCacheCounters } from '../../metrics/storage/read-metrics';
import { createAdmissionDurations, createPodSecurityCounter, createPodSecurityExemptionCounter } from '../../metrics/admission-metrics';
import { createDefaultAdmission } from '../../admission/plugins/default-admission';
import type { AdmissionDependencies, WebhookPlugins } from '../../admission/plugins/admission-plugins';
import { SIGNERS, type Authorizer } from '../../authorization/authorizer';
import type { BindableResource } from '../../authentication/service-account/bound-objects';
import { legacyTokenUseRecorder } from '../../authentication/service-account/legacy-token-use-recorder';
import { tableConvertor } from '../../printers/table';
import { Backends } from '../../endpoints/forward/backend';
import { createHostResolver } from '../../endpoints/forward/resolve-host';
import type { ApiDependencies, NodeAccess } from '../../endpoints/handlers/api-dependencies';
import { OpenWatchStreams } from '../../endpoints/response/open-watches';
import { Outbox } from '../../endpoints/output/outbox';
import { Encoders } from '../../endpoints/representation/encoders';
import type { EncodingOffload } from '../../endpoints/representation/encoding-offload';
import { nodeRules } from '../../reconcilers/default-roles/default-objects';
import { serverContext, serverWriteOptions } from '../../reconcilers/reconciler';
import { createLastUsedRecorder } from '../../reconcilers/token-tracking';
import type { Resource, Writer } from '../../registry/verbs';
import { createLiveObjects } from '../../registry/read/live-objects';
import { selectionFor } from '../../registry/read/selection';
import type { Resources } from '../../registry/resources';
import type { Operations } from '../../registry/operations/operation';
import { createOperations, operationTable } from '../../registry/operations/operations';
import { componentStatusView, createViews } from '../../registry/operations/views';
import type { Admission } from '../../registry/admission';
import { createWriter } from '../../registry/write/executor/writer';
import { createAccess, createAuthorizer, type Access } from '../access/access';
import { bootstrapSecretReader } from '../access/bootstrap-secrets';
import { boundObjectReader } from '../access/bound-objects';
import { createExpressionAuthorizer, createParameterDependencies, createKindLookup } from '../informers/admission-policy-informer';
import { serverAddress } from './server-address';
import type { Observability } from './observability';
import type { KubeletOptions, ServerContext } from './server-options';
import { usesMode, type OnDecision } from '../access/authorizers';
import type { ClusterState } from './cluster-state';
import { strategyFor } from './strategies';
import { openWriteThreads, type WriteThreads } from './write-threads';

/** Reading, writing and access control of a server. */
export interface Registry {
  readonly writer: Writer;
  readonly authorizer: Authorizer;
  readonly access: Access;
  readonly extensions: ExtensionServers;
  /** The dependencies of the handlers. */
  readonly api: ApiDependencies;
}

/** Called once per server. Requests are served only after `startServing`. */
export function buildRegistry(context: ServerContext, state: ClusterState, observability: Observability): Registry {
  const onDecision: OnDecision = (mode, name, decision) =>
    context.meters.counter('apiserver_authorization_decisions_total', mode, name, decision).add();
  const authorizer = createAuthorizer(context.options, {
    onDecision,
    rbac: state.rbac.policy,
    node: { graph: state.nodes.graph, commonRules: nodeRules(context.names), nodeLeaseNamespace: context.names.nodeLeaseNamespace },
  });
  const admission = buildAdmission(context, state, observability, authorizer, (name) => createNamespace(context, state, writer, name));
  const threads = openThreads(context);
  const writer = buildWriter(context, state, admission, threads);
  const access = buildAccess(context, state, observability, authorizer, writer);
  const operations = buildOperations(context, state, admission, access, writer);
  const extensions = createExtensions(context, state);
  return { writer, authorizer, access, extensions, api: buildApi(context, state, observability, writer, operations, threads) };
}

function createExtensions({ options, clock, random, tracing }: ServerContext, { cache, resources }: ClusterState): ExtensionServers {
  const credentials = options.proxyCredentials ?? (() => ({}));
  return new ExtensionServers({ resolve: createResolver(cache, resources, random), credentials, clock, traces: tracing });
}

function nodeRestrictionParts(
  { cache, resources }: Pick<ClusterState, 'cache' | 'resources'>,
  { nodeLeaseNamespace }: GeneratedNames,
): NodeRestrictionDependencies {
  const pods = resources.require('pods').stored;
  const nodes = resources.require('nodes').stored;
  const read = (entry: Entry | undefined): JsonObject | undefined => (entry === undefined ? undefined : parseEntry(entry).object);
  return {
    getPod: (namespace, name) => read(cache.get(pods, `${namespace}/${name}`)),
    getNode: (name) => read(cache.get(nodes, name)),
    nodeLeaseNamespace,
  };
}

/** By default, the node restriction applies when the Node authorizer distinguishes nodes from other users. */
const shouldRestrictNodes = ({ authorization, plugins }: ServerContext['options']): boolean =>
  usesMode(authorization(), 'Node') || plugins?.enabled.includes('NodeRestriction') === true;

const LOG_INTERVAL_MS = 60_000;

/** How long the creation of a binding waits for a role that this replica's cache does not have yet. */
const CATCH_UP_MS = 3_000;

const SIGNER_USE = {
  kind: 'resource',
  group: 'certificates.platform.io',
  version: 'v1',
  resource: SIGNERS,
  subresource: '',
  namespace: '',
} as const;

function createWebhooks(
  { options, names, clock, random, onFailure, meters, tracing }: ServerContext,
  { cache, resources, webhooks }: ClusterState,
  { metrics }: Observability,
  authorizer: Authorizer,
): WebhookPlugins {
  const logFailure = throttle(clock, LOG_INTERVAL_MS, (error: Error) => onFailure('an admission webhook could not be called', error));
  const createClient = (users: KubeconfigUsers | undefined): WebhookClient => {
    const resolve = createResolver(cache, resources, random);
    return new WebhookClient({
      resolve,
      clock,
      traces: tracing,
      ...(users === undefined ? {} : { identify: createIdentify(users, clock) }),
    });
  };
  const common = {
    webhooks: webhooks.webhooks,
    authorize: createExpressionAuthorizer(authorizer, names),
    equivalents: createEquivalents(resources),
    names,
    clock,
    random,
    onCall: (call: WebhookCall) => metrics.recordWebhookCall(call),
    onMatchConditions: createMatchConditionRecorder(meters),
    onFailure: logFailure,
  };
  const { mutatingWebhookUsers, validatingWebhookUsers } = options.admission ?? {};
  const mutating = createClient(mutatingWebhookUsers);
  // A client owns its connections, so equal credentials share one client.
  const validating = validatingWebhookUsers === mutatingWebhookUsers ? mutating : createClient(validatingWebhookUsers);
  return {
    mutating: (reinvoke) => mutatingWebhooks({ ...common, client: mutating }, reinvoke),
    validating: validatingWebhooks({ ...common, client: validating }),
  };
}

function createPolicies(
  { names, clock, meters }: ServerContext,
  { cache, conversions, policies, resources }: ClusterState,
  { metrics }: Observability,
  authorizer: Authorizer,
): ValidatingPlugin {
  return validatingAdmissionPolicies({
    policies: policies.policies,
    parameters: createParameterDependencies({ cache, conversions }, resources, names),
    equivalents: createEquivalents(resources),
    names,
    authorize: createExpressionAuthorizer(authorizer, names),
    clock,
    onEvaluation: (evaluation) => metrics.recordPolicyEvaluation(evaluation),
    onMatchConditions: createMatchConditionRecorder(meters),
  });
}

/** Creates the namespace as the server itself. */
async function createNamespace({ clock, names }: ServerContext, { resources }: ClusterState, writer: Writer, name: string): Promise<void> {
  const body = { value: { metadata: { name } }, duplicates: [], format: 'json' } as const;
  await writer.create(serverContext(clock), resources.require('namespaces'), '', body, serverWriteOptions(names));
}

function buildAdmission(
  context: ServerContext,
  state: ClusterState,
  observability: Observability,
  authorizer: Authorizer,
  provisionNamespace: CreateNamespace,
): Admission {
  const { options, names, clock, random } = context;
  const { cache, quotaGuards, resources, rbac } = state;
  const deps: AdmissionDependencies = {
    webhooks: createWebhooks(context, state, observability, authorizer),
    policies: createPolicies(context, state, observability, authorizer),
    metrics: createAdmissionDurations(context.meters, clock),
    onPodSecurityEvaluation: createPodSecurityCounter(context.meters),
    onPodSecurityExemption: createPodSecurityExemptionCounter(context.meters),
    names,
    random,
    cache,
    resources,
    quotas: { cache, guards: quotaGuards },
    clock,
    settings: options.admission,
    sendImageReview: options.imageReviews,
    createNamespace: provisionNamespace,
    ownerPermissions: { authorize: (user, attributes) => authorizer.authorize(user, attributes), resourceOf: createKindLookup(resources) },
    nodeRestriction: shouldRestrictNodes(options) ? nodeRestrictionParts({ cache, resources }, names) : undefined,
    escalation: {
      policy: rbac.policy,
      authorizer,
      waitUntilCurrent: async () => void (await cache.waitUntilFresh({ deadline: clock.monotonic() + CATCH_UP_MS })),
    },
    canUseSigner: (user, use) => whenResolved(authorizer.authorize(user, { ...SIGNER_USE, ...use }), ({ type }) => type === 'allow'),
    canUseAddresses: options.deniesServiceAddresses
      ? (user, use) =>
          whenResolved(
            authorizer.authorize(user, { kind: 'resource', verb: 'update', group: '', version: 'v1', resource: 'services', ...use }),
            ({ type }) => type === 'allow',
          )
      : undefined,
  };
  return createDefaultAdmission(deps, options.plugins);
}

const ttlSeconds = ({ eventTtlMs }: ServerContext['options']): number => Math.round(eventTtlMs / 1000);

function openThreads({ options, clock }: ServerContext): WriteThreads | undefined {
  return openWriteThreads(clock, {
    naming: options.naming,
    prefix: options.prefix,
    eventTtlSeconds: ttlSeconds(options),
    gates: new Map(options.gates.list().map(({ name, enabled }) => [name, enabled])),
    plugins: options.plugins,
    ranges: options.serviceRanges,
    nodePorts: options.nodePorts,
  });
}

function buildWriter(
  context: ServerContext,
  { cache, conversions, reader, allocator, resources }: ClusterState,
  admission: Admission,
  threads: WriteThreads | undefined,
): Writer {
  const { options, store, clock, random, names } = context;
  return createWriter({
    strategyOf: strategyFor,
    store,
    cache,
    conversions,
    reader,
    admission,
    clock,
    random,
    names,
    gates: options.gates,
    allocator,
    prefix: options.prefix,
    namespaces: resources.require('namespaces'),
    definitions: resources.require('customresourcedefinitions.apiextensions.platform.io'),
    leases: resources.require('leases.coordination.platform.io'),
    eventTtlSeconds: ttlSeconds(options),
    threads,
  });
}

function buildAccess(
  context: ServerContext,
  state: ClusterState,
  { metrics }: Observability,
  authorizer: Authorizer,
  writer: Writer,
): Access {
  const { options, clock, random, names, onFailure } = context;
  const { cache, reader, resources } = state;
  const bindable = bindableResources(resources);
  const live = createLiveObjects({ cache, clock }, bindable);
  const lookups = tokenCacheCounters(context.meters);
  return createAccess(options, {
    authorizer,
    gates: options.gates,
    clock,
    random,
    names,
    reader,
    bindable,
    objects: boundObjectReader(live, names),
    bootstrapSecrets: bootstrapSecretReader(live, names),
    serverAddress: serverAddress(options),
    keySetAddress: options.keySetAddress,
    tokenUses: {
      recordUse: (use) => metrics.identity.recordTokenUse(use),
      recordCacheLookup: (result) => lookups[result].add(),
      recordSecretUse: legacyTokenUseRecorder({
        clock,
        recordLastUsed: createLastUsedRecorder({ writer, secrets: bindable.secrets, names, clock }),
        onError: onFailure,
      }),
    },
  });
}

/** The resources that a service account token can be bound to. */
function bindableResources(resources: Resources): Readonly<Record<BindableResource, Resource>> {
  return {
    serviceaccounts: resources.require('serviceaccounts'),
    pods: resources.require('pods'),
    secrets: resources.require('secrets'),
    nodes: resources.require('nodes'),
  };
}

function buildOperations(context: ServerContext, state: ClusterState, admission: Admission, access: Access, writer: Writer): Operations {
  const { clock, names } = context;
  const { cache, reader, resources } = state;
  const pods = resources.require('pods');
  const budgets = resources.require('poddisruptionbudgets.policy');
  const table = { ...operationTable({ reader, writer, pods, budgets, clock, names }), ...access.operations };
  return createOperations({ table, cache, namespaces: resources.require('namespaces'), admission, clock, names }, resources.builtInRows);
}

function buildApi(
  context: ServerContext,
  state: ClusterState,
  observability: Observability,
  writer: Writer,
  operations: Operations,
  offload: EncodingOffload | undefined,
): ApiDependencies {
  const { options, clock, random, names } = context;
  const { resources, reader, gate } = state;
  const { metrics, checkStoreRead, scheduler } = observability;
  const tlsFailures = context.meters.counter('kube_apiserver_pod_logs_backend_tls_failure_total');
  return {
    clock,
    random,
    gates: options.gates,
    resources,
    async findNewest(requestContext, { group, version, resource }) {
      await gate.requireCaughtUp(requestContext);
      return resources.find(group, version, resource);
    },
    reader,
    writer,
    operations,
    views: createViews({ componentstatuses: componentStatusView(checkStoreRead) }, resources.builtInRows),
    aliasOf: (namespace) => namespaceAlias(names, namespace),
    select: (row, labels, fields) => selectionFor(row, labels, fields, (namespace) => canonicalNamespace(names, namespace)),
    encoders: new Encoders({ table: tableConvertor, clock, naming: options.naming, offload }),
    nodeAccess: nodeAccess(context),
    watches: new OpenWatchStreams(),
    outbox: new Outbox(clock),
    scheduler,
    minRequestTimeoutSeconds: options.minRequestTimeoutSeconds,
    watchMeter: (group, version, kind, resource) => metrics.watchEvents.meterFor(group, version, kind, resource),
    countLogRequest: (insecureSkipTlsVerify) =>
      context.meters
        .counter('kube_apiserver_pod_logs_insecure_backend_total', insecureSkipTlsVerify ? 'skip_tls_allowed' : 'enforce_tls')
        .add(),
    countLogTlsFailure: () => tlsFailures.add(),
    watchListMeter: ({ group, version, resource }, info) =>
      context.meters.observer('apiserver_watch_list_duration_seconds', group, version, resource, scopeOf(info)),
    countDeprecatedRequest: (row, removed, subresource) => metrics.recordDeprecatedRequest(row, removed, subresource),
    startLongRunning: (exchange) => metrics.requests.startLongRunning(exchange),
  };
}

const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
/** Upstream's default of `--kubelet-timeout`. */
const KUBELET_TIMEOUT_MS = 5_000;

function nodeAccess({ options, clock, meters }: ServerContext): NodeAccess {
  const { kubelets = {} }: { readonly kubelets?: Partial<KubeletOptions> } = options;
  const { addressTypes = ADDRESS_TYPES, credentials = () => ({}), timeoutMs = KUBELET_TIMEOUT_MS, resolveHost, limits } = kubelets;
  const rejected = meters.counter('apiserver_backend_rejected_requests_total');
  const connections = {
    kubelet: meters.counter('apiserver_backend_connections', 'kubelet'),
    any: meters.counter('apiserver_backend_connections', 'proxied'),
  };
  return {
    addressTypes,
    resolveHost: resolveHost ?? createHostResolver(clock, timeoutMs),
    backends: new Backends({
      clock,
      credentials,
      timeoutMs,
      ...(limits === undefined ? {} : { limits }),
      meters: {
        addConnections: (trust, by) => connections[trust].add(by),
        countRejected: () => rejected.add(),
      },
    }),
  };
}
