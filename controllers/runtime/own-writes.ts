/**
 * What a controller has written of an owner's dependants – a Service's slices, a Deployment's sets – and its informer has not told yet. A look at older ones would do
 * the same twice, so it waits. Counts by generation, which grows with each change of a dependant's content.
 */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { objectAt } from '../../shared/values/json';

export class OwnWrites {
  /** What was written of slices by uid, by the Service's key. */
  private readonly written = new Map<string, Map<string, { readonly generation: number; readonly version: string }>>();

  wrote(key: string, slice: ApiObject): void {
    const slices = this.written.get(key) ?? new Map<string, { readonly generation: number; readonly version: string }>();
    this.written.set(key, slices);
    slices.set(slice.uid, { generation: generationOf(slice), version: slice.resourceVersion });
  }

  /** Whoever took it away. */
  gone(key: string, slice: ApiObject): void {
    const slices = this.written.get(key);
    slices?.delete(slice.uid);
    if (slices?.size === 0) this.written.delete(key);
  }

  forget(key: string): void {
    this.written.delete(key);
  }

  /** Whether this very state was written here. */
  has(key: string, slice: ApiObject): boolean {
    return this.written.get(key)?.get(slice.uid)?.version === slice.resourceVersion;
  }

  /** Whether the slices are older than what was written. */
  areStale(key: string, slices: readonly ApiObject[]): boolean {
    const written = this.written.get(key);
    if (written === undefined) return false;
    const seen = new Map(slices.map((slice) => [slice.uid, generationOf(slice)]));
    return [...written].some(([uid, { generation }]) => (seen.get(uid) ?? -1) < generation);
  }
}

const generationOf = ({ body }: ApiObject): number => Number(objectAt(body, 'metadata')?.['generation'] ?? 0);
