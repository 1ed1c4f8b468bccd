/**
 * Graceful deletion, finalizers and propagation policy: whether a DELETE removes an object or marks it as
 * terminating, and when a terminating object can be removed. Changes only a copy of the object.
 */
import { isTerminating, ensureMetadata, readMetadata, parseTimestamp, formatTimestamp } from '../../../shared/api/metadata/object-meta';
import { ownMember, stringAt, stringsAt, type JsonObject } from '../../../shared/values/json';
import type { ResourceInfo } from '../object/resource-info';
import type { DeletionContext } from '../strategy';
import type { DeleteOptions } from '../verbs';

/**
 * Whether a terminating object has no finalizers, no remaining grace period and nothing of its kind that blocks
 * removal.
 */
export function canRemove({ strategy }: ResourceInfo, object: JsonObject): boolean {
  const metadata = readMetadata(object);
  if (stringsAt(metadata, 'finalizers').length > 0) return false;
  return gracePeriodOf(metadata) === 0 && strategy.deletion?.isRemovalBlocked?.(object) !== true;
}

/**
 * What a DELETE does:
 * - `wait`: nothing, because something blocks the removal;
 * - `mark`: stores the object as terminating;
 * - `mark-and-remove`: stores it as terminating, and removes it in a second transaction, so that watchers see both;
 * - `remove`: removes it in one transaction.
 */
export type DeletionAction = 'wait' | 'mark' | 'mark-and-remove' | 'remove';

/** Marks `object` as the options require. Its metadata must be a copy. */
export function markForDeletion(info: ResourceInfo, object: JsonObject, options: DeleteOptions, context: DeletionContext): DeletionAction {
  const { deletion } = info.strategy;
  const isAlreadyTerminating = isTerminating(readMetadata(object));
  if (deletion?.prepareForDeletion === undefined) return markWithGrace(info, object, options, context.now);
  if (!isAlreadyTerminating) {
    markBeforeRemoval(info, object, options, context);
    return 'mark';
  }
  return deletion.isRemovalBlocked?.(object) === true ? 'wait' : markWithGrace(info, object, options, context.now);
}

/** The first DELETE of a kind with `prepareForDeletion`. */
function markBeforeRemoval(info: ResourceInfo, object: JsonObject, options: DeleteOptions, context: DeletionContext): void {
  const { deletion } = info.strategy;
  const metadata = ensureMetadata(object);
  if (deletion?.firstDeleteOnlyMarks === true) metadata['deletionTimestamp'] = formatTimestamp(context.now);
  else {
    setFinalizers(metadata, finalizersFor(info, metadata, options));
    setDeletionTimestamp(metadata, context.now);
  }
  deletion?.prepareForDeletion?.(object, context);
}

function markWithGrace(info: ResourceInfo, object: JsonObject, options: DeleteOptions, now: number): Exclude<DeletionAction, 'wait'> {
  const metadata = ensureMetadata(object);
  const isAlreadyTerminating = isTerminating(metadata);
  const grace = isAlreadyTerminating ? shorterGrace(info, object, options) : (gracePeriodFor(info, object, options) ?? 0);
  const finalizers = finalizersFor(info, metadata, options);
  setFinalizers(metadata, finalizers);
  const isReady = grace === 0 && finalizers.length === 0;
  // Watchers of kinds with graceful deletion see every object as terminating before it is removed.
  const needsMark = info.strategy.deletion?.checkGracefulDelete !== undefined;
  if (isReady && (!needsMark || (isAlreadyTerminating && gracePeriodOf(metadata) === 0))) return 'remove';
  if (!isAlreadyTerminating) setDeletionTimestamp(metadata, now + grace * 1000);
  else if (grace !== gracePeriodOf(metadata)) {
    const started = (parseTimestamp(stringAt(metadata, 'deletionTimestamp')) ?? now) - gracePeriodOf(metadata) * 1000;
    metadata['deletionTimestamp'] = formatTimestamp(started + grace * 1000);
  }
  metadata['deletionGracePeriodSeconds'] = grace;
  return isReady ? 'mark-and-remove' : 'mark';
}

/** `undefined` when deletion is not graceful. A negative requested period counts as one second (upstream behaviour). */
function gracePeriodFor(
  { strategy }: ResourceInfo,
  object: JsonObject,
  { gracePeriodSeconds: requested }: DeleteOptions,
): number | undefined {
  return strategy.deletion?.checkGracefulDelete?.(object, requested !== undefined && requested < 0 ? 1 : requested);
}

/** Marks the object as terminating from `at`, in ms since 1970, and increments its generation, if it has one. */
function setDeletionTimestamp(metadata: JsonObject, at: number): void {
  metadata['deletionTimestamp'] = formatTimestamp(at);
  const generation = ownMember(metadata, 'generation');
  if (typeof generation === 'number' && generation > 0) metadata['generation'] = generation + 1;
}

function gracePeriodOf(metadata: JsonObject): number {
  const grace = ownMember(metadata, 'deletionGracePeriodSeconds');
  return typeof grace === 'number' ? grace : 0;
}

/** A later DELETE can only shorten the grace period. */
function shorterGrace(info: ResourceInfo, object: JsonObject, options: DeleteOptions): number {
  const granted = gracePeriodOf(readMetadata(object));
  return Math.min(gracePeriodFor(info, object, options) ?? granted, granted);
}

const GC_FINALIZERS: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion']);

/**
 * Replaces the finalizers of the garbage collector by the one that the propagation policy requires (none for
 * `Background`). Without a policy they stay; an object of a kind that orphans by default gets `orphan` if it has none.
 */
function finalizersFor(info: ResourceInfo, metadata: JsonObject, options: DeleteOptions): readonly string[] {
  const finalizers = stringsAt(metadata, 'finalizers');
  if (info.row.noGarbageCollection === true) return finalizers;
  const policy = options.propagationPolicy ?? policyOf(options.orphanDependents);
  if (policy === undefined) {
    const addsOrphan = info.row.orphansByDefault === true && !finalizers.some((finalizer) => GC_FINALIZERS.has(finalizer));
    return addsOrphan ? [...finalizers, 'orphan'] : finalizers;
  }
  const others = finalizers.filter((finalizer) => !GC_FINALIZERS.has(finalizer));
  if (policy === 'Orphan') return [...others, 'orphan'];
  return policy === 'Foreground' ? [...others, 'foregroundDeletion'] : others;
}

function policyOf(orphanDependents: boolean | undefined): 'Background' | 'Orphan' | undefined {
  if (orphanDependents === undefined) return undefined;
  return orphanDependents ? 'Orphan' : 'Background';
}

function setFinalizers(metadata: JsonObject, finalizers: readonly string[]): void {
  if (finalizers.length === 0) delete metadata['finalizers'];
  else metadata['finalizers'] = [...finalizers];
}
