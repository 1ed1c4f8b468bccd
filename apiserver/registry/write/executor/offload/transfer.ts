/** Bodies, entries and resources on their way to another thread and back. Bytes are sent in memory of their own, which can be moved. */
import type { Entry } from '../../../../cache/cache';
import type { Resource } from '../../../verbs';
import type { OffloadedVerb, SentEntry, SentResource } from './messages';

/** The memory that a view lies in would be sent as well. */
const ownBytes = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

export const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export function sentVerb(what: OffloadedVerb): OffloadedVerb {
  switch (what.verb) {
    case 'create':
    case 'update':
      return { ...what, body: { format: what.body.format, bytes: ownBytes(what.body.bytes) } };
    case 'patch':
      return { ...what, patch: { ...what.patch, bytes: ownBytes(what.patch.bytes) } };
    case 'delete':
    case 'finalDelete':
      return what;
  }
}

/** The bytes that a request has sent. */
export function bytesOf(what: OffloadedVerb): Uint8Array | undefined {
  switch (what.verb) {
    case 'create':
    case 'update':
      return what.body.bytes;
    case 'patch':
      return what.patch.bytes;
    case 'delete':
    case 'finalDelete':
      return undefined;
  }
}

export function sentEntry({ key, revision, fields, isDialectSensitive, bytes }: Entry): SentEntry {
  return { key, revision, fields: { ...fields }, isDialectSensitive, bytes: ownBytes(bytes) };
}

export const receivedEntry = ({ bytes, ...facts }: SentEntry): Entry => ({ ...facts, labels: {}, bytes: bufferOf(bytes) });

export function sentResource({ row, stored }: Pick<Resource, 'row' | 'stored'>): SentResource {
  const { custom, ...names } = row;
  if (custom === undefined) return { type: 'builtIn', group: row.group, version: row.version, resource: row.resource };
  const { definition, storageVersion } = custom;
  const versions = [...custom.versions].map(([name, { schemaText, schemaId, displayId, columns, scale }]) => ({
    name,
    schema: ownBytes(schemaText()),
    schemaId,
    displayId,
    columns,
    scale,
  }));
  return { type: 'custom', row: names, stored, definition, storageVersion, versions };
}
