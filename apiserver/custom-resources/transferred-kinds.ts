/**
 * Rebuilds a custom kind in a worker thread from its transferred form (registry/write/executor/offload/messages.ts).
 * Equal kinds are reused, so that their schemas and rules are compiled once.
 */
import { LRUCache } from 'lru-cache';
import type { CustomVersion } from '../../shared/api/structural/version';
import type { TransferredResource } from '../registry/write/executor/offload/messages';
import type { Resource } from '../registry/verbs';
import { createSchemaCache, type SchemaCache } from './schema-cache';

type TransferredKind = Extract<TransferredResource, { type: 'custom' }>;

/** Limit of the kinds that a worker thread keeps; the least recently used is dropped. */
const MAX_CACHED_KINDS = 64;

/** The custom kinds of one worker thread. */
export class TransferredKinds {
  private readonly cache = new LRUCache<string, Resource>({ max: MAX_CACHED_KINDS });
  private readonly schemas = createSchemaCache();

  /** The resource of a transferred kind; the same one for equal kinds. */
  resourceOf(kind: TransferredKind): Resource {
    const { row, versions, storageVersion } = kind;
    const versionIds = versions.map(({ name, displayId, schemaId }) => [name, displayId, schemaId]);
    const key = JSON.stringify([row, storageVersion, versionIds]);
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    const resource = createResource(kind, this.schemas);
    this.cache.set(key, resource);
    return resource;
  }
}

/** The resource, with schemas that are parsed on first use. */
function createResource(kind: TransferredKind, schemas: SchemaCache): Resource {
  const { definition, stored, storageVersion } = kind;
  const versions = new Map<string, CustomVersion>();
  for (const { name, schema, schemaId, displayId, columns, scale } of kind.versions) {
    const text = (): Buffer => Buffer.from(schema.buffer, schema.byteOffset, schema.byteLength);
    const members = { definition, schemaText: text, schemaId, displayId, versions, storageVersion, webhook: undefined, columns, scale };
    versions.set(name, {
      ...members,
      get schema() {
        return schemas.get(this, text);
      },
    });
  }
  const custom = versions.get(kind.row.version);
  if (custom === undefined) throw new Error(`${definition} has no version ${kind.row.version}`);
  const row = { ...kind.row, custom };
  return { row, hub: row, stored };
}
