/**
 * Finds the stored values that need a key which the configuration does not have, while the server loads its state: it
 * observes those reads and that watch, so the check needs no read of its own. Only the last observed value of each store
 * key counts: an earlier one may need a key that was removed since.
 */
import { DelegatingStore } from '../delegating-store';
import type { KeyRange, RangeRequest, RangeResult, Revision, Store, StoreCallOptions, Watch, WatchSink } from '../store';
import { hasEncryptionPrefix } from '../unreadable-value';
import type { EncryptionRules } from './encryption-rules';
import { MissingKeys, requirementOf, type KeyRequirement } from './missing-keys';

/** By which rules values are judged, and to which resource they belong. */
export interface MissingKeyObserverOptions {
  /** Undefined without encryption at rest. */
  readonly rules: (() => EncryptionRules) | undefined;
  /** The resource of a key; undefined when the key belongs to none. */
  readonly resourceOf: (key: string) => string | undefined;
}

/** An observation in progress. */
export interface ObservedStore {
  /** Reads and watches of this store are observed. */
  readonly store: Store;
  /** Ends the observation and returns what is missing. */
  readonly finish: () => MissingKeys;
}

/** Starts to observe. Use the returned store until the state is loaded, then call `finish`. */
export function observeMissingKeys(store: Store, options: MissingKeyObserverOptions): ObservedStore {
  const observer = new MissingKeyObserver(store, options);
  return { store: observer, finish: () => observer.finish() };
}

interface MissingKey {
  readonly resource: string;
  readonly requirement: KeyRequirement;
}

class MissingKeyObserver extends DelegatingStore {
  /** By store key. Undefined once the observation has ended. */
  private missing: Map<string, MissingKey> | undefined = new Map<string, MissingKey>();

  constructor(
    store: Store,
    private readonly options: MissingKeyObserverOptions,
  ) {
    super(store);
  }

  override async range(request: RangeRequest, options?: StoreCallOptions): Promise<RangeResult> {
    const result = await this.store.range(request, options);
    if (this.missing !== undefined && request.keysOnly !== true) for (const { key, value } of result.kvs) this.observe(key, value);
    return result;
  }

  override watch(range: KeyRange, from: Revision, sink: WatchSink): Watch {
    if (this.missing === undefined) return this.store.watch(range, from, sink);
    return this.store.watch(range, from, {
      events: (events, through) => {
        if (this.missing !== undefined) for (const event of events) this.observe(event.key, event.type === 'put' ? event.value : undefined);
        sink.events(events, through);
      },
      progress: (revision) => sink.progress(revision),
      compacted: (revision) => sink.compacted(revision),
      connection: (state) => sink.connection(state),
    });
  }

  finish(): MissingKeys {
    const result = new MissingKeys();
    for (const { resource, requirement } of this.missing?.values() ?? []) result.add(resource, requirement);
    this.missing = undefined;
    return result;
  }

  /** `value` is undefined for a deleted key. */
  private observe(key: string, value: Buffer | undefined): void {
    const missing = value === undefined ? undefined : this.missingKeyOf(key, value);
    if (missing === undefined) this.missing?.delete(key);
    else this.missing?.set(key, missing);
  }

  private missingKeyOf(key: string, value: Buffer): MissingKey | undefined {
    const { rules, resourceOf } = this.options;
    if (rules === undefined && !hasEncryptionPrefix(value)) return undefined;
    const resource = resourceOf(key);
    if (resource === undefined) return undefined;
    const requirement = rules === undefined ? requirementOf(value) : rules().missingKeyOf(resource, value);
    return requirement === undefined ? undefined : { resource, requirement };
  }
}
