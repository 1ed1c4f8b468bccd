/**
 * Informers for the resources that quotas limit. An informer starts when a quota first limits its resource. The informer
 * of a custom resource ends when the resource is not served any more. Informers hold only metadata, except for resources
 * with usage beyond the number of objects, such as the CPUs of pods. The counterpart of upstream's QuotaMonitor.
 */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { discoverResources, type ServedResource } from '../../shared/client/rest/discovery';
import { Informer } from '../../shared/client/informer/informer';
import { metadataOf, type Resource } from '../../shared/client/rest/resource';
import { sleepUnlessAborted, raceSignal } from '../../shared/client/signals';
import type { GroupResource } from '../../shared/api/identity/identity';
import { SERVED_KINDS } from '../../shared/api/kinds';
import { equalJson } from '../../shared/values/json';
import type { ControllerContext } from '../runtime/controller';
import { indexInformer, type ObjectIndex } from '../runtime/object-index';
import { isPodTerminated } from '../runtime/pods';
import { resourceKeyOf, type CountedBody } from './reconcile';

/** Resources of the core group with usage beyond the number of objects: their informers keep more than metadata. */
const KEPT_AS_FULL_OBJECTS: ReadonlySet<string> = new Set(['pods', 'services', 'persistentvolumeclaims']);
/** How often discovery is repeated while quotas limit resources that may be added or removed. Milliseconds. */
const DISCOVERY_PERIOD_MS = 30_000;
/** For an unknown resource, discovery is repeated at once, but at most this often. Milliseconds. */
const MIN_DISCOVERY_PERIOD_MS = 2_000;
/** How long a sync waits for the first list of a resource, before it fails and is retried. */
const SYNC_TIMEOUT_MS = 10_000;
const NAMESPACE_INDEX = 'namespace';
const REQUIRED_VERBS = ['create', 'list', 'watch', 'delete'];

/** The informer of one resource, with its objects by namespace. */
interface Monitor {
  readonly informer: Informer<CountedBody>;
  readonly index: ObjectIndex<CountedBody>;
  readonly end: () => void;
}

/** A request of discovery, which may be in progress. */
interface Discovery {
  /** Milliseconds of the monotonic clock. */
  readonly startedAt: number;
  /** The resources that quotas can limit, by key. */
  readonly resources: Promise<ReadonlyMap<string, ServedResource>>;
}

/** Resources are named by the keys of `resourceKeyOf`. */
export interface QuotaMonitorOptions {
  /** Called when the usage of an object in the namespace may have changed. */
  readonly onUsageChange: (resourceKey: string, namespace: string) => void;
  /** Called when limited resources were added or removed. */
  readonly onResourcesChange: (resourceKeys: ReadonlySet<string>) => void;
}

/** Monitors are started by {@link ensureMonitor} only; {@link end} must be called when the controller ends. */
export class QuotaMonitor {
  /** By the key of the resource. */
  private readonly monitors = new Map<string, Monitor>();
  private discovery: Discovery | undefined;
  /**
   * Limited resources that may be added or removed, with the time at which a quota first limited them: milliseconds of
   * the monotonic clock.
   */
  private readonly dynamicResources = new Map<string, number>();

  constructor(
    private readonly context: Pick<ControllerContext, 'client' | 'informers' | 'clock' | 'random' | 'logger' | 'signal'>,
    private readonly options: QuotaMonitorOptions,
  ) {}

  /**
   * Starts a monitor for the resource if it is served, and waits until its informer has synced; throws when that takes
   * too long. Returns the milliseconds after which to try again, because an unknown resource may have been added a
   * moment ago; undefined when there is a monitor or the resource is not served.
   */
  async ensureMonitor(groupResource: GroupResource): Promise<number | undefined> {
    const key = resourceKeyOf(groupResource);
    const monitor = this.monitors.get(key) ?? (await this.startMonitor(key));
    const { clock, signal } = this.context;
    if (monitor === undefined) {
      const isNew = clock.monotonic() - (this.dynamicResources.get(key) ?? 0) < MIN_DISCOVERY_PERIOD_MS;
      return isNew ? MIN_DISCOVERY_PERIOD_MS : undefined;
    }
    if (monitor.informer.hasSynced) return undefined;
    const timeout = new AbortController();
    try {
      await raceSignal(Promise.race([monitor.informer.synced, clock.sleep(SYNC_TIMEOUT_MS, timeout.signal)]), signal);
    } finally {
      timeout.abort();
    }
    if (!monitor.informer.hasSynced) throw new Error(`the cache of ${key} is not synced`);
    return undefined;
  }

  /** The observed objects in the namespace; undefined for a resource without a monitor. */
  objectsIn(namespace: string, groupResource: GroupResource): readonly ApiObject<CountedBody>[] | undefined {
    return this.monitors.get(resourceKeyOf(groupResource))?.index.find(NAMESPACE_INDEX, namespace);
  }

  /**
   * Ends the monitors of resources that are not served any more, and reports limited resources that were added or removed.
   * Resolves when the controller ends.
   */
  async syncPeriodically(): Promise<void> {
    const { clock, signal, logger } = this.context;
    while (await sleepUnlessAborted(clock, DISCOVERY_PERIOD_MS, signal)) {
      if (this.dynamicResources.size === 0) continue;
      try {
        await this.syncMonitors();
      } catch (error) {
        if (!signal.aborted) logger.warn('the served resources cannot be discovered, trying again', { error });
      }
    }
  }

  /** Ends all monitors. */
  end(): void {
    for (const { end } of this.monitors.values()) end();
    this.monitors.clear();
  }

  private async syncMonitors(): Promise<void> {
    const served = await this.servedResources(0);
    const changed = new Set<string>();
    for (const key of this.dynamicResources.keys()) {
      const monitor = this.monitors.get(key);
      if (served.has(key) === (monitor !== undefined)) continue;
      changed.add(key);
      monitor?.end();
      this.monitors.delete(key);
    }
    if (changed.size > 0) this.options.onResourcesChange(changed);
  }

  private async startMonitor(key: string): Promise<Monitor | undefined> {
    // A resource that the cached discovery lacks may have been added since.
    const resource = (await this.servedResources()).get(key) ?? (await this.servedResources(MIN_DISCOVERY_PERIOD_MS)).get(key);
    const isBuiltIn = SERVED_KINDS.some((row) => resourceKeyOf(row) === key) && resource !== undefined;
    if (!isBuiltIn && !this.dynamicResources.has(key)) this.dynamicResources.set(key, this.context.clock.monotonic());
    // Another worker may have started one meanwhile.
    const existing = this.monitors.get(key);
    if (resource === undefined || existing !== undefined) return existing;
    const monitor = isBuiltIn ? this.sharedMonitor(resource) : this.ownMonitor(resource);
    this.monitors.set(key, monitor);
    return monitor;
  }

  /** Built-in resources are always served, so other controllers may share the informer. */
  private sharedMonitor(resource: Resource): Monitor {
    const keepsFullObjects = resource.group === '' && KEPT_AS_FULL_OBJECTS.has(resource.resource);
    const informer = this.context.informers.of<CountedBody>(keepsFullObjects ? resource : metadataOf(resource));
    return this.newMonitor(informer, () => undefined);
  }

  /** A resource that may be removed has an informer of its own, which ends with it. */
  private ownMonitor(resource: ServedResource): Monitor {
    const { client, clock, random, logger, signal } = this.context;
    const ending = new AbortController();
    const informer = new Informer<CountedBody>({ client, clock, random, logger, resource: metadataOf(resource) });
    void informer.run(AbortSignal.any([signal, ending.signal]));
    return this.newMonitor(informer, () => ending.abort());
  }

  private newMonitor(informer: Informer<CountedBody>, stopInformer: () => void): Monitor {
    const { onUsageChange } = this.options;
    const key = resourceKeyOf(informer.resource);
    const index = indexInformer(informer, { [NAMESPACE_INDEX]: ({ namespace }) => [namespace] });
    const removeHandler = informer.handle({
      added: ({ namespace }) => onUsageChange(key, namespace),
      updated: (previous, current) => {
        if (mayChangeUsage(previous, current)) onUsageChange(key, current.namespace);
      },
      deleted: ({ namespace }) => onUsageChange(key, namespace),
    });
    const end = (): void => {
      removeHandler();
      index.end();
      stopInformer();
    };
    return { informer, index, end };
  }

  /**
   * Namespaced resources with objects that can be created and deleted, by key. Repeats a discovery that is older than
   * `maxAgeMs`.
   */
  private servedResources(maxAgeMs = Number.POSITIVE_INFINITY): Promise<ReadonlyMap<string, ServedResource>> {
    const { client, clock, signal } = this.context;
    const startedAt = clock.monotonic();
    if (this.discovery === undefined || startedAt - this.discovery.startedAt >= maxAgeMs) {
      const resources = discoverResources(client, { signal }).then((discovered) => countableByKey(discovered.resources));
      this.discovery = { startedAt, resources };
      resources.catch(() => (this.discovery = undefined));
    }
    return this.discovery.resources;
  }
}

function countableByKey(resources: readonly ServedResource[]): ReadonlyMap<string, ServedResource> {
  const countable = resources.filter(({ namespaced, verbs }) => namespaced && REQUIRED_VERBS.every((verb) => verbs.has(verb)));
  return new Map(countable.map((resource) => [resourceKeyOf(resource), resource]));
}

/** An object that is held as metadata counts as one, so no update changes its usage. */
function mayChangeUsage(previous: ApiObject<CountedBody>, current: ApiObject<CountedBody>): boolean {
  if (current.body.spec === undefined) return false;
  return (
    isPodTerminated(previous) !== isPodTerminated(current) ||
    isBeingDeleted(previous) !== isBeingDeleted(current) ||
    !equalJson(previous.body.spec, current.body.spec)
  );
}
