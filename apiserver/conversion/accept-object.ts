/**
 * Accepts one object of a response: with the stored metadata bytes when the webhook returned them unchanged, else with
 * metadata that carry-over-metadata.ts merges. Metadata that needs no parsing is not parsed: it is half of many objects.
 */
import { readMetadata } from '../../shared/api/metadata/object-meta';
import type { JsonObject } from '../../shared/values/json';
import { isOfKind, carryOverMetadata } from './carry-over-metadata';
import { ConversionFailure } from './conversion-failure';
import type { OriginalObject } from './original-object';
import type { ConvertedObjects } from './review-response';
import type { WebhookConversion } from './webhook-conversion';

/**
 * The metadata of a converted object: identical to the stored bytes up to `unchangedEnd`, other canonical text, or part
 * of the object itself.
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
  const wanted = { apiVersion: to.apiVersion, kind };
  let unchangedEnd: number | undefined;
  const withoutMetadata = response.withoutMetadata(
    index,
    (bytes, span) => (unchangedEnd = original.unchangedMetadataEnd(bytes, span)) !== undefined,
  );
  if (withoutMetadata !== undefined && unchangedEnd !== undefined && isOfKind(withoutMetadata, wanted))
    return { object: withoutMetadata, metadata: { unchangedEnd } };
  const metadata = original.metadata();
  const before = metadata === undefined ? original.object() : { metadata: metadata.scalars };
  const object = carryOverMetadata(before, response.at(index) ?? null, wanted, index);
  if (object instanceof ConversionFailure) return object;
  return { object, metadata: metadata === undefined ? 'inside' : { text: metadata.withMaps(readMetadata(object)) } };
}
