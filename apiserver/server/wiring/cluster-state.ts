/**
 * The first phase: what the server knows. The cache over the store, what follows the cache's watch (addresses, replicas, definitions of custom
 * resources), and how all of it is read. Nothing here writes an object.
 */
import { KINDS, SERVED_KINDS } from '../../../shared/api/kinds';
import { ALLOCATIONS, Ledger } from '../../allocation/ledger';
import { QUOTA_GUARDS, QuotaGuards } from '../../admission/quota/guards';
import { openCache, type OpenedCache } from '../../cache/sync/open-cache';
import { compilationTimes } from '../../metrics/policy-metrics';
import { conversionCosts } from '../../metrics/conversion-metrics';
import { listCosts } from '../../metrics/read-metrics';
import { claimPrefix } from '../../reconcilers/ownership';
import { REPLICAS, Replicas } from '../../reconcilers/replicas/replicas';
import type { Reader } from '../../registry/verbs';
import { usesMode } from '../access/authorizers';
import { followNodeObjects, type NodeObjects } from '../informers/node-authorizer-informer';
import { followPolicyObjects, type PolicyObjects } from '../informers/admission-policy-informer';
import { followWebhookObjects, resolverOf, type WebhookObjects } from '../informers/webhook-configuration-informer';
import { followRegistrations, type RegistrationObjects } from '../informers/api-service-informer';
import { followRbacObjects, type RbacObjects } from '../informers/rbac-informer';
import { Definitions } from '../../custom-resources/definitions';
import { ResourceVersionGate } from '../../registry/read/resource-version-gate';
import { createReader } from '../../registry/read/reader';
import { buildResources, type Resources } from '../../registry/resources';
import { WebhookConverter } from '../../conversion/converter';
import { WebhookClient } from '../../webhook-client/client';
import { nowAndThen } from '../../../shared/runtime/periodic';
import type { Setting } from './server-options';

export interface State {
  readonly resources: Resources;
  readonly cache: OpenedCache;
  readonly ledger: Ledger;
  readonly quotaGuards: QuotaGuards;
  readonly replicas: Replicas;
  readonly definitions: Definitions;
  readonly rbac: RbacObjects;
  readonly nodes: NodeObjects;
  readonly webhooks: WebhookObjects;
  readonly policies: PolicyObjects;
  readonly registrations: RegistrationObjects;
  readonly conversions: WebhookConverter;
  readonly reader: Reader;
  readonly gate: ResourceVersionGate;
}

/** How long the store may take to say whose data it holds. */
const CLAIM_MS = 10_000;

/** Rejects when the store holds the data of a server with other names. */
export async function openState(setting: Setting): Promise<State> {
  const { options, store, clock, meters } = setting;
  const { prefix, naming, gates } = options;
  await claimPrefix({ store, prefix, naming, clock, deadline: clock.monotonic() + CLAIM_MS });
  const resources = buildResources(options.kinds ?? SERVED_KINDS, KINDS);
  const cache = cacheOf(setting, resources);
  const conversions = conversionsOf(setting, cache, resources);
  const followed = { cache, resources, clock, failed: setting.failed };
  return {
    resources,
    cache,
    ledger: ledgerOf(setting, cache),
    quotaGuards: quotaGuardsOf(setting, cache),
    replicas: replicasOf(setting, cache),
    definitions: definitionsOf(setting, cache, resources),
    rbac: followRbacObjects({ ...followed, names: setting.names }),
    nodes: followNodeObjects(usesMode(options.authorization(), 'Node'), followed),
    webhooks: followWebhookObjects(followed),
    policies: followPolicyObjects({ ...followed, around: compilationTimes(meters, clock) }),
    registrations: followRegistrations(followed),
    conversions,
    reader: createReader({ cache, store, clock, gates, conversions, meter: listCosts(meters) }),
    gate: new ResourceVersionGate({ cache, store, clock, gates }),
  };
}

function cacheOf({ options, store, clock, random, logger, encryption, failed }: Setting, resources: Resources): OpenedCache {
  const { prefix, compactionMs } = options;
  const cache = openCache({ store, prefix, types: resources.storedTypes, clock, random, logger, compactionMs });
  const again = (): Promise<void> =>
    cache.readAgain().catch((error: unknown) => failed('what could not be decrypted was not read again', error));
  encryption?.onChange(() => void again());
  return cache;
}

const TOLD_EVERY_MS = 60_000;

function conversionsOf(
  { clock, random, names, failed, meters, tracing }: Setting,
  cache: OpenedCache,
  resources: Resources,
): WebhookConverter {
  const tell = nowAndThen(clock, TOLD_EVERY_MS, (error: Error) => failed('objects could not be converted', error));
  const client = new WebhookClient({ resolve: resolverOf(cache, resources, random), clock, traces: tracing });
  return new WebhookConverter({ client, dialect: names.dialect, clock, random, called: conversionCosts(meters), failed: tell });
}

function ledgerOf({ options, random, names }: Setting, cache: OpenedCache): Ledger {
  const ledger = new Ledger({
    ranges: options.serviceRanges,
    nodePorts: options.nodePorts,
    prefix: options.prefix,
    random,
    firstAddressFor: { namespace: 'default', name: names.defaultService },
  });
  cache.onKey(ALLOCATIONS, ledger);
  return ledger;
}

function quotaGuardsOf({ options, clock }: Setting, cache: OpenedCache): QuotaGuards {
  const guards = new QuotaGuards(options.prefix, clock);
  cache.onKey(QUOTA_GUARDS, guards);
  return guards;
}

function replicasOf({ options, store, clock, failed }: Setting, cache: OpenedCache): Replicas {
  const replicas = new Replicas({ store, prefix: options.prefix, clock, failed });
  cache.onKey(REPLICAS, replicas);
  return replicas;
}

/** They follow the cache from its beginning: whoever waits for the cache finds them there. */
function definitionsOf({ clock, failed }: Setting, cache: OpenedCache, resources: Resources): Definitions {
  const { stored } = resources.require('customresourcedefinitions.apiextensions.platform.io');
  const definitions = new Definitions({ cache, stored, clock, failed });
  resources.add(definitions);
  return definitions;
}
