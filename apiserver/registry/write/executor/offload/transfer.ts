/**
 * Converts bodies, entries and resources to messages for another thread, and back. Bytes are copied to their own
 * buffer, which can be transferred.
 */
import type { Entry } from '../../../../cache/cache';
import type { Resource } from '../../../verbs';
import type { OffloadedPayload, TransferredEntry, TransferredResource } from './messages';

/** Without a copy the whole buffer behind a view would be sent. */
const copyBytes = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

/** A Buffer over the same memory. */
export const toBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The payload with bytes of its own. */
export const transferPayload = (payload: OffloadedPayload): OffloadedPayload =>
  'bytes' in payload ? { ...payload, bytes: copyBytes(payload.bytes) } : payload;

/** The bytes of the request, if it has any. */
export const payloadBytes = (payload: OffloadedPayload): Uint8Array | undefined => ('bytes' in payload ? payload.bytes : undefined);

/** The entry without labels, with bytes of its own. */
export function transferEntry({ key, revision, fields, isDialectSensitive, bytes }: Entry): TransferredEntry {
  return { key, revision, fields: { ...fields }, isDialectSensitive, bytes: copyBytes(bytes) };
}

/** The entry of a message. It has no labels. */
export const receiveEntry = ({ bytes, ...header }: TransferredEntry): Entry => ({ ...header, labels: {}, bytes: toBuffer(bytes) });

/** A built-in resource by its identity, since every thread has the kind table; a custom one with its schemas as JSON. */
export function transferResource({ row, stored }: Pick<Resource, 'row' | 'stored'>): TransferredResource {
  const { custom, ...plainRow } = row;
  if (custom === undefined) return { type: 'builtIn', group: row.group, version: row.version, resource: row.resource };
  const { definition, storageVersion } = custom;
  const versions = [...custom.versions].map(([name, { schemaText, schemaId, displayId, columns, scale }]) => ({
    name,
    schema: copyBytes(schemaText()),
    schemaId,
    displayId,
    columns,
    scale,
  }));
  return { type: 'custom', row: plainRow, stored, definition, storageVersion, versions };
}
