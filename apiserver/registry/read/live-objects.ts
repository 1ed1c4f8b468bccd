/**
 * Whether objects that a credential depends on exist: asked at every request, so what was found out about an entry is kept until there is a
 * newer one. Answers from the cache; who wants to refuse somebody waits for `current` first.
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
import { readFailure } from './resource-version-gate';

export interface LiveObject {
  readonly uid: string;
  /** When it was or will be deleted, in ms since 1970. */
  readonly deletion: number | undefined;
}

export interface LiveObjects<Name extends string> {
  /** Undefined = there is none, as far as this replica knows. */
  find(resource: Name, namespace: string, name: string): LiveObject | undefined;
  /** An object as this replica knows it. */
  read(resource: Name, namespace: string, name: string): JsonObject | undefined;
  /** Resolves when this replica knows everything that was stored before. Rejects with StatusError when that cannot be found out. */
  current(): Promise<void>;
}

export interface LiveObjectsParts {
  readonly cache: Pick<Cache, 'get' | 'isReady' | 'waitUntilFresh'>;
  readonly clock: Clock;
}

/** Objects about which something is kept: some 300 bytes each. */
const KEPT = 8192;
const MAX_WAIT_MS = 3_000;

interface Known {
  readonly revision: Revision;
  readonly object: LiveObject;
}

/** `resources`: of which kinds objects are asked for, by the name they are asked under. */
export function liveObjects<Name extends string>(
  { cache, clock }: LiveObjectsParts,
  resources: Readonly<Record<Name, Resource>>,
): LiveObjects<Name> {
  const known = new LRUCache<string, Known>({ max: KEPT });
  return {
    find(resource, namespace, name) {
      const key = entryKey({ namespace, name });
      const entry = cache.get(resources[resource].stored, key);
      if (entry === undefined) return undefined;
      const id = `${resource}/${key}`;
      const found = known.get(id);
      if (found?.revision === entry.revision) return found.object;
      const metadata = readMetadata(parseEntry(entry).object);
      const object = { uid: stringAt(metadata, 'uid') ?? '', deletion: parseTimestamp(stringAt(metadata, 'deletionTimestamp')) };
      known.set(id, { revision: entry.revision, object });
      return object;
    },

    read(resource, namespace, name) {
      const entry = cache.get(resources[resource].stored, entryKey({ namespace, name }));
      return entry === undefined ? undefined : parseEntry(entry).object;
    },

    async current() {
      if (!cache.isReady) throw tooManyRequests('storage is (re)initializing', 1);
      try {
        await cache.waitUntilFresh({ deadline: clock.monotonic() + MAX_WAIT_MS });
      } catch (error) {
        throw readFailure(error);
      }
    },
  };
}
