/** Reads of single objects from the cache of a fixture, at whatever revision the cache has. */
import { notFound } from '../../../shared/api/errors/status';
import type { Reader } from '../../../apiserver/registry/verbs';
import { entryKey } from '../../../apiserver/registry/resources';
import type { WriteFixture } from './write-fixture';

/** A reader that rejects with 404 for an object that the cache does not have. */
export function cachedReader({ cache }: Pick<WriteFixture, 'cache'>): Pick<Reader, 'get'> {
  return {
    get(_context, resource, key) {
      const entry = cache.get(resource.stored, entryKey(key));
      return entry === undefined ? Promise.reject(notFound(resource.row, key.name)) : Promise.resolve(entry);
    },
  };
}
