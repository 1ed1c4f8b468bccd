/** The slices that one controller makes: what there is of them for each Service, and how changes are written. Decides nothing about their content. */
import { ApiError, isNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { labelOf } from '../service-pods/labels';
import type { ControllerContext } from '../runtime/controller';
import { WrittenGenerations } from '../runtime/written-generations';
import type { Writes } from './reconcile';
import { sliceView, type SliceNames, type SliceView } from './slice';

const SLICES = resourceOf('discovery.v1.EndpointSlice');

export class SliceKeeper {
  readonly informer: Informer;
  /** By the Service's key and their own uid. */
  private readonly slices = new Map<string, Map<string, ApiObject>>();
  private readonly views = new WeakMap<ApiObject, SliceView>();
  private readonly own = new WrittenGenerations();

  constructor(
    private readonly context: Pick<ControllerContext, 'client' | 'informers' | 'signal'>,
    private readonly names: SliceNames,
    /** Told of a Service whose slices somebody else has changed. */
    private readonly changed: (key: string) => void,
  ) {
    this.informer = context.informers.of(SLICES, { labelSelector: `${names.managedBy}=${names.manager}` });
  }

  /** Returns what ends it. */
  follow(): () => void {
    const updated = (before: ApiObject, slice: ApiObject): void => {
      if (this.serviceOf(before) !== this.serviceOf(slice)) this.drop(before);
      this.put(slice);
    };
    return this.informer.handle({ added: (slice) => this.put(slice), updated, deleted: (slice) => this.drop(slice) });
  }

  of(key: string): readonly SliceView[] {
    return [...(this.slices.get(key)?.values() ?? [])].map((slice) => this.viewOf(slice));
  }

  private viewOf(slice: ApiObject): SliceView {
    let view = this.views.get(slice);
    if (view === undefined) this.views.set(slice, (view = sliceView(slice)));
    return view;
  }

  /** Whether what was written has not been told yet. */
  areStale(key: string): boolean {
    return this.own.areStale(key, [...(this.slices.get(key)?.values() ?? [])]);
  }

  forget(key: string): void {
    this.own.forget(key);
  }

  /** `mayCreate`: not for an owner that is going. Rejects with ApiError; in a namespace that is going nothing is made, which is none. */
  async write(key: string, { creates, updates, deletes }: Writes, mayCreate: boolean): Promise<void> {
    const { client, signal } = this.context;
    try {
      if (mayCreate) for (const slice of creates) this.own.record(key, await client.create(SLICES, slice, { signal }));
      for (const slice of updates) this.own.record(key, await client.update(SLICES, slice, { signal }));
      for (const { namespace, name, uid } of deletes)
        await client.delete(SLICES, { namespace, name }, { preconditions: { uid }, signal }).catch(unlessGone);
    } catch (error) {
      if (error instanceof ApiError && error.code === 403 && error.message.includes('is being terminated')) return;
      throw error;
    }
  }

  private put(slice: ApiObject): void {
    const key = this.serviceOf(slice);
    const slices = this.slices.get(key) ?? new Map<string, ApiObject>();
    this.slices.set(key, slices.set(slice.uid, slice));
    if (!this.own.has(key, slice)) this.changed(key);
  }

  private drop(slice: ApiObject): void {
    const key = this.serviceOf(slice);
    this.slices.get(key)?.delete(slice.uid);
    if (this.slices.get(key)?.size === 0) this.slices.delete(key);
    this.own.removed(key, slice);
    this.changed(key);
  }

  private serviceOf({ namespace, body }: ApiObject): string {
    return keyOf({ namespace, name: labelOf(body, this.names.serviceName) ?? '' });
  }
}

/** What is gone is told by its own event. */
function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
