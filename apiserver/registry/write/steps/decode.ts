/** The first steps of a write: what was sent becomes an object of the stored version with its owners. Nothing is asked of other requests or plug-ins. */
import { stringAt, type JsonObject } from '../../../../shared/values/json';
import { dropFieldAnnotations } from '../../../../shared/api/conversion';
import * as status from '../../../../shared/api/errors/status';
import { ensureMetadata, parseResourceVersion, readMetadata } from '../../../../shared/api/metadata/object-meta';
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import { needsWebhook, toHub, type ResourceInfo } from '../../object/resource-info';
import { entryKey } from '../../resources';
import { dropDeletion } from '../object-metadata';
import { recordingOwnership } from '../managed-fields';
import { checkResourceVersion } from '../preconditions';
import { readStored } from '../version-conversion';
import type { DecodedChange, DecodedAttempt, ObjectStart } from './attempt';
import { after, learn, type StepExecution } from './step';

const PATCHING = 'About to apply patch';

/** decode, of a POST: may be repeated, and decodes anew each time. Throws what is wrong with the body (400). */
export function decodeNew<A extends ObjectStart>(
  attempt: A,
  execution: StepExecution,
): MaybePromise<A & { readonly object: JsonObject; readonly old: undefined }> {
  return whenResolved(attempt.source.object(undefined, execution), (object) => learn(attempt, { object, old: undefined }));
}

/**
 * decode, of a PUT or apply that finds nothing: an apply creates the object, and a PUT of some kinds does. Throws 404 where it may not, 409 when the body
 * names the uid of an object that should exist.
 */
export function decodeMissing<A extends ObjectStart>(
  attempt: A,
  execution: StepExecution,
): MaybePromise<A & { readonly object: JsonObject; readonly old: undefined }> {
  const { request, source, options } = attempt;
  const { info, name, subresource, context } = request;
  const applies = source.verb === 'apply';
  if (source.verb === 'patch' || (applies && subresource !== undefined)) throw status.notFound(info.gr, name);
  if (applies) context.trace?.addEvent(PATCHING);
  return whenResolved(source.object(undefined, execution), (object) => {
    const uid = stringAt(ensureMetadata(object), 'uid') ?? '';
    if (uid !== '') throw status.storageUidMismatch(info.gr, name, info.keyPrefix + entryKey(request), uid, '');
    const creates = applies || (subresource === undefined && createsOnUpdate(info, object));
    if (!creates || options.ifMatch !== undefined) throw status.notFound(info.gr, name);
    delete ensureMetadata(object)['resourceVersion'];
    return learn(attempt, { object, old: undefined });
  });
}

function createsOnUpdate({ row }: ResourceInfo, object: JsonObject): boolean {
  if (row.allowsCreateOnUpdate !== 'without-resource-version') return row.allowsCreateOnUpdate === true;
  return parseResourceVersion(stringAt(ensureMetadata(object), 'resourceVersion')).type === 'unset';
}

/**
 * decode, of a change: reads the stored object and makes the changed one from it. Throws 404, 409 when a precondition does not hold, and what is wrong
 * with the body or patch.
 */
export function decodeChange<A extends ObjectStart>(attempt: A, execution: StepExecution): MaybePromise<A & DecodedChange> {
  const { request, current, source, options } = attempt;
  const { info, name } = request;
  const { entry } = current;
  if (entry === undefined) throw status.notFound(info.gr, name);
  return whenResolved(readStored(execution.deps, request, entry), ({ object: old, text }) => {
    if (options.ifMatch !== undefined && options.ifMatch !== String(entry.revision)) throw status.objectModified(info.gr, name);
    if (source.verb !== 'update') request.context.trace?.addEvent(PATCHING);
    return whenResolved(source.object(old, execution), (object) => {
      const metadata = ensureMetadata(object);
      const [uid, oldUid] = [stringAt(metadata, 'uid') ?? '', stringAt(readMetadata(old), 'uid') ?? ''];
      if (source.verb === 'update' && uid !== '' && uid !== oldUid)
        throw status.storageUidMismatch(info.gr, name, info.keyPrefix + entryKey(request), uid, oldUid);
      checkResourceVersion(request, stringAt(metadata, 'resourceVersion'), entry);
      return learn(attempt, { entry, old, text, object });
    });
  });
}

/** default: sets the defaults of the served version. May be repeated; throws nothing. */
export function applyDefaults<A extends DecodedAttempt>(attempt: A): A {
  const { request, source, object, old } = attempt;
  const { info } = request;
  // What a configuration leaves out that is applied in a version that is not stored is filled in where the object is read (upstream behaviour).
  const isFilledWhenRead = source.verb === 'apply' && old !== undefined && needsWebhook(info) && info.row.version !== info.hub.version;
  if (!isFilledWhenRead) info.codec.applyDefaults(object);
  dropFieldAnnotations(info.row, object);
  return attempt;
}

/**
 * convertToStorage: from here on the object is of the stored version, in its canonical form. Of kinds that only a webhook converts it stays as it was served
 * until {@link convertByWebhook}.
 */
export function convertToStorage<A extends DecodedAttempt>(attempt: A, { deps }: StepExecution): A & Pick<DecodedAttempt, 'object'> {
  const { request, old } = attempt;
  const { info } = request;
  const object = toHub(info, attempt.object);
  const metadata = ensureMetadata(object);
  if (old === undefined) dropDeletion(metadata);
  info.strategy.canonicalize?.(object);
  const isNamed = request.name !== '' || stringAt(metadata, 'name') !== undefined;
  if (isNamed) info.strategy.setRequiredLabels?.(object, deps.strategyContext(request));
  return object === attempt.object ? attempt : learn(attempt, { object });
}

/**
 * updateManagedFields: records who owns which field. Changes `metadata.managedFields` alone. Not in the lists of applies and scales, whose sources have
 * recorded it already.
 */
export function updateManagedFields<A extends DecodedAttempt>(attempt: A, execution: StepExecution): MaybePromise<A> {
  const { request, options, object, old } = attempt;
  const { info, subresource } = request;
  const recording = recordingOwnership(info, subresource, options.fieldManager, object, old, execution.deps.clock.now(), request.versions);
  return after(execution.compute(recording), attempt);
}
