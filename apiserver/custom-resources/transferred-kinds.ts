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
  resourceOf(sent: TransferredKind): Resource {
    const { row, versions, storageVersion } = sent;
    const key = JSON.stringify([row, storageVersion, versions.map(({ name, displayId, schemaId }) => [name, displayId, schemaId])]);
    const cached = this.cache.get(key);
    if (cached !== undefined) return cached;
    const resource = createResource(sent, this.schemas);
    this.cache.set(key, resource);
    return resource;
  }
}

function createResource(sent: TransferredKind, schemas: SchemaCache): Resource {
  const { definition, stored, storageVersion } = sent;
  const versions = new Map<string, CustomVersion>();
  for (const { name, schema, schemaId, displayId, columns, scale } of sent.versions) {
    const text = (): Buffer => Buffer.from(schema.buffer, schema.byteOffset, schema.byteLength);
    const members = { definition, schemaText: text, schemaId, displayId, versions, storageVersion, webhook: undefined, columns, scale };
    versions.set(name, {
      ...members,
      get schema() {
        return schemas.get(this, text);
      },
    });
  }
  const custom = versions.get(sent.row.version);
  if (custom === undefined) throw new Error(`${definition} has no version ${sent.row.version}`);
  const row = { ...sent.row, custom };
  return { row, hub: row, stored };
}
