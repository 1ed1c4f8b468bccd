/**
 * The state on which an attempt at a write runs: the object and its guards, as entries of one cache or store. It is fresh
 * when a rejection can be based on it. What an attempt makes of the state is up to guaranteed-update.ts.
 */
import type { StatusError } from '../../../shared/api/errors/status';
import type { Clock } from '../../../shared/runtime/clock';
import type { Cache, Entry, StoredType } from '../../cache/cache';
import { createEntry } from '../../cache/store/entry';
import { unreadableReason } from '../../storage/unreadable-value';
import { StoreError, type KeyValue } from '../../storage/store';
import type { RequestContext } from '../verbs';

/** Identifies an object in the cache and in the store. */
export interface StateKey {
  readonly type: StoredType;
  /** Below the segment of the type. */
  readonly key: string;
  /** The key in the store. */
  readonly storeKey: string;
}

/** Another object on which a write depends. */
export interface Guard extends StateKey {
  /** The member of {@link CurrentState} that contains it. */
  readonly name: 'namespace' | 'definition' | 'lease';
  /**
   * Which writes compare its revision. A namespace and a definition are compared on create only: nothing may be created
   * in them while they are being deleted, but existing objects may be changed.
   */
  readonly compared: 'always' | 'on-create';
  /** Returns the rejection for the guard's current state. Called before anything is stored. */
  readonly refusal?: (entry: Entry | undefined) => StatusError | undefined;
}

/**
 * The object and its guards; `undefined` for those that do not exist or cannot be decoded, and for guards on which the
 * write does not depend.
 */
export interface CurrentState {
  readonly entry: Entry | undefined;
  readonly namespace: Entry | undefined;
  readonly definition: Entry | undefined;
  /** The Lease of a fencing token. */
  readonly lease: Entry | undefined;
  /** The state was current at some time after the request started, so a rejection can be based on it. */
  readonly isFresh: boolean;
  /** Why the stored value of the object cannot be decoded. */
  readonly unreadable?: string;
}

/** Which state a write needs. */
export interface StateQuery {
  readonly context: Pick<RequestContext, 'trackStorageLatency'>;
  readonly object: StateKey;
  readonly guards: readonly Guard[];
  /** In ms of Clock.monotonic. */
  readonly deadline: number;
  /** The object as the previous transaction of this request left it; attempts start with it. */
  readonly startEntry?: Entry | undefined;
  /** Rejections depend on further objects, so they can be confirmed only with a cache that has caught up. */
  readonly dependsOnOtherObjects: boolean;
}

/** The state in the cache, which may be behind the store. Not fresh even with `startEntry`: the guards come from the cache. */
export function cachedState(cache: Cache, query: StateQuery): CurrentState {
  const state = readCachedState(cache, query, { isFresh: false });
  return query.startEntry === undefined ? state : { ...state, entry: query.startEntry };
}

/**
 * Reads from the cache after it has caught up with the store, or from the store if the cache does not catch up in
 * time. Rejects with a StoreError, for example when the store does not respond.
 */
export async function readFreshState(
  { cache, clock }: { readonly cache: Cache; readonly clock: Clock },
  query: StateQuery,
): Promise<CurrentState> {
  const waitOptions = { deadline: query.deadline };
  try {
    const wait = cache.waitUntilFresh(waitOptions);
    await (query.context.trackStorageLatency?.(wait) ?? wait);
  } catch (error) {
    const isLate = error instanceof StoreError && error.failure === 'deadline';
    if (query.dependsOnOtherObjects || !isLate || clock.monotonic() >= query.deadline) throw error;
    return readStoredState(cache, query);
  }
  return readCachedState(cache, query, { isFresh: true });
}

async function readStoredState(cache: Cache, query: StateQuery): Promise<CurrentState> {
  const entries = new Map<StateKey, Entry | undefined>();
  for (const stateKey of [query.object, ...query.guards]) {
    entries.set(stateKey, (await cache.readFromStore(stateKey.type, stateKey.key, { deadline: query.deadline })).entry);
  }
  return stateOf(query, (stateKey) => entries.get(stateKey), { isFresh: true });
}

function readCachedState(cache: Cache, query: StateQuery, freshness: Pick<CurrentState, 'isFresh'>): CurrentState {
  const { object } = query;
  const state = stateOf(query, (stateKey) => cache.get(stateKey.type, stateKey.key), freshness);
  return state.entry === undefined ? { ...state, ...unreadableMember(cache.unreadableReason(object.type, object.key)) } : state;
}

/**
 * The state that a failed transaction returned. `compared`: the keys that the transaction compared, the object first;
 * `stored`: their values in the store. Guards that were not compared are unchanged.
 */
export function stateAfterConflict(
  query: StateQuery,
  compared: readonly StateKey[],
  before: CurrentState,
  stored: readonly (KeyValue | undefined)[],
): CurrentState {
  const find = (stateKey: StateKey | Guard): Entry | undefined => {
    const index = compared.findIndex(({ storeKey }) => storeKey === stateKey.storeKey);
    return index === -1 ? entryFor(before, stateKey) : toEntry(stateKey, stored[index]);
  };
  const [storedObject] = stored;
  return {
    ...stateOf(query, find, { isFresh: !query.dependsOnOtherObjects }),
    ...unreadableMember(storedObject === undefined ? undefined : unreadableReason(storedObject.value)),
  };
}

/** The entry of a key in the state; `undefined` when the state has none. */
export function entryFor(current: CurrentState, stateKey: StateKey | Guard): Entry | undefined {
  return 'name' in stateKey ? current[stateKey.name] : current.entry;
}

const unreadableMember = (unreadable: string | undefined): Pick<CurrentState, 'unreadable'> =>
  unreadable === undefined ? {} : { unreadable };

function stateOf(
  { object, guards }: StateQuery,
  find: (stateKey: StateKey | Guard) => Entry | undefined,
  { isFresh }: Pick<CurrentState, 'isFresh'>,
): CurrentState {
  const guardEntry = (name: Guard['name']): Entry | undefined => {
    const guard = guards.find((candidate) => candidate.name === name);
    return guard === undefined ? undefined : find(guard);
  };
  return {
    entry: find(object),
    namespace: guardEntry('namespace'),
    definition: guardEntry('definition'),
    lease: guardEntry('lease'),
    isFresh,
  };
}

function toEntry(stateKey: StateKey, kv: KeyValue | undefined): Entry | undefined {
  return kv === undefined || unreadableReason(kv.value) !== undefined
    ? undefined
    : createEntry(stateKey.type, stateKey.key, kv.modRevision, kv.value);
}
