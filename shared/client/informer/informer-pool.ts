/** One informer for each collection, however many want to follow it. They run until the pool's signal is aborted. */
import { Informer, StreamingLists, type InformerOptions } from './informer';

export type PoolOptions = Pick<InformerOptions, 'client' | 'clock' | 'random' | 'logger' | 'protobuf'>;
/** What tells collections apart. */
export type Collection = Pick<InformerOptions, 'resource' | 'namespace' | 'labelSelector' | 'fieldSelector' | 'metadataOnly' | 'trim'>;

export class InformerPool {
  private readonly streaming = new StreamingLists();
  private readonly informers = new Map<string, { readonly informer: Informer; readonly ended: Promise<void> }>();

  /** Numbers of the functions that trim: who trims differently has a copy of his own. */
  private readonly trims = new Map<Collection['trim'], number>([[undefined, 0]]);

  constructor(
    private readonly options: PoolOptions,
    private readonly signal: AbortSignal,
  ) {}

  /** The collection's informer, which begins to run when it is asked for first. */
  of(collection: Collection): Informer {
    const { resource, namespace, labelSelector, fieldSelector, metadataOnly, trim } = collection;
    const trimming = this.trims.get(trim) ?? this.trims.size;
    this.trims.set(trim, trimming);
    const key = JSON.stringify([
      resource.group,
      resource.version,
      resource.resource,
      namespace,
      labelSelector,
      fieldSelector,
      metadataOnly,
      trimming,
    ]);
    const known = this.informers.get(key);
    if (known !== undefined) return known.informer;
    const informer = new Informer({ ...this.options, ...collection, streaming: this.streaming });
    this.informers.set(key, { informer, ended: informer.run(this.signal) });
    return informer;
  }

  get all(): readonly Informer[] {
    return [...this.informers.values()].map(({ informer }) => informer);
  }

  /** Resolves when all have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.informers.values()].map(({ ended }) => ended));
  }
}
