/**
 * Remembers the last generation of each dependent that a controller wrote, such as a Service's EndpointSlices or a
 * Deployment's ReplicaSets, to find out whether its informer is behind: a reconciliation would then repeat the writes.
 * Compares `metadata.generation`, which grows with each change of a dependent's content. Entries stay until the dependent
 * is deleted or the owner is forgotten.
 */
import { generationOf, type ApiObject } from '../../shared/client/rest/api-object';

/** A dependent as the response to its last write has it. */
interface WrittenState {
  readonly generation: number;
  readonly resourceVersion: string;
}

/** One instance for each kind of dependent. `owner` is the key of the owning object in all methods. */
export class WrittenGenerations {
  /** By the owner's key, then by the dependent's uid. */
  private readonly written = new Map<string, Map<string, WrittenState>>();

  /** Call it with the response to each write of a dependent. */
  record(owner: string, dependent: ApiObject): void {
    const states = this.written.get(owner) ?? new Map<string, WrittenState>();
    this.written.set(owner, states);
    states.set(dependent.uid, { generation: generationOf(dependent), resourceVersion: dependent.resourceVersion });
  }

  /** Call it for each deleted dependent, whichever client deleted it. */
  removed(owner: string, dependent: ApiObject): void {
    const states = this.written.get(owner);
    states?.delete(dependent.uid);
    if (states?.size === 0) this.written.delete(owner);
  }

  /** Drops what is remembered of all dependents of the owner. */
  forget(owner: string): void {
    this.written.delete(owner);
  }

  /** Whether this controller wrote exactly this version. */
  has(owner: string, dependent: ApiObject): boolean {
    return this.written.get(owner)?.get(dependent.uid)?.resourceVersion === dependent.resourceVersion;
  }

  /** Whether some dependent is missing from `observed`, or older there than this controller wrote it. */
  areStale(owner: string, observed: readonly ApiObject[]): boolean {
    const states = this.written.get(owner);
    if (states === undefined) return false;
    const seen = new Map(observed.map((dependent) => [dependent.uid, generationOf(dependent)]));
    return [...states].some(([uid, { generation }]) => (seen.get(uid) ?? -1) < generation);
  }
}
