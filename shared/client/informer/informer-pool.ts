/**
 * Shares one informer among all readers of a collection (upstream's shared informer factory). Informers run until the
 * pool's signal is aborted.
 */
import type { JsonObject } from '../../values/json';
import type { ApiObject } from '../rest/api-object';
import type { Resource } from '../rest/resource';
import { Informer, StreamingListSupport, type InformerOptions } from './informer';

/** The options that all informers of a pool share. */
export type PoolOptions = Pick<InformerOptions<JsonObject>, 'client' | 'clock' | 'random' | 'logger' | 'protobuf'>;

/** Which objects of a resource an informer has, and how it trims each: by default it drops their managed fields. */
export type Collection<Body extends JsonObject> = Pick<InformerOptions<Body>, 'namespace' | 'labelSelector' | 'fieldSelector' | 'trim'>;

/** The informers of a process, one for each collection. All end with the signal. */
export class InformerPool {
  private readonly streaming = new StreamingListSupport();
  private readonly informers = new Map<string, { readonly informer: Informer; readonly ended: Promise<void> }>();

  /** Numbers the trim functions, so that informers with different ones have different keys. */
  private readonly trimIds = new Map<unknown, number>();

  constructor(
    private readonly options: PoolOptions,
    private readonly signal: AbortSignal,
  ) {}

  /** The informer of a collection; by default of all objects of the resource. The first call starts it. */
  of<Body extends JsonObject>(resource: Resource<Body>, collection: Collection<Body> = {}): Informer<Body> {
    const selected = { trim: withoutManagedFields<Body>, ...collection };
    const key = this.informerKey(resource, selected);
    const existing = this.informers.get(key)?.informer;
    if (existing !== undefined && isInformerOf(resource, existing)) return existing;
    const informer = new Informer({ ...this.options, ...selected, resource, streaming: this.streaming });
    this.informers.set(key, { informer, ended: informer.run(this.signal) });
    return informer;
  }

  /**
   * The informer of all objects of the resource, whole, if there is one: for a reader to which less would do, but which
   * would hold a copy of its own.
   */
  find(resource: Resource): Informer | undefined {
    return this.informers.get(this.informerKey(resource, { trim: withoutManagedFields }))?.informer;
  }

  /** The informers that have been started, in the order of their start. */
  get started(): readonly Informer[] {
    return [...this.informers.values()].map(({ informer }) => informer);
  }

  /** Resolves when all informers have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.informers.values()].map(({ ended }) => ended));
  }

  private informerKey<Body extends JsonObject>(resource: Resource<Body>, collection: Collection<Body>): string {
    const { namespace, labelSelector, fieldSelector, trim } = collection;
    const trimId = this.trimIds.get(trim) ?? this.trimIds.size;
    this.trimIds.set(trim, trimId);
    const { group, version, resource: plural, metadataOnly } = resource;
    return JSON.stringify([group, version, plural, metadataOnly, namespace, labelSelector, fieldSelector, trimId]);
  }
}

/**
 * The default of {@link Collection.trim}, as in upstream's controllers: managed fields are two thirds of the memory of a
 * typical pod, and no reader needs them. A PUT without them keeps those that are stored.
 */
function withoutManagedFields<Body extends JsonObject>(object: ApiObject<Body>): ApiObject<Body> {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata, body: { ...object.body, metadata } };
}

/** Narrows the type of an informer's objects: objects of the same resource have the same type. */
const isInformerOf = <Body extends JsonObject>(
  { group, version, resource }: Resource<Body>,
  informer: Informer,
): informer is Informer<Body> =>
  informer.resource.group === group && informer.resource.version === version && informer.resource.resource === resource;
