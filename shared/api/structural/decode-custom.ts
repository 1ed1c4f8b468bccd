/** Decodes a custom resource, as types/decode.ts does for built-in kinds. Applies no defaults and does not validate. */
import { cloneJson, ownMember, type JsonObject } from '../../values/json';
import { dropNulls } from './defaults';
import { decodeEmbedded } from './embedded';
import { decodeObjectMeta } from './decode-object-meta';
import { pruneUnknown } from './prune';
import type { SchemaNode } from './schema-node';

/**
 * Returns a new, pruned object with its metadata and that of embedded resources in canonical form. `value` is unchanged.
 * `unknown` holds the paths of unknown fields in upstream's order: of the metadata, of the other members, of embedded
 * resources. `nulls`: whether nulls that the schema does not allow are dropped, or kept for validation to reject. Throws
 * DecodeError with upstream's message when metadata has the wrong type.
 */
export function decodeCustom(
  node: SchemaNode,
  value: JsonObject,
  nulls: 'dropped' | 'kept' = 'dropped',
): { object: JsonObject; unknown: string[] } {
  const { metadata: metadataValue, ...members } = value;
  const object = cloneJson<JsonObject>(members);
  const metadata = metadataValue === undefined ? undefined : decodeObjectMeta(ownMember(value, 'metadata') ?? null);
  const pruned = pruneUnknown(node, object);
  if (nulls === 'dropped') dropNulls(node, object);
  const embedded = decodeEmbedded(node, object);
  if (metadata !== undefined) object['metadata'] = metadata.object;
  return { object, unknown: [...(metadata?.unknown.map((member) => `metadata.${member}`) ?? []), ...pruned, ...embedded] };
}
