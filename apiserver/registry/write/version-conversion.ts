/**
 * A write to a custom kind whose versions only a webhook can tell apart: the stored object is read as the version that was asked for, the changed one is kept as the
 * version that is stored, and a step that needs a third version waits for it. Elsewhere nothing of this happens.
 */
import { stringifyJson, type JsonObject } from '../../../shared/values/json';
import type { Entry } from '../../cache/cache';
import type { MaybePromise } from '../../../shared/runtime/maybe-promise';
import type { ConversionContext, Conversions, OtherVersions } from '../conversions';
import { convertedFrom } from '../object/hidden-fields';
import { needsWebhook, type ResourceInfo } from '../object/resource-info';
import { parseEntry, readEntry, type ParsedEntry } from '../object/stored-object';
import type { DeleteResult, WriteResult } from '../verbs';
import type { WriteRequest } from './request';

interface Converting {
  readonly conversions: Conversions;
}

/** A stored object as the request's version has it. `text` is the entry's. */
export function readStored({ conversions }: Converting, { info, context }: WriteRequest, entry: Entry): MaybePromise<ParsedEntry> {
  if (convertedFrom(info.row, entry) === undefined) return readEntry(info, entry);
  return conversions
    .entries(info.row, [entry], context)
    .then(([shown = entry]) => ({ text: entry.bytes.toString(), object: parseEntry(shown).object }));
}

/** An object of the request's version as it is kept. */
export function asKept({ conversions }: Converting, { info, context }: WriteRequest, object: JsonObject): MaybePromise<JsonObject> {
  if (!needsWebhook(info)) return object;
  return conversions.object(info.row, info.row.version, info.hub.version, object, context);
}

/** What a write answers with. */
export async function asShown<R extends DeleteResult | WriteResult>(
  { conversions }: Converting,
  request: WriteRequest,
  result: R,
): Promise<R> {
  const { info, context } = request;
  if (!('entry' in result) || convertedFrom(info.row, result.entry) === undefined) return result;
  const [entry = result.entry] = await conversions.entries(info.row, [result.entry], context, true);
  return { ...result, entry };
}

/** What one request knows of its object in other versions: each conversion is asked for once. */
export class VersionMemo implements OtherVersions {
  private readonly known = new Map<string, JsonObject>();

  constructor(
    private readonly parts: Converting,
    private readonly row: ResourceInfo['row'],
    private readonly context: ConversionContext,
  ) {}

  convert(object: JsonObject, from: string, to: string): MaybePromise<JsonObject> {
    if (from === to) return object;
    const key = `${from}/${to}/${stringifyJson(object, 'sorted')}`;
    const found = this.known.get(key);
    if (found !== undefined) return found;
    return this.parts.conversions.object(this.row, from, to, object, this.context).then((converted) => {
      this.known.set(key, converted);
      return converted;
    });
  }
}

/** The resource of a request, with the versions that its object can be converted to on the way. */
export function withMemo(parts: Converting, info: ResourceInfo, context: ConversionContext): Pick<WriteRequest, 'info' | 'versions'> {
  return needsWebhook(info) ? { info, versions: new VersionMemo(parts, info.row, context) } : { info };
}
