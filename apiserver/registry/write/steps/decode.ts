/**
 * The first steps of a write: decode the request object, set defaults, convert it to the storage version, update
 * managedFields.
 */
import { stringAt, type JsonObject } from '../../../../shared/values/json';
import { dropFieldAnnotations } from '../../../../shared/api/conversion';
import * as status from '../../../../shared/api/errors/status';
import { ensureMetadata, parseResourceVersion, readMetadata } from '../../../../shared/api/metadata/object-meta';
import { whenResolved, type MaybePromise } from '../../../../shared/runtime/maybe-promise';
import { needsConversionWebhook, toHub, type ResourceInfo } from '../../object/resource-info';
import { clearDeletion } from '../object-metadata';
import { recordManagedFieldsInSteps } from '../managed-fields';
import { checkResourceVersion, storagePreconditionError, uidIn } from '../preconditions';
import { readStored } from '../version-conversion';
import type { DecodedChange, DecodedAttempt, ObjectStart } from './attempt';
import { whenDone, addFacts, type StepExecution } from './step';

type NewObject = Pick<DecodedAttempt, 'object'> & { readonly old: undefined };

const PATCH_EVENT = 'About to apply patch';

/** decode, of a POST. May run repeatedly and returns a new object each time. Throws 400 or 422 for an invalid body. */
export function decodeNew<A extends ObjectStart>(attempt: A, execution: StepExecution): MaybePromise<A & NewObject> {
  return whenResolved(attempt.source.makeObject(undefined, execution), (object) => addFacts(attempt, { object, old: undefined }));
}

/**
 * decode, of a PUT or apply of an absent object: an apply creates it, and so does a PUT for some kinds. Throws 404 when
 * the object must not be created, 409 when the body has a uid.
 */
export function decodeAbsent<A extends ObjectStart>(attempt: A, execution: StepExecution): MaybePromise<A & NewObject> {
  const { request, source, options } = attempt;
  const { info, name, subresource, context } = request;
  const isApply = source.verb === 'apply';
  if (source.verb === 'patch' || (isApply && subresource !== undefined)) throw status.notFound(info.row, name);
  if (isApply) context.trace?.addEvent(PATCH_EVENT);
  return whenResolved(source.makeObject(undefined, execution), (object) => {
    const uid = uidIn(ensureMetadata(object));
    if (uid !== '') throw storagePreconditionError(request, { field: 'UID', requested: uid, stored: '' });
    const mayCreate = isApply || (subresource === undefined && createsOnUpdate(info, object));
    if (!mayCreate || options.ifMatch !== undefined) throw status.notFound(info.row, name);
    delete ensureMetadata(object)['resourceVersion'];
    return addFacts(attempt, { object, old: undefined });
  });
}

function createsOnUpdate({ row }: ResourceInfo, object: JsonObject): boolean {
  if (row.allowsCreateOnUpdate !== 'without-resource-version') return row.allowsCreateOnUpdate === true;
  return parseResourceVersion(stringAt(ensureMetadata(object), 'resourceVersion')).type === 'unset';
}

/**
 * decode, of a change: reads the stored object and produces the changed one from it. Throws 404, 409 when a
 * precondition fails, and errors in the body or patch.
 */
export function decodeChange<A extends ObjectStart>(attempt: A, execution: StepExecution): MaybePromise<A & DecodedChange> {
  const { request, current, source, options } = attempt;
  const { info, name } = request;
  const { entry } = current;
  if (entry === undefined) throw status.notFound(info.row, name);
  return whenResolved(readStored(execution.deps, request, entry), ({ object: old, text }) => {
    if (options.ifMatch !== undefined && options.ifMatch !== String(entry.revision)) throw status.objectModified(info.row, name);
    if (source.verb !== 'update') request.context.trace?.addEvent(PATCH_EVENT);
    return whenResolved(source.makeObject(old, execution), (object) => {
      const metadata = ensureMetadata(object);
      const requested = uidIn(metadata);
      const stored = uidIn(readMetadata(old));
      if (source.verb === 'update' && requested !== '' && requested !== stored)
        throw storagePreconditionError(request, { field: 'UID', requested, stored });
      checkResourceVersion(request, stringAt(metadata, 'resourceVersion'), entry);
      return addFacts(attempt, { entry, old, text, object });
    });
  });
}

/**
 * default: sets the defaults of the served version, and drops annotations that carry fields of another version. May run
 * repeatedly; throws nothing.
 */
export function applyDefaults<A extends DecodedAttempt>(attempt: A): A {
  const { request, source, object, old } = attempt;
  const { info } = request;
  // A configuration applied in another version than the storage version gets its defaults when the object is read
  // (upstream behaviour).
  const isDefaultedOnRead =
    source.verb === 'apply' && old !== undefined && needsConversionWebhook(info) && info.row.version !== info.hub.version;
  if (!isDefaultedOnRead) info.codec.applyDefaults(object);
  dropFieldAnnotations(info.row, object);
  return attempt;
}

/**
 * convertToStorage: converts the object to the storage version in canonical form. For kinds with a conversion webhook
 * the object stays in the served version until {@link convertByWebhook}.
 */
export function convertToStorage<A extends DecodedAttempt>(attempt: A, { deps }: StepExecution): A & Pick<DecodedAttempt, 'object'> {
  const { request, old } = attempt;
  const { info } = request;
  const object = toHub(info, attempt.object);
  const metadata = ensureMetadata(object);
  if (old === undefined) clearDeletion(metadata);
  info.strategy.canonicalize?.(object);
  const isNamed = request.name !== '' || stringAt(metadata, 'name') !== undefined;
  if (isNamed) info.strategy.setRequiredLabels?.(object, deps.strategyContext(request));
  return object === attempt.object ? attempt : addFacts(attempt, { object });
}

/**
 * updateManagedFields: changes `metadata.managedFields` only. Not in the lists of applies and scales, where the source
 * of the object has updated them.
 */
export function updateManagedFields<A extends DecodedAttempt>(attempt: A, execution: StepExecution): MaybePromise<A> {
  const { request, options, object, old } = attempt;
  const { info, subresource, versionConverter } = request;
  const write = { subresource, manager: options.fieldManager, ms: execution.deps.clock.now(), versionConverter };
  return whenDone(execution.compute(recordManagedFieldsInSteps(info, write, object, old)), attempt);
}
