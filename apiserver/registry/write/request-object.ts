/**
 * Passes the request object to the audit log: decoded, with defaults, before validation and admission. It is encoded only
 * when the log needs it, and from a copy, so that later steps do not change what is logged.
 */
import { canonicalizeGroups } from '../../../shared/api/types/group-fields';
import { ensureMetadata } from '../../../shared/api/metadata/object-meta';
import { cloneJson, type JsonObject } from '../../../shared/values/json';
import { runStepsSync, type Steps } from '../../../shared/scheduling/steps';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Entry } from '../../cache/cache';
import { toHub, type KindInfo } from '../object/resource-info';
import { transientEntry } from '../object/stored-object';
import type { RequestContext } from '../verbs';

/**
 * Passes an object, which has just been decoded and is not changed here, to the audit log. If the log needs it, a copy
 * with defaults is encoded at once; `complete` sets on the copy what the kind needs besides.
 */
export function recordRequestObject(
  context: RequestContext,
  info: KindInfo,
  object: JsonObject,
  names: GeneratedNames,
  complete?: (copy: JsonObject) => void,
): void {
  context.logRequestObject?.(info.row, ensureMetadata(object), () => {
    const copy = cloneJson(object);
    info.codec.applyDefaults(copy);
    complete?.(copy);
    return runStepsSync(encodeTransientEntryInSteps(info, toHub(info, copy), names));
  });
}

/** Encodes an object that is not stored as an entry, with group names in canonical spelling. */
export function* encodeTransientEntryInSteps(info: KindInfo, object: JsonObject, names: GeneratedNames): Steps<Entry> {
  const isDialectSensitive = canonicalizeGroups(object, info.hubCodec.groupFields, names);
  yield;
  return transientEntry('', 0, Buffer.from(yield* info.hubCodec.encodeBodyInSteps(object)), isDialectSensitive);
}
