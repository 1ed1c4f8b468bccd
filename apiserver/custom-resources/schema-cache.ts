/**
 * The schemas of custom kinds as they are worked with: made when they are first asked for, and let go of when others are asked for more. What stays in
 * memory is bounded by the length of their texts.
 */
import { LRUCache } from 'lru-cache';
import { readSchema } from '../../shared/api/structural/read-schema';
import type { SchemaNode } from '../../shared/api/structural/schema-node';
import { parseStoredJson } from '../../shared/serialization';

/** A schema takes about ten times the memory of its text. */
const MOST_BYTES = 8 * 1024 * 1024;

export interface Schemas {
  /** `owner` = whose schema it is, the same for the same text; `text` gives it as JSON. */
  of(owner: object, text: () => Buffer): SchemaNode;
}

export function createSchemas(mostBytes = MOST_BYTES): Schemas {
  const known = new LRUCache<object, SchemaNode>({ maxSize: mostBytes });
  return {
    of(owner, text) {
      const before = known.get(owner);
      if (before !== undefined) return before;
      const bytes = text();
      const made = readSchema(parseStoredJson(bytes));
      known.set(owner, made, { size: bytes.length });
      return made;
    },
  };
}
