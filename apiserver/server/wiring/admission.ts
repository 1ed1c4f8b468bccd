/**
 * Composes the admission chain: connects the plug-ins to the cache, the authorizer, webhooks and metrics. Which plug-ins
 * there are, and their order, is left to apiserver/admission.
 */
import { createMatchConditionRecorder } from '../../metrics/condition-metrics';
import type { GeneratedNames } from '../../../shared/names/dialect';
import { whenResolved } from '../../../shared/runtime/maybe-promise';
import type { JsonObject } from '../../../shared/values/json';
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
import { createAdmissionDurations, createPodSecurityCounter, createPodSecurityExemptionCounter } from '../../metrics/admission-metrics';
import { createDefaultAdmission } from '../../admission/plugins/default-admission';
import type { AdmissionDependencies, WebhookPlugins } from '../../admission/plugins/admission-plugins';
import { SIGNERS, type Authorizer } from '../../authorization/authorizer';
import type { Admission } from '../../registry/admission';
import { createExpressionAuthorizer, createParameterDependencies, createKindLookup } from '../informers/admission-policy-informer';
import type { Observability } from './observability';
import type { ServerContext } from './server-options';
import { usesMode } from '../access/authorizers';
import type { ClusterState } from './cluster-state';

/** What the plug-ins use besides the state of the cluster. */
export interface AdmissionWiring extends Pick<Observability, 'metrics'> {
  readonly authorizer: Authorizer;
  /** Creates a namespace as the server itself. Called by the plug-in NamespaceAutoProvision. */
  readonly provisionNamespace: CreateNamespace;
}

/** The admission chain of a server, with the plug-ins that its options enable. Called once. */
export function buildAdmission(context: ServerContext, state: ClusterState, deps: AdmissionWiring): Admission {
  const { options, names, clock, random } = context;
  const { authorizer, provisionNamespace } = deps;
  const { cache, quotaGuards, resources, rbac } = state;
  const plugins: AdmissionDependencies = {
    webhooks: createWebhooks(context, state, deps),
    policies: createPolicies(context, state, deps),
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
    nodeRestriction: shouldRestrictNodes(options) ? createNodeLookups({ cache, resources }, names) : undefined,
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
  return createDefaultAdmission(plugins, options.plugins);
}

/** The lookups of the node restriction, in the cache of this replica. */
function createNodeLookups(
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

/** Minimum time between two log lines about webhooks that cannot be called. */
const LOG_INTERVAL_MS = 60_000;

/** How long the creation of a binding waits for a role that this replica's cache does not have yet. */
const CATCH_UP_MS = 3_000;

/** The attributes of the permission to use a signer, besides its name and the verb. */
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
  { metrics, authorizer }: AdmissionWiring,
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
  { metrics, authorizer }: AdmissionWiring,
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
