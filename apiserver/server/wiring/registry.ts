/**
 * The third phase: what can be done with objects, and by whom. Admission, the writer, access, operations and views, put together as the parts from
 * which the handlers of the API are built.
 */
import { conditionCosts } from '../../metrics/condition-metrics';
import { scopeOf } from '../../metrics/request-labels';
import { canonicalNamespace, namespaceAlias, type GeneratedNames } from '../../../shared/names/dialect';
import { whenKnown } from '../../../shared/runtime/eventually';
import type { JsonObject } from '../../../shared/values/json';
import { Extensions } from '../../aggregation/extensions';
import type { MakeNamespace } from '../../admission/namespace-auto-provision';
import type { NodeRestrictionParts } from '../../admission/node-restriction';
import { parseEntry } from '../../registry/object/stored-object';
import type { Entry } from '../../cache/cache';
import { nowAndThen } from '../../../shared/runtime/periodic';
import type { WebhookCall } from '../../admission/webhook/ask';
import { WebhookClient } from '../../webhook-client/client';
import { createIdentify } from '../../webhook-client/identity';
import type { KubeconfigUsers } from '../../../shared/client/kubeconfig/kubeconfig-users';
import type { ValidatingPlugin } from '../../admission/chain';
import { admissionPolicies } from '../../admission/policy/plugin';
import { mutatingWebhooks, validatingWebhooks } from '../../admission/webhook/plugins';
import { equivalentsOf, resolverOf } from '../informers/webhook-configuration-informer';
import { tokenLooks } from '../../metrics/read-metrics';
import { admissionTimes, podSecurityCounts, podSecurityExemptions } from '../../metrics/admission-metrics';
import { defaultAdmission } from '../../admission/plugins';
import type { AdmissionSurroundings, WebhookPlugins } from '../../admission/table';
import { SIGNERS, type Authorizer } from '../../authorization/authorizer';
import type { BindableResource } from '../../authentication/service-account/bound-objects';
import { legacyUses } from '../../authentication/service-account/legacy-uses';
import { tables } from '../../printers/table';
import { Backends } from '../../endpoints/forward/backend';
import { hostResolver } from '../../endpoints/forward/resolve-host';
import type { ApiParts, NodeAccess } from '../../endpoints/handlers/api-parts';
import { LiveWatches } from '../../endpoints/answer/live-watches';
import { Outbox } from '../../endpoints/output/outbox';
import { Encoders } from '../../endpoints/representation/encoders';
import type { Showing } from '../../endpoints/representation/showing';
import { nodeRules } from '../../reconcilers/default-roles/objects';
import { ownContext, ownWrite } from '../../reconcilers/reconciler';
import { secretMarker } from '../../reconcilers/token-tracking';
import type { Resource, Writer } from '../../registry/verbs';
import { liveObjects } from '../../registry/read/live-objects';
import { selectionFor } from '../../registry/read/selection';
import type { Resources } from '../../registry/resources';
import { componentStatuses } from '../../registry/operations/component-status';
import type { Operations } from '../../registry/operations/operation';
import { createOperations } from '../../registry/operations/operations';
import { operationTable } from '../../registry/operations/table';
import { createViews } from '../../registry/operations/views';
import type { Admission } from '../../registry/admission';
import { createWriter } from '../../registry/write/executor/writer';
import { createAccess, createAuthorizer, type Access } from '../access/access';
import { bootstrapSecrets } from '../access/bootstrap-secrets';
import { boundObjects } from '../access/bound-objects';
import { askedBy, parameterParts, servedBy } from '../informers/admission-policy-informer';
import { serverAddress } from './server-address';
import type { Observation } from './observability';
import type { Setting } from './server-options';
import { usesMode, type Decided } from '../access/authorizers';
import type { State } from './cluster-state';
import { strategyOf } from './strategies';
import { openWriteThreads, type WriteThreads } from './write-threads';

export interface Registry {
  readonly writer: Writer;
  readonly authorizer: Authorizer;
  readonly access: Access;
  readonly extensions: Extensions;
  /** What the handlers are built from. */
  readonly api: ApiParts;
}

export function buildRegistry(setting: Setting, state: State, observation: Observation): Registry {
  const decided: Decided = (mode, name, decision) =>
    setting.meters.count('apiserver_authorization_decisions_total', mode, name, decision).add();
  const authorizer = createAuthorizer(setting.options, {
    decided,
    rbac: state.rbac.policy,
    node: { graph: state.nodes.graph, rules: nodeRules(setting.names), nodeLeaseNamespace: setting.names.nodeLeaseNamespace },
  });
  const admission = admissionOf(setting, state, observation, authorizer, (name) => createNamespace(setting, state, writer, name));
  const threads = threadsOf(setting);
  const writer = writerOf(setting, state, admission, threads);
  const access = accessOf(setting, state, observation, authorizer, writer);
  const operations = operationsOf(setting, state, admission, access, writer);
  const extensions = extensionsOf(setting, state);
  return { writer, authorizer, access, extensions, api: apiOf(setting, state, observation, writer, operations, threads) };
}

function extensionsOf({ options, clock, random, tracing }: Setting, { cache, resources }: State): Extensions {
  const credentials = options.proxyCredentials ?? (() => ({}));
  return new Extensions({ resolve: resolverOf(cache, resources, random), credentials, clock, traces: tracing });
}

function nodeRestrictionParts(
  { cache, resources }: Pick<State, 'cache' | 'resources'>,
  { nodeLeaseNamespace }: GeneratedNames,
): NodeRestrictionParts {
  const [pods, nodes] = [resources.require('pods').stored, resources.require('nodes').stored];
  const read = (entry: Entry | undefined): JsonObject | undefined => (entry === undefined ? undefined : parseEntry(entry).object);
  return {
    pod: (namespace, name) => read(cache.get(pods, `${namespace}/${name}`)),
    node: (name) => read(cache.get(nodes, name)),
    nodeLeaseNamespace,
  };
}

/** Unless the flags say otherwise, nodes are restricted where they are told apart from other users. */
const restrictsNodes = ({ authorization, plugins }: Setting['options']): boolean =>
  usesMode(authorization(), 'Node') || plugins?.enabled.includes('NodeRestriction') === true;

const TOLD_EVERY_MS = 60_000;

/** How long a binding may wait for a role that this replica has not seen yet. */
const CURRENT_MS = 3_000;

const SIGNER_USE = {
  kind: 'resource',
  group: 'certificates.platform.io',
  version: 'v1',
  resource: SIGNERS,
  subresource: '',
  namespace: '',
} as const;

function webhooksOf(
  { options, names, clock, random, failed, meters, tracing }: Setting,
  { cache, resources, webhooks }: State,
  { metrics }: Observation,
  authorizer: Authorizer,
): WebhookPlugins {
  const tell = nowAndThen(clock, TOLD_EVERY_MS, (error: Error) => failed('an admission webhook could not be asked', error));
  const client = (users: KubeconfigUsers | undefined): WebhookClient => {
    const resolve = resolverOf(cache, resources, random);
    return new WebhookClient({
      resolve,
      clock,
      traces: tracing,
      ...(users === undefined ? {} : { identify: createIdentify(users, clock) }),
    });
  };
  const parts = {
    webhooks: webhooks.webhooks,
    authorize: askedBy(authorizer, names),
    equivalents: equivalentsOf(resources),
    names,
    clock,
    random,
    called: (call: WebhookCall) => metrics.webhookCalled(call),
    matched: conditionCosts(meters),
    failed: tell,
  };
  const { mutatingUsers, validatingUsers } = options.admission ?? {};
  const mutating = client(mutatingUsers);
  // Connections are those of a client.
  const validating = validatingUsers === mutatingUsers ? mutating : client(validatingUsers);
  return {
    mutating: (again) => mutatingWebhooks({ ...parts, client: mutating }, again),
    validating: validatingWebhooks({ ...parts, client: validating }),
  };
}

function policiesOf(
  { names, clock, meters }: Setting,
  { cache, conversions, policies, resources }: State,
  { metrics }: Observation,
  authorizer: Authorizer,
): ValidatingPlugin {
  return admissionPolicies({
    policies: policies.policies,
    parameters: parameterParts({ cache, conversions }, resources, names),
    equivalents: equivalentsOf(resources),
    names,
    authorize: askedBy(authorizer, names),
    clock,
    judged: (judgement) => metrics.policyJudged(judgement),
    conditionsJudged: conditionCosts(meters),
  });
}

/** In the server's own name. */
async function createNamespace({ clock, names }: Setting, { resources }: State, writer: Writer, name: string): Promise<void> {
  const body = { value: { metadata: { name } }, duplicates: [], format: 'json' } as const;
  await writer.create(ownContext(clock), resources.require('namespaces'), '', body, ownWrite(names));
}

function admissionOf(
  setting: Setting,
  state: State,
  observation: Observation,
  authorizer: Authorizer,
  makeNamespace: MakeNamespace,
): Admission {
  const { options, names, clock, random } = setting;
  const { cache, quotaGuards, resources, rbac } = state;
  const surroundings: AdmissionSurroundings = {
    webhooks: webhooksOf(setting, state, observation, authorizer),
    policies: policiesOf(setting, state, observation, authorizer),
    meter: admissionTimes(setting.meters, clock),
    podSecurityJudged: podSecurityCounts(setting.meters),
    podSecurityExempted: podSecurityExemptions(setting.meters),
    names,
    random,
    cache,
    resources,
    quotas: { cache, guards: quotaGuards },
    clock,
    settings: options.admission,
    imageReviews: options.imageReviews,
    makeNamespace,
    owners: { authorize: (user, attributes) => authorizer.authorize(user, attributes), resourceOf: servedBy(resources) },
    nodes: restrictsNodes(options) ? nodeRestrictionParts({ cache, resources }, names) : undefined,
    escalation: {
      policy: rbac.policy,
      authorizer,
      current: async () => void (await cache.mostRecent({ deadline: clock.monotonic() + CURRENT_MS })),
    },
    mayUseSigner: (user, use) => whenKnown(authorizer.authorize(user, { ...SIGNER_USE, ...use }), ({ type }) => type === 'allow'),
    mayUseAddresses: options.deniesServiceAddresses
      ? (user, use) =>
          whenKnown(
            authorizer.authorize(user, { kind: 'resource', verb: 'update', group: '', version: 'v1', resource: 'services', ...use }),
            ({ type }) => type === 'allow',
          )
      : undefined,
  };
  return defaultAdmission(surroundings, options.plugins);
}

const ttlSeconds = ({ eventTtlMs }: Setting['options']): number => Math.round(eventTtlMs / 1000);

function threadsOf({ options, clock }: Setting): WriteThreads | undefined {
  return openWriteThreads(clock, {
    naming: options.naming,
    prefix: options.prefix,
    eventTtlSeconds: ttlSeconds(options),
    gates: new Map(options.gates.all().map(({ name, enabled }) => [name, enabled])),
    plugins: options.plugins,
    ranges: options.serviceRanges,
    nodePorts: options.nodePorts,
  });
}

function writerOf(
  setting: Setting,
  { cache, conversions, reader, ledger, resources }: State,
  admission: Admission,
  threads: WriteThreads | undefined,
): Writer {
  const { options, store, clock, random, names } = setting;
  return createWriter({
    strategyOf,
    store,
    cache,
    conversions,
    reader,
    admission,
    clock,
    random,
    names,
    gates: options.gates,
    ledger,
    prefix: options.prefix,
    namespaces: resources.require('namespaces'),
    definitions: resources.require('customresourcedefinitions.apiextensions.platform.io'),
    leases: resources.require('leases.coordination.platform.io'),
    eventTtlSeconds: ttlSeconds(options),
    threads,
  });
}

function accessOf(setting: Setting, state: State, { metrics }: Observation, authorizer: Authorizer, writer: Writer): Access {
  const { options, clock, random, names, failed } = setting;
  const { cache, reader, resources } = state;
  const bindable = bindableResources(resources);
  const live = liveObjects({ cache, clock }, bindable);
  const looks = tokenLooks(setting.meters);
  return createAccess(options, {
    authorizer,
    gates: options.gates,
    clock,
    random,
    names,
    reader,
    bindable,
    objects: boundObjects(live, names),
    bootstrapSecrets: bootstrapSecrets(live, names),
    serverAddress: serverAddress(options),
    keySetAddress: options.keySetAddress,
    tokenUses: {
      counted: (use) => metrics.tokenUsed(use),
      looked: (isKnown) => looks[isKnown ? 'hit' : 'miss'].add(),
      ofSecret: legacyUses({ clock, mark: secretMarker({ writer, secrets: bindable.secrets, names, clock }), failed }),
    },
  });
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

function operationsOf(setting: Setting, state: State, admission: Admission, access: Access, writer: Writer): Operations {
  const { clock, names } = setting;
  const { cache, reader, resources } = state;
  const pods = resources.require('pods');
  const budgets = resources.require('poddisruptionbudgets.policy');
  const table = { ...operationTable({ reader, writer, pods, budgets, clock, names }), ...access.operations };
  return createOperations({ table, cache, namespaces: resources.require('namespaces'), admission, clock, names }, resources.builtIn);
}

function apiOf(
  setting: Setting,
  state: State,
  observation: Observation,
  writer: Writer,
  operations: Operations,
  showing: Showing | undefined,
): ApiParts {
  const { options, clock, random, names } = setting;
  const { resources, reader, gate } = state;
  const { metrics, storeAnswers, scheduler } = observation;
  const distrusted = setting.meters.count('kube_apiserver_pod_logs_backend_tls_failure_total');
  return {
    clock,
    random,
    gates: options.gates,
    resources,
    async findNewest(context, { group, version, resource }) {
      await gate.current(context);
      return resources.find(group, version, resource);
    },
    reader,
    writer,
    operations,
    views: createViews({ componentstatuses: componentStatuses(storeAnswers) }, resources.builtIn),
    aliasOf: (namespace) => namespaceAlias(names, namespace),
    select: (row, labels, fields) => selectionFor(row, labels, fields, (namespace) => canonicalNamespace(names, namespace)),
    encoders: new Encoders({ table: tables, clock, naming: options.naming, showing }),
    nodeAccess: nodeAccess(setting),
    watches: new LiveWatches(),
    outbox: new Outbox(clock),
    scheduler,
    minRequestTimeoutSeconds: options.minRequestTimeoutSeconds,
    watchMeter: (group, version, kind, resource) => metrics.watchMeter(group, version, kind, resource),
    logAsked: (believesAll) =>
      setting.meters.count('kube_apiserver_pod_logs_insecure_backend_total', believesAll ? 'skip_tls_allowed' : 'enforce_tls').add(),
    logDistrusted: () => distrusted.add(),
    watchListMeter: ({ group, version, resource }, info) =>
      setting.meters.observer('apiserver_watch_list_duration_seconds', group, version, resource, scopeOf(info)),
    deprecatedRequested: (row, removed, subresource) => metrics.deprecatedRequested(row, removed, subresource),
    longRunningStarted: (exchange) => metrics.requests.longRunningStarted(exchange),
  };
}

const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
const KUBELET_TIMEOUT_MS = 5_000;

function nodeAccess({ options, clock }: Setting): NodeAccess {
  const { addressTypes = ADDRESS_TYPES, credentials = () => ({}), timeoutMs = KUBELET_TIMEOUT_MS, resolveHost } = options.kubelets ?? {};
  return {
    addressTypes,
    resolveHost: resolveHost ?? hostResolver(clock, timeoutMs),
    backends: new Backends({ clock, credentials, timeoutMs }),
  };
}
