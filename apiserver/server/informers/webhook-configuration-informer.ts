/**
 * Keeps the webhook configurations of admission up to date from this replica's cache, and resolves Services of webhooks
 * and API servers from it.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { Random } from '../../../shared/runtime/random';
import { Webhooks } from '../../admission/webhook/webhooks';
import type { Equivalents } from '../../admission/webhook/match';
import { createServiceResolver, serviceState, type Resolve, type ResolverDependencies } from '../../webhook-client/service-resolver';
import type { Cache } from '../../cache/cache';
import { followType, combineFollowers, type TypeFollower } from '../../cache/sync/follow-type';
import type { OpenedCache } from '../../cache/sync/cache-options';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resources } from '../../registry/resources';
import type { ServedResource } from '../../registry/verbs';

/** What the informer reads, and how it reports objects that it cannot read. */
export interface WebhookConfigurationInformerOptions {
  readonly cache: Pick<OpenedCache, 'watch' | 'whenReady'>;
  readonly resources: Pick<Resources, 'require'>;
  readonly clock: Clock;
  readonly onFailure: (message: string, error: unknown) => void;
}

/** `webhooks` is updated until `stop`. */
export interface WebhookConfigurationInformer extends TypeFollower {
  readonly webhooks: Webhooks;
}

/** Returns at once; `complete` resolves when the existing configurations are in `webhooks`. */
export function startWebhookConfigurationInformer(options: WebhookConfigurationInformerOptions): WebhookConfigurationInformer {
  const webhooks = new Webhooks();
  const informers = (['mutating', 'validating'] as const).map((type) => {
    const { stored } = options.resources.require(`${type}webhookconfigurations.admissionregistration.platform.io`);
    return followType(
      { ...options, stored },
      {
        upsert: (entry) => webhooks.setConfiguration(type, entry.key, parseEntry(entry).object),
        remove: (key) => webhooks.setConfiguration(type, key, undefined),
      },
    );
  });
  return { webhooks, ...combineFollowers(informers) };
}

/** Finds all resources that serve the objects of a resource: itself, and those of other groups and versions. */
export function createEquivalents(resources: Pick<Resources, 'builtInResources' | 'find'>): Equivalents {
  const byType = new Map<object, ServedResource[]>();
  for (const resource of resources.builtInResources) byType.set(resource.stored, [...(byType.get(resource.stored) ?? []), resource]);
  return (resource) => {
    const { custom, group, resource: name } = resource.row;
    if (custom === undefined) return resource.stored === undefined ? [resource] : (byType.get(resource.stored) ?? [resource]);
    return [...custom.versions.keys()].flatMap((version) => resources.find(group, version, name) ?? []);
  };
}

/** Resolves Services from the cache of this replica. */
export function createResolver(cache: Pick<Cache, 'get' | 'snapshot'>, resources: Pick<Resources, 'require'>, random: Random): Resolve {
  return createServiceResolver({ ...serviceLookups(cache, resources), random });
}

/** Reports how far the resolution of a Service succeeds at present. */
export const createServiceStateReader = (cache: Pick<Cache, 'get' | 'snapshot'>, resources: Pick<Resources, 'require'>) =>
  serviceState(serviceLookups(cache, resources));

function serviceLookups(
  cache: Pick<Cache, 'get' | 'snapshot'>,
  resources: Pick<Resources, 'require'>,
): Pick<ResolverDependencies, 'service' | 'slices'> {
  const services = resources.require('services').stored;
  const slices = resources.require('endpointslices.discovery.platform.io').stored;
  return {
    service: (key) => cache.get(services, key),
    // `0` is the character after `/`.
    slices: (namespace) => cache.snapshot(slices).range(`${namespace}/`, `${namespace}0`),
  };
}
