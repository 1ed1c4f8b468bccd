/**
 * Follows all deletable resources, custom resources included, through the informers that other controllers have started,
 * or else through own ones of the metadata. Discovery is repeated every 30 s, and as soon as a CustomResourceDefinition
 * changes. A resource that cannot be listed delays the others for a limited time, and a resource that is removed does not
 * affect the others.
 */
import { Informer, StreamingListSupport } from '../../shared/client/informer/informer';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { discoverResources, type DiscoveredResources } from '../../shared/client/rest/discovery';
import { metadataOf, type Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { sleepUnlessAborted } from '../../shared/client/signals';
import { canonicalGroup } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';
import type { Random } from '../../shared/runtime/random';
import { deletableResources, resourceKeyOf } from './deletable-resources';
import type { MetadataObject } from './owner-references';

/** Receives what the informers of all monitored resources observe. */
export interface MonitorListener {
  /** An object was created or changed. */
  put(resource: Resource, object: MetadataObject): void;
  /** An object was deleted. */
  remove(object: MetadataObject): void;
  /** All objects of the resource were deleted, because its definition was. */
  resourceDeleted(resource: Resource): void;
  /** The state of the resource's objects is unknown. */
  forgetResource(resource: Resource): void;
  /** Every monitor has synced or timed out after a change of the served resources. */
  synced(): void;
}

/** The client and the callbacks of {@link ResourceMonitors}. */
export interface ResourceMonitorsOptions {
  readonly client: RestClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Reduces an object to what the collector needs before it is stored. */
  readonly trim: (object: ApiObject) => MetadataObject;
  /** The informer of whole objects that another controller has started, or undefined. It is used, but not ended. */
  readonly findInformer: (resource: Resource) => Informer | undefined;
  readonly listener: MonitorListener;
  /** Called after each discovery. */
  readonly onDiscovered: (discovered: DiscoveredResources) => void;
  /** Called for a resource that did not sync in time. */
  readonly onSyncTimeout: () => void;
}

/** What follows one resource. */
interface Monitor {
  readonly resource: Resource;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  /** The informer has synced, or its time is over. */
  isSynced: boolean;
}

/** Upstream's period of discovery. Changes of definitions start one earlier. */
const DISCOVERY_PERIOD_MS = 30_000;
/** Changes of definitions within this time cause one discovery. Milliseconds. */
const BATCH_MS = 200;
/** One resource that cannot be listed must not stop the collection of all others. */
const SYNC_TIMEOUT_MS = 30_000;
/** How often the monitors are inspected while the collector starts. */
const SYNC_POLL_MS = 50;
/** The plural of CustomResourceDefinitions. Their changes start a discovery. */
const DEFINITIONS = 'customresourcedefinitions';

/** Runs once: {@link run} starts and ends all informers. */
export class ResourceMonitors {
  /** By the key of the resource. */
  private readonly monitors = new Map<string, Monitor>();
  /**
   * Resources without a monitor and with objects that may still exist: a deleted definition is not served any more
   * before its objects are deleted.
   */
  private readonly unmonitored = new Set<Resource>();
  private readonly streaming = new StreamingListSupport();
  /** Ends the current wait for the next discovery. */
  private interruptWait: () => void = () => undefined;
  /** The kinds of the latest discovery, joined, to notice a change. */
  private servedKinds = '';
  /** How many discoveries were called for: the first one, and one for each change of a definition. */
  private requestedDiscoveries = 1;
  /** The value of {@link requestedDiscoveries} when the latest successful discovery started. */
  private coveredRequests = 0;

  constructor(private readonly options: ResourceMonitorsOptions) {}

  /** Whether a discovery covers every observed change of a definition, and all monitors have synced or timed out. */
  get areSynced(): boolean {
    return !this.needsDiscovery && this.areMonitorsSynced;
  }

  /** Whether every monitor has synced or timed out. */
  private get areMonitorsSynced(): boolean {
    return [...this.monitors.values()].every(({ isSynced }) => isSynced);
  }

  private get needsDiscovery(): boolean {
    return this.coveredRequests < this.requestedDiscoveries;
  }

  /**
   * Resolves when the signal is aborted and all informers have ended. `onReady` is called once, when every monitor of the
   * first discovery has synced or timed out.
   */
  async run(onReady: () => void): Promise<void> {
    const { clock, signal, logger, listener } = this.options;
    // One listener for all monitors: there may be hundreds.
    signal.addEventListener('abort', () => this.stopMonitors(), { once: true });
    let isFirst = true;
    while (!signal.aborted) {
      const requests = this.requestedDiscoveries;
      try {
        const isChanged = this.syncMonitors(await this.discoverResources());
        this.coveredRequests = requests;
        await this.waitForMonitors();
        if (isChanged) listener.synced();
        if (isFirst && !signal.aborted) onReady();
        isFirst = false;
      } catch (error) {
        if (!signal.aborted) logger.warn('the served resources cannot be discovered', { error });
      }
      await this.waitForNextDiscovery();
      await sleepUnlessAborted(clock, BATCH_MS, signal);
    }
    this.stopMonitors();
    await Promise.all([...this.monitors.values()].map(({ ended }) => ended));
  }

  private stopMonitors(): void {
    for (const { stop } of this.monitors.values()) stop.abort();
  }

  private async discoverResources(): Promise<DiscoveredResources> {
    const { client, signal, onDiscovered } = this.options;
    const discovered = await discoverResources(client, { signal });
    onDiscovered(discovered);
    return discovered;
  }

  /** Starts and drops monitors. Returns whether any kind or resource was added or removed. */
  private syncMonitors({ resources, kinds, stale }: DiscoveredResources): boolean {
    const desired = new Map(deletableResources(resources).map((resource) => [resourceKeyOf(resource), resource]));
    // `example.com/v1` -> `example.com`, and the version `v1` of the core group -> ''.
    const staleGroups = new Set(stale.map((version) => canonicalGroup(version.slice(0, Math.max(0, version.lastIndexOf('/'))))));
    for (const [key, { resource }] of this.monitors) {
      // A version that discovery cannot describe at the moment is still served.
      if (desired.has(key) || staleGroups.has(resource.group)) continue;
      this.dropMonitor(key);
      this.unmonitored.add(resource);
    }
    const servedKinds = [...kinds.keys()].join(' ');
    let isChanged = servedKinds !== this.servedKinds;
    this.servedKinds = servedKinds;
    for (const [key, resource] of desired) {
      if (this.monitors.has(key)) continue;
      isChanged = true;
      for (const previous of this.takeUnmonitored(resource)) this.options.listener.forgetResource(previous);
      this.monitors.set(key, this.startMonitor(resource));
    }
    return isChanged;
  }

  private startMonitor(resource: Resource): Monitor {
    const { clock, logger, onSyncTimeout } = this.options;
    const stop = new AbortController();
    const { informer, ended } = this.follow(resource, stop.signal);
    const monitor: Monitor = { resource, stop, ended, isSynced: false };
    const timeout = clock.after(SYNC_TIMEOUT_MS, () => {
      if (monitor.isSynced || stop.signal.aborted) return;
      onSyncTimeout();
      logger.warn('a resource cannot be listed, continuing without it', { group: resource.group, resource: resource.resource });
      monitor.isSynced = true;
    });
    void informer.synced.then(() => {
      timeout.cancel();
      monitor.isSynced = true;
    });
    stop.signal.addEventListener('abort', () => timeout.cancel(), { once: true });
    return monitor;
  }

  /** Passes the objects of the resource to the listener until the signal is aborted. */
  private follow(resource: Resource, signal: AbortSignal): { readonly informer: Informer; readonly ended: Promise<void> } {
    const { client, clock, random, logger, trim, listener, findInformer } = this.options;
    const put = (object: MetadataObject): void => {
      if (!signal.aborted) listener.put(resource, object);
      this.handleDefinitionChange(resource);
    };
    const remove = (object: MetadataObject): void => {
      if (!signal.aborted) listener.remove(object);
      this.handleDefinitionChange(resource, object.name);
    };
    const shared = findInformer(resource);
    if (shared !== undefined) {
      const removeHandler = shared.handle({
        added: (object) => put(trim(object)),
        updated: (_, object) => put(trim(object)),
        deleted: (last) => remove(trim(last)),
      });
      signal.addEventListener('abort', removeHandler, { once: true });
      return { informer: shared, ended: Promise.resolve() };
    }
    const informer = new Informer({ client, resource: metadataOf(resource), clock, random, logger, trim, streaming: this.streaming });
    informer.handle({ added: put, updated: (_, object) => put(object), deleted: remove });
    return { informer, ended: informer.run(signal) };
  }

  private dropMonitor(key: string): void {
    this.monitors.get(key)?.stop.abort();
    this.monitors.delete(key);
  }

  /** Removes and returns the unmonitored resources with this group and name. */
  private takeUnmonitored({ group, resource }: Pick<Resource, 'group' | 'resource'>): readonly Resource[] {
    const matching = [...this.unmonitored].filter((unmonitored) => unmonitored.group === group && unmonitored.resource === resource);
    for (const unmonitored of matching) this.unmonitored.delete(unmonitored);
    return matching;
  }

  /** Does nothing for other resources. `deletedName`: the name of a definition that was deleted, with all its objects. */
  private handleDefinitionChange({ resource }: Resource, deletedName?: string): void {
    if (resource !== DEFINITIONS) return;
    if (deletedName !== undefined) this.handleDefinitionDeletion(deletedName);
    this.requestedDiscoveries += 1;
    this.interruptWait();
  }

  private handleDefinitionDeletion(definitionName: string): void {
    // `things.example.com` -> the plural `things` and the group `example.com`.
    const [plural = ''] = definitionName.split('.', 1);
    const group = canonicalGroup(definitionName.slice(plural.length + 1));
    const deleted = [...this.takeUnmonitored({ group, resource: plural })];
    for (const [key, { resource }] of this.monitors) {
      if (resource.resource !== plural || resource.group !== group) continue;
      this.dropMonitor(key);
      deleted.push(resource);
    }
    for (const resource of deleted) this.options.listener.resourceDeleted(resource);
  }

  private async waitForMonitors(): Promise<void> {
    const { clock, signal } = this.options;
    while (!signal.aborted && !this.areMonitorsSynced) await sleepUnlessAborted(clock, SYNC_POLL_MS, signal);
  }

  /** Resolves after the discovery period, or when a definition changes; at once when no discovery has covered a change. */
  private async waitForNextDiscovery(): Promise<void> {
    const { clock, signal } = this.options;
    if (this.needsDiscovery || signal.aborted) return;
    const interruption = new AbortController();
    const interrupt = (): void => interruption.abort();
    this.interruptWait = interrupt;
    signal.addEventListener('abort', interrupt, { once: true });
    await sleepUnlessAborted(clock, DISCOVERY_PERIOD_MS, interruption.signal);
    signal.removeEventListener('abort', interrupt);
    this.interruptWait = () => undefined;
  }
}
