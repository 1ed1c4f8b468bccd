/**
 * Reflector and store of a collection: lists it (as a streaming list if the server supports that, else in pages) and
 * watches it. A watch that ends resumes after the last version seen, on any replica, so no change is lost or delivered
 * twice; only after 410 is the collection listed again and compared. Lists are consistent reads, so the copy never
 * goes back in time.
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
  /** Undefined: all namespaces, or cluster scope. */
  readonly namespace?: string;
  readonly client: RestClient;
  readonly resource: Resource<Body>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Request protobuf if the kind has an encoding. */
  readonly protobuf?: boolean;
  /** Returns a copy without unused fields (upstream's transform). It must keep the names, the UID and the version. */
  trim?(object: ApiObject<Body>): ApiObject<Body>;
  /** Bytes of queued changes before coalescing; 16 MiB by default. */
  readonly waitingBytes?: number;
  readonly pageSize?: number;
  /** Shared by the informers of one server. */
  readonly streaming?: StreamingListSupport;
}

/** Whether the server rejected a streaming list; then none is tried again. */
export class StreamingListSupport {
  isUnsupported = false;
}

/** Counters for metrics and tests. */
export interface InformerCounts {
  /** Paged and streaming lists. */
  readonly lists: number;
  readonly watches: number;
  readonly events: number;
}

/** Objects per page of the initial list, as client-go's. */
const PAGE_SIZE = 500;
/** Default of {@link NotificationOptions.waitingBytes}. */
const WAITING_BYTES = 16 * 1024 * 1024;
/**
 * The least duration that watches request; up to twice as long at random, so that the watches of many clients do not end
 * together. Seconds.
 */
const WATCH_SECONDS = 300;
/** After a 410 all clients list again: each waits for a random time up to this. Milliseconds. */
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
  /** Resolves when the first list has been delivered to the handlers. Never rejects; check the run's signal as well. */
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

  /** The resource version of the copy; undefined before the first list. */
  get resourceVersion(): string | undefined {
    return this.version;
  }

  /** Lists, watches and events since the start. */
  get counts(): InformerCounts {
    return { ...this.counted };
  }

  /** Bytes of the changes that are not delivered yet. */
  get waitingBytes(): number {
    return this.notifications.waitingBytes;
  }

  /** The object as last received; undefined when it does not exist there. */
  get(namespace: string, name: string): ApiObject<Body> | undefined {
    return this.objects.get(keyOf({ namespace, name }));
  }

  /** `key` is the result of {@link keyOf}. */
  byKey(key: string): ApiObject<Body> | undefined {
    return this.objects.get(key);
  }

  /** All objects as last received, in no particular order. */
  list(): readonly ApiObject<Body>[] {
    return [...this.objects.values()];
  }

  /**
   * Adds handlers and returns their removal. Existing objects are delivered as added. Handlers must return at once;
   * work belongs in a queue.
   */
  handle(handlers: Handlers<Body>): () => void {
    return this.notifications.add(handlers, this.objects.values());
  }

  /** Lists and watches until the signal is aborted. A second call returns the promise of the first. */
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

  private async listInPages(signal: AbortSignal): Promise<void> {
    this.counted.lists += 1;
    const seen = new Set<string>();
    let version = '';
    for (const page of await this.listPages(signal)) {
      version = page.resourceVersion;
      const bytes = Math.ceil(page.bytes / Math.max(1, page.items.length));
      for (const item of page.items) {
        seen.add(keyOf(item));
        this.upsert(item, bytes);
      }
    }
    await this.completeList(seen, version);
  }

  /** Removes the objects that the list does not contain. */
  private async completeList(seen: ReadonlySet<string>, version: string): Promise<void> {
    for (const key of [...this.objects.keys()]) if (!seen.has(key)) this.remove(key, undefined, 0);
    this.version = version;
    this.backOff.reset();
    if (this.isSynced) return;
    await this.notifications.waitUntilDrained();
    this.isSynced = true;
    this.markSynced();
  }

  /** Reads all pages of one list. When its version is compacted before the last page, lists without pages. */
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

  /** Applies an event of an incomplete streaming list; the copy has no version yet. */
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
      // The deletion of the previous object was missed; handlers of that UID must be notified.
      this.notifications.push(keyOf(object), known, undefined, bytes);
      this.notifications.push(keyOf(object), undefined, object, bytes);
      return;
    }
    this.notifications.push(keyOf(object), known, object, bytes);
  }

  /** `last` is the state in the DELETED event, if there was one. */
  private remove(key: string, last: ApiObject<Body> | undefined, bytes: number): void {
    const known = this.objects.get(key);
    if (known === undefined) return;
    this.objects.delete(key);
    this.notifications.push(key, last ?? known, undefined, bytes);
  }
}

/** The server does not support or offer streaming lists. */
const isStreamingUnsupported = (error: unknown): boolean => error instanceof ApiError && (error.code === 422 || error.code === 400);
