/**
 * The background components of the server in their order of startup; startup-sequence.ts runs them. They are
 * implemented in reconcilers, custom-resources, aggregation and server/informers. Requests wait in the start gate until
 * all steps are complete, but not longer than `MAX_BOOTSTRAP_MS` (start-server.ts) once the cache is loaded.
 */
import { hostname } from 'node:os';
import { systemNamespaces } from '../../../shared/names/dialect';
import { startClusterAuthenticationReconciler, type ClusterAuthenticationInfo } from '../../reconcilers/cluster-authentication';
import { startAllocationRepair } from '../../reconcilers/allocation-repair';
import { startApiServiceReconciler } from '../../reconcilers/api-service-reconciler';
import { startFlowControlReconciler } from '../../reconcilers/flow-control/flow-control-reconciler';
import { startDefaultRolesReconciler } from '../../reconcilers/default-roles/default-roles-reconciler';
import { startDefaultServiceReconciler } from '../../reconcilers/replicas/default-service-reconciler';
import { startEventExpiry } from '../../reconcilers/event-expiry';
import { startSystemObjectsReconciler } from '../../reconcilers/system-objects-reconciler';
import { startTokenTrackingReconciler } from '../../reconcilers/token-tracking';
import type { Reconciler } from '../../reconcilers/reconciler';
import type { Writer } from '../../registry/verbs';
import { startAvailabilityReconciler } from '../../aggregation/availability-reconciler';
import type { ExtensionServers } from '../../aggregation/extension-servers';
import { startDefinitionController } from '../../custom-resources/definition-controller';
import { SYSTEM_PRIORITY_CLASSES } from '../../kinds/scheduling/priority-class';
import type { StartCheck } from '../../health/start-checks';
import type { FlowControl } from '../../flow-control/flow-control';
import { replicaSteps } from './replica-steps';
import { startFlowSchemaInformer } from '../informers/flow-schema-informer';
import { createServiceStateReader } from '../informers/webhook-configuration-informer';
import type { TlsFiles } from '../connections/listeners';
import type { Observability } from './observability';
import type { Registry } from './registry';
import type { Serving } from './serving';
import type { ServerContext } from './server-options';
import type { ClusterState } from './cluster-state';
import { inBackground, type RunningStep, type StartupStep } from '../startup-sequence';

const API_SERVICES = 'apiservices.apiregistration.platform.io';
/** The APIServices of built-in groups are registered as available. */
const LOCAL_SERVICE_CHECKS: readonly StartCheck[] = [
  'poststarthook/kube-apiserver-autoregistration',
  'poststarthook/apiservice-status-local-available-controller',
];
/**
 * One reconciler checks availability, discovery and OpenAPI of aggregated API servers, so its step completes these
 * checks.
 */
const REMOTE_SERVICE_CHECKS: readonly StartCheck[] = [
  'poststarthook/apiservice-status-remote-available-controller',
  'poststarthook/apiservice-discovery-controller',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];
/** The checks of the step that starts flow control. Upstream has a start hook for each part of it. */
const FLOW_CONTROL_CHECKS: readonly StartCheck[] = [
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/max-in-flight-filter',
  'poststarthook/storage-object-count-tracker-hook',
];
const noop = (): void => undefined;

/** The informers. They are synced before the reconcilers send their first writes, which pass admission. */
const informerSteps = ({ definitions, rbac, nodes, policies, webhooks, registrations }: ClusterState): readonly StartupStep[] => [
  {
    name: 'CustomResourceDefinitions',
    checks: ['poststarthook/start-apiextensions-informers', 'poststarthook/crd-informer-synced'],
    start: () => ({ complete: definitions.complete, stop: () => definitions.stop() }),
  },
  { name: 'roles and bindings', start: () => rbac },
  { name: 'objects for the Node authorizer', checks: ['poststarthook/generic-apiserver-start-informers'], start: () => nodes },
  { name: 'webhook configurations', start: () => webhooks },
  { name: 'admission policies', checks: ['poststarthook/start-apiserver-admission-initializer'], start: () => policies },
  {
    name: 'APIServices',
    checks: ['poststarthook/start-kube-aggregator-informers', 'poststarthook/apiservice-registration-controller'],
    start: () => registrations,
  },
];

/** What the steps use besides the state of the cluster. */
export type StepsWiring = Pick<Observability, 'flowControl'> &
  Pick<Registry, 'writer' | 'extensions'> &
  Pick<Serving, 'tls'> & {
    /** The port that the default Service and the Lease of this replica publish. */
    readonly port: number;
  };

/** Rows in the order in which they start. */
export function startupSteps(
  context: ServerContext,
  state: ClusterState,
  { flowControl, writer, extensions, tls, port }: StepsWiring,
): readonly StartupStep[] {
  const localServices = startAndWait(() => startApiServices(context, state, writer));
  return [
    { name: 'expiry of Events', start: () => startExpiry(context, state) },
    ...informerSteps(state),
    {
      name: 'audit of allocations',
      checks: ['poststarthook/start-service-ip-repair-controllers'],
      start: () => startRepair(context, state, writer),
    },
    ...reconcilerSteps(context, state, flowControl, writer),
    ...controllerSteps(context, state, writer, tls),
    { name: 'APIServices of this server', checks: LOCAL_SERVICE_CHECKS, start: localServices.start },
    {
      name: 'availability of aggregated API servers',
      checks: REMOTE_SERVICE_CHECKS,
      start: () => startAvailability(context, state, extensions, writer),
    },
    ...replicaSteps(context, state, writer, port),
    {
      name: 'default Service',
      checks: ['poststarthook/bootstrap-controller'],
      start: () => startDefaultService(context, state, writer, port),
    },
    { name: 'first reconciliation of the APIServices of this server', checks: ['autoregister-completion'], start: localServices.wait },
    {
      name: 'lease of this replica',
      start() {
        const { options, worker } = context;
        const ip = options.advertiseAddress;
        if (ip !== undefined) state.replicas.join({ ip, port, ...(worker === undefined ? {} : { worker: worker.number }) });
        // The record is removed as soon as the server is not ready; see shutdown.ts.
        return { stop: noop };
      },
    },
  ];
}

/** Reconcilers of the objects that every cluster needs. */
function reconcilerSteps(
  context: ServerContext,
  state: ClusterState,
  flowControl: FlowControl | undefined,
  writer: Writer,
): readonly StartupStep[] {
  const { clock, names, onFailure } = context;
  const { cache, resources } = state;
  const common = { writer, cache, clock, onFailure };
  const reconcileObjects = (resource: string, objects: Parameters<typeof startSystemObjectsReconciler>[0]['objects']): RunningStep =>
    startSystemObjectsReconciler({ ...common, names, resource: resources.require(resource), objects });
  return [
    {
      name: 'system namespaces',
      checks: ['poststarthook/start-system-namespaces-controller'],
      start: () => reconcileObjects('namespaces', new Map(systemNamespaces(names).map((name) => [name, {}]))),
    },
    {
      name: 'default roles',
      checks: ['poststarthook/rbac/bootstrap-roles'],
      start: () => startDefaultRolesReconciler({ ...common, resources, names }),
    },
    ...flowControlSteps(context, state, flowControl, writer),
    {
      name: 'system priority classes',
      checks: ['poststarthook/scheduling/bootstrap-system-priority-classes'],
      start: () => reconcileObjects('priorityclasses.scheduling.platform.io', SYSTEM_PRIORITY_CLASSES),
    },
  ];
}

/** Controllers that run in the background. */
function controllerSteps(context: ServerContext, state: ClusterState, writer: Writer, tls: () => TlsFiles): readonly StartupStep[] {
  const { clock, names, onFailure } = context;
  const { cache, resources, definitions, replicas } = state;
  const common = { writer, cache, clock, onFailure };
  return [
    {
      name: 'legacy token tracking',
      checks: ['poststarthook/start-legacy-token-tracking-controller'],
      start: () => inBackground(startTokenTrackingReconciler({ ...common, configMaps: resources.require('configmaps'), names })),
    },
    {
      name: 'authentication ConfigMap',
      checks: ['poststarthook/start-cluster-authentication-info-controller'],
      start: () => inBackground(startClusterAuthentication(context, state, writer, tls)),
    },
    {
      name: 'controller of CustomResourceDefinitions',
      checks: ['poststarthook/start-apiextensions-controllers'],
      start: () =>
        inBackground(
          startDefinitionController({
            ...common,
            names,
            definitions,
            resource: resources.require('customresourcedefinitions.apiextensions.platform.io'),
            precedingReplicas: (name) => replicas.rankFor(name),
          }),
        ),
    },
  ];
}

/** Splits a reconciler into a step that starts it and a later one that awaits its first reconciliation. */
function startAndWait(startReconciler: () => Reconciler): { readonly start: () => RunningStep; readonly wait: () => RunningStep } {
  let started: Reconciler | undefined;
  return {
    start: () => inBackground((started = startReconciler())),
    wait: () => (started === undefined ? { stop: noop } : { complete: started.complete, stop: noop }),
  };
}

function flowControlSteps(
  { clock, names, onFailure }: ServerContext,
  { cache, resources }: ClusterState,
  flowControl: FlowControl | undefined,
  writer: Writer,
): readonly StartupStep[] {
  const common = { cache, resources, names, clock, onFailure };
  // Requests that arrive before these objects exist share the few seats of the catch-all level.
  const startFlowSchemas = (): RunningStep => startFlowControlReconciler({ ...common, writer });
  const startFlowControl = (): RunningStep => {
    if (flowControl === undefined) return { stop: noop };
    const following = startFlowSchemaInformer(common, flowControl);
    return {
      complete: following.complete,
      stop() {
        following.stop();
        flowControl.stop();
      },
    };
  };
  return [
    { name: 'flow schemas and priority levels', checks: ['poststarthook/priority-and-fairness-config-producer'], start: startFlowSchemas },
    { name: 'flow control', checks: FLOW_CONTROL_CHECKS, start: startFlowControl },
  ];
}

function startExpiry({ options, store, clock, random, onFailure }: ServerContext, { cache, resources }: ClusterState): RunningStep {
  return startEventExpiry({
    store,
    cache,
    types: [...new Set(resources.builtInResources.filter(({ row }) => row.expires === true).map(({ stored }) => stored))],
    prefix: options.prefix,
    holder: random.uuid(),
    clock,
    onFailure,
  });
}

function startRepair(
  { options, store, names, clock, random, logger, onFailure }: ServerContext,
  { cache, allocator, resources }: ClusterState,
  writer: Writer,
): RunningStep {
  return startAllocationRepair({
    names,
    store,
    cache,
    writer,
    allocator,
    services: resources.require('services'),
    events: resources.require('events.events.platform.io'),
    prefix: options.prefix,
    holder: random.uuid(),
    hostname: hostname(),
    clock,
    onFinding: (message, details) => logger.warn(message, { ...details }),
    onFailure,
  });
}

function startClusterAuthentication(
  { options, clock, names, onFailure }: ServerContext,
  { cache, resources }: ClusterState,
  writer: Writer,
  tls: () => TlsFiles,
): Reconciler {
  const { frontProxy } = options;
  const none = { allowedNames: [], usernameHeaders: [], groupHeaders: [], extraPrefixes: [] };
  const authenticationInfo = (): ClusterAuthenticationInfo => {
    const clientCa = tls().clientCa?.toString();
    const proxyCa = tls().proxyCa?.toString();
    return { ...none, ...frontProxy, ...(clientCa === undefined ? {} : { clientCa }), ...(proxyCa === undefined ? {} : { proxyCa }) };
  };
  return startClusterAuthenticationReconciler({
    writer,
    cache,
    configMaps: resources.require('configmaps'),
    names,
    clock,
    onFailure,
    authenticationInfo,
  });
}

function startApiServices(
  { clock, names, onFailure }: ServerContext,
  { cache, resources, definitions }: ClusterState,
  writer: Writer,
): Reconciler {
  const services = resources.require(API_SERVICES);
  const reconciler = startApiServiceReconciler({
    writer,
    cache,
    services,
    rows: () => resources.rows,
    isServed: (version) => definitions.servesGroupVersion(version),
    names,
    clock,
    onFailure,
  });
  definitions.onChange(({ before, after }) => reconciler.enqueue([...(before?.rows ?? []), ...(after?.rows ?? [])]));
  return reconciler;
}

function startAvailability(
  { names, clock, random, meters, onFailure }: ServerContext,
  { cache, resources, registrations }: ClusterState,
  extensions: ExtensionServers,
  writer: Writer,
): RunningStep {
  const apiServices = resources.require(API_SERVICES);
  const stateOf = createServiceStateReader(cache, resources);
  const onUnavailable = (name: string, reason: string): void =>
    meters.counter('aggregator_unavailable_apiservice_total', name, reason).add();
  const reconciler = startAvailabilityReconciler({
    ...registrations,
    extensions,
    stateOf,
    writer,
    cache,
    apiServices,
    names,
    clock,
    random,
    onUnavailable,
    onFailure,
  });
  const watching = registrations.watch((name) => reconciler.recheck(name));
  return {
    stop() {
      watching.stop();
      reconciler.stop();
      extensions.close();
    },
  };
}

function startDefaultService({ clock, names, onFailure }: ServerContext, state: ClusterState, writer: Writer, port: number): RunningStep {
  const { cache, allocator, replicas, resources } = state;
  return startDefaultServiceReconciler({
    writer,
    cache,
    allocator,
    replicas,
    services: resources.require('services'),
    endpoints: resources.require('endpoints'),
    slices: resources.require('endpointslices.discovery.platform.io'),
    names,
    port,
    clock,
    onFailure,
  });
}
