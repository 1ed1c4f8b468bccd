/**
 * Version conversion in writes to kinds with a conversion webhook: the stored object is converted to the version of
 * the request, the changed object to the storage version, and managedFields may need further versions. No effect on
 * other kinds.
 */
import { stringifyJson, type JsonObject } from '../../../shared/values/json';
import type { Entry } from '../../cache/cache';
import type { MaybePromise } from '../../../shared/runtime/maybe-promise';
import type { ConversionContext, VersionConverter } from '../conversions';
import { versionToConvertFrom } from '../object/hidden-fields';
import { needsConversionWebhook, type ResourceInfo } from '../object/resource-info';
import { parseEntry, readEntry, type ParsedEntry } from '../object/stored-object';
import type { DeleteResult, WriteResult } from '../verbs';
import type { StepDependencies, WriteRequest } from './request';

type ConversionDependencies = Pick<StepDependencies, 'conversions'>;

/**
 * The stored object in the version of the request. The `text` of the result is that of the entry, before the
 * conversion.
 */
export function readStored(
  { conversions }: ConversionDependencies,
  { info, context }: WriteRequest,
  entry: Entry,
): MaybePromise<ParsedEntry> {
  if (versionToConvertFrom(info.row, entry) === undefined) return readEntry(info, entry);
  return conversions
    .convertEntries(info.row, [entry], context)
    .then(([converted = entry]) => ({ text: entry.bytes.toString(), object: parseEntry(converted).object }));
}

/** Converts an object from the version of the request to the storage version. */
export function toStoredVersion(
  { conversions }: ConversionDependencies,
  { info, context }: WriteRequest,
  object: JsonObject,
): MaybePromise<JsonObject> {
  if (!needsConversionWebhook(info)) return object;
  return conversions.convertObject(info.row, info.row.version, info.hub.version, object, context);
}

/** Converts the object in a result to the version of the request. */
export async function toRequestVersion<R extends DeleteResult | WriteResult>(
  { conversions }: ConversionDependencies,
  request: WriteRequest,
  result: R,
): Promise<R> {
  const { info, context } = request;
  if (!('entry' in result) || versionToConvertFrom(info.row, result.entry) === undefined) return result;
  const [entry = result.entry] = await conversions.convertEntries(info.row, [result.entry], context, { isFresh: true });
  return { ...result, entry };
}

/**
 * The converter of one request, which calls the webhook once for each pair of object and versions. `undefined` for
 * kinds without a webhook.
 */
export function versionConverterFor(
  { conversions }: ConversionDependencies,
  info: ResourceInfo,
  context: ConversionContext,
): VersionConverter | undefined {
  if (!needsConversionWebhook(info)) return undefined;
  const results = new Map<string, JsonObject>();
  return {
    convert(object, from, to) {
      if (from === to) return object;
      const key = `${from}/${to}/${stringifyJson(object, 'sorted')}`;
      const known = results.get(key);
      if (known !== undefined) return known;
      return conversions.convertObject(info.row, from, to, object, context).then((converted) => {
        results.set(key, converted);
        return converted;
      });
    },
  };
}
