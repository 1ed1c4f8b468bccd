/** What a client has sent, for whoever records its request: decoded, with its defaults, before anything is judged or changed. Decides nothing. */
import { canonicalizeGroups } from '../../../shared/api/types/group-fields';
import { ensureMetadata } from '../../../shared/api/metadata/object-meta';
import { cloneJson, type JsonObject } from '../../../shared/values/json';
import { runStepsSync, type Steps } from '../../../shared/scheduling/steps';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Entry } from '../../cache/cache';
import { toHub, type KindInfo } from '../object/resource-info';
import type { RequestContext } from '../verbs';

/** `object` has just been decoded and stays as it is; `complete` does for a copy what the kind has besides defaults. */
export function tellSent(
  context: RequestContext,
  info: KindInfo,
  object: JsonObject,
  names: GeneratedNames,
  complete?: (copy: JsonObject) => void,
): void {
  context.sent?.(info.row, ensureMetadata(object), () => {
    const copy = cloneJson(object);
    info.codec.applyDefaults(copy);
    complete?.(copy);
    return unplacedEntry(info, toHub(info, copy), names);
  });
}

/** An object that is neither stored nor will be, as an entry. */
export function unplacedEntry(info: KindInfo, object: JsonObject, names: GeneratedNames): Entry {
  return runStepsSync(unplacing(info, object, names));
}

/** The same in steps. */
export function* unplacing(info: KindInfo, object: JsonObject, names: GeneratedNames): Steps<Entry> {
  const dialectSensitive = canonicalizeGroups(object, info.hubCodec.groupFields, names);
  yield;
  const bytes = Buffer.from(yield* info.hubCodec.encodeBodyInSteps(object));
  return { key: '', revision: 0, bytes, labels: {}, fields: {}, isDialectSensitive: dialectSensitive };
}
