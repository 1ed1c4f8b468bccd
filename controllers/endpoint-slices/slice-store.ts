/**
 * The EndpointSlices of one controller: indexes them by Service, calls back for changes by other clients and for
 * deletions, and writes. What the slices contain is decided by reconcile.ts.
 */
import type { DiscoveryV1EndpointSlice } from '../../shared/api/types/generated/members';
import { ignoreNotFound, isNamespaceTerminating } from '../../shared/client/rest/api-error';
import { keyOf } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { valueInEitherSpelling } from '../../shared/names/spellings';
import type { ControllerContext } from '../runtime/controller';
import { labelsOf } from '../runtime/pods';
import { WrittenGenerations } from '../runtime/written-generations';
import type { SliceActions } from './reconcile';
import { sliceView, type EndpointSlice, type SliceNames, type SliceView } from './slice';

const ENDPOINT_SLICES = resourceOf('discovery.v1.EndpointSlice');

/** One store for each controller of slices. */
export class SliceStore {
  /** Shows the slices of this controller only. It must have synced before they are read. */
  readonly informer: Informer<DiscoveryV1EndpointSlice>;
  /** By the Service's key, then by the slice's uid. */
  private readonly slices = new Map<string, Map<string, EndpointSlice>>();
  private readonly views = new WeakMap<EndpointSlice, SliceView>();
  private readonly written = new WrittenGenerations();

  constructor(
    private readonly context: Pick<ControllerContext, 'client' | 'informers' | 'signal'>,
    private readonly names: SliceNames,
    /**
     * Called with the key of a Service when one of its slices was created, changed or deleted, except for the creations
     * and changes by this store.
     */
    private readonly onChange: (key: string) => void,
  ) {
    this.informer = context.informers.of(ENDPOINT_SLICES, { labelSelector: `${names.managedBy}=${names.manager}` });
  }

  /** Follows the informer. Returns a function that ends this. */
  watch(): () => void {
    return this.informer.handle({
      added: (slice) => this.set(slice),
      updated: (previous, slice) => {
        if (this.serviceKeyOf(previous) !== this.serviceKeyOf(slice)) this.delete(previous);
        this.set(slice);
      },
      deleted: (slice) => this.delete(slice),
    });
  }

  /** The observed slices of a Service, in any order. `key`: that of the Service, as in the other methods. */
  slicesOf(key: string): readonly SliceView[] {
    return [...(this.slices.get(key)?.values() ?? [])].map((slice) => this.viewOf(slice));
  }

  private viewOf(slice: EndpointSlice): SliceView {
    const existing = this.views.get(slice);
    if (existing !== undefined) return existing;
    const view = sliceView(slice);
    this.views.set(slice, view);
    return view;
  }

  /** Whether the informer does not show yet what was written for the Service. */
  areStale(key: string): boolean {
    return this.written.areStale(key, [...(this.slices.get(key)?.values() ?? [])]);
  }

  /** Call it when the Service was deleted or needs no slices. */
  forget(key: string): void {
    this.written.forget(key);
  }

  /**
   * Executes the actions one after the other and throws the error of the first that fails. Two refusals are no errors: a
   * slice to delete may be gone, and in a namespace that is being deleted the rest is not executed. `mayCreate`: false for
   * an owner that is being deleted.
   */
  async apply(key: string, { creates, updates, deletes }: SliceActions, { mayCreate }: { readonly mayCreate: boolean }): Promise<void> {
    const { client, signal } = this.context;
    const [namespace = ''] = key.split('/');
    const slices = client.of(ENDPOINT_SLICES).namespace(namespace);
    try {
      if (mayCreate) for (const slice of creates) this.written.record(key, await slices.create(slice, { signal }));
      for (const slice of updates) this.written.record(key, await slices.update(slice, { signal }));
      for (const { name, uid } of deletes) await slices.delete(name, { preconditions: { uid }, signal }).catch(ignoreNotFound);
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
  }

  private set(slice: EndpointSlice): void {
    const key = this.serviceKeyOf(slice);
    const slices = this.slices.get(key) ?? new Map<string, EndpointSlice>();
    this.slices.set(key, slices.set(slice.uid, slice));
    if (!this.written.has(key, slice)) this.onChange(key);
  }

  private delete(slice: EndpointSlice): void {
    const key = this.serviceKeyOf(slice);
    this.slices.get(key)?.delete(slice.uid);
    if (this.slices.get(key)?.size === 0) this.slices.delete(key);
    this.written.removed(key, slice);
    this.onChange(key);
  }

  private serviceKeyOf(slice: EndpointSlice): string {
    return keyOf({ namespace: slice.namespace, name: valueInEitherSpelling(labelsOf(slice), this.names.serviceName) ?? '' });
  }
}
