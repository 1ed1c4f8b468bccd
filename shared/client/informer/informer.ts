/**
 * Reflector and store of a collection: lists it (as a streaming list if the server supports that, else in pages) and
 * watches it. A watch that ends is resumed after the last version seen, on any replica, so no change is lost or
 * delivered twice. When that version has expired (410), the collection is listed again, and handlers are notified of
 * the differences. Lists are consistent reads, so the copy does not go back in time.
 */
import type { Clock } from '../../runtime/clock';
import type { Logger } from '../../runtime/logger';
import type { Random } from '../../runtime/random';
import type { JsonObject } from '../../values/json';
import { ApiError, isExpired } from '../rest/api-error';
import { keyOf, type ApiObject } from '../rest/api-object';
import { BackOff } from '../back-off';
import { Notifications, type Handlers } from './notifications';
import type { Resource } from '../rest/resource';
import type { AllNamespacesClient } from '../rest/resource-client';
import type { RestClient } from '../rest/rest-client';
import type { ListOptions, ObjectList, Selectors, WatchOptions } from '../rest/request-options';
import { sleepUnlessAborted } from '../signals';
import type { WatchEvent } from '../rest/watch-event';

/** What an informer lists and watches, and how. */
export interface InformerOptions<Body extends JsonObject> extends Selectors {
  /** `undefined` for all namespaces, and for a cluster-scoped resource. */
  readonly namespace?: string;
  readonly client: RestClient;
  readonly resource: Resource<Body>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Whether to accept protobuf, which servers send for kinds that have an encoding. */
  readonly protobuf?: boolean;
  /** Returns a copy without unused fields (upstream's transform). It must keep the names, the UID and the version. */
  trim?(object: ApiObject<Body>): ApiObject<Body>;
  /** Bytes of changes that may wait for the handlers before changes are coalesced; 16 MiB by default. */
  readonly waitingBytes?: number;
  /** Objects per page of a list; 500 by default. */
  readonly pageSize?: number;
  /** What is known about the server; shared by its informers. By default that of this informer alone. */
  readonly streaming?: StreamingListSupport;
}

/** Remembers that a server has rejected a streaming list, so that the informers that share this try none again. */
export class StreamingListSupport {
  isUnsupported = false;
}

/** Counters for metrics and tests. */
export interface InformerCounts {
  /** Paged lists, and streaming lists that have been completed. */
  readonly lists: number;
  /** Watches that started at a version, without those that began with a streaming list. */
  readonly watches: number;
  /** Events of changes, without those of a streaming list. */
  readonly events: number;
}

/** Default of {@link InformerOptions.pageSize}, as client-go's. */
const PAGE_SIZE = 500;
/** Default of {@link NotificationOptions.waitingBytes}. */
const WAITING_BYTES = 16 * 1024 * 1024;
/**
 * The least duration that watches request; up to twice as long at random, so that the watches of many clients do not end
 * together. Seconds.
 */
const WATCH_SECONDS = 300;
/** After a 410, which many clients get at once, each waits a random time up to this before it lists again. Milliseconds. */
const RELIST_SPREAD_MS = 1_000;
/** After a watch of this duration the next one starts without a back-off. Milliseconds. */
const MIN_HEALTHY_WATCH_MS = 1_000;

/**
 * A copy of a collection. Reads are synchronous, and may be behind the server; objects are shared and must not be
 * modified.
 */
export class Informer<Body extends JsonObject = JsonObject> {
  private readonly objects = new Map<string, ApiObject<Body>>();
  private readonly notifications: Notifications<Body>;
  private readonly backOff: BackOff;
  private readonly streaming: StreamingListSupport;
  private readonly counted = { lists: 0, watches: 0, events: 0 };
  private version: string | undefined;
  private running: Promise<void> | undefined;
  private markSynced: () => void = () => undefined;
  /**
   * Resolves when the first list has been delivered to the handlers. Stays pending when the run ends before that, so
   * callers wait for the run's signal as well.
   */
  readonly synced: Promise<void> = new Promise((resolve) => (this.markSynced = resolve));
  private isSynced = false;

  constructor(private readonly options: InformerOptions<Body>) {
    const { clock, random, logger, waitingBytes = WAITING_BYTES, pageSize = PAGE_SIZE, streaming = new StreamingListSupport() } = options;
    if (!Number.isInteger(pageSize) || pageSize < 1) throw new RangeError(`the page size must be positive, not ${pageSize}`);
    if (!(waitingBytes > 0)) throw new RangeError(`the limit of waiting bytes must be positive, not ${waitingBytes}`);
    this.streaming = streaming;
    this.notifications = new Notifications({ clock, logger, waitingBytes });
    this.backOff = new BackOff(random, { initialMs: 200, maxMs: 30_000 });
  }

  get resource(): Resource<Body> {
    return this.options.resource;
  }

  /** Whether the first list has been delivered to the handlers. */
  get hasSynced(): boolean {
    return this.isSynced;
  }

  /** The resource version of the copy; `undefined` before a list is complete, also when it expired and is listed again. */
  get resourceVersion(): string | undefined {
    return this.version;
  }

  /** The counters since the informer was created. */
  get counts(): InformerCounts {
    return { ...this.counted };
  }

  /** Bytes of the changes that are not delivered yet. */
  get waitingBytes(): number {
    return this.notifications.waitingBytes;
  }

  /** The object as last received; `undefined` when the copy does not have it. */
  get(namespace: string, name: string): ApiObject<Body> | undefined {
    return this.objects.get(keyOf({ namespace, name }));
  }

  /** {@link get} by the result of {@link keyOf}. */
  byKey(key: string): ApiObject<Body> | undefined {
    return this.objects.get(key);
  }

  /** All objects as last received, in no particular order. */
  list(): readonly ApiObject<Body>[] {
    return [...this.objects.values()];
  }

  /**
   * Adds handlers and returns a function that removes them. Existing objects are delivered as added before this method
   * returns. Handlers must return at once; work belongs in a queue.
   */
  handle(handlers: Handlers<Body>): () => void {
    return this.notifications.add(handlers, this.objects.values());
  }

  /** Lists and watches until the signal is aborted. A second call returns the promise of the first and ignores its signal. */
  run(signal: AbortSignal): Promise<void> {
    this.running ??= this.listAndWatch(signal);
    return this.running;
  }

  private async listAndWatch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const usesStreamingList = this.version === undefined && !this.streaming.isUnsupported;
      try {
        if (usesStreamingList) await this.watch('present', signal);
        else if (this.version === undefined) await this.listInPages(signal);
        else await this.watch({ resourceVersion: this.version }, signal);
      } catch (error) {
        if (usesStreamingList && isStreamingUnsupported(error)) this.streaming.isUnsupported = true;
        else if (!signal.aborted) await this.handleFailure(error, signal);
      }
    }
  }

  /** Waits before the next attempt. After a 410 the next attempt lists. */
  private async handleFailure(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, random, logger, resource } = this.options;
    if (isExpired(error)) {
      this.version = undefined;
      logger.info('the last resource version has expired, listing again', { resource: resource.resource });
      await sleepUnlessAborted(clock, random.float() * RELIST_SPREAD_MS, signal);
      return;
    }
    const ms = this.backOff.next();
    logger.warn('a resource cannot be watched, trying again', { resource: resource.resource, inMs: Math.round(ms), error });
    await sleepUnlessAborted(clock, ms, signal);
  }

  /** Replaces the copy by a list. Handlers are notified of the differences. */
  private async listInPages(signal: AbortSignal): Promise<void> {
    this.counted.lists += 1;
    const seen = new Set<string>();
    let version = '';
    for (const page of await this.listPages(signal)) {
      version = page.resourceVersion;
      // The length of an object is known only as the average of its page.
      const bytes = Math.ceil(page.bytes / Math.max(1, page.items.length));
      for (const item of page.items) {
        seen.add(keyOf(item));
        this.upsert(item, bytes);
      }
    }
    await this.completeList(seen, version);
  }

  /**
   * Ends a list that contained the keys `seen`: removes all other objects. The first time, waits until the handlers have
   * been notified, and then counts as synced.
   */
  private async completeList(seen: ReadonlySet<string>, version: string): Promise<void> {
    for (const key of [...this.objects.keys()]) if (!seen.has(key)) this.remove(key, undefined, 0);
    this.version = version;
    this.backOff.reset();
    if (this.isSynced) return;
    await this.notifications.waitUntilDrained();
    this.isSynced = true;
    this.markSynced();
  }

  /** Reads all pages of one list, or one page without a limit when the list's version expires between two pages. */
  private async listPages(signal: AbortSignal): Promise<readonly ObjectList<Body>[]> {
    const { pageSize = PAGE_SIZE } = this.options;
    const pages: ObjectList<Body>[] = [];
    try {
      let token: string | undefined;
      do {
        const page = await this.listPage(signal, { limit: pageSize, ...(token === undefined ? {} : { continue: token }) });
        pages.push(page);
        token = page.continue;
      } while (token !== undefined);
      return pages;
    } catch (error) {
      if (!isExpired(error)) throw error;
      return [await this.listPage(signal, {})];
    }
  }

  private async listPage(signal: AbortSignal, options: Pick<ListOptions, 'limit' | 'continue'>): Promise<ObjectList<Body>> {
    const page = await this.collection().list({ ...this.selectors(), ...options, signal });
    return this.options.trim === undefined ? page : { ...page, items: page.items.map((item) => this.applyTrim(item)) };
  }

  private collection(): Pick<AllNamespacesClient<Body>, 'list' | 'watch'> {
    const { client, resource, namespace } = this.options;
    const inAllNamespaces = client.of(resource);
    return namespace === undefined ? inAllNamespaces : inAllNamespaces.namespace(namespace);
  }

  /** Selectors and encoding of all requests. */
  private selectors(): Selectors & { readonly protobuf?: boolean } {
    const { labelSelector, fieldSelector, protobuf } = this.options;
    return {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(protobuf === undefined ? {} : { protobuf }),
    };
  }

  /** Watches until the server ends the watch. `present` begins with a streaming list, which counts as a list. */
  private async watch(from: WatchOptions['from'], signal: AbortSignal): Promise<void> {
    const { clock, random } = this.options;
    if (from !== 'present') this.counted.watches += 1;
    const started = clock.monotonic();
    const events = this.collection().watch({
      from,
      timeoutSeconds: Math.floor(WATCH_SECONDS * (1 + random.float())),
      signal,
      ...this.selectors(),
    });
    // The keys of the streaming list so far; undefined once it is complete.
    let initial = from === 'present' ? new Set<string>() : undefined;
    for await (const event of events) {
      if (initial === undefined) {
        this.apply(event);
        this.backOff.reset();
      } else if (event.type === 'BOOKMARK' && event.endsInitialEvents) {
        this.counted.lists += 1;
        await this.completeList(initial, event.resourceVersion);
        initial = undefined;
      } else this.applyInitialEvent(event, initial);
    }
    // Avoids a tight loop when the server ends watches at once.
    if (clock.monotonic() - started < MIN_HEALTHY_WATCH_MS) await sleepUnlessAborted(clock, this.backOff.next(), signal);
    else this.backOff.reset();
  }

  /**
   * Applies an event before the streaming list is complete, and adds or removes its key in `initial`. An object that is
   * deleted meanwhile leaves the copy when the list is complete, as all objects that `initial` lacks.
   */
  private applyInitialEvent(event: WatchEvent<Body>, initial: Set<string>): void {
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
        initial.add(keyOf(event.object));
        return this.upsert(this.applyTrim(event.object), event.bytes);
      case 'DELETED':
        initial.delete(keyOf(event.object));
        return;
      case 'BOOKMARK':
        return;
      case 'ERROR':
        throw event.error;
    }
  }

  private apply(event: WatchEvent<Body>): void {
    switch (event.type) {
      case 'ADDED':
      case 'MODIFIED':
        this.counted.events += 1;
        this.upsert(this.applyTrim(event.object), event.bytes);
        this.version = event.object.resourceVersion;
        return;
      case 'DELETED':
        this.counted.events += 1;
        this.remove(keyOf(event.object), this.applyTrim(event.object), event.bytes);
        this.version = event.object.resourceVersion;
        return;
      case 'BOOKMARK':
        if (event.resourceVersion !== '') this.version = event.resourceVersion;
        return;
      case 'ERROR':
        throw event.error;
    }
  }

  private applyTrim(object: ApiObject<Body>): ApiObject<Body> {
    return this.options.trim?.(object) ?? object;
  }

  private upsert(object: ApiObject<Body>, bytes: number): void {
    const known = this.objects.get(keyOf(object));
    if (known?.resourceVersion === object.resourceVersion && known.uid === object.uid) return;
    this.objects.set(keyOf(object), object);
    if (known !== undefined && known.uid !== object.uid) {
      // The deletion of the known object was missed, so handlers are notified of it before they get its successor.
      this.notifications.push(keyOf(object), known, undefined, bytes);
      this.notifications.push(keyOf(object), undefined, object, bytes);
      return;
    }
    this.notifications.push(keyOf(object), known, object, bytes);
  }

  /** `last` is the state in the DELETED event; `undefined` when a list no longer contains the object. */
  private remove(key: string, last: ApiObject<Body> | undefined, bytes: number): void {
    const known = this.objects.get(key);
    if (known === undefined) return;
    this.objects.delete(key);
    this.notifications.push(key, last ?? known, undefined, bytes);
  }
}

/** Servers without streaming lists reject their parameters: 422 as invalid, or 400. */
const isStreamingUnsupported = (error: unknown): boolean => error instanceof ApiError && (error.code === 422 || error.code === 400);
