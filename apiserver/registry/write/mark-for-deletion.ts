/**
 * How an object goes: whether a DELETE removes it or only marks it, with what grace and which finalizers, and when a marked one may go. Works on a copy
 * of the object; never touches the store.
 */
import { isTerminating, ensureMetadata, readMetadata, parseTimestamp, formatTimestamp } from '../../../shared/api/metadata/object-meta';
import { own, stringAt, stringsAt, type JsonObject } from '../../../shared/values/json';
import type { ResourceInfo } from '../object/resource-info';
import type { DeletionContext } from '../strategy';
import type { DeleteOptions } from '../verbs';

/** A terminating object goes when no finalizer, no grace and nothing of its kind holds it back. */
export function mayGo({ strategy }: ResourceInfo, object: JsonObject): boolean {
  const metadata = readMetadata(object);
  if (stringsAt(metadata, 'finalizers').length > 0) return false;
  return gracePeriodOf(metadata) === 0 && strategy.deletion?.isHeldBack?.(object) !== true;
}

/** What a DELETE does: nothing for now, a mark, a mark that is followed by the removal (watchers see both), or the removal. */
export type Course = 'wait' | 'mark' | 'mark-and-remove' | 'remove';

/** Marks `object` (its metadata is a copy) as far as the options ask for it, and says what is to be done with it. */
export function markForDeletion(info: ResourceInfo, object: JsonObject, options: DeleteOptions, context: DeletionContext): Course {
  const { deletion } = info.strategy;
  const terminating = isTerminating(readMetadata(object));
  if (deletion?.prepareForDeletion === undefined) return markWithGrace(info, object, options, context.now);
  if (!terminating) {
    markFirst(info, object, options, context);
    return 'mark';
  }
  return deletion.isHeldBack?.(object) === true ? 'wait' : markWithGrace(info, object, options, context.now);
}

/** The first DELETE of a kind whose objects say themselves that they are going. */
function markFirst(info: ResourceInfo, object: JsonObject, options: DeleteOptions, context: DeletionContext): void {
  const { deletion } = info.strategy;
  const metadata = ensureMetadata(object);
  if (deletion?.marksOnly === true) metadata['deletionTimestamp'] = formatTimestamp(context.now);
  else {
    setFinalizers(metadata, collectorFinalizers(info, metadata, options));
    begin(metadata, context.now);
  }
  deletion?.prepareForDeletion?.(object, context);
}

function markWithGrace(info: ResourceInfo, object: JsonObject, options: DeleteOptions, now: number): Exclude<Course, 'wait'> {
  const metadata = ensureMetadata(object);
  const terminating = isTerminating(metadata);
  const grace = terminating ? shorterGrace(info, object, options) : (gracePeriodFor(info, object, options) ?? 0);
  const finalizers = collectorFinalizers(info, metadata, options);
  setFinalizers(metadata, finalizers);
  const goes = grace === 0 && finalizers.length === 0;
  const isTold = info.strategy.deletion?.checkGracefulDelete === undefined || (terminating && gracePeriodOf(metadata) === 0);
  if (goes && isTold) return 'remove';
  if (!terminating) begin(metadata, now + grace * 1000);
  else if (grace !== gracePeriodOf(metadata)) {
    const started = (parseTimestamp(stringAt(metadata, 'deletionTimestamp')) ?? now) - gracePeriodOf(metadata) * 1000;
    metadata['deletionTimestamp'] = formatTimestamp(started + grace * 1000);
  }
  metadata['deletionGracePeriodSeconds'] = grace;
  return goes ? 'mark-and-remove' : 'mark';
}

/** Undefined where deletion is not graceful. A negative period that was asked for counts as one second (upstream behaviour). */
function gracePeriodFor({ strategy }: ResourceInfo, object: JsonObject, { gracePeriodSeconds: asked }: DeleteOptions): number | undefined {
  return strategy.deletion?.checkGracefulDelete?.(object, asked !== undefined && asked < 0 ? 1 : asked);
}

function begin(metadata: JsonObject, at: number): void {
  metadata['deletionTimestamp'] = formatTimestamp(at);
  const generation = own(metadata, 'generation');
  if (typeof generation === 'number' && generation > 0) metadata['generation'] = generation + 1;
}

function gracePeriodOf(metadata: JsonObject): number {
  const grace = own(metadata, 'deletionGracePeriodSeconds');
  return typeof grace === 'number' ? grace : 0;
}

/** A later DELETE can only shorten what the first one granted. */
function shorterGrace(info: ResourceInfo, object: JsonObject, options: DeleteOptions): number {
  const granted = gracePeriodOf(readMetadata(object));
  return Math.min(gracePeriodFor(info, object, options) ?? granted, granted);
}

const COLLECTOR: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion']);

/** The finalizers once the garbage collector's own say what the options ask for; without a wish in the options they stay. */
function collectorFinalizers(info: ResourceInfo, metadata: JsonObject, options: DeleteOptions): readonly string[] {
  const finalizers = stringsAt(metadata, 'finalizers');
  if (info.row.noGarbageCollection === true) return finalizers;
  const { orphanDependents, propagationPolicy } = options;
  const wish = propagationPolicy ?? (orphanDependents === undefined ? undefined : orphanDependents ? 'Orphan' : 'Background');
  if (wish === undefined) {
    const orphans = info.row.orphansByDefault === true && !finalizers.some((finalizer) => COLLECTOR.has(finalizer));
    return orphans ? [...finalizers, 'orphan'] : finalizers;
  }
  const others = finalizers.filter((finalizer) => !COLLECTOR.has(finalizer));
  if (wish === 'Orphan') return [...others, 'orphan'];
  return wish === 'Foreground' ? [...others, 'foregroundDeletion'] : others;
}

function setFinalizers(metadata: JsonObject, finalizers: readonly string[]): void {
  if (finalizers.length === 0) delete metadata['finalizers'];
  else metadata['finalizers'] = [...finalizers];
}
