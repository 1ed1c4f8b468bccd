/**
 * What the server itself keeps in order while it runs, in the order in which it begins; startup-sequence.ts runs the list. Each part lives in
 * reconcilers or custom-resources. Nothing here is waited for by requests, except that the server says it is ready only when all have begun.
 */
import { systemNamespaces } from '../../../shared/names/dialect';
import { keepAuthenticationFacts, type AuthenticationFacts } from '../../reconcilers/authentication-facts';
import { hostname } from 'node:os';
import { startAllocationAudit } from '../../reconcilers/allocation-audit';
import { keepApiServices } from '../../reconcilers/api-services';
import { keepFlowObjects } from '../../reconcilers/flow-control/flow-schema-reconciler';
import { keepDefaultRoles } from '../../reconcilers/default-roles/default-roles-reconciler';
import { keepDefaultService } from '../../reconcilers/replicas/default-service';
import { startEventExpiry } from '../../reconcilers/event-expiry';
import { cleanIdentityLeases, identityOf, keepIdentityLease, type IdentityLeasesOptions } from '../../reconcilers/replicas/identity-leases';
import { followPeers } from '../../reconcilers/replicas/peers';
import { keepSystemObjects } from '../../reconcilers/system-objects';
import { keepTokenTracking } from '../../reconcilers/token-tracking';
import type { Upkeep } from '../../reconcilers/reconciler';
import type { Writer } from '../../registry/verbs';
import { keepAvailability } from '../../aggregation/keeper';
import type { Extensions } from '../../aggregation/extensions';
import { keepDefinitions } from '../../custom-resources/lifecycle';
import { SYSTEM_PRIORITY_CLASSES } from '../../kinds/scheduling/priority-class';
import type { StartCheck } from '../../health/start-checks';
import type { FlowControl } from '../../flow-control/flow-control';
import { commonSettings } from './common-settings';
import { followFlowObjects } from '../informers/flow-schema-informer';
import { stateOfServices } from '../informers/webhook-configuration-informer';
import type { TlsFiles } from '../connections/listeners';
import type { Observation } from './observability';
import type { Registry } from './registry';
import type { Serving } from './serving';
import type { Setting } from './server-options';
import type { State } from './cluster-state';
import type { Running, StartStep } from '../startup-sequence';

const SERVICES = 'apiservices.apiregistration.platform.io';
/** They are registered as available. */
const OF_OWN_SERVICES: readonly StartCheck[] = [
  'poststarthook/kube-apiserver-autoregistration',
  'poststarthook/apiservice-status-local-available-controller',
];
/** Each is asked whether it is there, which groups and versions it serves and how it describes them: all of that by the one who looks after them. */
const OF_OTHER_SERVERS: readonly StartCheck[] = [
  'poststarthook/apiservice-status-remote-available-controller',
  'poststarthook/apiservice-discovery-controller',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];
/** How many requests are let in, by what schemas say of them or by their number alone, and by how many objects a list has: known from then on. */
const OF_REQUESTS: readonly StartCheck[] = [
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/max-in-flight-filter',
  'poststarthook/storage-object-count-tracker-hook',
];
const NOTHING_TO_STOP = (): void => undefined;

/** What others are asked by, and has to be known whole before anybody is answered. */
const followedSteps = ({ definitions, rbac, nodes, policies, webhooks, registrations }: State): readonly StartStep[] => [
  {
    name: 'definitions of custom resources',
    checks: ['poststarthook/start-apiextensions-informers', 'poststarthook/crd-informer-synced'],
    start: () => ({ complete: definitions.complete, stop: () => definitions.stop() }),
  },
  { name: 'roles and bindings', start: () => rbac },
  { name: 'what nodes need', checks: ['poststarthook/generic-apiserver-start-informers'], start: () => nodes },
  { name: 'configurations of webhooks', start: () => webhooks },
  { name: 'admission policies', checks: ['poststarthook/start-apiserver-admission-initializer'], start: () => policies },
  {
    name: 'registrations of other servers',
    checks: ['poststarthook/start-kube-aggregator-informers', 'poststarthook/apiservice-registration-controller'],
    start: () => registrations,
  },
];

export function bootstrapSteps(
  setting: Setting,
  state: State,
  { flowControl }: Pick<Observation, 'flowControl'>,
  { writer, extensions }: Pick<Registry, 'writer' | 'extensions'>,
  tls: Serving['tls'],
  port: number,
): readonly StartStep[] {
  const ownServices = inTwoSteps(() => apiServices(setting, state, writer));
  return [
    { name: 'expiry of events', start: () => eventExpiry(setting, state) },
    ...followedSteps(state),
    {
      name: 'audit of allocations',
      checks: ['poststarthook/start-service-ip-repair-controllers'],
      start: () => allocationAudit(setting, state, writer),
    },
    ...keptSteps(setting, state, flowControl, writer),
    ...controllerSteps(setting, state, writer, tls),
    { name: 'registrations of this API', checks: OF_OWN_SERVICES, start: ownServices.start },
    {
      name: 'availability of other servers',
      checks: OF_OTHER_SERVERS,
      start: () => availability(setting, state, extensions, writer),
    },
    ...replicaSteps(setting, state, writer, port),
    {
      name: 'default Service',
      checks: ['poststarthook/bootstrap-controller'],
      start: () => defaultService(setting, state, writer, port),
    },
    { name: 'first registrations of this API', checks: ['autoregister-completion'], start: ownServices.wait },
    {
      name: 'record of this replica',
      start() {
        const { advertiseAddress } = setting.options;
        if (advertiseAddress !== undefined) state.replicas.join({ ip: advertiseAddress, port });
        // It leaves as soon as the server says that it is not ready: see shutdown.ts.
        return { stop: NOTHING_TO_STOP };
      },
    },
  ];
}

/** What a cluster cannot do without. */
function keptSteps(setting: Setting, state: State, flowControl: FlowControl | undefined, writer: Writer): readonly StartStep[] {
  const { clock, names, failed } = setting;
  const { cache, resources } = state;
  const own = { writer, cache, clock, failed };
  const kept = (resource: string, objects: Parameters<typeof keepSystemObjects>[0]['objects']): Running =>
    keepSystemObjects({ ...own, names, resource: resources.require(resource), objects });
  return [
    {
      name: 'system namespaces',
      checks: ['poststarthook/start-system-namespaces-controller'],
      start: () => kept('namespaces', new Map(systemNamespaces(names).map((name) => [name, {}]))),
    },
    { name: 'default roles', checks: ['poststarthook/rbac/bootstrap-roles'], start: () => keepDefaultRoles({ ...own, resources, names }) },
    ...flowControlSteps(setting, state, flowControl, writer),
    {
      name: 'system priority classes',
      checks: ['poststarthook/scheduling/bootstrap-system-priority-classes'],
      start: () => kept('priorityclasses.scheduling.platform.io', SYSTEM_PRIORITY_CLASSES),
    },
  ];
}

/** What is looked after from here on. */
function controllerSteps(setting: Setting, state: State, writer: Writer, tls: () => TlsFiles): readonly StartStep[] {
  const { clock, names, failed } = setting;
  const { cache, resources, definitions, replicas } = state;
  const own = { writer, cache, clock, failed };
  return [
    {
      name: 'record of the use of tokens',
      checks: ['poststarthook/start-legacy-token-tracking-controller'],
      start: () => inBackground(keepTokenTracking({ ...own, configMaps: resources.require('configmaps'), names })),
    },
    {
      name: 'facts of authentication',
      checks: ['poststarthook/start-cluster-authentication-info-controller'],
      start: () => inBackground(authenticationFacts(setting, state, writer, tls)),
    },
    {
      name: 'lifecycle of definitions',
      checks: ['poststarthook/start-apiextensions-controllers'],
      start: () =>
        inBackground(
          keepDefinitions({
            ...own,
            names,
            definitions,
            resource: resources.require('customresourcedefinitions.apiextensions.platform.io'),
            goingBefore: (name) => replicas.goingBefore(name),
          }),
        ),
    },
  ];
}

/** This server among the others. */
function replicaSteps(setting: Setting, { cache, resources }: State, writer: Writer, port: number): readonly StartStep[] {
  const { options, clock, random, names, failed } = setting;
  const identity: IdentityLeasesOptions = {
    writer,
    cache,
    clock,
    failed,
    leases: resources.require('leases.coordination.platform.io'),
    names,
    random,
    hostname: hostname(),
    port,
    settings: () => commonSettings(options),
  };
  return [
    {
      name: 'Lease of this server',
      checks: ['poststarthook/start-kube-apiserver-identity-lease-controller'],
      start: () => inBackground(keepIdentityLease(identity)),
    },
    {
      name: 'Leases of other servers',
      checks: ['poststarthook/start-kube-apiserver-identity-lease-garbage-collector'],
      start: () => inBackground(cleanIdentityLeases(identity)),
    },
    { name: 'clocks and settings of other servers', start: () => peers(setting, identity, cache) },
  ];
}

/** Nobody waits for what there is at the start: it says nothing yet. */
function peers({ logger, meters }: Setting, identity: IdentityLeasesOptions, cache: State['cache']): Running {
  const offset = meters.count('apiserver_peer_clock_offset_seconds');
  const others = meters.count('apiserver_peers_with_other_settings');
  const following = followPeers({
    ...identity,
    cache,
    own: identityOf(identity),
    found: (message, fields) => logger.warn(message, fields),
    counted(seconds, count) {
      offset.value = seconds;
      others.value = count;
    },
  });
  return { stop: () => following.stop() };
}

/** Begun by one step, and waited for by a later one, so that what stands between goes on meanwhile. */
function inTwoSteps(begin: () => Upkeep): { readonly start: () => Running; readonly wait: () => Running } {
  let begun: Upkeep | undefined;
  return {
    start: () => inBackground((begun = begin())),
    wait: () => (begun === undefined ? { stop: NOTHING_TO_STOP } : { complete: begun.complete, stop: NOTHING_TO_STOP }),
  };
}

/** Nobody waits for its first look. */
function inBackground(upkeep: Upkeep): Running {
  return { stop: () => upkeep.stop() };
}

function flowControlSteps(
  { clock, names, failed }: Setting,
  { cache, resources }: State,
  flowControl: FlowControl | undefined,
  writer: Writer,
): readonly StartStep[] {
  const own = { cache, resources, names, clock, failed };
  // Whoever comes before they are there shares the few seats of those whom no schema knows.
  const keep = (): Running => keepFlowObjects({ ...own, writer });
  const control = (): Running => {
    if (flowControl === undefined) return { stop: NOTHING_TO_STOP };
    const following = followFlowObjects(own, flowControl);
    return {
      complete: following.complete,
      stop() {
        following.stop();
        flowControl.stop();
      },
    };
  };
  return [
    { name: 'flow schemas and priority levels', checks: ['poststarthook/priority-and-fairness-config-producer'], start: keep },
    { name: 'flow control', checks: OF_REQUESTS, start: control },
  ];
}

function eventExpiry({ options, store, clock, random, failed }: Setting, { cache, resources }: State): Running {
  return startEventExpiry({
    store,
    cache,
    types: [...new Set(resources.all.filter(({ row }) => row.expires === true).map(({ stored }) => stored))],
    prefix: options.prefix,
    holder: random.uuid(),
    clock,
    failed,
  });
}

function allocationAudit(
  { options, store, names, clock, random, logger, failed }: Setting,
  { cache, ledger, resources }: State,
  writer: Writer,
): Running {
  return startAllocationAudit({
    names,
    store,
    cache,
    writer,
    ledger,
    services: resources.require('services'),
    events: resources.require('events.events.platform.io'),
    prefix: options.prefix,
    holder: random.uuid(),
    hostname: hostname(),
    clock,
    found: (message, details) => logger.warn(message, { ...details }),
    failed,
  });
}

function authenticationFacts(
  { options, clock, names, failed }: Setting,
  { cache, resources }: State,
  writer: Writer,
  tls: () => TlsFiles,
): Upkeep {
  const { frontProxy } = options;
  const none = { allowedNames: [], usernameHeaders: [], groupHeaders: [], extraPrefixes: [] };
  const facts = (): AuthenticationFacts => {
    const [clientCa, proxyCa] = [tls().clientCa?.toString(), tls().proxyCa?.toString()];
    return { ...none, ...frontProxy, ...(clientCa === undefined ? {} : { clientCa }), ...(proxyCa === undefined ? {} : { proxyCa }) };
  };
  return keepAuthenticationFacts({ writer, cache, configMaps: resources.require('configmaps'), names, clock, failed, facts });
}

function apiServices({ clock, names, failed }: Setting, { cache, resources, definitions }: State, writer: Writer): Upkeep {
  const services = resources.require(SERVICES);
  const kept = keepApiServices({
    writer,
    cache,
    services,
    rows: () => resources.rows,
    serves: (version) => definitions.serves(version),
    names,
    clock,
    failed,
  });
  definitions.onChange(({ before, after }) => kept.changed([...(before?.rows ?? []), ...(after?.rows ?? [])]));
  return kept;
}

function availability(
  { names, clock, random, meters, failed }: Setting,
  { cache, resources, registrations }: State,
  extensions: Extensions,
  writer: Writer,
): Running {
  const services = resources.require(SERVICES);
  const stateOf = stateOfServices(cache, resources);
  const lost = (name: string, reason: string): void => meters.count('aggregator_unavailable_apiservice_total', name, reason).add();
  const keeper = keepAvailability({ ...registrations, extensions, stateOf, writer, cache, services, names, clock, random, lost, failed });
  const watching = registrations.watch((name) => keeper.look(name));
  return {
    stop() {
      watching.stop();
      keeper.stop();
      extensions.close();
    },
  };
}

function defaultService({ clock, names, failed }: Setting, state: State, writer: Writer, port: number): Running {
  const { cache, ledger, replicas, resources } = state;
  return keepDefaultService({
    writer,
    cache,
    ledger,
    replicas,
    services: resources.require('services'),
    endpoints: resources.require('endpoints'),
    slices: resources.require('endpointslices.discovery.platform.io'),
    names,
    port,
    clock,
    failed,
  });
}
