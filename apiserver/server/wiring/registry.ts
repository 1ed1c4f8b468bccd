/**
 * The third phase: composes admission, the writer, authentication and authorization, and operations into the dependencies
 * of the API handlers. Admission is composed in admission.ts, what else the handlers use in handler-dependencies.ts.
 */
import { ExtensionServers } from '../../aggregation/extension-servers';
import { createResolver } from '../informers/webhook-configuration-informer';
import { tokenCacheCounters } from '../../metrics/storage/read-metrics';
import type { Authorizer } from '../../authorization/authorizer';
import type { BindableResource } from '../../authentication/service-account/bound-objects';
import { legacyTokenUseRecorder } from '../../authentication/service-account/legacy-token-use-recorder';
import type { ApiDependencies } from '../../endpoints/handlers/api-dependencies';
import { nodeRules } from '../../reconcilers/default-roles/default-objects';
import { serverContext, serverWriteOptions } from '../../reconcilers/server-writes';
import { createLastUsedRecorder } from '../../reconcilers/token-tracking';
import type { Resource, Writer } from '../../registry/verbs';
import { createLiveObjects } from '../../registry/read/live-objects';
import type { Resources } from '../../registry/resources';
import type { Operations } from '../../registry/operations/operation';
import { createOperations, operationTable } from '../../registry/operations/operations';
import type { Admission } from '../../registry/admission';
import { createWriter } from '../../registry/write/executor/writer';
import { createAccess, createAuthorizer, type Access } from '../access/access';
import { bootstrapSecretReader } from '../access/bootstrap-secrets';
import { boundObjectReader } from '../access/bound-objects';
import { serverAddress } from './server-address';
import { buildAdmission } from './admission';
import { buildHandlerDependencies } from './handler-dependencies';
import type { Observability } from './observability';
import type { ServerContext } from './server-options';
import type { OnDecision } from '../access/authorizers';
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
  const provisionNamespace = (name: string): Promise<void> => createNamespace(context, state, writer, name);
  const { metrics } = observability;
  const admission = buildAdmission(context, state, { metrics, authorizer, provisionNamespace });
  const threads = openThreads(context);
  const writer = buildWriter(context, state, admission, threads);
  const access = buildAccess(context, state, { metrics, authorizer, writer });
  const operations = buildOperations(context, state, { admission, access, writer });
  const extensions = createExtensions(context, state);
  const api = buildHandlerDependencies(context, state, observability, { writer, operations, offload: threads });
  return { writer, authorizer, access, extensions, api };
}

/** Creates the namespace as the server itself. */
async function createNamespace({ clock, names }: ServerContext, { resources }: ClusterState, writer: Writer, name: string): Promise<void> {
  const body = { value: { metadata: { name } }, duplicates: [], format: 'json' } as const;
  await writer.create(serverContext(clock), resources.require('namespaces'), '', body, serverWriteOptions(names));
}

function createExtensions({ options, clock, random, tracing }: ServerContext, { cache, resources }: ClusterState): ExtensionServers {
  const credentials = options.proxyCredentials ?? (() => ({}));
  return new ExtensionServers({ resolve: createResolver(cache, resources, random), credentials, clock, traces: tracing });
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
  { metrics, authorizer, writer }: Pick<Observability, 'metrics'> & Pick<Registry, 'authorizer' | 'writer'>,
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

function buildOperations(
  context: ServerContext,
  state: ClusterState,
  { admission, access, writer }: Pick<Registry, 'access' | 'writer'> & { readonly admission: Admission },
): Operations {
  const { clock, names } = context;
  const { cache, reader, resources } = state;
  const pods = resources.require('pods');
  const budgets = resources.require('poddisruptionbudgets.policy');
  const table = { ...operationTable({ reader, writer, pods, budgets, clock, names }), ...access.operations };
  return createOperations({ table, cache, namespaces: resources.require('namespaces'), admission, clock, names }, resources.builtInRows);
}
