/**
 * A custom kind from what was sent of it to a thread (registry/write/executor/offload/messages.ts). Kinds are known again by what they are made of, so that their schemas and rules
 * are made once. Reads no definition.
 */
import { LRUCache } from 'lru-cache';
import type { CustomVersion } from '../../shared/api/structural/version';
import type { SentResource } from '../registry/write/executor/offload/messages';
import type { Resource } from '../registry/verbs';
import { createSchemas, type Schemas } from './schema-cache';

type SentKind = Extract<SentResource, { type: 'custom' }>;

const MOST_KINDS = 64;

export class SentKinds {
  private readonly known = new LRUCache<string, Resource>({ max: MOST_KINDS });
  private readonly schemas = createSchemas();

  of(sent: SentKind): Resource {
    const { row, versions, storageVersion } = sent;
    const key = JSON.stringify([row, storageVersion, versions.map(({ name, displayId, schemaId }) => [name, displayId, schemaId])]);
    const before = this.known.get(key);
    if (before !== undefined) return before;
    const made = resourceOf(sent, this.schemas);
    this.known.set(key, made);
    return made;
  }
}

function resourceOf(sent: SentKind, schemas: Schemas): Resource {
  const { definition, stored, storageVersion } = sent;
  const versions = new Map<string, CustomVersion>();
  for (const { name, schema, schemaId, displayId, columns, scale } of sent.versions) {
    const text = (): Buffer => Buffer.from(schema.buffer, schema.byteOffset, schema.byteLength);
    const known = { definition, schemaText: text, schemaId, displayId, versions, storageVersion, webhook: undefined, columns, scale };
    versions.set(name, {
      ...known,
      get schema() {
        return schemas.of(this, text);
      },
    });
  }
  const custom = versions.get(sent.row.version);
  if (custom === undefined) throw new Error(`${definition} has no version ${sent.row.version}`);
  const row = { ...sent.row, custom };
  return { row, hub: row, stored };
}
