/**
 * A cache of parsed schemas of custom kinds, created on first use and evicted least recently used first. Bounded by the
 * size of the schema texts.
 */
import { LRUCache } from 'lru-cache';
import { readSchema } from '../../shared/api/structural/read-schema';
import type { SchemaNode } from '../../shared/api/structural/schema-node';
import { parseStoredJson } from '../../shared/serialization';

/** Limit of the texts of the cached schemas. A parsed schema takes about ten times the memory of its text. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Parsed schemas. A schema that was evicted is parsed again, so callers call `get` at each use. */
export interface SchemaCache {
  /** `owner` is the cache key: the object of which this is the schema. `text` returns the JSON; called unless it is cached. */
  get(owner: object, text: () => Buffer): SchemaNode;
}

/** `maxBytes` bounds the texts of the cached schemas together. */
export function createSchemaCache(maxBytes = MAX_BYTES): SchemaCache {
  const cache = new LRUCache<object, SchemaNode>({ maxSize: maxBytes });
  return {
    get(owner, text) {
      const cached = cache.get(owner);
      if (cached !== undefined) return cached;
      const bytes = text();
      const schema = readSchema(parseStoredJson(bytes.toString()));
      cache.set(owner, schema, { size: bytes.length });
      return schema;
    },
  };
}
