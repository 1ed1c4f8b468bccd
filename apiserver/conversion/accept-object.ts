/**
 * Accepts one object of a response. If the webhook has returned the metadata unchanged, the stored bytes of the metadata are
 * used, and neither they nor those of the response are parsed: metadata is half of many objects. Otherwise
 * carry-over-metadata.ts merges the stored metadata with that of the response.
 */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import type { JsonObject } from '../../shared/values/json';
import { isOfKind, carryOverMetadata } from './carry-over-metadata';
import { ConversionFailure } from './conversion-failure';
import type { OriginalObject } from './original-object';
import type { ConvertedObjects } from './review-response';
import type { TextSpan } from './split-response';
import type { WebhookConversion } from './webhook-conversion';

/**
 * Where the metadata of a converted object is:
 *
 * - `unchangedEnd`: in the stored bytes, which are identical up to this offset.
 * - `text`: in this canonical text.
 * - `inside`: in the object itself.
 */
export type NewMetadata = { readonly unchangedEnd: number } | { readonly text: string } | 'inside';

/** An object of a response that has passed all checks. */
export interface AcceptedObject {
  /** May lack its metadata when that is not `inside`. */
  readonly object: JsonObject;
  readonly metadata: NewMetadata;
}

/** Returns the object at `index` of the response, or the failure that its content causes. */
export function acceptObject(
  { to, kind }: WebhookConversion,
  original: OriginalObject,
  response: ConvertedObjects,
  index: number,
): AcceptedObject | ConversionFailure {
  const desired = { apiVersion: to.apiVersion, kind };
  let unchangedEnd: number | undefined;
  const isUnchanged = (bytes: Buffer, span: TextSpan): boolean => {
    unchangedEnd = original.unchangedMetadataEnd(bytes, span);
    return unchangedEnd !== undefined;
  };
  const withoutMetadata = response.withoutMetadata(index, isUnchanged);
  if (withoutMetadata !== undefined && unchangedEnd !== undefined && isOfKind(withoutMetadata, desired))
    return { object: withoutMetadata, metadata: { unchangedEnd } };
  const metadata = original.metadata();
  const before = metadata === undefined ? original.object() : { metadata: metadata.scalars };
  const object = carryOverMetadata(before, response.at(index) ?? null, desired, index);
  if (object instanceof ConversionFailure) return object;
  return { object, metadata: metadata === undefined ? 'inside' : { text: metadata.withMaps(readMetadata(object)) } };
}
