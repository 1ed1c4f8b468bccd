/**
 * A write to a custom kind whose versions only a webhook can tell apart: the stored object is read as the version that was asked for, the changed one is kept as the
 * version that is stored, and what a step wants to know of a third version is found out when the step asks for it. Elsewhere nothing of this happens.
 */
import { stringifyJson, type JsonObject } from '../../../shared/values/json';
import type { Entry } from '../../cache/cache';
import type { ConversionContext, Conversions, OtherVersions } from '../conversions';
import { convertedFrom } from '../object/hidden-fields';
import { needsWebhook, type KindVersion, type ResourceInfo } from '../object/resource-info';
import { parseEntry, readEntry, type ParsedEntry } from '../object/stored-object';
import type { DeleteResult, WriteResult } from '../verbs';
import type { WriteRequest } from './request';

interface Converting {
  readonly conversions: Conversions;
}

/** A stored object as the request's version has it. `text` is the entry's. */
export async function readStored({ conversions }: Converting, { info, context }: WriteRequest, entry: Entry): Promise<ParsedEntry> {
  if (convertedFrom(info.row, entry) === undefined) return readEntry(info, entry);
  const [shown = entry] = await conversions.entries(info.row, [entry], context);
  return { text: entry.bytes.toString(), object: parseEntry(shown).object };
}

/** An object of the request's version as it is kept. */
export async function asKept({ conversions }: Converting, { info, context }: WriteRequest, object: JsonObject): Promise<JsonObject> {
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

/** Steps are worked out in one go: this one cannot go on before somebody has been asked. */
class Unconverted extends Error {
  override readonly name = 'Unconverted';
  constructor(
    readonly key: string,
    readonly from: string,
    readonly to: string,
    readonly object: JsonObject,
  ) {
    super(`an object of ${from} is wanted in ${to}`);
  }
}

/** So many different objects are asked about for one step. */
const MOST_QUESTIONS = 64;

/** What one request knows of its object in other versions. */
export class VersionMemo implements OtherVersions {
  private readonly known = new Map<string, JsonObject>();

  constructor(
    private readonly parts: Converting,
    private readonly row: ResourceInfo['row'],
    private readonly context: ConversionContext,
  ) {}

  convert(object: JsonObject, from: string, to: string): JsonObject {
    if (from === to) return object;
    const key = `${from}/${to}/${stringifyJson(object, 'sorted')}`;
    const found = this.known.get(key);
    if (found === undefined) throw new Unconverted(key, from, to, object);
    return found;
  }

  async settled<T>(step: () => T | Promise<T>): Promise<T> {
    for (let left = MOST_QUESTIONS; ; left -= 1) {
      try {
        return await step();
      } catch (error) {
        if (!(error instanceof Unconverted) || left === 0) throw error;
        const { key, from, to, object } = error;
        this.known.set(key, await this.parts.conversions.object(this.row, from, to, object, this.context));
      }
    }
  }
}

/** The same where there may be nothing to ask. */
export const settled = async <T>({ versions }: Pick<WriteRequest, 'versions'>, step: () => T | Promise<T>): Promise<T> =>
  versions === undefined ? step() : versions.settled(step);

/** The plan of a request, with what it comes to know of other versions. */
export function withMemo(parts: Converting, info: ResourceInfo, context: ConversionContext): Pick<WriteRequest, 'info' | 'versions'> {
  if (!needsWebhook(info)) return { info };
  const memo = new VersionMemo(parts, info.row, context);
  const own = info.row.version;
  const versions = new Map(
    [...info.versions].map(([apiVersion, { row }]): [string, KindVersion] => {
      const other = apiVersion.slice(apiVersion.indexOf('/') + 1);
      const converter = {
        fromHub: (object: JsonObject) => memo.convert(object, own, other),
        toHub: (object: JsonObject) => memo.convert(object, other, own),
      };
      return [apiVersion, { row, converter: other === own ? undefined : converter }];
    }),
  );
  return { info: { ...info, versions }, versions: memo };
}
