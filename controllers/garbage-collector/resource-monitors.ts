/**
 * Follows every collection whose objects can be deleted, custom ones included: looks at what the server serves every 30 s, and as soon as a definition changes. One
 * collection that cannot be followed holds up nobody for long, and one that goes stops none of the others.
 */
import { Informer, StreamingLists, type InformerOptions } from '../../shared/client/informer/informer';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { discover, type Discovered } from '../../shared/client/rest/discovery';
import { metadataOf, type PartialObjectMetadata, type Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { pause } from '../../shared/client/signals';
import { canonicalGroup } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';
import type { Random } from '../../shared/runtime/random';
import { collectionOf, followed } from './deletable-resources';

export interface MonitorListener {
  put(resource: Resource, object: ApiObject): void;
  remove(object: ApiObject): void;
  /** All objects of the resource went with its definition. */
  gone(resource: Resource): void;
  /** What was known of the resource may be wrong by now. */
  forget(resource: Resource): void;
  /** What the server serves has been read, and what is new is known. */
  settled(): void;
}

export interface GarbageMonitorOptions {
  readonly client: RestClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly trim: NonNullable<InformerOptions<PartialObjectMetadata>['trim']>;
  readonly listener: MonitorListener;
  /** What the server serves has been read. */
  readonly onDiscovered: (discovered: Discovered) => void;
  /** A resource could not be read in time. */
  readonly onUnsynced: () => void;
}

interface Monitor {
  readonly resource: Resource;
  readonly ending: AbortController;
  readonly ended: Promise<void>;
  /** The collection is known, or has had its time. */
  isSettled: boolean;
}

const DISCOVERY_MS = 30_000;
/** Changes of definitions that follow each other are looked at together. Milliseconds. */
const GATHER_MS = 200;
/** What takes longer to be read does not keep the others waiting. Milliseconds. */
const SYNC_MS = 30_000;
const DEFINITIONS = 'customresourcedefinitions';

export class Monitors {
  private readonly monitors = new Map<string, Monitor>();
  /** Not served any more, but whether their objects are gone is not known: a definition that goes is not served before its objects have gone. */
  private readonly left = new Set<Resource>();
  private readonly streaming = new StreamingLists();
  private wake: () => void = () => undefined;
  private kinds = '';
  private isStale = false;

  constructor(private readonly options: GarbageMonitorOptions) {}

  /** Everything that is served is known, as far as it can be. */
  get isSettled(): boolean {
    return !this.isStale && [...this.monitors.values()].every(({ isSettled }) => isSettled);
  }

  /** Looks again and again until the signal is aborted; `onReady` is called once the first look has settled. */
  async run(onReady: () => void): Promise<void> {
    const { clock, signal, logger, listener } = this.options;
    // One listener for all of them: there may be hundreds.
    signal.addEventListener('abort', () => this.end(), { once: true });
    for (let isFirst = true; !signal.aborted;) {
      this.isStale = false;
      try {
        const isChanged = this.follow(await this.discovered());
        await this.settle();
        if (isChanged) listener.settled();
        if (isFirst && !signal.aborted) onReady();
        isFirst = false;
      } catch (error) {
        if (!signal.aborted) logger.warn('what the server serves cannot be read', { error });
        this.isStale = isFirst;
      }
      await this.nextLook();
      await pause(clock, GATHER_MS, signal);
    }
    this.end();
    await Promise.all([...this.monitors.values()].map(({ ended }) => ended));
  }

  private end(): void {
    for (const { ending } of this.monitors.values()) ending.abort();
  }

  private async discovered(): Promise<Discovered> {
    const { client, signal, onDiscovered } = this.options;
    const discovered = await discover(client, { signal });
    onDiscovered(discovered);
    return discovered;
  }

  /** Returns whether anything is known that was not. */
  private follow({ resources, kinds: known, stale }: Discovered): boolean {
    const wanted = new Map(followed(resources).map((resource) => [collectionOf(resource), resource]));
    const staleGroups = new Set(stale.map((text) => canonicalGroup(text.slice(0, Math.max(0, text.lastIndexOf('/'))))));
    for (const [key, { resource }] of this.monitors) {
      // What cannot be described at the moment is there all the same.
      if (!wanted.has(key) && !staleGroups.has(resource.group)) this.left.add(this.drop(key, resource));
    }
    const kinds = [...known.keys()].join(' ');
    let isChanged = kinds !== this.kinds;
    this.kinds = kinds;
    for (const [key, resource] of wanted) {
      if (this.monitors.has(key)) continue;
      isChanged = true;
      for (const known of this.leftOf(resource)) this.options.listener.forget(known);
      this.monitors.set(key, this.start(resource));
    }
    return isChanged;
  }

  private start(resource: Resource): Monitor {
    const { client, clock, random, logger, trim, listener, onUnsynced } = this.options;
    const ending = new AbortController();
    const informer = new Informer({ client, resource: metadataOf(resource), clock, random, logger, trim, streaming: this.streaming });
    const isCurrent = (): boolean => !ending.signal.aborted;
    informer.handle({
      added: (object) => {
        if (isCurrent()) listener.put(resource, object);
        this.definitionChanged(resource);
      },
      updated: (_, object) => {
        if (isCurrent()) listener.put(resource, object);
        this.definitionChanged(resource);
      },
      deleted: (object) => {
        if (isCurrent()) listener.remove(object);
        this.definitionChanged(resource, object.name);
      },
    });
    const ended = informer.run(ending.signal);
    const monitor: Monitor = { resource, ending, ended, isSettled: false };
    const settle = (): void => void (monitor.isSettled = true);
    const late = clock.after(SYNC_MS, () => {
      if (monitor.isSettled || ending.signal.aborted) return;
      onUnsynced();
      logger.warn('a collection cannot be read, going on without it', { group: resource.group, resource: resource.resource });
      settle();
    });
    void informer.synced.then(() => {
      late.cancel();
      settle();
    });
    ending.signal.addEventListener('abort', () => late.cancel(), { once: true });
    return monitor;
  }

  private drop(key: string, resource: Resource): Resource {
    this.monitors.get(key)?.ending.abort();
    this.monitors.delete(key);
    return resource;
  }

  /** Those of the same group and name that were left; they are not left any more. */
  private leftOf({ group, resource }: Pick<Resource, 'group' | 'resource'>): readonly Resource[] {
    const found = [...this.left].filter((known) => known.group === group && known.resource === resource);
    for (const known of found) this.left.delete(known);
    return found;
  }

  /** `gone` = the name of a definition that is gone, and with it all its objects. */
  private definitionChanged({ resource }: Resource, gone?: string): void {
    if (resource !== DEFINITIONS) return;
    if (gone !== undefined) this.definitionGone(gone);
    this.isStale = true;
    this.wake();
  }

  private definitionGone(name: string): void {
    const [plural = ''] = name.split('.', 1);
    const group = canonicalGroup(name.slice(plural.length + 1));
    const followed = [...this.monitors].filter(([, { resource: known }]) => known.resource === plural && known.group === group);
    const dropped = followed.map(([key, { resource }]) => this.drop(key, resource));
    for (const resource of [...dropped, ...this.leftOf({ group, resource: plural })]) this.options.listener.gone(resource);
  }

  private async settle(): Promise<void> {
    const { clock, signal } = this.options;
    while (!signal.aborted && ![...this.monitors.values()].every(({ isSettled }) => isSettled)) await pause(clock, 50, signal);
  }

  /** Ends after half a minute, or when a definition has changed. */
  private async nextLook(): Promise<void> {
    const { clock, signal } = this.options;
    if (this.isStale || signal.aborted) return;
    const ending = new AbortController();
    const stop = (): void => ending.abort();
    this.wake = stop;
    signal.addEventListener('abort', stop, { once: true });
    await pause(clock, DISCOVERY_MS, ending.signal);
    signal.removeEventListener('abort', stop);
    this.wake = () => undefined;
  }
}
