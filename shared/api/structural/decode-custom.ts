/** Decoding of a custom resource, as types/decode.ts does it for the kinds of the tables. Defaults nothing and judges no values. */
import { cloneJson, own, type JsonObject } from '../../values/json';
import { dropNulls } from './defaults';
import { decodeEmbedded } from './embedded';
import { decodeMetadata } from './metadata';
import { pruneUnknown } from './prune';
import type { SchemaNode } from './schema-node';

/**
 * A fresh object without what the schema does not know, with its metadata and that of embedded resources in canonical form. `unknown` names
 * what was dropped, in upstream's order. Throws DecodeError, whose message is upstream's, when metadata has the wrong type. Nulls where null is not
 * allowed are dropped, or `kept` for validation to refuse.
 */
export function decodeCustom(
  node: SchemaNode,
  value: JsonObject,
  nulls: 'dropped' | 'kept' = 'dropped',
): { object: JsonObject; unknown: string[] } {
  const { metadata: found, ...members } = value;
  const object = cloneJson<JsonObject>(members);
  const metadata = found === undefined ? undefined : decodeMetadata(own(value, 'metadata') ?? null);
  const pruned = pruneUnknown(node, object);
  if (nulls === 'dropped') dropNulls(node, object);
  const embedded = decodeEmbedded(node, object);
  if (metadata !== undefined) object['metadata'] = metadata.object;
  return { object, unknown: [...(metadata?.unknown.map((member) => `metadata.${member}`) ?? []), ...pruned, ...embedded] };
}
