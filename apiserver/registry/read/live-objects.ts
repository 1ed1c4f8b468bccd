/**
 * Looks up the objects on which a credential depends, in the cache of API objects. Whether an object is still the one
 * that the credential names (uid, deletion time) is left to the callers. Every request with a bound credential looks up
 * its objects, so the parsed facts of an entry are cached until the entry changes. The cache may be behind the store:
 * await {@link LiveObjects.waitUntilCurrent} before a credential is rejected.
 */
import { LRUCache } from 'lru-cache';
import { stringAt, type JsonObject } from '../../../shared/values/json';
import { readMetadata, parseTimestamp } from '../../../shared/api/metadata/object-meta';
import { tooManyRequests } from '../../../shared/api/errors/status';
import type { Clock } from '../../../shared/runtime/clock';
import type { Cache } from '../../cache/cache';
import type { Revision } from '../../storage/store';
import type { Resource } from '../verbs';
import { entryKey } from '../resources';
import { parseEntry } from '../object/stored-object';
import { convertReadFailure, MAX_WAIT_MS } from './resource-version-gate';

/** The facts on which a credential depends. A recreated object has another uid. */
export interface LiveObject {
  readonly uid: string;
  /** Deletion time in ms since 1970, past or future. */
  readonly deletionTime: number | undefined;
}

/** Lookups in the cache. `Name`: the names that {@link createLiveObjects} gives to the resources. */
export interface LiveObjects<Name extends string> {
  /** `undefined` when the cache does not have the object. */
  find(resource: Name, namespace: string, name: string): LiveObject | undefined;
  /** The whole object from the cache, parsed at each call; `undefined` when the cache does not have it. */
  read(resource: Name, namespace: string, name: string): JsonObject | undefined;
  /**
   * Resolves when the cache contains every write that was committed before the call. Rejects with 429 until the cache has
   * been loaded, with 504 when it does not get there in time, and otherwise as {@link convertReadFailure}: with 500 for
   * an unreadable value, and unchanged with a bug.
   */
  waitUntilCurrent(): Promise<void>;
}

/** `clock` limits the time of a wait for the cache. */
export interface LiveObjectsDependencies {
  readonly cache: Pick<Cache, 'get' | 'isReady' | 'waitUntilFresh'>;
  readonly clock: Clock;
}

/** Number of objects of which the facts are cached: about 300 bytes each. */
const MAX_CACHED = 8192;

interface CachedObject {
  readonly revision: Revision;
  readonly object: LiveObject;
}

/** `resources`: the resources that can be looked up, by the name under which callers look them up. */
export function createLiveObjects<Name extends string>(
  { cache, clock }: LiveObjectsDependencies,
  resources: Readonly<Record<Name, Resource>>,
): LiveObjects<Name> {
  const cachedObjects = new LRUCache<string, CachedObject>({ max: MAX_CACHED });
  return {
    find(resource, namespace, name) {
      const key = entryKey({ namespace, name });
      const entry = cache.get(resources[resource].stored, key);
      if (entry === undefined) return undefined;
      const id = `${resource}/${key}`;
      const cached = cachedObjects.get(id);
      if (cached?.revision === entry.revision) return cached.object;
      const metadata = readMetadata(parseEntry(entry).object);
      const object = { uid: stringAt(metadata, 'uid') ?? '', deletionTime: parseTimestamp(stringAt(metadata, 'deletionTimestamp')) };
      cachedObjects.set(id, { revision: entry.revision, object });
      return object;
    },

    read(resource, namespace, name) {
      const entry = cache.get(resources[resource].stored, entryKey({ namespace, name }));
      return entry === undefined ? undefined : parseEntry(entry).object;
    },

    async waitUntilCurrent() {
      if (!cache.isReady) throw tooManyRequests('storage is (re)initializing', 1);
      try {
        await cache.waitUntilFresh({ deadline: clock.monotonic() + MAX_WAIT_MS });
      } catch (error) {
        throw convertReadFailure(error);
      }
    },
  };
}
